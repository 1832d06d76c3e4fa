"""Options of the bridge, from the command line and from a file of `NAME = VALUE` lines."""

from __future__ import annotations

import argparse
import os
import re
import stat
from dataclasses import dataclass, field
from typing import List, Mapping, Optional, Sequence, Tuple

from .clock import parse_clock, parse_time
from .games import is_playable

#: The environment variable with the password.
PASSWORD = "EMILIA_GGS_PASSWORD"

EPILOG = """\
The password comes from the environment variable EMILIA_GGS_PASSWORD or from
--password-file, which only you may be able to read. Ctrl-C ends the program
after the match; a second Ctrl-C leaves at once, and the server stores the match
if it is rated.

Examples:
  emilia-ggs --name emilia --password-file ggs.txt --games 1
  emilia-ggs --config ggs.conf --ask "s8r20 05:00//02:00 bob" --games 2
  emilia-ggs --config ggs.conf --watch .7
"""


class OptionsError(ValueError):
    """A wrong option, with the text for the user."""


@dataclass
class Options:
    """The options after all checks."""

    host: str = "skatgame.net"
    port: int = 5000
    name: str = ""
    types: Tuple[str, ...] = ("8", "8b", "8w", "s8", "s8rn")
    rated: str = "no"
    #: Bounds of the base time in seconds.
    min_time: float = 60.0
    max_time: float = 1800.0
    #: Accepted opponents; empty accepts all.
    opponents: Tuple[str, ...] = ()
    open: bool = False
    #: Matches to play; 0 is no limit.
    games: int = 0
    ask: str = ""
    watch: str = ""
    resume: bool = False
    send: List[str] = field(default_factory=list)
    engine: Optional[str] = None
    threads: int = 1
    hash: int = 128
    book: Optional[str] = None
    no_book: bool = False
    person: Optional[int] = None
    log: Optional[str] = None
    ggf: Optional[str] = None

    def accepts(self, kind: str) -> bool:
        """Whether the bridge plays this type."""
        kind = kind.lower()
        general = re.sub(r"^s8r\d+$", "s8rn", kind)
        return is_playable(kind) and (kind in self.types or general in self.types)


def _time(text: str) -> float:
    found = parse_time(text)
    if found is None or found < 0:
        raise argparse.ArgumentTypeError(f"expected a time such as 05:00, found {text!r}")
    return found


def _number(low: int, high: int) -> "type[int]":
    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,9}", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"expected a number from {low} to {high}, found {text!r}")
        return int(text)

    return read  # type: ignore[return-value]


def _name(text: str) -> str:
    if not re.fullmatch(r"[^._,\\\s][^,\\\s]{1,7}", text) or not text.isascii():
        raise argparse.ArgumentTypeError(
            f"expected 2 to 8 letters without comma, backslash and blank, not beginning with . or _, found {text!r}"
        )
    return text


def _names(text: str) -> Tuple[str, ...]:
    return tuple(_name(word) for word in text.replace(",", " ").split())


def _types(text: str) -> Tuple[str, ...]:
    kinds = tuple(text.lower().replace(",", " ").split())
    for kind in kinds:
        if kind != "s8rn" and not is_playable(kind):
            raise argparse.ArgumentTypeError(f"expected types such as 8,8b,8w,s8,s8rN,s8r20, found {kind!r}")
    return kinds


def _ask(text: str) -> str:
    words = text.split()
    if not 2 <= len(words) <= 3 or not is_playable(words[0]) or not _is_clock(words[1]):
        raise argparse.ArgumentTypeError(f"expected TYPE CLOCK [NAME] such as 's8r20 05:00//02:00 bob', found {text!r}")
    return " ".join([*words[:2], *map(_name, words[2:])])


def _is_clock(text: str) -> bool:
    clock = parse_clock(text)
    return clock is not None and clock.is_plain and clock.base > 0


def _watch(text: str) -> str:
    if not re.fullmatch(r"\.?\d{1,6}", text):
        raise argparse.ArgumentTypeError(f"expected the number of a match such as .7, found {text!r}")
    return "." + text.lstrip(".")


def _command(text: str) -> str:
    if re.search(r"[\x00-\x1f\\]", text) or len(text) > 500:
        raise argparse.ArgumentTypeError("expected one line of at most 500 characters without a backslash")
    return text


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="emilia-ggs",
        description="Play Othello on the Generic Game Server with the engine Emilia.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        # `--password WORD` must not pass for --password-file.
        allow_abbrev=False,
    )
    add = parser.add_argument
    add("--config", metavar="FILE", help="read options from FILE, one NAME = VALUE a line; the command line wins")
    add("--host", help="server [default: skatgame.net]")
    add("--port", type=_number(1, 65535), help="port of the server [default: 5000]")
    add("--name", type=_name, help="your name on the server, 2 to 8 letters")
    add("--password-file", metavar="FILE", help="file whose first line is the password; only you may read it")
    add("--types", type=_types, help="types to play, of 8 8b 8w s8 s8rN [default: all]")
    add("--rated", choices=("yes", "no", "any"), help="play rated matches [default: no]")
    add("--min-time", metavar="TIME", type=_time, help="shortest base time [default: 01:00]")
    add("--max-time", metavar="TIME", type=_time, help="longest base time [default: 30:00]")
    add("--opponents", metavar="NAMES", type=_names, help="play only these users [default: all]")
    add("--open", action="store_const", const=True, help="also accept requests to everyone")
    add("--games", metavar="N", type=_number(0, 10**6), help="leave after N matches [default: 0, no limit]")
    add("--ask", metavar="REQUEST", type=_ask, help="ask for matches: 'TYPE CLOCK [NAME]', one after the other")
    add("--watch", metavar="MATCH", type=_watch, help="only watch this match, such as .7")
    add("--resume", action="store_const", const=True, help="ask for all stored games after the login")
    add("--send", metavar="COMMAND", type=_command, action="append", help="send a line after the login; may be repeated")
    add("--engine", metavar="FILE", help="program emilia [default: that of this package]")
    add("--threads", metavar="N", type=_number(1, 256), help="threads of the search [default: 1]")
    add("--hash", metavar="MIB", type=_number(2, 65536), help="hash table [default: 128]")
    add("--book", metavar="FILE", help="opening book [default: that of the program]")
    add("--no-book", action="store_const", const=True, help="play without a book")
    add("--person", metavar="RATING", type=_number(1, 9999), help="play like a person of this rating")
    add("--log", metavar="FILE", help="append all lines to FILE, without the password")
    add("--ggf", metavar="FILE", help="append each game to FILE [default: emilia-ggs.ggf]")
    return parser


def _file_arguments(path: str) -> List[str]:
    """The lines of a file of options as arguments."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OptionsError(f"--config {path}: {error}") from error
    arguments = []
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        name, sign, value = (part.strip() for part in line.partition("="))
        if name == "password":
            raise OptionsError(f"{path}, line {number}: write the password into a file of its own, for password-file")
        if name == "config" or not re.fullmatch(r"[a-z][a-z-]*", name) or not sign:
            raise OptionsError(f"{path}, line {number}: expected NAME = VALUE, such as types = 8,s8")
        if value == "yes" and name in ("open", "resume", "no-book"):
            arguments.append(f"--{name}")
        else:
            arguments.append(f"--{name}={value}")
    return arguments


def read_password(file: Optional[str], environment: Mapping[str, str]) -> str:
    """The password of the file, or of the environment."""
    if file is None:
        password = environment.get(PASSWORD, "")
        source = PASSWORD
    else:
        try:
            with open(file, encoding="utf-8") as opened:
                mode = os.fstat(opened.fileno()).st_mode
                password = opened.readline().rstrip("\r\n")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is no text"
            raise OptionsError(f"--password-file {file}: {reason}") from None
        if os.name == "posix" and mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise OptionsError(f"--password-file {file}: others can read it; run chmod 600 {file}")
        source = f"--password-file {file}"
    if not password:
        raise OptionsError(f"no password: set {PASSWORD}, or give --password-file")
    # The server turns a backslash into a line break.
    if re.search(r"[\x00-\x1f\\]", password):
        raise OptionsError(f"{source}: the password has a control character or a backslash")
    return password


def read_options(arguments: Sequence[str], environment: Mapping[str, str]) -> Tuple[Options, str]:
    """The options and the password. Raises `OptionsError`; argparse exits for what it refuses itself."""
    parser = _parser()
    found = parser.parse_args(arguments)
    if found.config:
        own = _file_arguments(found.config)
        # The command line comes last and wins; lists of both are joined.
        found = parser.parse_args([*own, *arguments])
    values = {name: value for name, value in vars(found).items() if value is not None}
    password_file = values.pop("password_file", None)
    values.pop("config", None)
    options = Options(**{"ggf": "emilia-ggs.ggf", **values})
    if not options.name:
        raise OptionsError("no name: give --name, 2 to 8 letters")
    if options.min_time > options.max_time:
        raise OptionsError("--min-time is longer than --max-time")
    if options.watch and options.ask:
        raise OptionsError("--watch and --ask contradict each other")
    return options, read_password(password_file, environment)
