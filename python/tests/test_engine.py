"""Asking and answering."""

import asyncio
import gc
import itertools
import re
import threading
import time
import unittest

import emilia_othello as emilia
from emilia_othello import Cancelled, Engine, EngineError, Request, RequestError

GAME = "f5d6c3d3c4f4f6g5e3f3g6"
#: 14 empties, Black to move; the first of the FFO endgame suite.
SOLVED = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X"
#: A full board.
FULL = "XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXO X"
#: Neither side has a move; Black has 63 discs.
OVER = 63 * "X" + "- X"
#: In no book.
MIDDLE = "---O------OOX-X-XXXOOXXXXXXXXOX--OXOXXOX--OXXXX---XX------X----- O"
#: No machine searches it to the end.
ENDLESS = {"depth": 60}


class Asking(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.engine = Engine(jobs=2)

    @classmethod
    def tearDownClass(cls):
        cls.engine.close()


class One(Asking):
    def test_a_position(self):
        found = self.engine.analyze("f5d6c3", depth=8, best_moves=3)
        self.assertEqual((found.id, found.depth, found.empties, len(found.moves)), (0, 8, 57, 3))
        self.assertEqual((found.best, found.score), (found.moves[0].move, found.moves[0].score))
        self.assertEqual(found.pv[0], found.best)
        self.assertFalse(found.partial or found.cancelled or found.exact)
        self.assertTrue(found.seconds > 0 and found.nodes > 0)

    def test_whatever_has_a_position_can_be_asked(self):
        shown = self.engine.show("f5d6c3")
        found = [self.engine.analyze(query, depth=4) for query in (shown, shown.board, Request("f5d6c3", id=0))]
        self.assertEqual({(each.position, each.score) for each in found}, {(shown.position, found[0].score)})
        again = self.engine.analyze(found[0], depth=4)
        self.assertEqual(again.score, found[0].score)

    def test_why(self):
        found = self.engine.analyze("f5d6c3", depth=1, best_moves=1, why="en")
        self.assertTrue(found.moves[0].why)

    def test_a_game_that_is_over(self):
        found = self.engine.analyze(OVER)
        self.assertEqual((found.score, found.best, found.pv, found.moves), (64.0, None, (), ()))

    def test_the_engines_words_when_it_refuses(self):
        with self.assertRaisesRegex(RequestError, "^depth: expected a whole number from 1 to 60, found 99$") as raised:
            self.engine.analyze(Request("f5", id="x", depth=99))
        self.assertEqual((raised.exception.field, raised.exception.id), ("depth", "x"))
        with self.assertRaisesRegex(RequestError, "^position: "):
            self.engine.analyze("f5f5")

    def test_lines_that_the_engine_cannot_read_are_answered(self):
        for text in ("f5" * 40000, "\ud800", "", "\0"):
            with self.assertRaises(RequestError):
                self.engine.analyze(text, timeout=20)

    def test_an_option_that_there_is_not(self):
        with self.assertRaisesRegex(TypeError, "^there is no option 'depht'; there are play, "):
            self.engine.analyze("f5", depht=3)
        with self.assertRaises(TypeError):
            self.engine.analyze(["f5"], depht=3)
        with self.assertRaises(TypeError):
            Request("f5", game="f5")
        with self.assertRaises(TypeError):
            Request()

    def test_arguments_of_another_kind(self):
        for ask in (self.engine.analyze, self.engine.start, self.engine.show, self.engine.play, self.engine.solve):
            for query in (None, b"f5", 5):
                with self.assertRaisesRegex(TypeError, "^position: expected a text, .*found " + re.escape(repr(query))):
                    ask(query)
        with self.assertRaisesRegex(TypeError, "^game: expected a text, found None$"):
            self.engine.analyze_game(None)
        with self.assertRaisesRegex(TypeError, "^depth: expected a number, .* found <object"):
            self.engine.analyze("f5", depth=object())
        with self.assertRaisesRegex(TypeError, "^timeout: expected seconds, found '1'$"):
            self.engine.analyze("f5", timeout="1")

    def test_time_is_up(self):
        begin = time.monotonic()
        with self.assertRaises(TimeoutError):
            self.engine.analyze("f5", timeout=0.3, **ENDLESS)
        self.assertLess(time.monotonic() - begin, 10)

    def test_any_number_may_wait_for_one_search(self):
        search = self.engine.start("f5", seconds=0.5)
        found = []
        threads = [threading.Thread(target=lambda: found.append(search.result(timeout=20))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [search.result()] * 4)
        self.assertEqual(list(search), found[:1])

    def test_a_timeout_counts_from_the_question(self):
        # Partial answers do not prolong it.
        with self.assertRaises(TimeoutError):
            self.engine.analyze("f5", timeout=0.5, partial_every=0.01, **ENDLESS)

    def test_many_positions_are_no_single_answer(self):
        with self.assertRaisesRegex(ValueError, "analyze_game"):
            self.engine.analyze(Request(game=GAME), depth=1)


class Partial(Asking):
    def test_by_callback(self):
        seen = []
        last = self.engine.analyze("f5d6c3", partial_every=0.01, on_partial=seen.append, seconds=0.5)
        self.assertGreater(len(seen), 2)
        self.assertTrue(all(each.partial and each.nodes <= last.nodes for each in seen))
        depths = [each.depth for each in seen]
        self.assertEqual(depths, sorted(depths))
        self.assertFalse(last.partial)

    def test_by_iteration(self):
        seen = list(self.engine.start("f5d6c3", partial_every=0.01, seconds=0.5))
        self.assertGreater(len(seen), 2)
        self.assertEqual([each.partial for each in seen], [True] * (len(seen) - 1) + [False])

    def test_signs_of_life_are_not_told(self):
        # The package itself asks for a report every two seconds.
        self.assertEqual([each.partial for each in self.engine.start("f5", seconds=2.5)], [False])

    def test_of_many(self):
        seen = []
        queries = [Request("f5", id="a", partial_every=0.01), Request("f5d6", id="b")]
        found = list(self.engine.analyze(queries, seconds=0.3, on_partial=seen.append))
        self.assertEqual([each.id for each in found], ["a", "b"])
        self.assertEqual({each.id for each in seen}, {"a"})


class Many(Asking):
    def test_order_of_the_input(self):
        queries = ["f5d6", Request("f5", id="long", depth=14), Request("f5f6", id=("any", "thing"))]
        self.assertEqual([each.id for each in self.engine.analyze(queries, depth=2)], [0, "long", ("any", "thing")])

    def test_order_of_the_answers(self):
        queries = [Request("f5", id="long", seconds=1.0), *(Request("f5d6", depth=1) for _ in range(20))]
        found = [each.id for each in self.engine.analyze(queries, ordered=False)]
        self.assertEqual(found[-1], "long")
        self.assertEqual(set(found), {"long", *range(1, 21)})

    def test_equal_ids_are_kept_apart(self):
        queries = [Request("f5", id=7, depth=1), Request("f5d6", id=7, depth=1)]
        self.assertEqual([(each.id, each.empties) for each in self.engine.analyze(queries)], [(7, 59), (7, 58)])

    def test_thousands_and_back_pressure(self):
        for ordered in (True, False):
            sent = 0

            def queries():
                nonlocal sent
                while True:  # Without an end.
                    sent += 1
                    yield "f5d6"

            answers = self.engine.analyze(queries(), depth=1, window=50, ordered=ordered)
            for taken, _ in enumerate(itertools.islice(answers, 2000), start=1):
                self.assertLessEqual(sent, taken + 50)
            self.assertEqual(taken, 2000)

    def test_nothing(self):
        self.assertEqual(list(self.engine.analyze([])), [])
        with self.assertRaises(ValueError):
            self.engine.analyze([], window=0)

    def test_a_fault_ends_it(self):
        found = []
        with self.assertRaisesRegex(RequestError, "^position: ") as raised:
            for each in self.engine.analyze(["f5", "f5f5", "f5d6"], depth=1):
                found.append(each.id)
        self.assertEqual((found, raised.exception.id), ([0], 1))

    def test_faults_can_be_passed_over(self):
        faults = []
        found = list(self.engine.analyze(["f5f5", "f5", "x"], depth=1, on_error=faults.append))
        self.assertEqual(([each.id for each in found], [fault.id for fault in faults]), ([1], [0, 2]))

    def test_an_exception_of_the_source_goes_through(self):
        def queries():
            yield "f5"
            raise KeyError("mine")

        with self.assertRaises(KeyError):
            list(self.engine.analyze(queries(), depth=1, window=1))

    def test_answers_have_one_consumer(self):
        answers = self.engine.analyze(["f5", "f5"], seconds=0.3)
        taker = threading.Thread(target=next, args=(answers,))
        taker.start()
        time.sleep(0.1)
        with self.assertRaisesRegex(RuntimeError, "somebody else"):
            next(answers)
        taker.join()
        self.assertEqual(next(answers).id, 1)

    def test_threads_ask_at_once(self):
        found = {}

        def ask(name):
            found[name] = [each.id for each in self.engine.analyze(["f5d6"] * 200, depth=2)]

        threads = [threading.Thread(target=ask, args=(name,)) for name in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, {name: list(range(200)) for name in range(8)})


class Games(Asking):
    def test_every_position(self):
        found = self.engine.analyze_game(GAME, depth=4, losses=True)
        self.assertEqual([each.turn for each in found], list(range(12)))
        self.assertEqual([each.played.move for each in found[:-1]], [GAME[at : at + 2] for at in range(0, 22, 2)])
        self.assertTrue(all(each.played.loss >= 0 for each in found[:-1]))
        self.assertEqual(found[-1].board.played, None)

    def test_in_a_stream(self):
        queries = [Request(game=GAME, id="g"), "f5", Request(game="f5d6", id="h", turns=[2, 0])]
        for ordered in (True, False):
            found = [(each.id, each.turn) for each in self.engine.analyze(queries, depth=2, ordered=ordered)]
            expected = [("g", turn) for turn in range(12)] + [(1, None), ("h", 0), ("h", 2)]
            self.assertEqual(
                found if ordered else sorted(found, key=str), expected if ordered else sorted(expected, key=str)
            )

    def test_a_search_of_some_positions(self):
        search = self.engine.start(Request(game=GAME, turns=[3, -1]), depth=2)
        self.assertEqual([each.turn for each in search.results()], [3, 11])
        self.assertEqual(search.result().turn, 11)


class Cancelling(Asking):
    def test_a_search(self):
        search = self.engine.start("f5", **ENDLESS)
        with self.assertRaises(TimeoutError):
            search.result(timeout=0.3)
        begin = time.monotonic()
        search.cancel()
        found = search.result(timeout=20)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertTrue(found.cancelled and found.depth > 0)

    def test_a_long_solve_from_another_thread(self):
        threading.Timer(0.3, self.engine.cancel).start()
        found = self.engine.solve("f5d6c3")
        self.assertTrue(found.cancelled and not found.exact)

    def test_what_has_not_begun_is_dropped(self):
        searches = [self.engine.start("f5", **ENDLESS) for _ in range(3)]
        time.sleep(0.3)
        self.engine.cancel()
        self.assertTrue(all(search.result(timeout=20).cancelled for search in searches[:2]))
        with self.assertRaises(Cancelled):
            searches[2].result(timeout=20)
        self.assertEqual(list(searches[2]), [])

    def test_many(self):
        for ordered in (True, False):
            answers = self.engine.analyze(itertools.repeat("f5"), ordered=ordered, seconds=0.2)
            found = [next(answers), next(answers)]
            answers.cancel()
            rest = list(answers)
            self.assertFalse(any(each.cancelled for each in found))
            self.assertLessEqual(sum(each.cancelled for each in rest), 2)
            self.assertLess(len(rest), 10)

    def test_many_from_another_thread(self):
        answers = self.engine.analyze(itertools.repeat("f5"), **ENDLESS)
        threading.Timer(0.3, answers.cancel).start()
        found = list(answers)
        self.assertTrue(0 < len(found) < 10 and all(each.cancelled for each in found))

    def test_what_nobody_holds_is_given_up(self):
        search = self.engine.start("f5", **ENDLESS)
        answers = self.engine.analyze(itertools.repeat("f5"), **ENDLESS)
        with self.assertRaises(TimeoutError):
            answers._is_over()
            search.result(timeout=0.2)
        del search, answers
        gc.collect()
        self.assertEqual(self.engine.analyze("f5d6", depth=2, timeout=20).depth, 2)


class Solving(Asking):
    def test_one(self):
        found = self.engine.solve(SOLVED)
        self.assertEqual((found.score, found.exact, found.best), (18.0, True, "g8"))

    def test_who_wins(self):
        found = self.engine.solve(SOLVED, wld=True)
        self.assertEqual((found.result, found.score), ("win", None))

    def test_many(self):
        scores = [each.score for each in self.engine.solve([SOLVED, FULL, OVER])]
        self.assertEqual(scores, [18.0, 62.0, 64.0])


class Playing(Asking):
    def test_a_legal_move(self):
        for options in ({}, {"level": 1}, {"elo": 400}, {"seconds": 0.1}, {"elo": 400, "seed": 3}):
            move = self.engine.play("f5d6c3", **options)
            self.assertIn(move, [each.move for each in self.engine.show("f5d6c3").legal_moves], options)

    def test_a_pass_and_the_end(self):
        shown = self.engine.show(FULL)
        self.assertEqual((shown.must_pass, shown.game_over), (False, True))
        with self.assertRaisesRegex(ValueError, "^the game is over$"):
            self.engine.play(FULL)
        must_pass = "-XO" + 61 * "O" + " X"
        self.assertTrue(self.engine.show(must_pass).must_pass)
        self.assertEqual(self.engine.play(must_pass, level=1), "pa")

    def test_a_whole_game(self):
        moves = "f5"
        with Engine(eval="classic", book=False) as engine:
            while not engine.show(moves).game_over:
                moves += engine.play(moves, level=1)
        self.assertGreater(len(moves), 40)

    def test_time_is_up(self):
        with self.assertRaises(TimeoutError):
            self.engine.play(MIDDLE, level=60, timeout=0.5)
        self.assertIn(self.engine.play("f5", level=1, timeout=60), ("d6", "f4", "f6"))

    def test_bad_values(self):
        with self.assertRaisesRegex(ValueError, "61"):
            self.engine.play("f5", level=61)


class Showing(Asking):
    def test_the_rules(self):
        shown = self.engine.show("f5d6c3d3c4")
        self.assertEqual((shown.side, shown.opening, shown.empties), ("white", "Tiger", 55))
        self.assertEqual(shown.game.moves, ("f5", "d6", "c3", "d3", "c4"))
        self.assertEqual({move.move for move in shown.legal_moves}, set(shown.board.values))
        self.assertTrue(all(move.flips for move in shown.legal_moves))

    def test_any_notation(self):
        board = str(self.engine.show("f5d6").board)
        self.assertEqual(self.engine.show("8/8/8/3pP3/3Pp3/8/8/8 b").position, emilia.START)
        self.assertEqual(self.engine.show(board.rsplit("\n", 1)[0] + "\nblack to move").empties, 58)

    def test_the_engines_words(self):
        with self.assertRaisesRegex(EngineError, "^stdin, entry 1, .*f9"):
            self.engine.show("f9")


class Async(Asking):
    def run_async(self, coroutine):
        return asyncio.run(asyncio.wait_for(coroutine, 60))

    def test_one(self):
        async def ask():
            return await self.engine.start("f5d6c3", depth=6)

        self.assertEqual(self.run_async(ask()).depth, 6)

    def test_many_at_once(self):
        async def ask():
            return await asyncio.gather(*(self.engine.start("f5d6", depth=depth) for depth in range(1, 8)))

        self.assertEqual([each.depth for each in self.run_async(ask())], list(range(1, 8)))

    def test_iteration_leaves_the_loop_free(self):
        async def ask():
            ticks = 0

            async def tick():
                nonlocal ticks
                while True:
                    await asyncio.sleep(0.01)
                    ticks += 1

            ticking = asyncio.ensure_future(tick())
            found = [each.id async for each in self.engine.analyze(["f5"] * 4, seconds=0.2)]
            ticking.cancel()
            return found, ticks

        found, ticks = self.run_async(ask())
        self.assertEqual(found, [0, 1, 2, 3])
        self.assertGreater(ticks, 5)

    def test_partial(self):
        async def ask():
            return [each.partial async for each in self.engine.start("f5", seconds=0.5, partial_every=0.01)]

        seen = self.run_async(ask())
        self.assertTrue(len(seen) > 2 and seen[0] and not seen[-1])

    def test_a_task_that_is_cancelled_gives_its_search_up(self):
        async def ask():
            async def endless():
                await self.engine.start("f5", **ENDLESS)

            tasks = [asyncio.ensure_future(endless()) for _ in range(2)]
            await asyncio.sleep(0.2)
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            del tasks, task
            gc.collect()
            return await self.engine.start("f5d6", depth=2)

        self.assertEqual(self.run_async(ask()).depth, 2)

    def test_errors(self):
        async def ask():
            await self.engine.start("f5", depth=99)

        with self.assertRaises(RequestError):
            self.run_async(ask())


if __name__ == "__main__":
    unittest.main()
