"""A game and a match as the server shows them, and their records in GGF."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple

from . import rules
from .clock import Clock
from .events import BoardEvent, Seat

#: Types that the bridge can play: board 8, with or without synchro, random start or color.
PLAYABLE = re.compile(r"(s?)8(?:r(\d{1,2}))?([bw]?)$")
#: Colors in GGF.
_COLORS = {"X": "B", "O": "W"}


def is_playable(kind: str) -> bool:
    """Whether the bridge knows the rules of a type such as `s8r20`."""
    found = PLAYABLE.match(kind.lower())
    if not found:
        return False
    synchro, discs, color = found.groups()
    # The server refuses the others: `r` needs synchro, and a color contradicts `r`.
    return not discs or (bool(synchro) and not color and 4 <= int(discs) <= 48)


def same(one: str, two: str) -> bool:
    """Whether two names belong to one user."""
    return one.casefold() == two.casefold()


@dataclass
class Game:
    """One board of a match."""

    id: str
    #: Our side; `None` for a game that the bridge watches.
    mine: Optional[str] = None
    seats: Dict[str, Seat] = field(default_factory=dict)
    #: The setting of our clock, or of Black's in a watched game.
    setting: Clock = Clock(0.0)
    setting_text: str = ""
    start: str = ""
    start_side: str = "X"
    #: Text of each move, such as `F5/2.00/3.47`; `None` where a move is missing.
    moves: List[Optional[str]] = field(default_factory=list)
    board: str = ""
    side: str = "X"
    #: The time at which it became our turn.
    since: float = 0.0
    #: Seconds on our clock by our own count: the server prints whole seconds only.
    counted: float = 0.0
    #: The time of the command under way.
    used: float = 0.0
    #: The position that the engine searches, the position that our last command answers, and that command.
    asked: str = ""
    sent: str = ""
    command: str = ""
    #: The command without score and time.
    plain_command: str = ""
    sent_at: float = 0.0
    #: The bridge asked for the board again.
    is_refreshing: bool = False
    #: Questions about this position.
    tries: int = 0
    is_over: bool = False
    #: Users with a time-out, in order.
    flagged: List[str] = field(default_factory=list)
    #: The server's result of the first name, in discs, and its words.
    result: str = ""
    ending: str = ""

    @property
    def position(self) -> str:
        """The board and the side to move, as the engine reads them."""
        return f"{self.board} {self.side}"

    @property
    def is_my_turn(self) -> bool:
        """Whether the server waits for our move."""
        return self.mine is not None and self.side == self.mine and not self.is_over

    def seat_of(self, name: str) -> Optional[str]:
        """The side of a player."""
        return next((side for side, seat in self.seats.items() if same(seat.name, name)), None)

    def show(self, event: BoardEvent, name: str) -> List[str]:
        """Takes over a board of the server. Returns the contradictions that it found, for the log.

        The server is the referee: its board counts, even if it contradicts the moves.
        """
        notes = self._seat(event, name)
        board, side = event.boards[-1] if event.boards else ("", None)
        if board and side is None and rules.is_over(board):
            side = rules.other(self.side)
        if side is None:
            return [*notes, f"{self.id}: a board that cannot be read"]
        if event.is_join:
            self._join(event)
        else:
            notes += self._update(event, board)
        if (board, side) != (self.board, self.side):
            self.tries = 0
        self.board = board
        self.side = side
        return notes

    def _seat(self, event: BoardEvent, name: str) -> List[str]:
        """Players and clocks."""
        notes = []
        before = {side: seat.clock for side, seat in self.seats.items()}
        self.seats.update(event.seats)
        mine = self.seat_of(name)
        if self.mine is not None and mine != self.mine:
            notes.append(f"{self.id}: our color changed from {self.mine} to {mine}")
        self.mine = mine
        first = event.first_seats.get(mine or "X")
        if event.is_join and first and first.clock:
            # A game without moves has its whole base time, a stored one begins with the settings.
            self.setting = first.clock
            self.setting_text = re.sub(r",\d+:\d+", "", first.text)
            last = event.seats[mine or "X"].clock or first.clock
            # The figure of a stored game may be rounded.
            self.counted = last.base - (1 if event.moves else 0)
        for side, seat in event.seats.items():
            old = before.get(side)
            if old and seat.clock and seat.clock.base > old.base + self.setting.increment + 1:
                notes.append(f"{self.id}: the clock of {seat.name} grew from {old.base:.0f} to {seat.clock.base:.0f} s")
        return notes

    def _join(self, event: BoardEvent) -> None:
        """Start and moves of a join, which has all of them."""
        self.start, side = event.boards[0]
        self.moves = [text for _, text in event.moves]
        last = event.boards[-1][0]
        sides = [side] if side else ["X", "O"]
        found = [each for each in sides if _replay(self.start, each, self.moves) == last]
        self.start_side = found[0] if found else side or "X"

    def _update(self, event: BoardEvent, board: str) -> List[str]:
        """The move of an update."""
        if not self.board:
            return [f"{self.id}: its start is missing"]
        if not event.moves:
            return []
        number, text = event.moves[-1]
        if number <= len(self.moves):
            is_same = self.moves[number - 1] == text and board == self.board
            return [] if is_same else [f"{self.id}: move {number} came again, now {text}"]
        if number > len(self.moves) + 1:
            missing = number - 1 - len(self.moves)
            if number <= 200:
                self.moves += [None] * missing + [text]
            return [f"{self.id}: {missing} updates are missing before move {number}"]
        self.moves.append(text)
        fits = rules.play(self.board, self.side, square_of(text)) == board
        return [] if fits else [f"{self.id}: the board after {text} is not that of the rules"]

    def left(self, now: float) -> float:
        """Seconds on our clock now: the smaller of the server's figure and our own."""
        seat = self.seats.get(self.mine or "X")
        shown = seat.clock.base if seat and seat.clock else 0.0
        return min(shown, self.counted) - (now - self.since)

    def is_complete(self) -> bool:
        """Whether the moves lead by the rules from the start to the board."""
        return bool(self.start) and _replay(self.start, self.start_side, self.moves) == self.board

    def ggf(self, kind: str, first_name: str, place: str) -> str:
        """The record of the game."""
        tags = [("GM", "Othello"), ("PC", place), ("DT", time.strftime("%Y.%m.%d_%H:%M:%S.UTC", time.gmtime()))]
        for side, seat in sorted(self.seats.items(), reverse=True):
            tags += [("P" + _COLORS[side], seat.name), ("R" + _COLORS[side], seat.rating)]
        # One game of a synchro pair is an ordinary game.
        tags += [("TI", self.setting_text), ("TY", kind.lower().lstrip("s")), ("RE", self._result(first_name))]
        board = self.start.replace("X", "*")
        rows = " ".join(board[8 * row : 8 * row + 8] for row in range(8))
        tags.append(("BO", f"8 {rows} {'*' if self.start_side == 'X' else 'O'}"))
        side = self.start_side
        for text in self.moves:
            tags.append((_COLORS[side], text or "?"))
            side = rules.other(side)
        return "(;" + "".join(f"{name}[{_clean(value)}]" for name, value in tags) + ";)"

    def _result(self, first_name: str) -> str:
        """The value of `RE`, for Black."""
        sign = 1 if self.seat_of(first_name) == "X" else -1
        ending = ":r" if "resign" in self.ending else ":t" if self.flagged or "time" in self.ending else ""
        try:
            return f"{sign * float(self.result):+.3f}{ending}"
        except ValueError:
            return f"{rules.score(self.board):+.3f}" if rules.is_over(self.board) else "?"


def square_of(text: str) -> str:
    """The square of a move such as `F5/2.00/3.47`, or `pa`."""
    word = text.split("/")[0].lower()
    return rules.PASS if word in ("pa", "pass") else word


def _replay(start: str, side: str, moves: List[Optional[str]]) -> Optional[str]:
    """The board after the moves; `None` if one is missing or illegal."""
    board: Optional[str] = start
    for text in moves:
        if board is None or text is None:
            return None
        board = rules.play(board, side, square_of(text))
        side = rules.other(side)
    return board


def _clean(value: str) -> str:
    """A value that brackets can hold."""
    return "".join(letter for letter in value if letter.isascii() and letter not in "[];()\\")


@dataclass
class Match:
    """A match with its games: one, or two if it is synchro."""

    id: str
    names: Tuple[str, str]
    kind: str
    mode: str = ""
    is_mine: bool = False
    games: Dict[str, Game] = field(default_factory=dict)

    @property
    def is_synchro(self) -> bool:
        """Whether it has two games."""
        return self.kind.lower().startswith("s")

    def game_ids(self) -> List[str]:
        """The numbers of its games."""
        return [f"{self.id}.0", f"{self.id}.1"] if self.is_synchro else [self.id]

    def opponent(self, name: str) -> str:
        """The other player."""
        return self.names[1] if same(self.names[0], name) else self.names[0]


def match_id(game: str) -> str:
    """The number of the match of a game: `.7` of `.7.0`."""
    return "." + game.split(".")[1]
