"""What an engine answers: the fields of `emilia analyze --schema` and of `emilia show --json` under their own names.

All scores are in discs, from -64 to 64, for the side to move; those of a move are for the side that plays it. In a
finished game the empties count for the winner. Squares are `"a1"` to `"h8"`, a pass is `"pa"`. A field that the engine
left out is `None`, or an empty tuple.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Type, TypeVar, Union

from .board import Board

T = TypeVar("T")


@dataclass(frozen=True)
class MoveAnalysis:
    """One of the best moves. Exactly one of `score`, `result`, `at_least` and `at_most` is known."""

    #: A square, or `"pa"` for a pass.
    move: str
    #: Proven: the score is not lower. -64 where nothing is proven.
    lower: float
    #: Proven: the score is not higher. 64 where nothing is proven.
    upper: float
    #: Plies searched; the empties when searched to the end.
    depth: int
    #: Confidence of the selective search, percent; 100 left nothing out.
    selectivity: int
    #: The score is proven.
    exact: bool
    #: The line expected, this move first.
    pv: Tuple[str, ...]
    #: Expected score, discs for the side that plays the move.
    score: Optional[float] = None
    #: `"win"`, `"draw"` or `"loss"`: who wins is proven, not by how much.
    result: Optional[str] = None
    #: A search cut short knew only that the score is not less.
    at_least: Optional[float] = None
    #: A search cut short knew only that the score is not more.
    at_most: Optional[float] = None
    #: Chance to win, 0 to 1, when both sides play on strongly.
    win: Optional[float] = None
    #: Chance to draw.
    draw: Optional[float] = None
    #: Chance to lose.
    loss: Optional[float] = None
    #: Root mean square error of the score to expect, discs.
    score_error: Optional[float] = None
    #: A search six plies deeper lies within so many discs, with the certainty of the selectivity (of 100: 99 %).
    margin: Optional[float] = None
    #: What the move does, in sentences, if that was asked for.
    why: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Played:
    """The move that the game goes on with."""

    #: A square, or `"pa"` for a pass.
    move: str
    #: Expected score, discs for the side that plays the move.
    score: Optional[float] = None
    #: `"win"`, `"draw"` or `"loss"`, proven.
    result: Optional[str] = None
    #: The score is not less.
    at_least: Optional[float] = None
    #: The score is not more.
    at_most: Optional[float] = None
    #: The score is proven.
    exact: bool = False
    #: Discs less than the best move, from 0; `None` unless both scores are known.
    loss: Optional[float] = None
    #: The line expected, where the move was searched.
    pv: Tuple[str, ...] = ()
    #: How good the move was and why, in sentences, if that was asked for.
    why: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Term:
    """Something that is counted for both sides, and what it is worth."""

    #: What is counted, such as `"mobility"`.
    name: str
    #: Count for the side to move.
    player: int
    #: The same for the other side.
    opponent: int
    #: Discs for one of difference.
    weight: float
    #: Weight times difference.
    discs: float


@dataclass(frozen=True)
class BookEntry:
    """What the opening book knows of the position; it changes no search and proves nothing."""

    #: Plies searched.
    depth: int
    #: Games that went on from it.
    games: int
    #: Discs for the side to move; `None` where only games know the position.
    value: Optional[float] = None
    #: The value is hardly lower.
    lower: Optional[float] = None
    #: The value is hardly higher.
    upper: Optional[float] = None
    #: The best move of the book.
    move: Optional[str] = None


@dataclass(frozen=True)
class Estimate:
    """What a proof that is asked for and not there will take in all; as often more as less."""

    #: Nodes.
    nodes: int
    #: Time of the search.
    seconds: float
    #: Confidence of the surest pass before the proof in percent, if it is still to come.
    selectivity: Optional[int] = None
    #: Time until the end of that pass.
    selective_seconds: Optional[float] = None


@dataclass(frozen=True)
class Analysis:
    """A position judged. Exactly one of `score`, `result`, `at_least` and `at_most` is known.

    In a notebook it draws itself: the board with the values of the moves that were scored.
    """

    #: The id that the caller gave, else the place of the position among those given, from 0.
    id: Any
    #: 64 squares from a1 to h8 and the side to move: `-`, `X` for Black, `O` for White.
    position: str
    #: Empty squares.
    empties: int
    #: Plies searched; the empties when searched to the end.
    depth: int
    #: Confidence of the selective search, percent; 100 left nothing out.
    selectivity: int
    #: The score is proven.
    exact: bool
    #: Nodes searched.
    nodes: int
    #: The best moves, best first; none when the game is over.
    moves: Tuple[MoveAnalysis, ...]
    #: Version of the program.
    version: str
    #: Which evaluation searched.
    weights: str
    #: The line of the stream that was answered, from 1. Of no use to callers: see `id`.
    line: Optional[int] = None
    #: Stays `None`: instead of the line in reproducible runs, which this package does not make.
    request: Optional[str] = None
    #: Moves played before the position, of a game.
    turn: Optional[int] = None
    #: Beside `turn`: positions of the request, each with an answer of its own.
    positions: Optional[int] = None
    #: More answers will come.
    partial: bool = False
    #: The search was given up; what stands here is what it had found.
    cancelled: bool = False
    #: Of the best move, or of the finished game; discs for the side to move.
    score: Optional[float] = None
    #: `"win"`, `"draw"` or `"loss"`: who wins is proven, not by how much.
    result: Optional[str] = None
    #: A search cut short knew only that the score is not less.
    at_least: Optional[float] = None
    #: A search cut short knew only that the score is not more.
    at_most: Optional[float] = None
    #: Chance to win, 0 to 1, when both sides play on strongly; `None` where it is not known.
    win: Optional[float] = None
    #: Chance to draw.
    draw: Optional[float] = None
    #: Chance to lose.
    loss: Optional[float] = None
    #: Root mean square error of the score to expect, discs.
    score_error: Optional[float] = None
    #: A search six plies deeper lies within so many discs, with the certainty of the selectivity (of 100: 99 %).
    margin: Optional[float] = None
    #: The best move is as sure as was asked for by `confidence`.
    settled: Optional[bool] = None
    #: The answer is from the store: nothing was searched for it.
    stored: bool = False
    #: Time of the search.
    seconds: Optional[float] = None
    #: Of a proof that is asked for and not there.
    estimate: Optional[Estimate] = None
    #: Moves that the request left out.
    avoid: Tuple[str, ...] = ()
    #: The move that the game goes on with.
    played: Optional[Played] = None
    #: The name of the opening.
    opening: Optional[str] = None
    #: What the opening book knows.
    book: Optional[BookEntry] = None
    #: What was ignored in the request.
    warnings: Tuple[str, ...] = ()

    @property
    def best(self) -> Optional[str]:
        """The best move; `None` when the game is over."""
        return self.moves[0].move if self.moves else None

    @property
    def pv(self) -> Tuple[str, ...]:
        """The line expected; empty when the game is over."""
        return self.moves[0].pv if self.moves else ()

    @property
    def board(self) -> Board:
        """The board with the values of the moves, and the move of the game if one follows."""
        values = {move.move: value_text(move) for move in self.moves}
        # Where a search was given up early there may be no moves either, but then nothing is proven.
        is_over = self.exact and not self.moves
        return Board(self.position, values, self.best, self.played.move if self.played else None, is_over)

    def _repr_svg_(self) -> str:
        return self.board.svg()


@dataclass(frozen=True)
class LegalMove:
    """A legal move."""

    #: Where a disc is placed.
    move: str
    #: The squares that it turns.
    flips: Tuple[str, ...]


@dataclass(frozen=True)
class Stable:
    """Squares of discs that can never be turned; there may be more."""

    black: Tuple[str, ...]
    white: Tuple[str, ...]


@dataclass(frozen=True)
class ClassicEval:
    """The hand-made evaluation, term by term; discs for the side to move."""

    score: float
    terms: Tuple[Term, ...]


@dataclass(frozen=True)
class GameResult:
    """How a game ended."""

    #: `"black"`, `"white"` or `"draw"`.
    winner: Optional[str]
    #: Discs for Black.
    discs: Optional[float]
    #: `"played"`, `"resigned"`, `"time"`, `"forfeit"`, `"adjudicated"`, `"agreed"`, `"stated"` or `"void"`.
    how: Optional[str]


@dataclass(frozen=True)
class Game:
    """The game that a position is the last of."""

    #: The position that it began with.
    start: str
    moves: Tuple[str, ...]
    #: Who played Black.
    black: str
    #: Who played White.
    white: str
    place: str
    date: str
    #: `None` where nothing is known.
    result: Optional[GameResult]
    #: All else that the notation told.
    tags: Mapping[str, str]


@dataclass(frozen=True)
class Shown:
    """A position as the rules see it: what `Engine.show` returns. Draws itself in a notebook, legal moves marked."""

    #: 64 squares from a1 to h8 and the side to move.
    position: str
    #: Empty squares.
    empties: int
    #: The notation that was recognised.
    format: str
    #: `"black"` or `"white"`, to move.
    side: str
    #: Squares with a black disc.
    black: Tuple[str, ...]
    #: Squares with a white disc.
    white: Tuple[str, ...]
    #: Legal moves; none when the side must pass or the game is over.
    moves: Tuple[LegalMove, ...]
    #: The side to move has no move, the other side has.
    must_pass: bool
    #: Neither side has a move.
    game_over: bool
    #: Discs that can never be turned.
    stable: Stable
    #: The evaluation without any search, discs for the side to move.
    score: float
    #: Its name: `"network"` or `"classic"`.
    eval: str
    #: The hand-made evaluation.
    classic: ClassicEval
    #: Number of the entry in the text, from 1.
    index: int = 1
    #: Where the text came from.
    source: str = ""
    #: Line of the text on which the entry begins, from 1.
    line: Optional[int] = None
    #: The best score that the text gives (OBF), discs for the side to move.
    known: Optional[float] = None
    #: The name of the opening.
    opening: Optional[str] = None
    #: `None` for a lone position.
    game: Optional[Game] = None
    #: What stands beside the position or moves.
    note: Optional[str] = None

    @property
    def board(self) -> Board:
        """The board with the legal moves."""
        return Board(self.position, {move.move: "" for move in self.moves}, is_over=self.game_over)

    def _repr_svg_(self) -> str:
        return self.board.svg()


def value_text(known: Union[Analysis, MoveAnalysis, Played]) -> str:
    """What is known of a score, in a few characters: `+2.3`, `≥4`, `win`."""
    if known.score is not None:
        return f"{known.score:+.0f}" if known.score == int(known.score) and is_exact(known) else f"{known.score:+.1f}"
    if known.at_least is not None:
        return f"≥{known.at_least:g}"
    if known.at_most is not None:
        return f"≤{known.at_most:g}"
    return known.result or ""


def is_exact(known: Union[Analysis, MoveAnalysis, Played]) -> bool:
    """Whether the score is proven."""
    return isinstance(known, (Analysis, MoveAnalysis)) and known.exact


def frozen(value: Any) -> Any:
    """The value with tuples for lists."""
    return tuple(map(frozen, value)) if isinstance(value, list) else value


def read(cls: Type[T], value: Mapping[str, Any]) -> T:
    """A JSON object as a dataclass. Fields that it does not know are those of a newer engine, and passed over."""
    nested = NESTED.get(cls, {})
    known = cls.__dataclass_fields__  # type: ignore[attr-defined]
    fields: Dict[str, Any] = {}
    for name, field in value.items():
        if name in known:
            inner = nested.get(name)
            if inner is None:
                fields[name] = frozen(field)
            elif isinstance(field, list):
                fields[name] = tuple(read(inner, item) for item in field)
            else:
                fields[name] = None if field is None else read(inner, field)
    return cls(**fields)


#: The fields that are objects, or lists of them.
NESTED: Mapping[type, Mapping[str, type]] = {
    Analysis: {
        "moves": MoveAnalysis,
        "played": Played,
        "book": BookEntry,
        "estimate": Estimate,
    },
    Shown: {
        "moves": LegalMove,
        "stable": Stable,
        "classic": ClassicEval,
        "game": Game,
    },
    ClassicEval: {"terms": Term},
    Game: {"result": GameResult},
}

#: What `to_rows` leaves out: what is the same in all rows, or says nothing in a table.
_NO_COLUMNS = {"line", "request", "positions", "partial", "version", "weights"}


def to_rows(analyses: Iterable[Analysis]) -> List[Dict[str, Any]]:
    """One flat dictionary for each analysis: all plain fields, the best move and its line, what was played and lost."""
    names = [
        field.name for field in dataclasses.fields(Analysis) if field.name not in _NO_COLUMNS | set(NESTED[Analysis])
    ]
    names = [name for name in names if name not in ("avoid", "warnings")]
    rows = []
    for analysis in analyses:
        row = {name: getattr(analysis, name) for name in names}
        row["move"] = analysis.best
        row["pv"] = " ".join(analysis.pv)
        row["played"] = analysis.played.move if analysis.played else None
        row["played_loss"] = analysis.played.loss if analysis.played else None
        rows.append(row)
    return rows


def to_pandas(analyses: Iterable[Analysis]) -> Any:
    """A `pandas.DataFrame` of `to_rows`; needs pandas."""
    # By name, so that a type check needs no pandas either.
    pandas: Callable[..., Any] = __import__("pandas").DataFrame
    return pandas(to_rows(analyses))
