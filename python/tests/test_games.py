"""Files of games, and files of answers."""

import pathlib
import random
import tempfile
import unittest

import emilia_othello as emilia
from emilia_othello import START, Board, Engine, EngineError, RequestError, read_analyses, read_games

PGN = """[Black "ann"]
[White "bob"]
[Date "2020.05.01"]
[Result "40-24"]

1. f5 d6 2. c3 40-24
"""


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, text):
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path

    def test_a_game_has_names_and_a_result(self):
        for source in (PGN, self.file("g.pgn", PGN), str(self.folder / "g.pgn")):
            (game,) = read_games(source)
            self.assertEqual((game.black, game.white, game.moves), ("ann", "bob", ("f5", "d6", "c3")))
            self.assertEqual((game.result.winner, game.result.discs, game.date), ("black", 16, "2020.05.01"))
            self.assertEqual(game.text, "f5d6c3")

    def test_games_come_one_by_one_and_the_reader_may_stop(self):
        path = self.file("many.txt", "f5d6c3\n" * 20000)
        games = read_games(path)
        self.assertEqual(next(games).moves, ("f5", "d6", "c3"))
        games.close()

    def test_a_position_is_a_game_without_moves(self):
        (game,) = read_games(START[:65] + "O")
        self.assertEqual((game.start, game.moves, game.text), (START[:65] + "O", (), START[:65] + "O"))

    def test_a_bad_entry_is_an_error_or_goes_to_on_error(self):
        path = self.file("bad.txt", "f5d6\nf5x9\nf5f6\n")
        with self.assertRaisesRegex(EngineError, "line 2"):
            list(read_games(path))
        errors = []
        games = list(read_games(path, on_error=errors.append))
        self.assertEqual([game.text for game in games], ["f5d6", "f5f6"])
        self.assertEqual([("line 2" in str(error)) for error in errors], [True])
        with self.assertRaisesRegex(EngineError, "no such file"):
            list(read_games(self.folder / "none.txt"))

    def test_a_file_is_analyzed_once(self):
        path, output = self.file("games.txt", "f5d6c3\nf5f6\n"), self.folder / "answers.jsonl.gz"
        with Engine() as engine:
            found = list(engine.analyze_file(path, output, depth=2))
            self.assertEqual([answer.turn for answer in found], [0, 1, 2, 3, 0, 1, 2])
            with self.assertRaises(EngineError):
                engine.analyze_file(path, output, depth=2)
            with self.assertRaises(EngineError):
                engine.analyze_file(path, output, depth=3, resume=True)
            again = list(engine.analyze_file(path, output, depth=2, resume=True))
        self.assertEqual([answer.seconds for answer in again], [answer.seconds for answer in found])

    def test_a_refused_request_is_an_error_in_the_answers(self):
        output = self.file("answers.jsonl", '{"id":7,"error":"position: no","field":"position"}\n')
        with self.assertRaises(RequestError):
            list(read_analyses(output))
        errors = []
        self.assertEqual((list(read_analyses(output, on_error=errors.append)), errors[0].id), ([], 7))

    def test_a_store_keeps_answers(self):
        for stored in (False, True):
            with Engine(store=self.folder / "store", book=False) as engine:
                self.assertEqual(engine.analyze("f5d6c3d3", depth=6).stored, stored)


class Program(unittest.TestCase):
    def test_the_rules_are_the_program_s(self):
        chance = random.Random(5)
        board = Board()
        with Engine() as engine:
            while not board.is_over:
                shown = engine.show(board)
                self.assertEqual(board.legal_moves, tuple(move.move for move in shown.legal_moves))
                self.assertEqual(board.must_pass, shown.must_pass)
                for move in shown.legal_moves:
                    self.assertEqual(sorted(board.flips(move.move)), sorted(move.flips))
                board = board.play(chance.choice(board.legal_moves or ("pa",)))
            self.assertEqual(engine.analyze(board).score, board.score)

    def test_a_missing_value_goes_to_on_error(self):
        errors = []
        queries = ["f5d6", float("nan"), None, "f5f6"]
        with Engine() as engine:
            for ordered in (True, False):
                errors.clear()
                found = list(engine.analyze(queries, depth=2, ordered=ordered, on_error=errors.append))
                self.assertEqual(sorted(answer.id for answer in found), [0, 3])
                self.assertEqual([error.id for error in errors], [1, 2])
            with self.assertRaisesRegex(RequestError, "missing value"):
                list(engine.analyze(queries, depth=2))

    def test_tables_begin_with_id_position_move(self):
        with Engine() as engine:
            (row,) = emilia.to_rows([engine.analyze("f5d6c3", depth=2)])
        self.assertEqual(list(row)[:3], ["id", "position", "move"])


if __name__ == "__main__":
    unittest.main()
