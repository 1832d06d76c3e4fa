"""A board: the rules of the game, and a drawing as text and, in a notebook, as a picture."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple
from xml.sax.saxutils import escape, quoteattr

from . import rules
from .request import START

#: Pixels of a square, and of the border with the names of files and ranks.
SQUARE, BORDER = 44, 22
FILES = rules.FILES
#: Contents and their metadata by type, as notebooks want them.
Bundle = Tuple[Dict[str, str], Dict[str, Any]]
COLORS = {"X": "#1b1b1b", "O": "#f6f6f2"}
#: A board in the order of each symmetry.
_TURNED = tuple(itemgetter(*order) for order in rules.ORDERS)
#: Discs as bits: of Black and of White.
_BITS = {"X": str.maketrans("XO-", "100"), "O": str.maketrans("XO-", "010")}
_IS_POSITION = re.compile("[-XO]{64} [XO]").fullmatch


@dataclass(frozen=True)
class Board:
    """A position. It knows the rules, and in a notebook it draws itself; `print` shows it as text.

        board = Board().play("f5").play("d6")
        print(board.legal_moves, board.flips("c3"))

    Boards never change: `play` returns another one. Boards are equal if their positions are, whatever is drawn on them.
    `Analysis.board` has the values of the moves on their squares, and `Engine.show(text).board` reads any notation.
    """

    #: 64 squares from a1 to h8 and the side to move: `-`, `X` for Black, `O` for White.
    position: str = START
    #: Texts on empty squares, such as `{"d3": "+2.3"}`; an empty text marks a square with a dot.
    values: Mapping[str, str] = field(default_factory=dict, compare=False)
    #: The square to stress: the best move.
    best: Optional[str] = field(default=None, compare=False)
    #: The square to frame: the move of the game.
    played: Optional[str] = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not _IS_POSITION(self.position):
            raise ValueError(
                "position: expected 64 squares of -, X and O, a blank, and the side to move, X or O, found "
                f"{self.position!r}; Engine.show reads any notation"
            )

    def _discs(self, side: str) -> int:
        return int(self.position[63::-1].translate(_BITS[side]), 2)

    @functools.cached_property
    def _sides(self) -> Tuple[int, int]:
        """The discs of the side to move and of the other side."""
        side, other = ("X", "O") if self.side == "X" else ("O", "X")
        return self._discs(side), self._discs(other)

    @functools.cached_property
    def legal_moves(self) -> Tuple[str, ...]:
        """The squares on which the side to move may play, a1 to h1 first; empty when it must pass or the game is over."""
        return rules.names(rules.legal(*self._sides))

    @property
    def must_pass(self) -> bool:
        """The side to move has no move, and the other side has one: `play("pa")` goes on."""
        player, opponent = self._sides
        return not rules.legal(player, opponent) and bool(rules.legal(opponent, player))

    @property
    def is_over(self) -> bool:
        """Neither side has a move."""
        player, opponent = self._sides
        return not rules.legal(player, opponent) and not rules.legal(opponent, player)

    @property
    def score(self) -> Optional[int]:
        """The result for the side to move, -64 to 64 discs, empty squares to the winner; `None` before the end."""
        if not self.is_over:
            return None
        player, opponent = self._sides
        own = bin(player).count("1")
        other = bin(opponent).count("1")
        if own == other:
            return 0
        return 64 - 2 * other if own > other else 2 * own - 64

    @property
    def key(self) -> str:
        """The same text for the eight symmetric boards with one side to move: the first of them in the order of the alphabet."""
        squares = self.position[:64]
        return min("".join(turned(squares)) for turned in _TURNED) + self.position[64:]

    def _turned_by(self, move: str) -> int:
        number = rules.NUMBERS.get(move)
        if number is None:
            raise ValueError(f"move: expected a square a1 to h8, or pa for a pass, found {move!r}")
        return rules.flipped(number, *self._sides) if self.position[number] == "-" else 0

    def flips(self, move: str) -> Tuple[str, ...]:
        """The squares whose discs a move such as `"d3"` turns; empty where the move is illegal."""
        return rules.names(self._turned_by(move))

    def play(self, move: str) -> Board:
        """The board after a move: a square such as `"d3"`, or `"pa"` for a pass.

        Raises `ValueError` for an illegal move, and for a pass of a side that has a move.
        """
        side = self.side
        other = "O" if side == "X" else "X"
        if move == "pa":
            if not self.must_pass:
                raise ValueError("pa is illegal: " + ("the game is over" if self.is_over else "there are legal moves"))
            return Board(f"{self.position[:64]} {other}")
        turned = self._turned_by(move)
        if not turned:
            reason = "the square is occupied" if self[move] != "-" else "it turns no disc"
            raise ValueError(f"{move} is illegal: {reason}")
        squares = list(self.position)
        squares[rules.NUMBERS[move]] = side
        squares[65] = other
        while turned:
            low = turned & -turned
            squares[low.bit_length() - 1] = side
            turned ^= low
        return Board("".join(squares))

    @property
    def side(self) -> str:
        """Who is to move: `"X"` is Black, `"O"` White."""
        return self.position[65]

    @property
    def black(self) -> int:
        """Black discs."""
        return self.position[:64].count("X")

    @property
    def white(self) -> int:
        """White discs."""
        return self.position[:64].count("O")

    @property
    def empties(self) -> int:
        """Empty squares."""
        return self.position.count("-")

    def __getitem__(self, square: str) -> str:
        """What stands on a square such as `"d3"`: `-`, `X` or `O`."""
        if not re.fullmatch("[a-h][1-8]", square):
            raise KeyError(square)
        return self.position[FILES.index(square[0]) + 8 * (int(square[1]) - 1)]

    def __str__(self) -> str:
        rows = [f"{rank + 1} " + " ".join(self.position[8 * rank : 8 * rank + 8]) for rank in range(8)]
        return "\n".join(["  " + " ".join(FILES), *rows, self._caption()])

    def _caption(self) -> str:
        turn = "Game over" if self.is_over else {"X": "Black", "O": "White"}[self.side] + " to move"
        return f"{turn}, {self.black} black, {self.white} white"

    def alt(self) -> str:
        """The board in words, for readers who do not see the picture."""
        parts = [self._caption()]
        names = [file + rank for rank in "12345678" for file in FILES]
        for color, disc in (("Black", "X"), ("White", "O")):
            squares = [name for name, found in zip(names, self.position) if found == disc]
            parts.append(f"{color} on {' '.join(squares)}" if squares else f"{color} has no discs")
        values = [f"{name} {value}" for name, value in self.values.items() if value]
        marks = [name for name, value in self.values.items() if not value]
        for words, found in (("Values: ", ", ".join(values)), ("Marked: ", " ".join(marks))):
            if found:
                parts.append(words + found)
        for words, square in (("Best move: ", self.best), ("Move of the game: ", self.played)):
            if square:
                parts.append(words + square)
        return ". ".join(parts)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Bundle:
        """For notebooks: the picture with its alternative text, and the board as plain text."""
        picture = "image/svg+xml"
        return {picture: self.svg(), "text/plain": str(self)}, {picture: {"alt": self.alt()}}

    def svg(self, width: Optional[int] = None) -> str:
        """The board as an SVG picture; `width` is in pixels and 396 if not given."""
        size = 8 * SQUARE + 2 * BORDER
        height = size + BORDER + 2
        wide = size if width is None else width
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{wide}" height="{wide * height / size:.0f}" '
                f'viewBox="0 0 {size} {height}" font-family="sans-serif" text-anchor="middle" '
                f"role=\"img\" aria-label={quoteattr(self.alt())}>",
                f"<title>{escape(self._caption())}</title>",
                f'<rect width="{size}" height="{height}" rx="4" fill="#3b3a36"/>',
                f'<rect x="{BORDER}" y="{BORDER}" width="{8 * SQUARE}" height="{8 * SQUARE}" fill="#2f7d4f"/>',
                *self._lines(),
                *(part for index in range(64) for part in self._square(index)),
                *self._foot(size),
                "</svg>",
            ]
        )

    def _lines(self) -> Iterator[str]:
        far = BORDER + 8 * SQUARE
        for at in range(9):
            along = BORDER + at * SQUARE
            yield f'<path d="M{along} {BORDER}V{far}M{BORDER} {along}H{far}" stroke="#1d5a37" stroke-width="1"/>'
        for across in (2, 6):
            for down in (2, 6):
                yield f'<circle cx="{BORDER + across * SQUARE}" cy="{BORDER + down * SQUARE}" r="3" fill="#1d5a37"/>'
        for at in range(8):
            middle = BORDER + at * SQUARE + SQUARE // 2
            for one, other in ((middle, BORDER - 7), (middle, far + 15)):
                yield _text(one, other, 12, "#cfcbc2", FILES[at])
            for one in (BORDER // 2, far + BORDER // 2):
                yield _text(one, middle + 4, 12, "#cfcbc2", str(at + 1))

    def _square(self, index: int) -> List[str]:
        name = f"{FILES[index % 8]}{index // 8 + 1}"
        left, top = BORDER + index % 8 * SQUARE, BORDER + index // 8 * SQUARE
        x, y = left + SQUARE // 2, top + SQUARE // 2
        parts = []
        if name == self.best:
            parts.append(
                f'<rect x="{left + 1}" y="{top + 1}" width="{SQUARE - 2}" height="{SQUARE - 2}" fill="#c9a227"/>'
            )
        if name == self.played:
            parts.append(
                f'<rect x="{left + 3}" y="{top + 3}" width="{SQUARE - 6}" height="{SQUARE - 6}" fill="none" '
                'stroke="#ffffff" stroke-width="2"/>'
            )
        disc = self.position[index]
        if disc in COLORS:
            parts.append(f'<circle cx="{x}" cy="{y}" r="{SQUARE * 0.41:.1f}" fill="{COLORS[disc]}" stroke="#111"/>')
        elif self.values.get(name) == "":
            parts.append(f'<circle cx="{x}" cy="{y}" r="5" fill="#1d5a37"/>')
        elif name in self.values:
            parts.append(_text(x, y + 5, 14, "#1b1b1b" if name == self.best else "#ffffff", self.values[name]))
        return parts

    def _foot(self, size: int) -> List[str]:
        """The caption, with a disc of the side to move before it, and what a pass is worth."""
        y = size + 10
        words = self._caption() + (f", pass {self.values['pa']}" if self.values.get("pa") else "")
        if self.is_over:
            return [_text(BORDER, y, 13, "#cfcbc2", words, "start")]
        return [
            f'<circle cx="{BORDER + 8}" cy="{y - 4}" r="7" fill="{COLORS[self.side]}" stroke="#888"/>',
            _text(BORDER + 22, y, 13, "#cfcbc2", words, "start"),
        ]


def _text(x: int, y: int, size: int, color: str, words: str, anchor: str = "middle") -> str:
    place = f'x="{x}" y="{y}" font-size="{size}" fill="{color}" text-anchor="{anchor}"'
    return f"<text {place}>{escape(words)}</text>"
