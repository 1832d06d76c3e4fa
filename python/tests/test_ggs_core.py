"""The bridge without a connection: texts of the server, clocks, options, records, and the state machine."""

import contextlib
import io
import os
import random
import tempfile
import unittest
import unittest.mock

from emilia_othello import OptionError, program
from emilia_othello.ggs import games, lines, rules, session, thinker
from emilia_othello.ggs.actions import Leave, Ponder, Save, Send, Show, Think, Thought
from emilia_othello.ggs.clock import Clock, budget, parse_clock, parse_time
from emilia_othello.ggs.events import (
    BoardEvent,
    GameEnd,
    GameError,
    MatchEvent,
    Partner,
    Refusal,
    Request,
    ServiceState,
    Stored,
    Talk,
    TimeOut,
    parse,
)
from emilia_othello.ggs.options import Options, OptionsError, read_options, read_password
from emilia_othello.ggs.thinker import thought_of
from emilia_othello.stream import Event

#: The usual start, as the server draws it.
ROWS = """\
|   A B C D E F G H
| 1 - - - - - - - - 1 
| 2 - - - - - - - - 2 
| 3 - - - - - - - - 3 
| 4 - - - O * - - - 4 
| 5 - - - * O - - - 5 
| 6 - - - - - - - - 6 
| 7 - - - - - - - - 7 
| 8 - - - - - - - - 8 
|   A B C D E F G H
|"""
START = "---------------------------OX------XO---------------------------"
AFTER_F5 = ROWS.replace("5 - - - * O - - - 5", "5 - - - * * * - - 5")
AFTER_F5_D6 = ROWS.replace("5 - - - * O - - - 5", "5 - - - O * * - - 5").replace("6 - - - - - - - - 6", "6 - - - O - - - - 6")


def clocks(black="05:00,0:0//02:00,0:0", white="05:00,0:0//02:00,0:0"):
    return f"|ann      (1720.0 *) {black}\n|bob      (1811.5 O) {white}\n|\n"


JOIN = "/os: join .7 8 K?\n|0 move(s)\n|  0: PASS\n" + clocks() + ROWS + "\n|* to move"
#: A resumed game: settings, start, moves, and the position.
STORED_JOIN = (
    "/os: join .9 8 K?\n|2 move(s)\n"
    + clocks("05:00//02:00", "05:00//02:00") + ROWS + "\n|* to move\n|  1: F5/2.00/3.47\n|  2: d6//1.00\n"
    + clocks("04:56,1:0//02:00,1:0", "04:59,1:0//02:00,1:0") + AFTER_F5_D6 + "\n|* to move"
)  # fmt: skip


def message(text):
    return lines.Message(text.split("\n"))


def event(text):
    return parse(message(text))


def update(number, move, rows, side, black="05:00,0:0//02:00,0:0", white="05:00,0:0//02:00,0:0", id=".7"):
    return f"/os: update {id} 8 K?\n|  {number}: {move}\n" + clocks(black, white) + rows + f"\n|{side} to move"


class Lines(unittest.TestCase):
    def test_pieces_of_any_size_give_the_same_lines(self):
        data = ": Enter login\r\n\r\nREADY\n\x1b[1m/os: caf\u00e9\x07\r\nrest".encode()
        for size in range(1, len(data) + 1):
            splitter = lines.LineSplitter()
            found = [line for at in range(0, len(data), size) for line in splitter.feed(data[at : at + size])]
            self.assertEqual(found, [": Enter login", "", "READY", "/os: caf\u00e9"])
            self.assertEqual(splitter.rest, "rest")

    def test_a_line_that_is_too_long_is_dropped_and_the_next_is_read(self):
        for piece in (1000, 10**6):
            splitter = lines.LineSplitter()
            data = b"a" * 200_000 + b"\n" + b"b" * lines.MAX_LINE + b"\nREADY\n"
            found = [line for at in range(0, len(data), piece) for line in splitter.feed(data[at : at + piece])]
            self.assertEqual([len(line) for line in found], [lines.MAX_LINE, 5])
            self.assertEqual(splitter.dropped, 1)
            self.assertLessEqual(len(splitter.rest), lines.MAX_LINE)

    def test_ready_and_alert_end_a_message(self):
        reader = lines.MessageReader()
        found = [reader.feed(line) for line in ["", "a", "READY or not", "READY", "", "b", "ALERT"]]
        self.assertEqual(found[3], lines.Message(["a", "READY or not"], False))
        self.assertEqual(found[6], lines.Message(["b"], True))

    def test_a_flood_of_lines_stays_bounded(self):
        reader = lines.MessageReader()
        for size in (1, 60_000):
            for _ in range(20_000):
                self.assertIsNone(reader.feed("|" * size))
            self.assertLess(sum(len(line) + 50 for line in reader.feed("READY").lines), lines.MAX_MESSAGE)
        self.assertGreater(reader.dropped, 20_000)


class Events(unittest.TestCase):
    def test_each_documented_text(self):
        for text, expected in [
            (": + /os 1", ServiceState(True)),
            (": - /os 1", ServiceState(False)),
            (": ERR Password is incorrect.", Refusal("ERR Password is incorrect.", True)),
            ("/os: ERR user 'x' not found.", Refusal("ERR user 'x' not found.", False)),
            ("/os: +   .8 1811.5 bob      05:00//02:00      s8r14 R 1720.0 ann",
             Request(".8", True, "bob", "ann", "s8r14", ("05:00//02:00",), "R")),
            ("/os: -   .8 1811.5 bob      05:00//02:00      8 S 1720.0 ann 01:00 .84059",
             Request(".8", False, "bob", "ann", "8", ("05:00//02:00", "01:00"), "S", ".84059")),
            ("/os: +   .8 1811.5 bob      05:00             8 U *      *",
             Request(".8", True, "bob", "*", "8", ("05:00",), "U")),
            ("/os: + match .7 1811 bob 1720 ann s8r14 R", MatchEvent(".7", True, ("bob", "ann"), "s8r14", "R")),
            ("/os: - match .7 1811 bob 1720 ann s8r14 R +6.00  .84058",
             MatchEvent(".7", False, ("bob", "ann"), "s8r14", "R", ("+6.00", ".84058"))),
            ("/os: - match .7 1811 bob 1720 ann s8r14 R ann left .84059",
             MatchEvent(".7", False, ("bob", "ann"), "s8r14", "R", ("ann", "left", ".84059"))),
            ("/os: end .7.0 ( bob vs. ann ) -4.00", GameEnd(".7.0", "bob vs. ann", "-4.00")),
            ("/os: timeout .7 ann (*)", TimeOut(".7", "ann", False)),
            ("/os: fatal-timeout .7 ann (*)", TimeOut(".7", "ann", True)),
            ("/os: error .7.1 wrong game!", GameError(".7.1", "wrong game!")),
            ("/os: + bob stored", Partner("bob")),
            ("/os: stored ann\n|.84059 30 Jul 2026 bob ann s8r14:l",
             Stored([(".84059", ["30", "Jul", "2026", "bob", "ann", "s8r14:l"])])),
            ("/os: .7 A 1811 bob: good luck", Talk("os", ".7 A 1811 bob: good luck")),
            ("bob: tell /td join .1", Talk("bob", "tell /td join .1")),
            (".chat bob: READY", Talk(".chat", "bob: READY")),
        ]:  # fmt: skip
            with self.subTest(text):
                self.assertEqual(event(text), expected)

    def test_an_opponent_named_match(self):
        self.assertEqual(event("/os: + .8 1811.5 match 05:00 8 U 1720.0 ann").asker, "match")
        self.assertEqual(event("/os: + match .7 1811 match 1720 ann 8 U").names, ("match", "ann"))
        self.assertEqual(event("/os: + match stored"), Partner("match"))
        self.assertEqual(event("match: /os: + match .7 1811 bob 1720 ann 8 U").sender, "match")

    def test_a_join_and_an_update(self):
        found = event(JOIN)
        self.assertEqual((found.id, found.is_join, found.moves, found.boards), (".7", True, [], [(START, "X")]))
        self.assertEqual(found.seats["X"].name, "ann")
        self.assertEqual(found.seats["O"].clock, Clock(300, 0, 120))
        found = event(update(1, "F5/2.00/3.47", AFTER_F5, "O"))
        self.assertEqual((found.is_join, found.moves, found.boards[-1][1]), (False, [(1, "F5/2.00/3.47")], "O"))

    def test_a_stored_game_has_two_boards_in_one_join(self):
        found = event(STORED_JOIN)
        self.assertEqual([board for board, _ in found.boards], [START, rules.play(rules.play(START, "X", "f5"), "O", "d6")])
        self.assertEqual([text for _, text in found.moves], ["F5/2.00/3.47", "d6//1.00"])
        self.assertEqual((found.first_seats["X"].clock.base, found.seats["X"].clock.base), (300, 296))

    def test_impossible_boards_are_no_boards(self):
        for wrong in [
            JOIN.replace("| 8 - - - - - - - - 8 \n", ""),
            JOIN.replace("4 - - - O * - - - 4", "4 - - - O * - - 4"),
            JOIN.replace("4 - - - O * - - - 4", "4 - - - O X - - - 4"),
            JOIN.replace("| 5", "| 4"),
            JOIN.replace("* to move", "# to move"),
            "/os: join .7 10 K?",
        ]:
            found = event(wrong)
            self.assertTrue(not found.boards or found.boards[-1][1] is None, wrong)


class Clocks(unittest.TestCase):
    def test_times(self):
        for text, seconds in [("05:00", 300), ("1:00:00", 3600), ("-0:03", -3), ("00:00", 0), ("5", None), ("", None)]:
            self.assertEqual(parse_time(text), seconds)

    def test_clocks(self):
        for text, clock in [
            ("05:00", Clock(300)),
            ("05:00//02:00", Clock(300, 0, 120)),
            ("00:05/00:01", Clock(5, 1)),
            ("04:56,1:0/00:01,1:1/02:00,1:0", Clock(296, 1, 120)),
            ("05:00,40/00:01", Clock(300, 1, 0, False)),
            ("05:00,N/00:01,N5", Clock(300, 1, 0, False)),
            ("-0:03,9:0//02:00,9:0", Clock(-3, 0, 120)),
            ("", None), ("/00:01", None), ("05:00/1/2/3", None), ("soon", None),
        ]:  # fmt: skip
            self.assertEqual(parse_clock(text), clock, text)

    def test_the_budget_of_a_whole_game_stays_within_the_base_time(self):
        for base, increment, delay in [(5, 1, 0.05), (10, 0, 0.5), (60, 0, 2), (300, 0, 0.1), (900, 5, 0.1), (1, 0, 0.05)]:
            left = float(base)
            for empties in range(60, 0, -2):
                seconds = budget(left, Clock(base, increment, 120), empties, delay)
                left -= seconds
                if seconds > 0.01:
                    self.assertGreaterEqual(left, min(5, 0.05 * base) + delay, f"{base}, {empties} empties")
                left += increment
            self.assertLess(left, 0.75 * base + 31 * increment)

    def test_an_empty_clock_gets_the_shortest_search(self):
        for left in (-100, 0, 4):
            self.assertEqual(budget(left, Clock(300), 30, 1), 0.01)


class Opts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, text, mode=0o600):
        path = os.path.join(self.folder, "file")
        with open(path, "w") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def test_the_file_gives_options_and_the_command_line_wins(self):
        path = self.file("# rated play\nname = ann\ntypes = s8, s8r20\nrated = yes\nopen = yes\ngames=3\n\nask = s8 05:00 bob\n")
        options, password = read_options(["--config", path, "--games", "5"], {"EMILIA_GGS_PASSWORD": "secret"})
        self.assertEqual((options.name, options.types, options.rated), ("ann", ("s8", "s8r20"), "yes"))
        self.assertEqual((options.open, options.games, options.ask, password), (True, 5, "s8 05:00 bob", "secret"))
        self.assertTrue(options.accepts("S8R20") and options.accepts("s8") and not options.accepts("s8r22"))

    def test_wrong_files_name_the_line(self):
        for text, words in [
            ("name = ann\nwhat\n", "line 2: expected NAME = VALUE"),
            ("password = secret\n", "line 1: write the password into a file of its own"),
            ("config = x\n", "line 1"),
        ]:
            with self.assertRaisesRegex(OptionsError, words):
                read_options(["--config", self.file(text)], {})
        with self.assertRaisesRegex(OptionsError, "no such|No such"):
            read_options(["--config", os.path.join(self.folder, "absent")], {})

    def test_a_password_is_no_argument(self):
        for arguments in (["--password", "secret"], ["--pass=secret"]):
            error = io.StringIO()
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(error):
                read_options(["--name", "ann", *arguments], {})
            self.assertIn("unrecognized arguments", error.getvalue())

    @unittest.skipUnless(os.name == "posix", "needs modes of files")
    def test_a_password_that_others_can_read_is_refused(self):
        self.assertEqual(read_password(self.file("secret\n"), {}), "secret")
        for mode in (0o640, 0o604, 0o620):
            with self.assertRaisesRegex(OptionsError, "chmod 600"):
                read_password(self.file("secret\n", mode), {})

    def test_wrong_options(self):
        for arguments, words in [
            (["--name", "a"], "2 to 8 letters"),
            (["--name", ".ann"], "2 to 8 letters"),
            (["--name", "ann", "--types", "10"], "expected types"),
            (["--name", "ann", "--types", "8k"], "expected types"),
            (["--name", "ann", "--port", "0"], "from 1 to 65535"),
            (["--name", "ann", "--min-time", "5"], "expected a time"),
            (["--name", "ann", "--ask", "8"], "expected TYPE CLOCK"),
            (["--name", "ann", "--ask", "8 05:00,N bob"], "expected TYPE CLOCK"),
            (["--name", "ann", "--send", "a\\b"], "one line"),
            (["--name", "ann", "--watch", "x"], "number of a match"),
        ]:
            error = io.StringIO()
            with self.subTest(arguments), self.assertRaises(SystemExit), contextlib.redirect_stderr(error):
                read_options(arguments, {"EMILIA_GGS_PASSWORD": "x"})
            self.assertIn(words, error.getvalue())
        for arguments, environment, words in [
            ([], {"EMILIA_GGS_PASSWORD": "x"}, "no name"),
            (["--name", "ann"], {}, "no password"),
            (["--name", "ann"], {"EMILIA_GGS_PASSWORD": "a\\nb"}, "backslash"),
            (["--name", "ann", "--min-time", "20:00", "--max-time", "10:00"], {"EMILIA_GGS_PASSWORD": "x"}, "longer"),
            (["--name", "ann", "--watch", "7", "--ask", "8 05:00"], {"EMILIA_GGS_PASSWORD": "x"}, "contradict"),
        ]:
            with self.subTest(arguments), self.assertRaisesRegex(OptionsError, words):
                read_options(arguments, environment)

    def test_types(self):
        for kind, is_playable in [
            ("8", True), ("8b", True), ("8W", True), ("s8", True), ("s8r4", True), ("s8r48", True), ("S8R20", True),
            ("s8r", False), ("8r20", False), ("s8r3", False), ("s8r49", False), ("s8r20b", False), ("8k", False), ("8a", False),
            ("10", False), ("s8k", False), ("88", False), ("", False),
        ]:  # fmt: skip
            self.assertEqual(games.is_playable(kind), is_playable, kind)


class Player:
    """A session that is logged in, and what it does."""

    def __init__(self, **options):
        self.options = Options(**{"name": "ann", **options})
        self.session = session.Session(self.options, "secret")
        self.now = 1000.0
        self.log = []
        self.do(self.session.connected(self.now))
        for line in [": Enter login", ": Enter your password.", "READY"]:
            self.do(self.session.line(line, self.now))

    def do(self, actions):
        self.log += actions
        return actions

    def hear(self, text, seconds=0.0):
        """A message; returns the actions."""
        self.now += seconds
        found = []
        for line in [*text.split("\n"), "READY"]:
            found += self.do(self.session.line(line, self.now))
        return found

    def tick(self, seconds):
        self.now += seconds
        return self.do(self.session.tick(self.now))

    def think(self, move, seconds=1.0, **fields):
        """The engine answers the last question."""
        last = [action for action in self.log if isinstance(action, Think)][-1]
        self.now += seconds
        return self.do(self.session.thought(Thought(last.id, last.position, move, **fields), self.now))

    def begin(self, kind="8", mode="U"):
        self.hear(f"/os: + match .7 1811 bob 1720 ann {kind} {mode}")
        return self.hear(JOIN)


def sent(actions):
    return [action.line for action in actions if isinstance(action, Send)]


def shown(actions):
    return "\n".join(action.text for action in actions if isinstance(action, Show))


def thinks(actions):
    return [action for action in actions if isinstance(action, Think)]


class Machine(unittest.TestCase):
    def test_login_sends_the_settings_and_hides_the_password(self):
        player = Player(rated="yes", send=["tell /td join .1"])
        lines = sent(player.log)
        self.assertEqual(lines[:2], ["ann", "secret"])
        self.assertEqual([action.is_secret for action in player.log if isinstance(action, Send)][:3], [False, True, False])
        for line in ("tell /os client -", "tell /os trust +", "tell /os rated +", "tell /os open 1", "tell /td join .1"):
            self.assertIn(line, lines)

    def test_a_refused_login_ends_the_program(self):
        for texts in ([": Enter login", ": Enter your password.", ": ERR Password is incorrect."],
                      [": Enter login", ": ERR Login (2-8 chars)"],
                      [": Enter login", ": Enter your password.", ": Enter login"]):  # fmt: skip
            machine = session.Session(Options(name="ann"), "secret")
            machine.connected(0.0)
            actions = [action for text in texts for action in machine.line(text, 0.0)]
            self.assertTrue([action for action in actions if isinstance(action, Leave) and action.code == 1], texts)
            self.assertLessEqual(sum(line == "secret" for line in sent(actions)), 1)

    def request(self, words, **options):
        return sent(Player(**options).hear(f"/os: + {words}"))

    def test_requests(self):
        good = ".8 1811.5 bob 05:00//02:00 8 U 1720.0 ann"
        accept, decline = ["tell /os accept .8"], ["tell /os decline .8"]
        for words, options, expected in [
            (good, {}, accept),
            (good, {"opponents": ("Bob",)}, accept),
            (good, {"opponents": ("eve",)}, decline),
            (good, {"types": ("s8",)}, decline),
            (good, {"watch": ".3"}, decline),
            (good.replace("05:00", "00:30"), {}, decline),
            (good.replace("05:00", "2:00:00"), {}, decline),
            (good.replace("05:00", "05:00,N"), {}, decline),
            (good.replace("05:00", "soon"), {}, decline),
            (good.replace(" U ", " R "), {}, decline),
            (good.replace(" U ", " R "), {"rated": "yes"}, accept),
            (good.replace(" U ", " R "), {"rated": "any"}, accept),
            (good, {"rated": "yes"}, decline),
            (good.replace(" 8 ", " s8r20 "), {}, accept),
            (good.replace(" 8 ", " 8k "), {}, decline),
            (good.replace(" 8 ", " 10 "), {}, decline),
            (good.replace(" 8 ", " s8r20a "), {}, decline),
            (good + " 09:00:00", {}, decline),
            (good.replace(" U ", " S ").replace("05:00", "00:01") + " .84059", {}, accept),
            (good.replace("1720.0 ann", "1720.0 eve"), {}, []),
            (good.replace("1720.0 ann", "*      *"), {}, []),
            (good.replace("1720.0 ann", "*      *"), {"open": True}, accept),
            (good.replace("1720.0 ann", "*      *").replace(" 8 ", " 10 "), {"open": True}, []),
            (".8 1720.0 ann 05:00//02:00 8 U 1811.5 bob", {}, []),
            (".8 1720.0 ann 05:00//02:00 8 U *      *", {"open": True}, []),
        ]:
            with self.subTest(words, **options):
                self.assertEqual(self.request(words, **options), expected)

    def test_one_request_at_a_time(self):
        player = Player()
        self.assertEqual(sent(player.hear("/os: + .8 1811.5 bob 05:00 8 U 1720.0 ann")), ["tell /os accept .8"])
        self.assertEqual(sent(player.hear("/os: + .9 1811.5 eve 05:00 8 U 1720.0 ann")), ["tell /os decline .9"])
        self.assertEqual(sent(player.hear("/os: + .9 1811.5 eve 05:00 8 U 1720.0 ann", 60)), ["tell /os accept .9"])

    def test_a_move_is_sent_with_score_and_time(self):
        player = Player()
        self.assertEqual(thinks(player.begin())[0].position, START + " X")
        actions = player.think("f5", 3.47, score=2.0, line=("f5", "d6", "c3"))
        self.assertEqual(sent(actions), ["tell /os play .7 f5/+2.00/3.47"])
        after = rules.play(rules.play(START, "X", "f5"), "O", "d6")
        self.assertIn(Ponder(".7", after + " X"), actions)

    def test_the_color_is_that_of_the_clock_line(self):
        player = Player()
        player.hear("/os: + match .7 1811 bob 1720 ann 8 U")
        swapped = JOIN.replace("ann ", "@@@ ").replace("bob ", "ann ").replace("@@@ ", "bob ")
        self.assertEqual(thinks(player.hear(swapped)), [])
        after = update(1, "f5", AFTER_F5, "O").replace("ann ", "@@@ ").replace("bob ", "ann ").replace("@@@ ", "bob ")
        self.assertEqual(thinks(player.hear(after))[0].position[65], "O")

    def test_a_repeated_update_starts_no_second_search_and_sends_no_second_move(self):
        player = Player()
        player.begin()
        self.assertEqual(player.hear(JOIN), [])
        player.think("f5")
        player.hear(update(1, "f5//1.00", AFTER_F5, "O"))
        after = update(2, "D6", AFTER_F5_D6, "*")
        self.assertEqual(len(thinks(player.hear(after))), 1)
        self.assertEqual(player.hear(after), [])
        player.think("c3")
        self.assertEqual(player.hear(after), [])

    def test_a_stale_answer_is_ignored(self):
        player = Player()
        player.begin()
        old = thinks(player.log)[0]
        player.think("f5")
        player.hear(update(1, "f5//1.00", AFTER_F5, "O"))
        player.hear(update(2, "D6", AFTER_F5_D6, "*"))
        self.assertEqual(player.session.thought(Thought(".7", old.position, "f5"), player.now), [])
        self.assertEqual(player.session.thought(Thought(".8", old.position, "f5"), player.now), [])

    def test_an_illegal_move_of_the_engine_is_not_sent(self):
        player = Player()
        player.begin()
        self.assertEqual(sent(player.think("a1")), [])

    def test_a_lost_move_is_sent_again(self):
        player = Player()
        player.begin()
        player.think("f5", score=1.0)
        self.assertEqual(sent(player.tick(5)), [])
        self.assertEqual(sent(player.tick(6)), ["tell /os moves .7"])
        self.assertEqual(sent(player.hear(JOIN)), ["tell /os play .7 f5/+1.00/1.00"])
        for _ in range(100):
            player.tick(11)
            player.hear(JOIN)
        repeated = [line for line in sent(player.log) if line.startswith("tell /os play")]
        self.assertLessEqual(len(repeated), 1 + session.TRIES)

    def test_an_error_asks_for_the_board_and_sends_the_plain_move(self):
        player = Player()
        player.begin()
        player.think("f5", score=1.0)
        self.assertEqual(sent(player.hear("/os: error .7 move time >= 0 expected")), ["tell /os moves .7"])
        self.assertEqual(sent(player.hear(JOIN)), ["tell /os play .7 f5"])
        self.assertEqual(sent(player.hear("/os: error .9 illegal move")), [])

    def test_a_clock_that_grows_is_noted_and_not_used(self):
        player = Player()
        player.begin()
        first = thinks(player.log)[0].seconds
        player.think("f5")
        player.hear(update(1, "f5//1.00", AFTER_F5, "O", black="04:59,1:0//02:00,1:0"))
        actions = player.hear(update(2, "D6", AFTER_F5_D6, "*", black="90:00,1:0//02:00,1:0"))
        self.assertIn("the clock of ann grew from 299 to 5400 s", shown(actions))
        self.assertLess(thinks(actions)[0].seconds, 2 * first)

    def test_a_long_delay_does_not_stop_the_search(self):
        player = Player()
        player.begin()
        player.think("f5")
        player.hear(update(1, "f5//1.00", AFTER_F5, "O"), 100)
        self.assertGreater(thinks(player.hear(update(2, "D6", AFTER_F5_D6, "*")))[0].seconds, 5)

    def test_a_silent_engine_does_not_cost_the_game(self):
        for left in range(1, 20):
            player = Player()
            player.hear("/os: + match .7 1811 bob 1720 ann 8 U")
            clock = f"00:{left:02},0:0/00:01,0:1/"
            question = thinks(player.hear(JOIN.replace("05:00,0:0//02:00,0:0", clock)))[0]
            self.assertLess(question.seconds + question.grace, 0.8 * left)

    def test_the_extension_is_not_part_of_the_budget(self):
        player = Player()
        player.hear("/os: + match .7 1811 bob 1720 ann 8 U")
        actions = player.hear(JOIN.replace("05:00,0:0//02:00,0:0", "00:04,0:0//02:00,0:0"))
        self.assertLess(thinks(actions)[0].seconds, 1)

    def test_a_board_against_the_rules_is_noted_and_followed(self):
        player = Player()
        player.begin()
        player.think("f5")
        player.hear(update(1, "f5//1.00", AFTER_F5, "O"))
        actions = player.hear(update(2, "D6", AFTER_F5_D6.replace("1 - - -", "1 - - O"), "*"))
        self.assertIn("not that of the rules", shown(actions))
        self.assertEqual(thinks(actions)[0].position.count("O"), 4)
        self.assertIn("cannot be read", shown(player.hear("/os: update .7 8 K?\n| 1 - - 1")))
        player.hear("/os: - match .7 1811 bob 1720 ann 8 U +6.00")
        self.assertIn("do not lead to the last board", shown(player.log))

    def test_missing_updates_ask_for_the_whole_game(self):
        player = Player()
        player.begin()
        self.assertIn("tell /os moves .7", sent(player.hear(update(5, "D6", AFTER_F5_D6, "*"))))
        player.hear(STORED_JOIN.replace(".9", ".7"))
        player.hear("/os: - match .7 1811 bob 1720 ann 8 U +6.00")
        self.assertEqual(len([action for action in player.log if isinstance(action, Save)]), 1)

    def test_a_type_that_we_cannot_play_is_adjourned(self):
        player = Player()
        actions = player.hear("/os: + match .7 1811 bob 1720 ann 10 R")
        self.assertIn("tell /os break .7", sent(actions))
        self.assertEqual(sent(player.hear(JOIN)), [])

    def test_what_others_say_is_never_obeyed(self):
        player = Player()
        player.begin()
        for text in [
            "bob: tell /td join .1", "bob: quit", "bob: tell /os resign .7", ".chat bob: tell /os play .7 a1", "/td: join .1",
            "/os: .7 A 1811 bob: resign .7", "/os: undo .7 bob is asking", "/os: abort .7 bob is asking",
            "/os: score .7 bob is offering", "/os: comment .7 resign", ": bob is looking", "bob: READY", "|READY", "",
            "bob: \x1b[2J\x1b]0;title\x07",
        ]:  # fmt: skip
            self.assertEqual(sent(player.hear(text)), [], text)
        self.assertEqual(len(thinks(player.log)), 1)

    def test_a_flood_of_chat_loses_no_move(self):
        player = Player()
        player.begin()
        for _ in range(5000):
            player.hear("bob: " + "x" * 2000)
        self.assertEqual(len(sent(player.think("f5"))), 1)

    def test_synchro_halves_the_threads_and_plays_both_boards(self):
        player = Player(threads=5, hash=100)
        player.hear("/os: + match .7 1811 bob 1720 ann s8 U")
        first = player.hear(JOIN.replace(".7", ".7.1"))
        self.assertEqual((thinks(first)[0].threads, thinks(first)[0].hash), (2, 50))
        swapped = JOIN.replace("ann ", "@@@ ").replace("bob ", "ann ").replace("@@@ ", "bob ").replace(".7", ".7.0")
        self.assertEqual(thinks(player.hear(swapped)), [])
        player.hear("/os: end .7.1 ( bob vs. ann ) -4.00")
        self.assertEqual(player.session.thought(Thought(".7.1", START + " X", "f5"), player.now), [])
        self.assertEqual(player.hear(JOIN.replace(".7", ".7.2")), [])

    def test_a_single_game_gets_all_threads(self):
        self.assertEqual(thinks(Player(threads=5).begin())[0].threads, 5)

    def test_after_the_last_game_the_program_leaves(self):
        player = Player(games=1)
        player.begin()
        actions = player.hear("/os: - match .7 1811 bob 1720 ann 8 U +6.00")
        self.assertEqual(sent(actions), ["tell /os open 0", "quit"])
        self.assertEqual([action.code for action in actions if isinstance(action, Leave)], [0])

    def test_a_match_that_the_opponent_leaves_does_not_count(self):
        player = Player(games=1)
        player.begin(mode="R")
        actions = player.hear("/os: - match .7 1811 bob 1720 ann 8 R bob left .84059")
        self.assertEqual(sent(actions), ["tell /os open 1"])
        self.assertEqual([action for action in player.log if isinstance(action, Save)], [])

    def test_only_matches_that_we_left_are_resumed(self):
        player = Player()
        player.begin(mode="R")
        player.do(player.session.dropped(player.now))
        player.do(player.session.connected(player.now))
        for line in [": Enter login", ": Enter your password.", "READY"]:
            player.do(player.session.line(line, player.now))
        self.assertEqual(sent(player.tick(1)), ["tell /os stored"])
        rows = "/os: stored ann\n|.84058 30 Jul 2026 bob ann 8:l\n|.84059 30 Jul 2026 eve ann 8:l\n|.84060 30 Jul 2026 bob ann s8:l"
        self.assertEqual(sent(player.hear(rows)), ["tell /os ask .84058"])
        self.assertEqual(sent(player.hear("/os: + .9 1811.5 eve 05:00 8 U 1720.0 ann")), ["tell /os decline .9"])
        player.hear("/os: ERR user 'bob' not found.")
        self.assertEqual(sent(player.tick(10)), [])
        player.hear("/os: + bob stored")
        self.assertEqual(sent(player.tick(0)), ["tell /os stored"])
        player.hear("/os: + match .9 1811 bob 1720 ann 8 R")
        self.assertEqual(thinks(player.hear(STORED_JOIN))[0].position[65], "X")
        self.assertEqual(player.session._left, [])

    def test_a_match_without_news_of_its_start_or_end(self):
        player = Player()
        self.assertIn("tell /os moves .7", sent(player.hear(update(2, "D6", AFTER_F5_D6, "*"))))
        player.hear(STORED_JOIN.replace(".9", ".7"))
        self.assertEqual(len(thinks(player.log)), 1)
        self.assertEqual(player.hear(STORED_JOIN.replace(".9", ".7.1")), [])
        player.hear("/os: ERR match '.70' not found.")
        self.assertEqual(list(player.session.matches), [".7"])
        player.hear("/os: ERR match '.7' not found.")
        self.assertEqual(player.session.matches, {})

    def test_a_service_that_leaves_interrupts_the_match(self):
        player = Player()
        player.begin(mode="R")
        player.hear(": - /os 1")
        self.assertEqual((player.session.matches, len(player.session._left)), ({}, 1))
        self.assertIn("tell /os open 1", sent(player.hear(": + /os 1")))
        self.assertEqual(sent(player.tick(1)), ["tell /os stored"])

    def test_an_unrated_match_that_we_left_is_recorded(self):
        player = Player()
        player.hear("/os: + match .9 1811 bob 1720 ann 8 U")
        player.hear(STORED_JOIN)
        records = [action.text for action in player.session.dropped(player.now) if isinstance(action, Save)]
        self.assertEqual(len(records), 1)
        self.assertIn("RE[?]", records[0])

    def test_our_own_request_is_repeated_with_manners(self):
        player = Player(ask="8 05:00 bob")
        self.assertEqual(sent(player.tick(1)), ["tell /os ask 8 05:00 bob"])
        own = "/os: {} .8 1720.0 ann 05:00 8 U 1811.5 bob"
        player.hear(own.format("+"))
        self.assertEqual(sent(player.tick(100)), [])
        player.hear(own.format("-"))
        self.assertEqual(sent(player.tick(30)), [])
        self.assertEqual(sent(player.tick(31)), ["tell /os ask 8 05:00 bob"])

    def test_an_empty_line_keeps_the_connection(self):
        player = Player()
        self.assertEqual(sent(player.tick(179)), [])
        self.assertEqual(sent(player.tick(2)), [""])

    def test_ctrl_c_finishes_the_match_and_again_leaves(self):
        player = Player()
        self.assertIn("quit", sent(player.session.leave(player.now)))
        player = Player()
        player.begin()
        self.assertEqual(sent(player.session.leave(player.now)), [])
        self.assertIn("quit", sent(player.session.leave(player.now)))

    def test_random_lines_raise_nothing(self):
        rng = random.Random(20261127)
        texts = [JOIN, STORED_JOIN, update(1, "f5", AFTER_F5, "O"), *ROWS.split("\n")]
        texts += [
            "/os: + .8 1811.5 bob 05:00//02:00 8 U 1720.0 ann", "/os: + match .7 1811 bob 1720 ann 8 U", "/os: + match .8 1 ann 1 bob s8 R",
            "/os: - match .7 1811 bob 1720 ann 8 U +6.00 .84058", "/os: - match .7 1 bob 1 ann 8 R ann left .84059",
            "/os: end .7 ( bob vs. ann ) -4.00", "/os: timeout .7 ann (*)", "/os: error .7 illegal move", "/os: ERR no", "/os: + bob stored",
            "/os: stored ann\n|.84059 bob ann 8:l", ": + /os 1", ": - /os 1", ": ERR no", "bob: hi", "/os: join . 8 K?", "/os: update .. 8",
        ]  # fmt: skip
        letters = "|/os: +-.*O0123456789abcdefghABCDEFGH()\n\tREADY\x1b\u00e9"
        player = Player(ask="8 05:00 bob", open=True)
        count = 0
        while count < 10_000:
            text = rng.choice(texts)
            for _ in range(rng.choice((0, 0, 1, 3, 30))):
                at = rng.randrange(len(text) + 1)
                text = text[:at] + rng.choice(["", rng.choice(letters)]) + text[at + rng.randrange(3) :]
            if rng.random() < 0.1:
                text = "".join(rng.choice(letters) for _ in range(rng.randrange(300)))
            count += text.count("\n") + 1
            player.hear(text, rng.random())
            player.tick(rng.random())
            if thinks(player.log) and rng.random() < 0.3:
                legal = rules.legal_moves(thinks(player.log)[-1].position[:64], thinks(player.log)[-1].position[65])
                player.think(rng.choice([*legal, "pa", "zz"]))
            if rng.random() < 0.01:
                player.do(player.session.dropped(player.now))
                player.do(player.session.connected(player.now))
                for line in [": Enter login", ": Enter your password.", "READY"]:
                    player.do(player.session.line(line, player.now))
        allowed = ("", "quit", "ann", "secret", *session.SETTINGS)
        verbs = ("accept", "decline", "ask", "open", "play", "moves", "cancel", "break", "stored", "rated", "request", "watch")
        for line in set(sent(player.log)):
            self.assertTrue(line in allowed or line.split()[2] in verbs, line)
            self.assertNotIn("\n", line)


class Thoughts(unittest.TestCase):
    def test_the_book_the_search_and_the_worst_case(self):
        position = START + " X"
        move = {"move": "d3", "score": -1.5, "depth": 20, "pv": ["d3", "c5"]}
        book = {"book": {"move": "f5", "value": 0.5, "depth": 24, "games": 9}}
        found = thought_of(".7", position, {"moves": [move], **book})
        self.assertEqual((found.move, found.score, found.source), ("f5", 0.5, "book"))
        found = thought_of(".7", position, {"moves": [move], **book}, uses_book=False)
        self.assertEqual((found.move, found.score, found.line), ("d3", -1.5, ("d3", "c5")))
        found = thought_of(".7", position, {"moves": [move], "book": {"move": "f5", "depth": 0, "games": 9}})
        self.assertEqual(found.move, "d3")
        for answer in ({}, {"moves": [{"move": "a1"}]}, {"error": "no"}):
            self.assertIn(thought_of(".7", position, answer).move, rules.legal_moves(START, "X"))


class Thinking(unittest.TestCase):
    """The thinker with a stream that records its requests."""

    def setUp(self):
        patch = unittest.mock.patch.object(thinker, "Stream")
        self.stream = patch.start().return_value
        self.addCleanup(patch.stop)
        self.sent = []
        self.stream.send.side_effect = lambda fields, sink: self.sent.append(fields) or len(self.sent)

    def thinker(self, **options):
        self.question = Think(".7", START + " X", 10.0, 0.5, 3, 16)
        return thinker.Thinker(".7", self.question, Options(engine="emilia", **options), lambda *_: None)

    @staticmethod
    def answer(best="d3", is_last=True, **fields):
        answer = {"moves": [{"move": best, "score": 1.0, "depth": 9, "pv": [best, "c5"]}], "partial": not is_last, **fields}
        return Event(answer, is_last)

    def test_a_search_begins_with_the_book(self):
        engine = self.thinker()
        self.assertIsNone(engine.think(self.question, 100.0))
        self.assertEqual((self.sent[0]["depth"], self.sent[0]["threads"]), (1, 3))
        self.assertIsNone(engine.event(1, self.answer("c4"), 100.1))
        self.assertAlmostEqual(self.sent[1]["seconds"], 9.9)
        self.assertIsNone(engine.event(2, self.answer(is_last=False), 105.0))
        self.assertEqual(engine.event(2, self.answer("f5"), 109.0).move, "f5")
        engine.think(self.question, 200.0)
        found = engine.event(3, self.answer("c4", book={"move": "e6", "value": 0.5, "depth": 9, "games": 1}), 200.1)
        self.assertEqual((found.move, found.source, len(self.sent)), ("e6", "book", 3))

    def test_the_end_of_the_time_cancels_and_silence_plays_the_last_move(self):
        engine = self.thinker()
        engine.think(self.question, 100.0)
        engine.event(1, self.answer("c4"), 100.0)
        engine.event(2, self.answer("d3", is_last=False), 105.0)
        self.assertEqual((engine.deadline, engine.tick(109.9)), (110.0, None))
        self.stream.cancel.assert_not_called()
        self.assertIsNone(engine.tick(110.0))
        self.stream.cancel.assert_called_once_with(2)
        self.assertIsNone(engine.tick(110.4))
        self.assertEqual((engine.deadline, engine.tick(110.5).move), (110.5, "d3"))
        self.assertIsNone(engine.event(2, self.answer("f5"), 111.0))

    def test_a_right_guess_goes_on_and_its_time_counts(self):
        engine = self.thinker()
        engine.ponder(START + " X", 100.0)
        self.assertIsNone(engine.event(1, self.answer(is_last=False), 103.0))
        self.assertIsNone(engine.think(self.question, 104.0))
        self.assertEqual((len(self.sent), engine.deadline), (1, 110.0))
        engine.tick(110.0)
        self.assertEqual(engine.event(1, self.answer("f5", cancelled=True), 110.1).move, "f5")
        engine.ponder(START + " X", 200.0)
        self.assertIsNone(engine.event(2, self.answer("e6", exact=True), 201.0))
        self.assertEqual(engine.think(self.question, 202.0).move, "e6")

    def test_a_wrong_guess_is_cancelled(self):
        engine = self.thinker()
        engine.ponder(START + " O", 100.0)
        engine.think(self.question, 104.0)
        self.stream.cancel.assert_called_once_with(1)
        self.assertEqual(self.sent[1]["position"], START + " X")
        self.assertIsNone(engine.event(1, self.answer("a1"), 104.1))

    def test_a_person_does_not_ponder_and_needs_an_engine_that_knows_it(self):
        engine = self.thinker(person=1450)
        engine.ponder(START + " X", 100.0)
        engine.think(self.question, 100.0)
        self.assertEqual([fields.get("person") for fields in self.sent], [1450])
        book = {"move": "e6", "value": 0.5, "depth": 9, "games": 1}
        self.assertEqual(engine.event(1, self.answer("f5", book=book), 100.1).move, "f5")
        engine.think(self.question, 100.0)
        with self.assertRaisesRegex(OptionError, "^--person: unknown field person"):
            engine.event(2, self.answer(warnings=["unknown field person"]), 100.1)

    def test_a_wrong_option_is_no_reason_for_a_bad_move(self):
        engine = self.thinker()
        engine.think(self.question, 100.0)
        with self.assertRaisesRegex(OptionError, "^threads: too many"):
            engine.event(1, Event({"error": "threads: too many", "field": "threads"}, True), 100.0)
        engine.event(1, Event({"error": "position: no", "field": "position"}, True), 100.0)
        self.assertIn(engine.event(2, Event({"error": "position: no", "field": "position"}, True), 100.1).move, ["d3", "c4"])

    def test_the_command(self):
        words = thinker.command(Options(engine="e", book="b", no_book=True), 7)
        self.assertEqual(words, ["e", "analyze", "--jobs=1", "--hash=7", "--book=b", "--no-book"])


class Records(unittest.TestCase):
    def test_a_record_is_read_by_the_program(self):
        player = Player()
        player.hear("/os: + match .9 1811 bob 1720 ann s8 R")
        player.hear(STORED_JOIN.replace(".9", ".9.0"))
        player.hear(STORED_JOIN.replace(".9", ".9.1"))
        player.hear("/os: end .9.1 ( bob vs. ann ) +6.00")
        player.hear("/os: - match .9 1811 bob 1720 ann s8 R +3.00 .84058")
        records = [action.text for action in player.log if isinstance(action, Save)]
        self.assertEqual(len(records), 2)
        self.assertIn("RE[-6.000]", records[1])
        self.assertIn("PB[ann]RB[1720.0]PW[bob]RW[1811.5]", "".join(records[0].split("DT")[1:])[30:] + records[0])
        for record in records:
            out = program.run([program.installed(), "convert", "--to", "moves", "-"], record)
            self.assertEqual("".join(out).lower()[:4], "f5d6")

    def test_rules_agree_with_the_program(self):
        board, side = START, "X"
        rng = random.Random(7)
        moves = ""
        while not rules.is_over(board):
            legal = rules.legal_moves(board, side)
            move = rng.choice(legal) if legal else rules.PASS
            moves += move if legal else ""
            board, side = rules.play(board, side, move), rules.other(side)
        found = program.run([program.installed(), "show", "--json", "-"], moves)
        self.assertIn(board, found[0])


if __name__ == "__main__":
    unittest.main()
