"""The program `emilia` and how it is run."""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import os
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import IO, Any, Dict, List, Sequence, Tuple

from .errors import EngineDied, EngineError, OptionError

#: The name under which the wheel is installed.
DISTRIBUTION = "emilia-othello"
#: The exit code of a program that refuses its options.
USAGE = 2
#: The length of stderr in errors, in bytes.
STDERR_BYTES = 4096


@functools.cache
def installed() -> str:
    """The path of the program that came with this package.

    Raises `EngineError` when there is none, as in a checkout that was not installed.
    """
    try:
        files = importlib.metadata.files(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name in ("emilia", "emilia.exe"):
            return str(Path(str(file.locate())).resolve())
    raise EngineError(f"no program `emilia` came with this package: install the wheel {DISTRIBUTION}, or give `binary`")


def start(command: Sequence[str]) -> Tuple["subprocess.Popen[bytes]", IO[bytes]]:
    """Starts a program with pipes; what it writes to stderr goes into the file returned.

    Ctrl-C in a terminal or a notebook is for Python alone, which then decides what becomes of the search. The program
    reads no settings file of the user, so that a script gets the same answers everywhere, unless `EMILIA_CONFIG` names one.
    """
    apart: Dict[str, Any] = {"start_new_session": True}
    if os.name == "nt":
        apart = {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    environment = {"EMILIA_CONFIG": "", **os.environ}
    stderr = tempfile.TemporaryFile()
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=stderr, env=environment, **apart)
    except OSError as error:
        stderr.close()
        raise EngineError(f"{command[0]} cannot be started: {error}") from error
    return process, stderr


def feed(process: "subprocess.Popen[bytes]", text: str) -> threading.Thread:
    """Writes `text` to a program from a thread, so that its output can be read meanwhile, and closes its input."""

    def write() -> None:
        assert process.stdin is not None
        # A program that ends early has closed its input.
        with contextlib.suppress(OSError, ValueError):
            process.stdin.write(text.encode("utf-8", "replace"))
        with contextlib.suppress(OSError, ValueError):
            process.stdin.close()

    thread = threading.Thread(target=write, daemon=True)
    thread.start()
    return thread


def last_words(stderr: IO[bytes]) -> str:
    """The last of what a program wrote to stderr."""
    size = stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, size - STDERR_BYTES))
    return stderr.read().decode("utf-8", "replace").strip()


def how_it_ended(code: int, stderr: IO[bytes]) -> str:
    """The end of a process in words, with the last of what it wrote to stderr."""
    said = last_words(stderr)
    how = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
    return f"the engine ended ({how})" + (f": {said}" if said else "")


def end_of(code: int, stderr: IO[bytes]) -> EngineError:
    """The end of a process as an error: `OptionError` if it refused its options."""
    if code == USAGE:
        return OptionError(last_words(stderr).replace("emilia: ", "", 1))
    return EngineDied(how_it_ended(code, stderr))


def run(command: Sequence[str], text: str) -> List[str]:
    """Runs a program on `text` to its end and returns its lines of output.

    Raises `EngineError` with the program's words when it fails.
    """
    process, stderr = start(command)
    with stderr:
        try:
            out, _ = process.communicate(text.encode("utf-8", "replace"))
        except BaseException:
            process.kill()
            process.wait()
            raise
        if process.returncode > 0:
            said = last_words(stderr)
            raise EngineError(said.replace("emilia: ", "", 1) or how_it_ended(process.returncode, stderr))
        if process.returncode < 0:
            raise EngineDied(how_it_ended(process.returncode, stderr))
    return out.decode("utf-8", "replace").splitlines()
