"""Messages of the server as events. `parse` reads any text and never raises.

The first word of a message names its sender: `:` is the central server, `/os:` the Othello service, and every other word a
user or a channel, whose text the bridge shows and never obeys.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple, Union

from .clock import Clock, parse_clock
from .lines import Message

CENTRAL = ":"
SERVICE = "/os:"
#: Discs of the server's boards as this package writes them.
_DISCS = {"*": "X", "O": "O", "-": "-"}

_ROW = re.compile(r"\s*([1-8]) ((?:[-*O] ){7}[-*O])(?: [1-8])?\s*$")
_MOVE = re.compile(r"\s*(\d{1,3}): (\S+)\s*$")
_CLOCK = re.compile(r"(\S+)\s+\(\s*(\S+)\s+([*O])\s*\)\s+(\S+)\s*$")
_TURN = re.compile(r"([*O]) to move\s*$")
_BOARD = re.compile(r"(join|update) (\.\S+) (\S+)")
_END = re.compile(r"end (\.\S+) \((.*)\)\s*(\S*)")
_STORED = re.compile(r"(\.\d+)\s+(.*\S)")


@dataclass(frozen=True)
class Request:
    """Somebody asks for a match, or the request is gone."""

    id: str
    is_new: bool
    asker: str
    #: The name of the player asked, `*` for everyone.
    asked: str
    kind: str
    #: The clocks of both, as written: one or two.
    clocks: Tuple[str, ...]
    #: `R` rated, `U` unrated, `T` tournament, `S` stored.
    mode: str
    stored: Optional[str] = None


@dataclass(frozen=True)
class MatchEvent:
    """A match begins or ends."""

    id: str
    is_start: bool
    names: Tuple[str, str]
    kind: str
    mode: str
    #: The words at the end: a result of the first name in discs, or `NAME left`, or `aborted`; and the archive number.
    outcome: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Seat:
    """A player of a game as a board shows it."""

    name: str
    rating: str
    clock: Optional[Clock]
    #: The clock as written.
    text: str


@dataclass(frozen=True)
class BoardEvent:
    """A position of a game, by `join` or `update`."""

    id: str
    is_join: bool
    kind: str
    #: The players by their side, `X` or `O`: the first lines hold settings of clocks if there are two for each.
    seats: Dict[str, Seat] = field(default_factory=dict)
    first_seats: Dict[str, Seat] = field(default_factory=dict)
    #: Number and text of each move, in order.
    moves: List[Tuple[int, str]] = field(default_factory=list)
    #: Boards in order, each with its side to move if the message has it: the last one is the position.
    boards: List[Tuple[str, Optional[str]]] = field(default_factory=list)


@dataclass(frozen=True)
class GameEnd:
    """One game is over; `result` is that of the first name in discs."""

    id: str
    words: str
    result: str


@dataclass(frozen=True)
class TimeOut:
    """A clock ran out: softly, or finally with `is_fatal`."""

    id: str
    name: str
    is_fatal: bool


@dataclass(frozen=True)
class GameError:
    """The service refuses a command about one game."""

    id: str
    text: str


@dataclass(frozen=True)
class Refusal:
    """`ERR`: the service or the central server refuses a command."""

    text: str
    is_central: bool


@dataclass(frozen=True)
class Partner:
    """A player with whom a game is stored has come."""

    name: str


@dataclass(frozen=True)
class ServiceState:
    """The Othello service has come or gone."""

    is_up: bool


@dataclass(frozen=True)
class Stored:
    """The list of stored games: number and words of each."""

    rows: List[Tuple[str, List[str]]]


@dataclass(frozen=True)
class Talk:
    """Everything else: chat, news, lists, offers of an opponent. Shown or logged, never obeyed."""

    sender: str
    text: str


Event = Union[
    Request, MatchEvent, BoardEvent, GameEnd, TimeOut, GameError, Refusal, Partner, ServiceState, Stored, Talk
]


def parse(message: Message) -> Optional[Event]:
    """The event of a message; `None` for an empty one."""
    if not message.lines:
        return None
    sender, _, text = message.lines[0].partition(" ")
    # Further lines of one message begin with a bar; those of listings do not.
    body = [line[1:] if line.startswith("|") else line for line in message.lines[1:]]
    if sender == SERVICE:
        return _service(text.strip(), body)
    if sender == CENTRAL:
        return _central(text.strip())
    return Talk(sender.rstrip(":"), text)


def _central(text: str) -> Event:
    words = text.split()
    if words[:1] == ["ERR"]:
        return Refusal(text, True)
    if len(words) >= 2 and words[0] in ("+", "-") and words[1] == "/os":
        return ServiceState(words[0] == "+")
    return Talk("", text)


def _service(text: str, body: List[str]) -> Event:
    words = text.split()
    first = words[0] if words else ""
    if first == "ERR":
        return Refusal(text, False)
    if first in ("+", "-"):
        return _sign(words, text)
    found = _BOARD.match(text)
    if found:
        return _board(found, body)
    found = _END.match(text)
    if found:
        return GameEnd(found.group(1), found.group(2).strip(), found.group(3))
    if first in ("timeout", "fatal-timeout") and len(words) >= 3:
        return TimeOut(words[1], words[2], first == "fatal-timeout")
    if first == "error" and len(words) >= 2 and words[1].startswith("."):
        return GameError(words[1], " ".join(words[2:]))
    if first == "stored":
        rows = [found for found in map(_STORED.match, body) if found]
        return Stored([(row.group(1), row.group(2).split()) for row in rows])
    return Talk("os", text)


def _sign(words: List[str], text: str) -> Event:
    """Messages that begin with `+` or `-`. A match has the word `match` and a number, a request has its number first."""
    is_new = words[0] == "+"
    rest = words[1:]
    if rest[:1] == ["match"] and len(rest) >= 7 and rest[1].startswith("."):
        outcome = tuple(rest[8:])
        return MatchEvent(rest[1], is_new, (rest[3], rest[5]), rest[6], (rest[7:8] or [""])[0], outcome)
    if rest and rest[0].startswith("."):
        return _request(rest, is_new) or Talk("os", text)
    if is_new and len(rest) == 2 and rest[1] == "stored":
        return Partner(rest[0])
    return Talk("os", text)


def _request(words: List[str], is_new: bool) -> Optional[Request]:
    """`.8 1811.5 bob 05:00//02:00 s8r14 R 1720.0 ann [CLOCK] [.STORED]`."""
    if len(words) < 8:
        return None
    clocks = [words[3]]
    stored = None
    for word in words[8:]:
        if word.startswith("."):
            stored = word
        elif ":" in word or "/" in word:
            clocks.append(word)
    return Request(words[0], is_new, words[2], words[7], words[4], tuple(clocks), words[5], stored)


def _board(found: "re.Match[str]", body: List[str]) -> BoardEvent:
    event = BoardEvent(found.group(2), found.group(1) == "join", found.group(3))
    rows: List[str] = []
    for line in body:
        row = _ROW.match(line)
        if row and int(row.group(1)) == len(rows) + 1:
            rows.append("".join(_DISCS[disc] for disc in row.group(2).split()))
            continue
        if len(rows) == 8:
            event.boards.append(("".join(rows), None))
        rows = []
        _board_line(event, line)
    if len(rows) == 8:
        event.boards.append(("".join(rows), None))
    return event


def _board_line(event: BoardEvent, line: str) -> None:
    """A line that is no row: a move, a clock, or the side to move of the board before it."""
    turn = _TURN.match(line)
    if turn and event.boards:
        event.boards[-1] = (event.boards[-1][0], _DISCS[turn.group(1)])
    move = _MOVE.match(line)
    if move and int(move.group(1)) > 0:
        event.moves.append((int(move.group(1)), move.group(2)))
    clock = _CLOCK.match(line)
    if clock:
        name, rating, disc, text = clock.groups()
        side = _DISCS[disc]
        event.seats[side] = Seat(name, rating, parse_clock(text), text)
        event.first_seats.setdefault(side, event.seats[side])
