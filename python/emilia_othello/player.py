"""A running `emilia gtp`: sent a line, it answers with one."""

from __future__ import annotations

import threading
import time
from typing import Optional, Sequence

from . import program
from .errors import EngineError
from .stream import PATIENCE


class Player:
    """The process. For one thread at a time."""

    def __init__(self, command: Sequence[str]) -> None:
        self.command = list(command)
        self._process, self._stderr = program.start(command)

    def ask(self, line: str, end: Optional[float] = None) -> str:
        """Sends a command and returns what is answered.

        Raises `TimeoutError` when the clock shows `end` before that, `EngineError` with the engine's words when it
        refuses, `OptionError` when it refuses its options, `EngineDied` when it has ended. After all but `EngineError` the
        process has ended.
        """
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        timer = threading.Timer(0 if end is None else end - time.monotonic(), self._process.kill)
        timer.daemon = True
        if end is not None:
            timer.start()
        try:
            stdin.write(line.encode() + b"\n")
            stdin.flush()
            reply = stdout.readline().decode().strip()
            while reply and stdout.readline().strip():
                pass
        except OSError:
            reply = ""
        except BaseException:
            self._process.kill()
            raise
        finally:
            timer.cancel()
        if not reply:
            self._process.kill()
            code = self._process.wait(PATIENCE)
            if end is not None and time.monotonic() >= end:
                raise TimeoutError("no answer in time")
            raise program.end_of(code, self._stderr)
        if not reply.startswith("="):
            raise EngineError(reply.lstrip("? "))
        return reply[1:].strip()

    def has_ended(self) -> bool:
        """Whether nothing can be asked any more."""
        return self._process.poll() is not None

    def close(self) -> None:
        """Ends the process at once."""
        self._process.kill()
        self._process.communicate()
        self._stderr.close()
