"""Results have every field that the engine has, and options every one that it takes."""

import dataclasses
import json
import subprocess
import typing
import unittest

import emilia_othello as emilia
from emilia_othello import program, results


def schema(*names):
    """The fields of definitions of the engine's schema."""
    out = subprocess.run([program.installed(), "help", "schema"], stdout=subprocess.PIPE, check=True).stdout
    return {field for name in names for field in json.loads(out)["$defs"][name]["properties"]}


class Schema(unittest.TestCase):
    CLASSES = {
        emilia.Analysis: ("Answer", "Judged"),
        emilia.MoveAnalysis: ("JudgedMove",),
        emilia.Played: ("PlayedMove",),
        emilia.BookEntry: ("BookJudgement",),
        emilia.Estimate: ("Estimate",),
        emilia.Names: ("Names",),
    }

    def test_results_have_the_fields_of_the_schema(self):
        for cls, names in self.CLASSES.items():
            with self.subTest(names):
                self.assertEqual({field.name for field in dataclasses.fields(cls)}, schema(*names))

    def test_options_are_those_of_the_schema(self):
        others = {"id", "position", "game", "cancel", "cancel_all", "version"}
        self.assertEqual(others | set(emilia.Options.__annotations__), schema("Request"))

    def test_all_that_show_tells_is_read(self):
        texts = ["f5d6c3", emilia.START, "f5d6c3d3c4f4f6g5e3f3g6", 24 * "X" + 39 * "O" + "- X"]
        for text in texts:
            command = [program.installed(), "show", "--json", "-"]
            out = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True).stdout
            self.hold(emilia.Shown, json.loads(out), "show")

    def hold(self, cls, told, at):
        """All fields told are known to the class, and those of objects inside to theirs."""
        known = {field.name for field in dataclasses.fields(cls)}
        self.assertLessEqual(set(told), known, at)
        for name, inner in results.NESTED.get(cls, {}).items():
            value = told.get(name)
            for item in value if isinstance(value, list) else [value]:
                if item is not None:
                    self.hold(inner, item, f"{at}.{name}")

    def test_results_cannot_be_changed(self):
        line = emilia.Line(score=3.0)
        with self.assertRaises(dataclasses.FrozenInstanceError):
            line.score = 4.0

    def test_everything_public_has_a_docstring(self):
        for name in emilia.__all__:
            thing = getattr(emilia, name)
            if isinstance(thing, type) or callable(thing):
                self.assertTrue(getattr(thing, "__doc__", None) or typing.get_origin(thing), name)
                for member, value in vars(thing).items() if isinstance(thing, type) else ():
                    if callable(value) and not member.startswith("_"):
                        self.assertTrue(value.__doc__, f"{name}.{member}")


def analysis(**fields):
    """An analysis as the engine would write it."""
    move = {"move": "f5", "lower": -64, "upper": 64, "depth": 4, "selectivity": 73, "exact": False, "pv": ["f5", "d6"]}
    told = {
        "id": 1, "position": emilia.START, "empties": 60, "depth": 4, "selectivity": 73, "exact": False, "nodes": 5,
        "moves": [{**move, "score": 1.25}], "version": "0", "weights": "w", "score": 1.25, **fields,
    }  # fmt: skip
    return results.read(emilia.Analysis, told)


class Values(unittest.TestCase):
    def test_what_is_known_of_a_score_in_a_few_characters(self):
        self.assertEqual(results.value_text(analysis()), "+1.2")
        self.assertEqual(results.value_text(analysis(score=-3.0)), "-3.0")
        self.assertEqual(results.value_text(analysis(score=-3.0, exact=True)), "-3")
        self.assertEqual(results.value_text(analysis(score=None, at_least=4.0)), "≥4")
        self.assertEqual(results.value_text(analysis(score=None, at_most=-4.5)), "≤-4.5")
        self.assertEqual(results.value_text(analysis(score=None, result="draw")), "draw")

    def test_fields_of_a_newer_engine_are_passed_over(self):
        self.assertEqual(analysis(color="green"), analysis())

    def test_rows_are_flat(self):
        row = emilia.to_rows([analysis(id="a", played={"move": "c4", "loss": 0.5}, turn=3)])[0]
        self.assertEqual((row["id"], row["turn"], row["move"], row["pv"]), ("a", 3, "f5", "f5 d6"))
        self.assertEqual((row["played"], row["played_loss"], row["score"]), ("c4", 0.5, 1.25))
        for name, value in row.items():
            self.assertIsInstance(value, (str, int, float, type(None)), name)

    def test_pandas_where_it_is(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = emilia.to_pandas([analysis(), analysis(id=2, score=2.5)])
        self.assertEqual(list(frame["score"]), [1.25, 2.5])
        self.assertEqual(list(frame["id"]), [1, 2])


if __name__ == "__main__":
    unittest.main()
