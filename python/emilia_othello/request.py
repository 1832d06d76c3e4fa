"""What an engine is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List, Literal, Mapping, Protocol, TypedDict, Union

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: The usual start, Black to move.
START = "---------------------------OX------XO--------------------------- X"


class Options(TypedDict, total=False):
    """How a position is searched. The engine checks the values; `None` is as good as absent.

    Without a budget (`depth`, `level`, `elo`, `person`, `nodes`, `seconds`, `exact`, `wld`) a position is searched at level 16.
    `nodes` and `seconds` may stand beside any other budget.
    """

    #: Moves to play from the position, such as `"f5d6"`.
    play: str
    #: Which positions of the game: `"all"`, `"last"`, or numbers of moves played before them; -1 is the last position.
    turns: Union[Literal["all", "last"], List[int]]
    #: Plies of midgame search, 1 to 60. Solves from as many empties on; from 8 plies on from four more, up to 20.
    depth: int
    #: Instead of `depth`: the level of play, 0 to 60.
    level: int
    #: Instead of `depth`: the move of a weaker player, 191 to 2834 Elo. Its score is that player's opinion.
    elo: int
    #: Instead of `depth`: a move as a person of this rating may play it, 1000 to 2000. Its score has no chances.
    person: int
    #: Seed of the moves of `person` and the oversights of `elo`. Default: 1.
    seed: int
    #: Adds the chances that a player of this rating, 1000 to 2000, finds the moves, with any budget.
    rating: int
    #: With `rating`: name the best trap among `best_moves` that costs at most this number of discs, 0 to 64.
    trap: float
    #: The most nodes to search.
    nodes: int
    #: Time to search at most.
    seconds: float
    #: Instead of `depth`: search until the score is proven.
    exact: bool
    #: Instead of `depth`: search until win, draw or loss is proven.
    wld: bool
    #: Certainty of the selective search in percent: 52, 73, 87, 95, 98, 99, or 100, which searches every move.
    selectivity: int
    #: How many of the best moves to score: 1 to 64 or `"all"`.
    best_moves: Union[int, Literal["all"]]
    #: Score only these moves.
    allow: Union[str, List[str]]
    #: Exclude these moves.
    avoid: Union[str, List[str]]
    #: Stop as soon as the best move is so sure to be no worse than the second, 0.5 to 0.9999.
    confidence: float
    #: Score the next move of the game, as deep as the best move.
    losses: bool
    #: Search with the table that the search before has left, as in a game. The answer depends on it.
    warm: bool
    #: Explain each move in sentences of this language: `"en"`, `"fr"` or `"ja"`.
    why: Literal["en", "fr", "ja"]
    #: Requests with a higher priority start first.
    priority: int
    #: Seconds between partial answers, from 0.01. Default: no partial answers.
    partial_every: float
    #: Threads that search a position together, 1 to 256. Only one thread, the default, gives the same answer again.
    threads: int
    #: The most moves of each `pv`, 1 to 64. Default: all.
    pv_length: int


class Request:
    """A position or game with an id and options of its own.

    `Request("f5d6c3", id="tiger", depth=12)` is one position, `Request(game="f5d6c3d3c4", losses=True)` all those of a
    game. Both take any notation: a board (64 characters and a side), moves, OBF, FEN, GGF, SGF, PGN, a diagram.
    The `id` may be anything; results carry it.
    """

    __slots__ = ("id", "fields")

    #: The caller's name for it.
    id: Any
    #: The fields for the engine.
    fields: Mapping[str, object]

    def __init__(
        self, position: str | None = None, *, game: str | None = None, id: Any = None, **options: Unpack[Options]
    ) -> None:
        if (position is None) == (game is None):
            raise TypeError("give either a position or a game")
        self.id = id
        name, text = ("position", position) if game is None else ("game", game)
        if not isinstance(text, str):
            raise TypeError(f"{name}: expected a text, found {text!r}")
        self.fields = {name: text, **checked(options)}

    def __repr__(self) -> str:
        return f"Request({dict(self.fields)!r}, id={self.id!r})"


class HasPosition(Protocol):
    """Whatever has a position: a `Board`, an `Analysis`, what `Engine.show` returns."""

    @property
    def position(self) -> str:
        """The position as a text in any notation."""


#: A text in any notation, a request, or an object with a position.
Query = Union[str, Request, HasPosition]


def checked(options: Mapping[str, Any]) -> Dict[str, Any]:
    """The options as they are; raises `TypeError` for an unknown one, or a value that is no JSON."""
    for name, value in options.items():
        if name not in Options.__annotations__:
            raise TypeError(f"there is no option {name!r}; there are {', '.join(Options.__annotations__)}")
        if value is not None and not isinstance(value, (str, int, float, list, tuple)):
            raise TypeError(f"{name}: expected a number, a text, a list, True or False, found {value!r}")
    return dict(options)


def text_of(query: Union[str, HasPosition]) -> str:
    """The position as a text; raises `TypeError` for another object."""
    text = query if isinstance(query, str) else getattr(query, "position", None)
    if not isinstance(text, str):
        raise TypeError(f"position: expected a text, a Request, a Board or an Analysis, found {query!r}")
    return text


def request_of(query: Query, id: Any, options: Mapping[str, Any]) -> Request:
    """The query as a request: `options` are what it does not say itself, and `id` is that of one without."""
    own = query if isinstance(query, Request) else Request(text_of(query))
    request = Request("", id=id if own.id is None else own.id)
    request.fields = {**options, **own.fields}
    return request
