"""Orders of the state machine to the world outside, and the engine's answer to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Tuple, Union


@dataclass(frozen=True)
class Send:
    """Send a line to the server."""

    line: str
    #: A password: the log hides it.
    is_secret: bool = False


@dataclass(frozen=True)
class Think:
    """Choose a move in the game `id`; a search that ponders on this position goes on."""

    id: str
    position: str
    seconds: float
    #: Seconds that the engine then gets to answer the cancelled search.
    grace: float
    threads: int
    hash: int


@dataclass(frozen=True)
class Ponder:
    """Search this position, which the opponent's expected reply leads to."""

    id: str
    position: str


@dataclass(frozen=True)
class Forget:
    """End the engine of a game, or all of them without an `id`."""

    id: Optional[str] = None


@dataclass(frozen=True)
class Show:
    """A line for the user."""

    text: str


@dataclass(frozen=True)
class Note:
    """A line for the log."""

    text: str


@dataclass(frozen=True)
class Save:
    """A record for the file of games."""

    text: str


@dataclass(frozen=True)
class Leave:
    """The end of the program."""

    code: int
    reason: str


Action = Union[Send, Think, Ponder, Forget, Show, Note, Save, Leave]


@dataclass(frozen=True)
class Thought:
    """The engine's move in the game `id`."""

    id: str
    position: str
    move: str
    #: Discs for the mover; `None` without a score.
    score: Optional[float] = None
    #: The expected line, this move first.
    line: Tuple[str, ...] = ()
    #: The source for the user: `depth 20`, `book`.
    source: str = ""
