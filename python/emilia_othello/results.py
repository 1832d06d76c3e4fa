"""What an engine answers: the fields of `emilia help schema` and of `emilia show --json` under their own names.

All scores are in discs, from -64 to 64, for the side to move; those of a move are for the side that plays it. In a
finished game the empties count for the winner. Squares are `"a1"` to `"h8"`, a pass is `"pa"`. A field that the engine
left out is `None`, or an empty tuple.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Tuple, Type, TypeVar

from .board import Board, Bundle
from .request import START

T = TypeVar("T")


@dataclass(frozen=True)
class Line:
    """The value of a position or a move. At most one of `score`, `result`, `at_least` and `at_most` is known."""

    #: Score in discs for the side to move.
    score: Optional[float] = None
    #: `"win"`, `"draw"` or `"loss"`: the winner is proven, the score is not.
    result: Optional[str] = None
    #: A search that was cut short found at least this score.
    at_least: Optional[float] = None
    #: A search that was cut short found at most this score.
    at_most: Optional[float] = None
    #: Plies searched; the empties when searched to the end.
    depth: int = 0
    #: Certainty of the selective search, percent; 100 searched every move.
    selectivity: int = 0
    #: The score is proven.
    exact: bool = False
    #: Chance to win, 0 to 1, when both sides play on strongly; `None` where it is not known.
    win_chance: Optional[float] = None
    #: Chance to draw.
    draw_chance: Optional[float] = None
    #: Chance to lose.
    loss_chance: Optional[float] = None
    #: Root mean square error of the score to expect, discs.
    score_error: Optional[float] = None
    #: The score of a search six plies deeper differs by at most this number of discs, with the certainty of `selectivity`.
    margin: Optional[float] = None
    #: Proven lower bound of the score; -64 without a proof.
    lower: float = -64.0
    #: Proven upper bound of the score; 64 without a proof.
    upper: float = 64.0


@dataclass(frozen=True)
class MoveAnalysis(Line):
    """One of the best moves."""

    #: A square, or `"pa"` for a pass.
    move: str = ""
    #: The probability that a player of `rating` plays this move; `None` without a rating.
    find_chance: Optional[float] = None
    #: The expected line, this move first.
    pv: Tuple[str, ...] = ()
    #: Sentences about the move, if that was asked for.
    why: Tuple[str, ...] = ()


@dataclass(frozen=True)
class Played(MoveAnalysis):
    """The next move of the game. Its value is known if it is one of the best moves, or with `losses`."""

    #: Discs less than the best move, from 0; `None` unless both scores are known.
    loss: Optional[float] = None


@dataclass(frozen=True)
class MoveGames:
    """The games of a book with a move, as the side that plays it."""

    #: The move.
    move: str
    #: Games in which it was played.
    games: int
    #: Games won by the side that played it.
    won: int
    #: Games drawn.
    drawn: int
    #: Games lost by the side that played it.
    lost: int
    #: Points won in percent, a draw counting half; `None` without games.
    percent: Optional[float] = None


@dataclass(frozen=True)
class Trap:
    """The move with the best expected result against the likely answers of a player of `rating`."""

    #: The move.
    move: str
    #: Discs that it costs if the answer is the best one.
    cost: float
    #: Discs that such a player is expected to lose by the answer.
    expected_gain: float


@dataclass(frozen=True)
class Names:
    """The players of a game, as far as its text names them."""

    #: The name of Black.
    black: Optional[str] = None
    #: The name of White.
    white: Optional[str] = None


@dataclass(frozen=True)
class BookEntry:
    """What the opening book knows of the position; it changes no search and proves nothing."""

    #: Plies searched.
    depth: int
    #: Games that continued from it.
    games: int
    #: Discs for the side to move; `None` where only games know the position.
    value: Optional[float] = None
    #: The likely lower bound of the value.
    lower: Optional[float] = None
    #: The likely upper bound of the value.
    upper: Optional[float] = None
    #: The best move of the book.
    move: Optional[str] = None
    #: The moves that the book knows, best first, then the most played first.
    moves: Tuple[MoveGames, ...] = ()


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
class Analysis(Line):
    """A position judged: the value of its best move, or of the finished game.

    In a notebook it draws itself: the board with the values of the moves that were scored.
    """

    #: The id that the caller gave, else the place of the position among those given, from 0.
    id: Any = None
    #: 64 squares from a1 to h8 and the side to move: `-`, `X` for Black, `O` for White.
    position: str = ""
    #: Empty squares.
    empties: int = 0
    #: Nodes searched.
    nodes: int = 0
    #: The best moves, best first; empty when the game is over.
    moves: Tuple[MoveAnalysis, ...] = ()
    #: The version of the form of answers.
    schema_version: int = 2
    #: Version of the program.
    version: str = ""
    #: The evaluation of the search.
    weights: str = ""
    #: The line of the stream, from 1; callers use `id`.
    line: Optional[int] = None
    #: Stays `None`: instead of the line in reproducible runs, which this package does not make.
    request: Optional[str] = None
    #: The file of a position or game of `analyze_file`.
    source: Optional[str] = None
    #: The players of a game.
    names: Optional[Names] = None
    #: Moves played before the position, of a game.
    turn: Optional[int] = None
    #: With `turn`: positions of the request, each with an answer.
    positions: Optional[int] = None
    #: More answers will come.
    partial: bool = False
    #: The search was cancelled; the fields show its result so far.
    cancelled: bool = False
    #: The best move is as sure as `confidence` asked for.
    settled: Optional[bool] = None
    #: The answer is from the store, without a search.
    stored: bool = False
    #: Time of the search.
    seconds: Optional[float] = None
    #: Nodes and time of a proof that is asked for and not finished.
    estimate: Optional[Estimate] = None
    #: Moves that the request excludes.
    avoid: Tuple[str, ...] = ()
    #: The next move of the game.
    played: Optional[Played] = None
    #: The rating of the weaker player of the request, whose opinion the score is.
    elo: Optional[int] = None
    #: The rating of the person of the request, who plays the move.
    person: Optional[int] = None
    #: The rating of `find_chance`.
    rating: Optional[int] = None
    #: With `trap`: a move that a player of `rating` is likely to answer badly.
    trap: Optional[Trap] = None
    #: The name of the opening.
    opening: Optional[str] = None
    #: The position in the opening book.
    book: Optional[BookEntry] = None
    #: Parts of the request that were ignored.
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
        return Board(self.position, values, self.best, self.played.move if self.played else None)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Bundle:
        return self.board._repr_mimebundle_()


@dataclass(frozen=True)
class LegalMove:
    """A legal move."""

    #: The square of the disc.
    move: str
    #: The squares that it turns.
    flips: Tuple[str, ...]


@dataclass(frozen=True)
class Stable:
    """Squares of discs that can never be turned; there may be more."""

    black: Tuple[str, ...]
    white: Tuple[str, ...]


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
    #: The name of Black.
    black: str
    #: The name of White.
    white: str
    place: str
    date: str
    #: `None` where nothing is known.
    result: Optional[GameResult]
    #: The other fields of the notation.
    tags: Mapping[str, str]

    @property
    def text(self) -> str:
        """The game as a text that the engine reads: its moves, behind its start where that is not the usual one."""
        moves = "".join(self.moves)
        if self.start == START:
            return moves or START
        return f"{self.start} moves: {moves}" if moves else self.start


@dataclass(frozen=True)
class Shown:
    """A position as the rules see it: what `Engine.show` returns. Draws itself in a notebook, legal moves marked."""

    #: 64 squares from a1 to h8 and the side to move.
    position: str
    #: Empty squares.
    empties: int
    #: The notation that was recognized.
    format: str
    #: `"black"` or `"white"`, to move.
    side: str
    #: Squares with a black disc.
    black: Tuple[str, ...]
    #: Squares with a white disc.
    white: Tuple[str, ...]
    #: Legal moves; empty when the side must pass or the game is over.
    legal_moves: Tuple[LegalMove, ...]
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
    #: Number of the entry in the text, from 1.
    index: int = 1
    #: The source of the text.
    source: str = ""
    #: Line of the text on which the entry begins, from 1.
    line: Optional[int] = None
    #: The best score that the text gives (OBF), discs for the side to move.
    known: Optional[float] = None
    #: The name of the opening.
    opening: Optional[str] = None
    #: `None` for a lone position.
    game: Optional[Game] = None
    #: The text next to the position or moves.
    note: Optional[str] = None

    @property
    def board(self) -> Board:
        """The board with the legal moves."""
        return Board(self.position, {move.move: "" for move in self.legal_moves})

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Bundle:
        return self.board._repr_mimebundle_()


def value_text(known: Line) -> str:
    """What is known of a score, in a few characters: `+2.3`, `≥4`, `win`."""
    if known.score is not None:
        return f"{known.score:+.0f}" if known.score == int(known.score) and known.exact else f"{known.score:+.1f}"
    if known.at_least is not None:
        return f"≥{known.at_least:g}"
    if known.at_most is not None:
        return f"≤{known.at_most:g}"
    return known.result or ""


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
        "trap": Trap,
        "names": Names,
    },
    BookEntry: {"moves": MoveGames},
    Shown: {
        "legal_moves": LegalMove,
        "stable": Stable,
        "game": Game,
    },
    Game: {"result": GameResult},
}

#: What `to_rows` leaves out: what is the same in all rows, or says nothing in a table.
_NO_COLUMNS = {"line", "request", "positions", "partial", "schema_version", "version", "weights"}


def to_rows(analyses: Iterable[Analysis]) -> List[Dict[str, Any]]:
    """One flat dictionary for each analysis: id, position and best move, then the other plain fields, the line, and the
    move of the game with its loss."""
    names = [
        field.name for field in dataclasses.fields(Analysis) if field.name not in _NO_COLUMNS | set(NESTED[Analysis])
    ]
    names = [name for name in names if name not in ("id", "position", "avoid", "warnings")]
    rows = []
    for analysis in analyses:
        row = {"id": analysis.id, "position": analysis.position, "move": analysis.best}
        row.update((name, getattr(analysis, name)) for name in names)
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
