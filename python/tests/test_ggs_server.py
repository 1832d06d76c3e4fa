"""The bridge against a fake server on the loopback interface, with the engine."""

import contextlib
import io
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import unittest.mock

from ggs_server import CLOCK, FRAME, Board, Server

from emilia_othello import program
from emilia_othello.ggs import bridge, session
from emilia_othello.ggs.options import Options

#: Seconds that a match gets.
PATIENCE = 180


class Run:
    """A bridge in a thread."""

    def __init__(self, server, folder, name="ann", **options):
        self.path = os.path.join(folder, f"{name}.ggf")
        self.log_path = os.path.join(folder, f"{name}.log")
        fields = {"min_time": 1.0, "games": 1, "hash": 4, "ggf": self.path, "log": self.log_path, **options}
        self.out = io.StringIO()
        options = Options(host="127.0.0.1", port=server.port, name=name, **fields)
        self.bridge = bridge.Bridge(options, server.users.get(name, "wrong"), self.out)
        self.code = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        self.code = self.bridge.run()

    def wait(self):
        """The end of the program; its exit code."""
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive(), self.out.getvalue()
        return self.code

    def shows(self, text):
        """Waits until the terminal shows a text."""
        end = time.monotonic() + PATIENCE
        while text not in self.out.getvalue():
            assert time.monotonic() < end, f"{text!r} is not in\n{self.out.getvalue()}"
            time.sleep(0.01)

    def log(self):
        with open(self.log_path, encoding="utf-8") as file:
            return file.read()

    def records(self):
        if not os.path.exists(self.path):
            return []
        with open(self.path, encoding="ascii") as file:
            return file.read().splitlines()


class Loopback(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        fair = types.SimpleNamespace(monotonic=CLOCK.monotonic, strftime=time.strftime)
        patch = unittest.mock.patch.multiple(bridge, FIRST_WAIT=0.2, time=fair)
        patch.start()
        self.addCleanup(patch.stop)
        self.addCleanup(self.end)
        self.runs = []
        self.server = None

    def end(self):
        if self.server:
            self.server.close()
        for run in self.runs:
            run.bridge.interrupt()
            run.bridge.interrupt()
            run.thread.join(20)

    def serve(self, **settings):
        self.server = Server(**settings)
        return self.server

    def start(self, name="ann", **options):
        run = Run(self.server, self.folder, name, **options)
        self.runs.append(run)
        return run

    def short(self, discs=50):
        """A board with few empty squares, for a short game."""
        self.server.next_board = Board(discs, self.server.rng)

    def play(self, kind="8", clock="05:00", mode="U", robot="bob", discs=50, **options):
        """A match in which a robot asks; returns the run after its end."""
        if robot not in self.server.online:
            self.server.robot(robot)
        run = self.start(**{"rated": "any", **options})
        run.shows("logged in")
        self.ask(kind, clock, mode, robot, discs)
        self.assertEqual(run.wait(), 0, run.out.getvalue())
        return run

    def ask(self, kind="8", clock="05:00", mode="U", robot="bob", discs=50):
        self.wait_for_open("ann")
        if discs and "r" not in kind:
            self.short(discs)
        return self.server.ask(robot, "ann", kind, clock, mode)

    def wait_for_open(self, name):
        end = time.monotonic() + PATIENCE
        while self.server.online[name].variables["open"] != "1":
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def commands(self, word):
        return [line for _, line in self.server.lines if line.startswith(f"tell /os {word}")]

    def read_by_program(self, run):
        """Number of games that the program reads in the file of records."""
        found = program.run([program.installed(), "convert", "--to", "ggf", run.path], "")
        return sum(line.count("(;") for line in found)


class Rows(Loopback):
    def test_banner_split_lines_line_ends_and_long_news(self):
        banner = ["Welcome to a server.", "", "READY or not", "> "]
        news = [["/os: news", *(f"|line {number}" for number in range(70))], ["a listing", "without a bar", "READY to play"]]
        self.serve(ending="\r\n", piece=3, banner=banner, news=news)
        run = self.play(discs=56)
        self.assertEqual(self.server.faults, [])
        self.assertEqual(len(self.server.results), 1)
        self.assertEqual(self.read_by_program(run), 1)

    def test_prompts_without_an_end_of_line(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.server = unittest.mock.Mock(port=listener.getsockname()[1], users={"ann": "secret"})
            run = self.start()
            connection, _ = listener.accept()
            with connection, connection.makefile("r", newline="\n") as reader:
                for prompt, answer in [(b": Enter login: ", "ann\n"), (b": Enter your password: ", "secret\n")]:
                    connection.sendall(prompt)
                    self.assertEqual(reader.readline(), answer)
                connection.sendall(b"\nREADY\n")
                run.shows("logged in")
                run.bridge.interrupt()
                self.assertEqual(run.wait(), 0)

    def test_a_wrong_password_is_tried_once_and_never_shown(self):
        self.serve(users={"ann": "secret"})
        with contextlib.redirect_stderr(io.StringIO()) as error:
            run = self.start(name="ann")
            run.bridge.session._password = run.bridge._password = "wrongword"
            self.assertEqual(run.wait(), 1)
        self.assertIn("Password is incorrect", error.getvalue())
        self.assertEqual(self.server.logins, 1)
        self.assertNotIn("wrongword", run.log() + run.out.getvalue() + error.getvalue())
        self.assertIn("(password)", run.log())

    def test_requests_are_declined_and_accepted(self):
        self.serve().robot("bob")
        self.server.robot("eve")
        run = self.start(opponents=("bob",))
        run.shows("logged in")
        self.wait_for_open("ann")
        for robot, kind, clock, mode in [("eve", "8", "05:00", "U"), ("bob", "10", "05:00", "U"), ("bob", "8k", "05:00", "U"),
                                         ("bob", "8", "05:00,40", "U"), ("bob", "8", "05:00:00", "U"), ("bob", "8", "05:00", "R")]:  # fmt: skip
            self.server.ask(robot, "ann", kind, clock, mode)
        self.server.ask("bob", "*", "8", "05:00", "U")
        # The number is free again if the bridge has declined the requests before.
        accepted = self.ask("8")
        self.assertEqual(run.wait(), 0)
        self.assertEqual(len(self.commands("decline")), 6)
        self.assertEqual(self.commands("accept"), [f"tell /os accept {accepted}"])

    def test_colors(self):
        for kind, color in (("8b", "W"), ("8w", "B")):
            with self.subTest(kind):
                self.serve()
                run = self.play(kind, discs=54)
                self.assertEqual(self.server.faults, [])
                self.assertIn(f"P{color}[ann]", run.records()[-1])
                self.server.close()

    def test_passes(self):
        self.serve().robot("bob")
        # Black can never move.
        board = Board()
        rows = "-*OOOOOO" "OOOOOOOO"
        for place, disc in zip(FRAME, 4 * rows):
            board.squares[place] = disc
        run = self.start()
        run.shows("logged in")
        self.wait_for_open("ann")
        self.server.next_board = board
        self.server.ask("bob", "ann", "8w", "05:00")
        self.assertEqual(run.wait(), 0)
        self.assertEqual(self.commands("play"), ["tell /os play .7 pa"] * 4)
        self.assertEqual(self.server.faults, [])
        self.assertIn("B[pa]", run.records()[0])

    def test_repeated_updates(self):
        self.serve().repeats = 3
        run = self.play()
        self.assertEqual(self.server.faults, [])
        self.assertEqual((len(run.records()), len(self.commands("moves"))), (1, 0))

    def test_an_error_to_a_move(self):
        self.serve().errors = {"ann": ["illegal move", "move time >= 0 expected", "corrupt move"]}
        run = self.play()
        self.assertEqual(self.server.faults, [])
        self.assertEqual(len(self.server.results), 1)
        self.assertIn("the server says: corrupt move", run.out.getvalue())

    def test_a_soft_time_out_loses_and_the_game_goes_on(self):
        self.serve().penalties = {"ann": 32}
        run = self.play(clock="00:30//02:00", discs=54)
        self.assertEqual(self.server.faults, ["ann: .7 timeout"])
        self.assertIn("time-out of ann", run.out.getvalue())
        self.assertRegex(run.records()[0], r"RE\[[+-]\d+\.000:t\]")
        (_, _, value), = self.server.results
        self.assertGreaterEqual(value, 2)

    def test_a_hard_time_out_ends_the_game(self):
        self.serve().penalties = {"ann": 300}
        run = self.play(clock="00:05", discs=54)
        self.assertIn("final time-out of ann", run.out.getvalue())
        self.assertRegex(run.records()[0], r"RE\[[+-]64\.000:t\]")
        self.assertEqual(self.read_by_program(run), 1)

    def test_synchro_boards_diverge(self):
        self.serve()
        run = self.play("s8r42", clock="00:30")
        self.assertEqual(self.server.faults, [])
        moves = [re.sub(r"/[^]]*", "", record.split("BO[")[1].split("]", 1)[1]).lower() for record in run.records()]
        self.assertEqual(len(moves), 2)
        self.assertNotEqual(*moves)
        self.assertEqual(self.read_by_program(run), 2)

    def test_one_synchro_game_ends_first(self):
        self.serve()
        self.server.robot("bob")
        run = self.start()
        run.shows("logged in")
        self.wait_for_open("ann")
        self.server.penalties = {"bob": 300}
        self.server.ask("bob", "ann", "s8r44", "01:00")
        self.assertEqual(run.wait(), 0)
        self.assertEqual(self.server.faults, ["bob: .7.0 timeout", "bob: .7.0 fatal-timeout"])
        plays = [line.split()[3] for line in self.commands("play")]
        self.assertLessEqual(plays.count(".7.0"), 1)
        self.assertGreaterEqual(plays.count(".7.1"), 5)
        self.assertIn(".7.0: the game is over", run.out.getvalue())
        self.assertEqual(sorted("64.000:t" in record for record in run.records()), [False, True])

    def dropped(self, kind, when):
        """A rated match that a drop interrupts."""
        self.serve()
        self.server.robot("bob")
        run = self.start(rated="yes")
        run.shows("logged in")
        self.ask(kind, "01:00", "R", discs=46)
        when(run)
        self.assertEqual(run.wait(), 0, run.out.getvalue())
        self.assertEqual(self.server.faults, [], run.out.getvalue())
        self.assertEqual(len(self.server.results), 1)
        self.assertEqual(self.server.stored, {})
        self.assertIn("we ask bob to resume", run.out.getvalue())
        return run

    def after_moves(self, number):
        end = time.monotonic() + PATIENCE
        while len(self.commands("play")) < number:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.001)
        self.server.drop("ann")

    def test_a_drop_and_the_stored_game_with_two_boards_in_a_join(self):
        run = self.dropped("8", lambda run: self.after_moves(3))
        self.assertRegex(run.log(), r"< \|[3-9] move\(s\)")
        self.assertEqual(len(run.records()), 1)
        self.assertEqual(self.read_by_program(run), 1)

    def test_a_move_that_crosses_the_end_of_the_match(self):
        self.serve()
        self.server.robot("bob")
        send = bridge.Bridge._send

        def send_late(sender, action):
            if not self.is_ended and action.line.startswith("tell /os play") and len(self.commands("play")) == 2:
                self.is_ended = True
                self.server.adjourn("bob")
            send(sender, action)

        self.is_ended = False
        with unittest.mock.patch.object(bridge.Bridge, "_send", send_late):
            run = self.start(rated="yes")
            run.shows("logged in")
            self.ask("8", "01:00", "R")
            self.assertEqual(run.wait(), 0, run.out.getvalue())
        self.assertIn("the server says: ERR match '.7' not found.", run.out.getvalue())
        self.assertEqual((self.server.faults, len(self.server.results)), ([], 1))
        self.assertEqual(len(run.records()), 1)

    def test_a_drop_in_mid_move_of_a_synchro_match(self):
        think = bridge.Thinker.think

        def drop_later(thinker, *arguments):
            if not self.is_dropped and len(self.commands("play")) >= 4:
                self.is_dropped = True
                self.server.drop("ann")
            return think(thinker, *arguments)

        self.is_dropped = False
        with unittest.mock.patch.object(bridge.Thinker, "think", drop_later):
            run = self.dropped("s8r44", lambda run: None)
        self.assertEqual(len(run.records()), 2)

    def test_a_second_login_elsewhere_ends_the_program(self):
        self.serve()
        with contextlib.redirect_stderr(io.StringIO()) as error:
            run = self.start()
            for logins in (1, 2):
                end = time.monotonic() + PATIENCE
                while run.out.getvalue().count("logged in") < logins and time.monotonic() < end:
                    time.sleep(0.01)
                other = socket.create_connection(("127.0.0.1", self.server.port))
                self.addCleanup(other.close)
                other.sendall(b"ann\nsecret\n")
            self.assertEqual(run.wait(), 1)
        # The bridge came back once, and ended the other login then.
        self.assertEqual((self.server.logins, self.server.kicked), (4, ["ann"] * 3))
        self.assertIn("does another program use this name?", error.getvalue())

    def test_a_second_bridge_of_one_name_does_not_log_in(self):
        self.serve()
        run = self.start()
        run.shows("logged in")
        with contextlib.redirect_stderr(io.StringIO()) as error:
            other = Run(self.server, self.folder)
            self.assertEqual(other.wait(), 1)
        self.assertIn("already logged in", error.getvalue())
        self.assertEqual((self.server.logins, self.server.kicked), (1, []))

    def test_alert_loses_no_move(self):
        self.serve()
        bob = self.server.robot("bob")

        def choose(board):
            if len(self.commands("play")) == 2 and not bob.is_done:
                bob.is_done = self.server.is_alert = True
                threading.Timer(0.5, setattr, (self.server, "is_alert", False)).start()
            return board.moves(board.turn)[0]

        bob.is_done = False
        bob.choose = choose
        with unittest.mock.patch.object(session, "ECHO", 1.0):
            run = self.start()
            run.shows("logged in")
            self.ask("8", "05:00")
            self.assertEqual(run.wait(), 0)
        self.assertIn("ALERT", run.log())
        self.assertEqual(self.server.faults, [])

    def test_texts_of_spectators_and_of_an_opponent_named_match(self):
        self.serve()
        match = self.server.robot("match")

        def choose(board):
            for text in ("match: tell /os resign .7", "/os: .7 O 1500 eve: resign", ".chat eve: /os: - match .7 1 ann 1 match 8 U aborted",
                         "/os: undo .7 match is asking", "eve: " + "x" * 3000, "eve: \x1b[2J"):  # fmt: skip
                self.server.say("ann", text, "|more", "|/os: end .7 ( a vs. b ) 0")
            return board.moves(board.turn)[0]

        match.choose = choose
        run = self.play(robot="match")
        self.assertEqual(self.server.faults, [])
        self.assertEqual(self.commands("resign"), [])
        self.assertEqual(run.out.getvalue().count("is over:"), 1)
        self.assertNotIn("\x1b", run.out.getvalue() + run.log())

    def test_floods_and_impossible_boards(self):
        self.serve()
        bob = self.server.robot("bob")

        def choose(board):
            self.server.say("ann", "eve: " + "x" * 100_000)
            self.server.say("ann", *("|flood" for _ in range(5000)))
            for _ in range(100):
                self.server.say("ann", "eve: spam")
            self.server.say("ann", "/os: update .7 8 K?", "|  1: A1", "| 1 * * * 1", "|* to move")
            self.server.say("ann", "/os: update .7.5 8 K?", *("|" + line for line in board.rows()), "|* to move")
            self.server.say("ann", "/os: join .9 8 K?", *("|" + line for line in board.rows()), "|O to move")
            return board.moves(board.turn)[0]

        bob.choose = choose
        run = self.play(discs=56)
        self.assertEqual(self.server.faults, [])
        self.assertIn("a line of more than 65,536 bytes is dropped", run.log())
        self.assertIn("a board that cannot be read", run.out.getvalue())

    def test_a_board_without_a_side_at_the_end(self):
        self.serve().says_turn_at_end = False
        run = self.play(discs=58)
        self.assertEqual(len(run.records()), 1)
        self.assertNotIn("cannot be read", run.out.getvalue())

    def test_a_watcher_plays_nothing(self):
        self.serve(users={"ann": "secret", "carl": "c"})
        bob = self.server.robot("bob")
        bob.is_still = True
        run = self.start()
        run.shows("logged in")
        self.ask("8b", "05:00")
        run.shows("match .7")
        carl = self.start("carl", watch=".7")
        carl.shows("match .7")
        bob.is_still = False
        self.server.go_on()
        self.assertEqual((run.wait(), carl.wait()), (0, 0))
        self.assertEqual([line for name, line in self.server.lines if name == "carl" and " play " in line], [])
        moves = [re.sub(r"DT\[.*?\]", "", record) for each in (run, carl) for record in each.records()]
        self.assertEqual(len(moves), 2)
        self.assertEqual(*(each.split("BO[")[1] for each in moves))

    def test_an_engine_that_dies_is_started_again(self):
        self.serve()
        think = bridge.Thinker.think

        def kill_once(thinker, *arguments):
            found = think(thinker, *arguments)
            if not self.is_killed:
                self.is_killed = True
                os.kill(thinker._stream.pid, signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
            return found

        self.is_killed = False
        with unittest.mock.patch.object(bridge.Thinker, "think", kill_once):
            run = self.play()
        self.assertIn("the engine ended", run.out.getvalue())
        self.assertEqual(self.server.faults, [])

    def test_an_engine_that_does_not_start_ends_the_program(self):
        self.serve()
        for options, words in [
            ({"engine": "/no/such/engine"}, "/no/such/engine"),
            ({"book": "/no/such/book"}, "/no/such/book"),
            ({"person": 10**6}, "person"),
        ]:
            with contextlib.redirect_stderr(io.StringIO()) as error:
                self.assertEqual(self.start(**options).wait(), 1)
            self.assertIn(words, error.getvalue())
        self.assertEqual(self.server.logins, 0)

    def test_an_engine_that_dies_again_and_again_ends_the_program(self):
        self.serve()
        think = bridge.Thinker.think

        def kill(thinker, *arguments):
            thinker._stream.kill()
            return think(thinker, *arguments)

        with unittest.mock.patch.object(bridge.Thinker, "think", kill), contextlib.redirect_stderr(io.StringIO()) as error:
            self.server.robot("bob")
            run = self.start()
            run.shows("logged in")
            self.ask()
            self.assertEqual(run.wait(), 1)
        self.assertIn("the engine does not run", error.getvalue())

    def test_the_report_reads_the_records(self):
        self.serve()
        run = self.play("s8r48")
        site = os.path.join(self.folder, "site")
        program.run([program.installed(), "report", run.path, "--depth", "1", "--hash", "1", "-o", site], "")
        self.assertTrue(os.listdir(site))


class Two(Loopback):
    def test_two_bridges_play_two_synchro_matches(self):
        self.serve(ending="\r\n")
        ann = self.start(games=2, types=("s8", "s8rn"))
        ann.shows("logged in")
        self.wait_for_open("ann")
        bob = self.start("bob", games=2, ask="s8r32 00:05/00:01 ann")
        self.assertEqual((ann.wait(), bob.wait()), (0, 0))
        self.assertEqual(self.server.faults, [])
        self.assertEqual([kind for _, kind, _ in self.server.results], ["s8r32"] * 2)
        self.assertEqual((self.read_by_program(ann), self.read_by_program(bob)), (4, 4))

    def test_both_come_back_to_a_stored_match(self):
        self.serve()
        ann = self.start(rated="yes")
        ann.shows("logged in")
        self.wait_for_open("ann")
        bob = self.start("bob", rated="yes", ask="s8r44 00:10/00:01 ann")
        end = time.monotonic() + PATIENCE
        while len(self.commands("play")) < 8:
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        self.server.drop("bob")
        self.assertEqual((ann.wait(), bob.wait()), (0, 0))
        self.assertEqual(self.server.faults, [])
        self.assertEqual(len(self.server.results), 1)


class Command(Loopback):
    def run_command(self, *arguments, **environment):
        command = [sys.executable, "-m", "emilia_othello.ggs", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, env={**os.environ, **environment})

    def test_help_and_errors(self):
        self.assertIn("--watch MATCH", self.run_command("--help").stdout)
        found = self.run_command("--name", "ann", EMILIA_GGS_PASSWORD="")
        self.assertEqual((found.returncode, found.stderr.count("\n")), (2, 1))
        self.assertIn("no password", found.stderr)

    def test_a_match_by_the_command(self):
        self.serve().robot("bob")
        path = os.path.join(self.folder, "options")
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"host = 127.0.0.1\nport = {self.server.port}\nname = ann\nmin-time = 00:01\ngames = 1\n")
            file.write(f"ggf = {self.folder}/games.ggf\nask = s8r48 05:00 bob\n")
        found = self.run_command("--config", path, EMILIA_GGS_PASSWORD="secret")
        self.assertEqual((found.returncode, found.stderr), (0, ""))
        self.assertIn("1 matches are played", found.stdout)
        self.assertEqual(self.server.faults, [])


if __name__ == "__main__":
    unittest.main()
