"""The engine of one game: an `emilia analyze` of its own, with a fixed number of threads.

A search is one request with partial answers; the thinker cancels it when the time is over, and the answer to the cancelled
request has the best move so far. Pondering is a request about the position after the expected reply. If the opponent plays
that reply, the request becomes the search for the move, else the thinker cancels it.
"""

from __future__ import annotations

import time
from typing import Any, Callable, Dict, List, Optional

from .. import program
from ..errors import EngineError, OptionError
from ..request import START
from ..stream import Event, Inbox, Stream
from . import rules
from .actions import Think, Thought
from .options import Options

#: Seconds between partial answers: the last one is the move if the engine does not answer in time.
PARTIAL = 0.1
#: Seconds for the start of an engine.
START_SECONDS = 60.0
#: The shortest search that is worth a request, in seconds.
SHORTEST = 0.005
#: The longest search of a ponder request, in seconds.
PONDER = 600.0

#: Takes an event of the engine, the number of its search included, to the thread of the bridge.
Post = Callable[["Thinker", int, Event], object]


class Search:
    """A request under way."""

    def __init__(self, number: int, position: str, begin: float) -> None:
        self.number = number
        self.position = position
        self.begin = begin
        #: The time at which the thinker cancels it; `None` for pondering.
        self.end: Optional[float] = None
        #: Seconds after that until the thinker plays the best move so far.
        self.grace = 0.0
        #: The short search that asks for the book's move.
        self.is_probe = False
        self.is_cancelled = False
        self.is_done = False
        #: The line of the request in the stream of the engine.
        self.request = 0
        self.answer: Dict[str, Any] = {}


class Thinker:
    """The engine and its search. For one thread; the answers come back to `event`."""

    def __init__(self, game: str, think: Think, options: Options, post: Post) -> None:
        self.game = game
        self._person = options.person
        self._threads = think.threads
        self._post = post
        self._number = 0
        self._search: Optional[Search] = None
        self._stream = Stream(command(options, think.hash))

    def think(self, think: Think, now: float) -> Optional[Thought]:
        """Begins to search, or goes on with the search that pondered; the move if it is known at once."""
        search = self._search
        if search and search.position == think.position and not search.is_cancelled:
            search.end = now + max(0.0, think.seconds - (now - search.begin))
            search.grace = think.grace
            return self._finish() if search.is_done else None
        self.stop()
        self._begin(think.position, now, **_first_fields(self._person))
        assert self._search
        self._search.is_probe = self._person is None
        self._search.end = now + think.seconds
        self._search.grace = think.grace
        return None

    def ponder(self, position: str, now: float) -> None:
        """Searches a position until `think` or `stop`."""
        self.stop()
        if self._person is None:
            self._begin(position, now, seconds=PONDER)

    def stop(self) -> None:
        """Cancels the search."""
        if self._search and not self._search.is_done:
            self._stream.cancel(self._search.request)
        self._search = None

    def event(self, number: int, event: Event, now: float) -> Optional[Thought]:
        """An event of the engine. Returns the move when it is found. Raises `EngineError` if the engine has ended."""
        search = self._search
        if isinstance(event.answer, EngineError):
            raise event.answer
        if search is None or search.number != number:
            return None
        _check(event.answer, self._person)
        if event.answer.get("moves") or not search.answer:
            search.answer = event.answer
        if not event.is_last:
            return None
        if search.end is None:
            search.is_done = True
            return None
        if search.is_probe and not search.is_cancelled and not _is_book(search.answer) and search.end - now >= SHORTEST:
            self._begin(search.position, now, seconds=search.end - now)
            assert self._search
            self._search.end = search.end
            self._search.grace = search.grace
            self._search.answer = search.answer
            return None
        search.is_done = True
        return self._finish()

    def tick(self, now: float) -> Optional[Thought]:
        """Cancels a search whose time is over. Returns the best move so far if the engine stays silent."""
        search = self._search
        if not search or search.end is None or search.is_done or now < search.end:
            return None
        if not search.is_cancelled:
            search.is_cancelled = True
            self._stream.cancel(search.request)
            return None
        return self._finish() if now >= search.end + search.grace else None

    @property
    def deadline(self) -> Optional[float]:
        """The time at which `tick` has something to do."""
        search = self._search
        if not search or search.end is None or search.is_done:
            return None
        return search.end + search.grace if search.is_cancelled else search.end

    def close(self) -> None:
        """Ends the engine at once."""
        self._search = None
        self._stream.kill()

    def _begin(self, position: str, now: float, **fields: object) -> None:
        self._number += 1
        number = self._number
        search = Search(number, position, now)
        request = {"position": position, "threads": self._threads, "warm": True, "partial_every": PARTIAL, **fields}
        search.request = self._stream.send(request, lambda event: self._post(self, number, event))
        self._search = search

    def _finish(self) -> Thought:
        search = self._search
        assert search
        self._search = None
        if not search.is_done:
            self._stream.cancel(search.request)
        return thought_of(self.game, search.position, search.answer, self._person is None)


def try_engine(options: Options) -> None:
    """Asks a new engine for one move. Raises `EngineError` if it does not play with these options, `TimeoutError` if it is silent."""
    stream = Stream(command(options, options.hash))
    answers: Inbox[Event] = Inbox()
    try:
        stream.send({"position": START, "threads": options.threads, **_first_fields(options.person)}, answers.put)
        answer = answers.get(end=time.monotonic() + START_SECONDS).answer
        if isinstance(answer, EngineError):
            raise answer
        _check(answer, options.person)
    finally:
        stream.kill()


def _first_fields(person: Optional[int]) -> Dict[str, object]:
    """The budget of the first request: a person's move, or a short search for the book's move and one for the worst case."""
    return {"depth": 1} if person is None else {"person": person}


def _check(answer: Dict[str, Any], person: Optional[int]) -> None:
    """Raises `OptionError` if the engine does not accept an option, or ignores the rating of a person."""
    if "error" in answer and answer.get("field") not in (None, "position"):
        raise OptionError(answer["error"])
    if person is not None and answer.get("warnings"):
        raise OptionError(f"--person: {'; '.join(answer['warnings'])}")


def command(options: Options, hash: int) -> List[str]:
    """The command line of the engine."""
    binary = options.engine or program.installed()
    words = [binary, "analyze", "--jobs=1", f"--hash={hash}"]
    if options.book is not None:
        words.append(f"--book={options.book}")
    if options.no_book:
        words.append("--no-book")
    return words


def _is_book(answer: Dict[str, Any]) -> bool:
    """Whether the book has a searched move for the position."""
    book = answer.get("book") or {}
    return bool(book.get("move")) and "value" in book


def thought_of(game: str, position: str, answer: Dict[str, Any], uses_book: bool = True) -> Thought:
    """The move of an answer: that of the book, the best one, or if it has no move the first legal one."""
    board, side = position[:64], position[65]
    legal = rules.legal_moves(board, side)
    moves = answer.get("moves") or []
    if uses_book and _is_book(answer) and answer["book"]["move"] in legal:
        return Thought(game, position, answer["book"]["move"], float(answer["book"]["value"]), source="book")
    if moves and moves[0].get("move") in legal:
        best = moves[0]
        score = next((best[name] for name in ("score", "at_least", "at_most") if name in best), None)
        return Thought(game, position, best["move"], score, tuple(best.get("pv") or ()), f"depth {best.get('depth', 0)}")
    return Thought(game, position, legal[0] if legal else rules.PASS, source="the first legal move, as the engine has none")
