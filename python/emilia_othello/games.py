"""Game files in any notation, read by one run of the program; answers that a run wrote into a file."""

from __future__ import annotations

import gzip
import json
from os import PathLike, fspath
from pathlib import Path
from typing import IO, Callable, Iterator, Optional, Union

from . import program
from .errors import EngineError, RequestError
from .results import Analysis, Game, Shown, read

#: The longest text that may be the name of a file.
NAME_LENGTH = 4096


def is_file(source: Union[str, "PathLike[str]"]) -> bool:
    """Whether the source is the path of a file: a path, or a text that is the name of an existing file."""
    if not isinstance(source, str):
        return True
    if "\n" in source or "\0" in source or len(source) > NAME_LENGTH:
        return False
    try:
        return Path(source).is_file()
    except OSError:
        return False


def read_games(
    source: Union[str, "PathLike[str]"],
    *,
    on_error: Optional[Callable[[EngineError], object]] = None,
    binary: Union[str, "PathLike[str]", None] = None,
) -> Iterator[Game]:
    """Reads the games of a file, or of a text, in any notation: moves, GGF, SGF, PGN, JSON, WTHOR and others.

    One run of the program reads all of them. A text that is the name of an existing file means that file. A position is
    a game without moves. `binary` is another program than the one that came with this package.

    An entry that cannot be read raises `EngineError` with its place and the reason. With `on_error` such an entry is
    left out, and the function is called with its error.
    """
    # With the files of players beside it, a WTHOR file gives their names.
    command = [program.installed() if binary is None else fspath(binary), "show", "--json", "--eval=classic"]
    if on_error is not None:
        command.append("--keep-going")
    if is_file(source):
        return _games([*command, "--", fspath(source)], "", on_error)
    return _games([*command, "-"], str(source), on_error)


def _games(command: "list[str]", text: str, on_error: Optional[Callable[[EngineError], object]]) -> Iterator[Game]:
    process, stderr = program.start(command)
    with stderr:
        try:
            feeder = program.feed(process, text)
            assert process.stdout is not None
            for line in process.stdout:
                shown = read(Shown, json.loads(line))
                yield shown.game or Game(shown.position, (), "", "", "", "", None, {})
            feeder.join()
            code = process.wait()
        finally:
            process.kill()
            process.wait()
            for pipe in (process.stdout, process.stdin):
                if pipe is not None:
                    pipe.close()
        # Exit code 1 with `--keep-going`: some entries were left out, and stderr names each.
        if code == 1 and on_error is not None:
            stderr.seek(0)
            for message in stderr.read().decode("utf-8", "replace").splitlines():
                if not message.endswith("entries skipped"):
                    on_error(EngineError(message.replace("emilia: ", "", 1)))
        elif code != 0:
            said = program.last_words(stderr)
            raise EngineError(said.replace("emilia: ", "", 1) or program.how_it_ended(code, stderr))


def read_analyses(
    path: Union[str, "PathLike[str]"], *, on_error: Optional[Callable[[RequestError], object]] = None
) -> Iterator[Analysis]:
    """The answers in a file that `Engine.analyze_file` or `emilia analyze -o` wrote, plain or compressed (`.gz`).

    An answer to a refused request raises `RequestError`, or is handed to `on_error` and left out.
    """
    opened: Callable[..., IO[str]] = gzip.open if fspath(path).endswith(".gz") else open
    with opened(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            answer = json.loads(line)
            if "error" not in answer:
                yield read(Analysis, answer)
                continue
            error = RequestError(answer["error"], answer.get("id"), answer.get("field"))
            if on_error is None:
                raise error
            on_error(error)
