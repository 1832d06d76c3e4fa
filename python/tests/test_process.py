"""The engine's process: how it starts, how it dies, and that it never stays behind."""

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import unittest
import unittest.mock
import warnings

import emilia_othello.engine
from emilia_othello import Engine, EngineDied, EngineError

#: Seconds that a process gets to be gone.
PATIENCE = 30
POSIX = os.name == "posix"


def is_alive(pid):
    """Whether the process runs; one that ended and was not waited for does not."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone(pid):
    """Waits until the process is gone; `False` if it stays."""
    end = time.monotonic() + PATIENCE
    while is_alive(pid):
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


class Starting(unittest.TestCase):
    def test_what_the_program_refuses_is_told(self):
        for options, words in [
            ({"hash": 10**9}, "--hash"),
            ({"eval": "/no/such/file"}, "/no/such/file"),
            ({"book": "/no/such/file"}, "/no/such/file"),
            ({"eval": "none"}, "none"),
            ({"binary": "/no/such/program"}, "/no/such/program"),
        ]:
            with self.subTest(options), self.assertRaisesRegex(EngineError, words):
                Engine(**options)

    def test_wrong_options_are_errors_of_the_caller(self):
        for options, kind, words in [
            ({"jobs": 0}, ValueError, "^jobs: expected a whole number from 1, found 0$"),
            ({"jobs": 10**6}, ValueError, "--jobs"),
            ({"threads": 0}, ValueError, "^threads: "),
            ({"hash": 0}, ValueError, "^hash: "),
            ({"jobs": "two"}, TypeError, "^jobs: expected a whole number, found 'two'$"),
            ({"threads": 1.5}, TypeError, "^threads: "),
            ({"hash": True}, TypeError, "^hash: "),
            ({"eval": b"file"}, TypeError, "^eval: expected the path of a file, found b'file'$"),
            ({"binary": 3}, TypeError, "^binary: "),
        ]:
            with self.subTest(options), self.assertRaisesRegex(kind, words):
                Engine(**options)

    def test_options_reach_the_program(self):
        with Engine(eval="classic", book=False, hash=1) as engine:
            found = engine.analyze("f5d6c3", depth=3)
            self.assertEqual((found.weights, found.book), ("classic", None))
            self.assertEqual(engine.show("f5d6c3").eval, "classic")

    @unittest.skipUnless(POSIX, "needs scripts that start by themselves")
    def test_what_is_no_engine(self):
        for script, words in [
            ("echo hello; sleep 60", "what is no answer: .hello"),
            ("echo '[1]'; sleep 60", "what is no answer"),
            ("echo '{\"id\":99}'; sleep 60", "what is no answer"),
            ("echo broken >&2; exit 3", r"exit code 3\): broken"),
            ("exec >&-; sleep 60", "killed by signal 9"),
            ("kill -SEGV $$", "killed by signal 11"),
            ("exec sleep 60", "did not answer within 1 seconds"),
        ]:
            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            path = os.path.join(folder.name, "emilia")
            with open(path, "w") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(path, 0o755)
            with self.subTest(script), self.assertRaisesRegex(EngineError, words):
                with unittest.mock.patch.object(
                    emilia_othello.engine, "START_SECONDS", 20 if "1 sec" not in words else 1
                ):
                    Engine(binary=path)


@unittest.skipUnless(POSIX, "needs signals")
class Dying(unittest.TestCase):
    def test_a_killed_engine_is_told_to_all_who_wait_and_all_who_come(self):
        with Engine(jobs=2) as engine:
            searches = [engine.start("f5", depth=60) for _ in range(5)]
            answers = engine.analyze(["f5"] * 2000, depth=60)
            threading.Timer(0.5, os.kill, (engine.pid, signal.SIGKILL)).start()
            with self.assertRaisesRegex(EngineDied, r"^the engine ended \(killed by signal 9\)$"):
                next(answers)
            for search in searches:
                with self.assertRaises(EngineDied):
                    search.result(timeout=20)
            with self.assertRaises(EngineDied):
                engine.analyze("f5", depth=1)

    def test_a_killed_player_is_started_again(self):
        with Engine() as engine:
            self.assertEqual(engine.play("f5d6c3", level=1), engine.play("f5d6c3", level=1))
            player = engine._player
            threading.Timer(0.5, lambda: engine._player._process.kill()).start()
            with self.assertRaises(EngineDied):
                engine.play("---O------OOX-X-XXXOOXXXXXXXXOX--OXOXXOX--OXXXX---XX------X----- O", level=60)
            self.assertEqual(len(engine.play("f5d6c3", level=1)), 2)
            self.assertIsNot(engine._player, player)

    def test_close_ends_what_is_under_way(self):
        engine = Engine()
        search = engine.start("f5", depth=60)
        time.sleep(0.2)
        engine.play("f5", level=1)
        pids = [engine.pid, engine._player._process.pid]
        begin = time.monotonic()
        engine.close()
        self.assertLess(time.monotonic() - begin, 10)
        self.assertFalse(any(map(is_alive, pids)))
        self.assertTrue(search.result(timeout=10).cancelled)
        for ask in (engine.analyze, engine.play, engine.show):
            with self.assertRaisesRegex(EngineError, "^the engine is closed$"):
                ask("f5")
        engine.close()

    def test_a_child_that_was_forked_is_told(self):
        with Engine() as engine:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
            if child == 0:
                try:
                    engine.analyze("f5", depth=1)
                except EngineError as error:
                    os._exit(0 if "forked" in str(error) else 1)
                os._exit(2)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            self.assertEqual(engine.analyze("f5", depth=1).depth, 1)


@unittest.skipUnless(os.path.isdir("/proc/self"), "needs /proc")
class Leaving(unittest.TestCase):
    def python(self, script):
        """Another Python that runs the script, in a process group of its own."""
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", "from emilia_othello import *\n" + textwrap.dedent(script)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def test_an_interpreter_that_ends_leaves_no_process(self):
        begin = "import sys; engine = Engine(); engine.play('f5', level=1); search = engine.start('f5', depth=60)"
        tell = "print(engine.pid, engine._player._process.pid, flush=True)"
        for end in ("", "sys.exit(3)", "raise KeyError", "del engine, search", "search.result(timeout=0.2)"):
            with self.subTest(end):
                process = self.python(f"{begin}\n{tell}\n{end}")
                pids = list(map(int, process.stdout.readline().split()))
                process.wait(PATIENCE)
                self.assertEqual(len(pids), 2)
                self.assertTrue(all(map(gone, pids)), end)

    def test_a_killed_interpreter_leaves_no_process(self):
        process = self.python(
            """
            engine = Engine()
            search = engine.start("f5", depth=60)
            engine.play("f5", level=1)
            print(engine.pid, engine._player._process.pid, flush=True)
            search.result()
            """
        )
        pids = list(map(int, process.stdout.readline().split()))
        time.sleep(0.5)
        self.assertTrue(all(map(is_alive, pids)))
        process.kill()
        self.assertTrue(all(map(gone, pids)))

    def test_ctrl_c_ends_the_search_and_not_the_engine(self):
        process = self.python(
            """
            import signal
            # A process that a shell starts in the background ignores Ctrl-C, and so would this one.
            signal.signal(signal.SIGINT, signal.default_int_handler)
            with Engine() as engine:
                print("ready", flush=True)
                try:
                    engine.solve("f5")
                except KeyboardInterrupt:
                    print(engine.analyze("f5d6", depth=3).depth, flush=True)
            """
        )
        self.assertEqual(process.stdout.readline(), "ready\n")
        time.sleep(0.5)
        os.killpg(process.pid, signal.SIGINT)
        self.assertEqual(process.communicate(timeout=PATIENCE), ("3\n", ""))


if __name__ == "__main__":
    unittest.main()
