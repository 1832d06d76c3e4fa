"""The engine: one process that is asked, by any number of threads and coroutines at once."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import itertools
import json
import threading
import time
import weakref
from collections import deque
from os import PathLike, fspath
from typing import (
    TYPE_CHECKING,
    Any,
    AsyncIterator,
    Callable,
    Coroutine,
    Deque,
    Dict,
    Generator,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Tuple,
    TypeVar,
    Union,
    overload,
)

from . import program
from .errors import Cancelled, EngineError, OptionError, RequestError
from .games import read_analyses
from .player import Player
from .request import HasPosition, Options, Query, Request, checked, request_of, text_of
from .results import Analysis, Shown, read, to_pandas
from .stream import ALIVE_SECONDS, Event, Inbox, Stream

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Requests under way at most, of one call.
WINDOW = 512

#: The longest time that an engine may take to start.
START_SECONDS = 60

Partial = Callable[[Analysis], object]
S = TypeVar("S", bound="_Scope")


def _analysis(event: Event, id: Any) -> Analysis:
    """The event as an analysis; raises what it tells instead."""
    answer = event.answer
    if isinstance(answer, EngineError):
        raise type(answer)(*answer.args)
    if "error" in answer:
        raise RequestError(answer["error"], id, answer.get("field"))
    if "position" not in answer:
        raise Cancelled("given up before its search began")
    return read(Analysis, {**answer, "id": id})


def _wants_partial(request: Request) -> bool:
    return request.fields.get("partial_every") is not None


def _sent(request: Request) -> Mapping[str, object]:
    """What is sent of a request: partial answers are asked for in any case, as a sign of life."""
    return request.fields if _wants_partial(request) else {**request.fields, "partial_every": ALIVE_SECONDS}


class _Scope:
    """What `with` and `async with` give up at their end."""

    def cancel(self) -> None:
        raise NotImplementedError

    def __enter__(self: S) -> S:
        return self

    def __exit__(self, *_: object) -> None:
        self.cancel()

    async def __aenter__(self: S) -> S:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.cancel()


class Search(_Scope, Coroutine[Any, Any, Analysis]):
    """A request under way: `Engine.start` makes it.

    Ask for the `result()`, or `await` it; or iterate, by `for` or `async for`, for every answer as it comes: with the
    option `partial_every` also the partial ones, each deeper than those before, of which the last is not `partial`. Any
    number of threads and tasks may do so. What was given up before it began is passed over.

    A task that is cancelled while it waits, or leaves `async for` early, cancels the search, unless others still wait
    for it. `asyncio.create_task` takes a search as it is. At the end of `with` and `async with` it is cancelled, and when
    there are no references to it.
    """

    def __init__(self, engine: Engine, request: Request) -> None:
        self.id = request.id
        # Threads and tasks that wait for answers.
        self._waiters = 0
        self._lock = threading.Lock()
        # For each task that was made of this object: its wait.
        self._waits: weakref.WeakKeyDictionary[Any, Coroutine[Any, Any, Analysis]] = weakref.WeakKeyDictionary()
        self._engine = engine
        # All events that somebody may want, to look at.
        self._events: Inbox[Event] = Inbox()
        # The sink holds no reference to this object, so that it is cancelled when the others are gone.
        sink = functools.partial(_keep, self._events, _wants_partial(request))
        self._number = engine._stream.send(_sent(request), sink)

    def __iter__(self) -> Iterator[Analysis]:
        return self._answers(None)

    def _answers(self, end: Optional[float]) -> Iterator[Analysis]:
        """All answers from the first on, until the clock shows `end`."""
        self._wait(1)
        try:
            for place in itertools.count():
                event = self._events.get(place, end)
                with contextlib.suppress(Cancelled):
                    yield _analysis(event, self.id)
                if event.is_last:
                    return
        finally:
            self._wait(-1)

    async def __aiter__(self) -> AsyncIterator[Analysis]:
        self._wait(1)
        is_over = False
        try:
            for place in itertools.count():
                event = await self._events.get_async(place)
                is_over = event.is_last
                with contextlib.suppress(Cancelled):
                    yield _analysis(event, self.id)
                if is_over:
                    return
        finally:
            self._wait(-1)
            if not is_over:
                self._give_up()

    def _wait(self, change: int) -> None:
        with self._lock:
            self._waiters += change

    def _give_up(self) -> None:
        """Cancels the search if no other thread or task waits for it."""
        if self._waiters == 0:
            self.cancel()

    def results(self, timeout: Optional[float] = None) -> Tuple[Analysis, ...]:
        """Waits for the answers to all positions of a game, in the order of its moves.

        Raises `TimeoutError` after `timeout` seconds; the search then goes on.
        """
        return _finals(self._answers(_end(timeout)))

    def result(self, timeout: Optional[float] = None) -> Analysis:
        """Waits for the answer; of a game for that to its last position.

        Raises `TimeoutError` after `timeout` seconds; the search then goes on. Raises `RequestError` if the engine
        refuses the request, `Cancelled` if it was given up before it began, `EngineDied` if there is no engine.
        """
        return self.results(timeout)[-1]

    def __await__(self) -> Generator[Any, None, Analysis]:
        return self._result_async().__await__()

    async def _result_async(self) -> Analysis:
        return _finals([analysis async for analysis in self])[-1]

    def send(self, value: Any) -> Any:
        """For `asyncio.create_task`: goes on with the wait of the task that runs."""
        return self._step(lambda wait: wait.send(value))

    def throw(self, *error: Any) -> Any:
        """For `asyncio.create_task`: raises an error in the wait of the task that runs."""
        if asyncio.current_task() not in self._waits:  # It is cancelled before it began to wait.
            self._give_up()
        return self._step(lambda wait: wait.throw(*error))

    def close(self) -> None:
        """For `asyncio.create_task`: a task never calls it."""

    def _step(self, go: Callable[[Coroutine[Any, Any, Analysis]], Any]) -> Any:
        task = asyncio.current_task()
        wait = self._waits.pop(task, None) or self._result_async()
        # An error and the result, which is a `StopIteration`, end the wait.
        found = go(wait)
        self._waits[task] = wait
        return found

    def cancel(self) -> None:
        """Gives the search up. It is still answered: with what it had found, marked `cancelled`."""
        self._engine._stream.cancel(self._number)

    def __del__(self) -> None:
        if hasattr(self, "_number"):
            self._engine._stream.cancel_later(self._number)


def _keep(events: Inbox[Event], partial: bool, event: Event) -> None:
    """Keeps an event; a partial answer only if it is wanted."""
    if partial or isinstance(event.answer, EngineError) or not event.answer.get("partial"):
        events.put(event)


def _finals(answers: Iterable[Analysis]) -> Tuple[Analysis, ...]:
    """The answers that are not partial, in the order of the game; raises `Cancelled` if there are none."""
    finals = sorted((answer for answer in answers if not answer.partial), key=lambda answer: answer.turn or 0)
    if not finals:
        raise Cancelled("given up before its search began")
    return tuple(finals)


def _end(timeout: Optional[float]) -> Optional[float]:
    """When the clock shows that the time is up."""
    if timeout is not None and not isinstance(timeout, (int, float)):
        raise TypeError(f"timeout: expected seconds, found {timeout!r}")
    return None if timeout is None else time.monotonic() + timeout


def _count(name: str, value: Optional[int]) -> None:
    """Raises an error if the value is no whole number from 1; `None` is the default."""
    if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
        raise TypeError(f"{name}: expected a whole number, found {value!r}")
    if value is not None and value < 1:
        raise ValueError(f"{name}: expected a whole number from 1, found {value}")


def _is_missing(query: object) -> bool:
    """Whether a query is `None` or NaN, with which pandas marks missing values; only NaN differs from itself."""
    return query is None or query != query


class _Pending:
    """A request of many, and what is known of it."""

    __slots__ = ("id", "number", "ready", "is_done", "wants_partial")

    def __init__(self, request: Request) -> None:
        self.id = request.id
        self.number = 0
        #: Answers that the caller has not taken.
        self.ready: List[Union[Analysis, RequestError]] = []
        self.is_done = False
        self.wants_partial = _wants_partial(request)


def _put(inbox: Inbox[Tuple[_Pending, Event]], pending: _Pending, event: Event) -> None:
    inbox.put((pending, event))


class Analyses(_Scope):
    """The answers to many requests, for `for` and `async for`: `Engine.analyze` of an iterable makes it.

    Requests are taken from the iterable as answers are taken from here, so that at most a window of them is under way
    and both may be endless. For one consumer at a time. Dropped before the end, what is under way is given up; so it is
    when the task that waits for an answer is cancelled, and at the end of `with` and `async with`.
    """

    def __init__(
        self,
        engine: Engine,
        queries: Iterable[Query],
        options: Mapping[str, Any],
        ordered: bool = True,
        window: int = WINDOW,
        on_partial: Optional[Partial] = None,
        on_error: Optional[Callable[[RequestError], object]] = None,
    ) -> None:
        _count("window", window)
        self._engine = engine
        self._queries = enumerate(queries)
        self._options = options
        self._ordered = ordered
        self._window = window
        self._on_partial = on_partial
        self._on_error = on_error
        self._inbox: Inbox[Tuple[_Pending, Event]] = Inbox()
        #: All that is under way or not taken, in the order of the input.
        self._pending: Dict[_Pending, None] = {}
        #: Those of them with answers to take, when the order is that of the answers.
        self._ready: Deque[_Pending] = deque()
        self._has_more = True
        self._taken = threading.Lock()

    def _fill(self) -> None:
        """Sends requests until the window is full."""
        while self._has_more and len(self._pending) < self._window:
            try:
                place, query = next(self._queries)
            except StopIteration:
                self._has_more = False
                return
            if _is_missing(query):
                self._refuse(place, query)
                continue
            request = request_of(query, place, self._options)
            pending = _Pending(request)
            # The sink holds no reference to this object, so that it is cancelled when the others are gone.
            sink = functools.partial(_put, self._inbox, pending)
            pending.number = self._engine._stream.send(_sent(request), sink)
            self._pending[pending] = None
            if not self._has_more:  # It was cancelled meanwhile, by another thread.
                self._engine._stream.cancel(pending.number)

    def _refuse(self, place: int, missing: object) -> None:
        """Answers a missing value by an error, in its place."""
        pending = _Pending(Request("", id=place))
        error = RequestError(f"position: expected a text, found a missing value, {missing!r}", place, "position")
        pending.ready.append(error)
        pending.is_done = True
        self._pending[pending] = None
        if not self._ordered:
            self._ready.append(pending)

    def _accept(self, pending: _Pending, event: Event) -> None:
        pending.is_done = event.is_last
        try:
            analysis = _analysis(event, pending.id)
        except Cancelled:
            pass
        except RequestError as error:
            pending.ready.append(error)
        else:
            if analysis.partial:
                if self._on_partial is not None and pending.wants_partial:
                    self._on_partial(analysis)
                return
            pending.ready.append(analysis)
        if not self._ordered:
            self._ready.append(pending)

    def _take(self) -> Optional[Analysis]:
        """The next answer that may go out, if there is one."""
        while True:
            if self._ordered:
                pending = next(iter(self._pending), None)
                if pending is None or not pending.is_done:
                    return None
                pending.ready.sort(key=lambda found: found.turn or 0 if isinstance(found, Analysis) else 0)
            elif self._ready:
                pending = self._ready.popleft()
            else:
                return None
            found = pending.ready.pop(0) if pending.ready else None
            if pending.is_done and not pending.ready:
                self._pending.pop(pending, None)
            if isinstance(found, RequestError):
                if self._on_error is None:
                    self.cancel()
                    raise found
                self._on_error(found)
            elif found is not None:
                return found

    def __iter__(self) -> Analyses:
        return self

    def __next__(self) -> Analysis:
        with self._alone():
            while not self._is_over():
                found = self._take()
                if found is not None:
                    return found
                if self._pending:
                    self._accept(*self._inbox.get())
        raise StopIteration

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keeps another consumer out, who might wait for what this one takes."""
        if not self._taken.acquire(blocking=False):
            raise RuntimeError("somebody else takes answers from here")
        try:
            yield
        finally:
            self._taken.release()

    def _is_over(self) -> bool:
        self._fill()
        return not self._pending and not self._has_more

    def __aiter__(self) -> Analyses:
        return self

    async def __anext__(self) -> Analysis:
        with self._alone():
            while not self._is_over():
                found = self._take()
                if found is not None:
                    return found
                if self._pending:
                    try:
                        event = await self._inbox.get_async()
                    except BaseException:
                        self.cancel()
                        raise
                    self._accept(*event)
        raise StopAsyncIteration

    def cancel(self) -> None:
        """Takes no more requests and gives up those under way.

        What has begun is still answered, marked `cancelled`, with what it had found; the rest is left out.
        """
        self._has_more = False
        # The last first: cancelling one must not start the others.
        for pending in reversed(list(self._pending)):
            if not pending.is_done:
                self._engine._stream.cancel(pending.number)

    def to_pandas(self) -> Any:
        """All answers to come as a `pandas.DataFrame`, one row each; needs pandas."""
        return to_pandas(self)

    def __del__(self) -> None:
        for pending in reversed(getattr(self, "_pending", {})):
            if not pending.is_done:
                self._engine._stream.cancel_later(pending.number)


class Engine:
    """Emilia, ready to analyze. Use it in `with` or `async with`, or `close()` it; it ends with Python by itself.

    Any number of threads and coroutines may ask one engine at the same time.
    """

    def __init__(
        self,
        *,
        jobs: int = 1,
        threads: int = 1,
        hash: Optional[int] = None,
        book: Union[str, PathLike[str], bool] = True,
        eval: Union[str, PathLike[str], None] = None,
        store: Union[str, PathLike[str], None] = None,
        binary: Union[str, PathLike[str], None] = None,
    ) -> None:
        """Starts the engine.

        `jobs` positions are searched side by side, each by one thread; `threads` search one move of `play`. `hash` is
        the size of each search's table in MiB, 16 if not given. `book` is a file, `True` for that which the program
        finds, or `False` for none. `eval` is `"network"`, `"classic"`, or a file of weights for the network.
        `store` is a folder: answers are kept there and used again instead of another search.
        `binary` is another program than the one that came with this package.

        Raises `TypeError` or `ValueError` for a wrong option, `EngineError` with the program's words if it does not
        start.
        """
        for name, value in (("jobs", jobs), ("threads", threads), ("hash", hash)):
            _count(name, value)
        for name, path in (("eval", eval), ("store", store), ("binary", binary), ("book", book)):
            if path is not None and not isinstance(path, (str, PathLike, bool)):
                raise TypeError(f"{name}: expected the path of a file, found {path!r}")
        self._binary = program.installed() if binary is None else fspath(binary)
        self._threads = threads
        self._evaluation = _flags(eval=eval)
        self._shared = [*_flags(hash=hash), *self._evaluation]
        self._book = _flags(book=None if isinstance(book, bool) else book, no_book=book is False)
        self._analyze = [self._binary, "analyze", f"--jobs={jobs}", *self._shared, *self._book, *_flags(store=store)]
        self._stream = Stream(self._analyze)
        self._kill = weakref.finalize(self, self._stream.kill)
        self._is_closed = False
        self._playing = threading.Lock()
        self._player: Optional[Player] = None
        self._end_player: Callable[[], object] = lambda: None
        # The first line is answered when all options were understood and all files read.
        started: Inbox[Event] = Inbox()
        try:
            self._stream.send({"cancel": 0}, started.put)
            event = started.get(end=_end(START_SECONDS))
            if isinstance(event.answer, OptionError):
                raise event.answer
            if isinstance(event.answer, EngineError):
                raise EngineError(*event.answer.args)
        except TimeoutError:
            self._kill()
            raise EngineError(f"{self._binary} did not answer within {START_SECONDS} seconds") from None
        except BaseException:
            self._kill()
            raise

    @property
    def pid(self) -> int:
        """The number of the engine's process."""
        return self._stream.pid

    def start(self, query: Query, **options: Unpack[Options]) -> Search:
        """Begins to analyze a position, or all those of a game, and returns at once."""
        return Search(self, request_of(query, 0, checked(options)))

    # A text is an iterable of texts, too; the first form takes it.
    @overload
    def analyze(  # type: ignore[overload-overlap]
        self,
        queries: Query,
        *,
        on_partial: Optional[Partial] = None,
        timeout: Optional[float] = None,
        **options: Unpack[Options],
    ) -> Analysis: ...

    @overload
    def analyze(
        self,
        queries: Iterable[Query],
        *,
        ordered: bool = True,
        window: int = WINDOW,
        on_partial: Optional[Partial] = None,
        on_error: Optional[Callable[[RequestError], object]] = None,
        **options: Unpack[Options],
    ) -> Analyses: ...

    def analyze(
        self,
        queries: Union[Query, Iterable[Query]],
        *,
        ordered: bool = True,
        window: int = WINDOW,
        on_partial: Optional[Partial] = None,
        on_error: Optional[Callable[[RequestError], object]] = None,
        timeout: Optional[float] = None,
        **options: Unpack[Options],
    ) -> Union[Analysis, Analyses]:
        """Analyzes a position and returns its `Analysis`, or an iterable of positions and returns `Analyses`.

        `Options` tells all options, such as `depth=12` or `best_moves="all"`; an option that a `Request` brings itself
        comes before the one given here. `on_partial` is called with partial answers, which come if there is a
        `partial_every`.

        Of one position: raises `TimeoutError` after `timeout` seconds, and gives the search up.

        Of many: answers keep the order of the input, or with `ordered=False` come as they are found. At most `window`
        requests are under way. A request that the engine refuses raises `RequestError` and gives up the rest, or is
        handed to `on_error` and left out. A `Request` for a game gives an answer for each position.
        """
        if isinstance(queries, (str, bytes, bytearray, Request)) or not isinstance(queries, Iterable):
            return self._analyze_one(queries, on_partial, timeout, options)
        return Analyses(self, queries, checked(options), ordered, window, on_partial, on_error)

    def _analyze_one(
        self, query: Query, on_partial: Optional[Partial], timeout: Optional[float], options: Mapping[str, Any]
    ) -> Analysis:
        search = Search(self, request_of(query, 0, checked(options)))
        try:
            for analysis in search._answers(_end(timeout)):
                if analysis.partial and on_partial is not None:
                    on_partial(analysis)
        except BaseException:
            search.cancel()
            raise
        answers = search.results()
        if len(answers) > 1:
            raise ValueError(f"{len(answers)} positions were analyzed: for a game use analyze_game")
        return answers[0]

    def analyze_game(self, game: str, **options: Unpack[Options]) -> Tuple[Analysis, ...]:
        """Analyzes every position of a game, in any notation; with `losses=True` also what each move lost."""
        if not isinstance(game, str):
            raise TypeError(f"game: expected a text, found {game!r}")
        return Search(self, request_of(Request(game=game), 0, checked(options))).results()

    def analyze_file(
        self,
        path: Union[str, PathLike[str]],
        output: Union[str, PathLike[str]],
        *,
        resume: bool = False,
        depth: Optional[int] = None,
        level: Optional[int] = None,
        nodes: Optional[int] = None,
        seconds: Optional[float] = None,
        exact: bool = False,
        wld: bool = False,
        best_moves: Optional[int] = None,
    ) -> Iterator[Analysis]:
        """Analyzes a file of games, positions or requests into the new file `output`, and then reads the answers from it.

        The run is a process of its own, with this engine's jobs, book, evaluation and store. It writes each answer as one line
        of JSON, compressed if the name ends with `.gz`. After an interruption, `resume=True` with the same options
        continues: it keeps the answers that are there.

        Raises `EngineError` with the program's words: for an entry that cannot be read, for an `output` that exists, and
        for a `resume` whose options differ.
        """
        options = {"depth": depth, "level": level, "nodes": nodes, "exact": exact, "wld": wld}
        flags = _flags(**options, move_time=seconds, moves=best_moves, resume=resume)
        command = [*self._analyze, "--json", f"--output={fspath(output)}", *flags, "--", fspath(path)]
        program.run(command, "")
        return read_analyses(output)

    @overload
    def solve(  # type: ignore[overload-overlap]
        self, queries: Query, **options: Unpack[Options]
    ) -> Analysis: ...

    @overload
    def solve(self, queries: Iterable[Query], **options: Unpack[Options]) -> Analyses: ...

    def solve(self, queries: Union[Query, Iterable[Query]], **options: Unpack[Options]) -> Union[Analysis, Analyses]:
        """As `analyze`, until the score is proven; with `wld=True` only who wins.

        Each position is searched by one thread. `emilia solve --threads` gives all to one position.
        """
        if not options.get("wld"):
            options["exact"] = True
        return self.analyze(queries, **options)

    def cancel(self) -> None:
        """Gives up all that is under way, by whomever it was asked."""
        self._stream.cancel()

    def play(
        self,
        position: Union[str, HasPosition],
        *,
        level: Optional[int] = None,
        elo: Optional[int] = None,
        person: Optional[int] = None,
        seconds: Optional[float] = None,
        seed: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> str:
        """The move that the engine plays: a square, or `"pa"` for a pass. From the book where that has one.

        `level` is 0 to 60, 16 if nothing else is said; `elo` 191 to 2834 is a weaker player, `person` 1000 to 2000 plays
        like a person of that rating; `seconds` is the time for the move. `seed` chooses among moves of the book and what weak play overlooks.

        Raises `ValueError` when the game is over or an option is out of range, `TimeoutError` after `timeout` seconds.
        """
        end = _end(timeout)
        shown = self._show(position, ["--eval=classic"])
        if shown.game_over:
            raise ValueError("the game is over")
        strength = _flags(threads=self._threads, level=level, elo=elo, person=person, move_time=seconds, seed=seed)
        command = [self._binary, "gtp", *strength, *self._shared, *self._book]
        with self._playing:
            player = self._player_of(command)
            player.ask(f"setboard {shown.position}", end)
            move = player.ask(f"genmove {shown.side}", end).lower()
        return "pa" if move == "pass" else move

    def _player_of(self, command: List[str]) -> Player:
        """The player that was started so, kept for the next move."""
        if self._player is None or self._player.command != command or self._player.has_ended():
            self._end_player()
            self._player = Player(command)
            self._end_player = weakref.finalize(self, self._player.close)
        return self._player

    def show(self, position: Union[str, HasPosition]) -> Shown:
        """Reads a position in any notation, of a game the last one: legal moves, stable discs, opening, evaluation."""
        return self._show(position, self._evaluation)

    def _show(self, position: Union[str, HasPosition], flags: List[str]) -> Shown:
        if self._is_closed:
            raise EngineError("the engine is closed")
        lines = program.run([self._binary, "show", "--json", "--limit=1", *flags, "-"], text_of(position))
        return read(Shown, json.loads(lines[0]))

    def close(self) -> None:
        """Ends the engine; what is still under way gets an `EngineError`."""
        self._is_closed = True
        self._stream.close()
        self._kill.detach()
        self._end_player()

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Engine:
        return self

    async def __aexit__(self, *_: object) -> None:
        # In a thread, as it waits for the end of the process.
        await asyncio.get_running_loop().run_in_executor(None, self.close)


def _flags(**options: object) -> List[str]:
    """Options as flags of the command line; those that are `None` or `False` are left out."""
    flags = []
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        if value is True:
            flags.append(flag)
        elif value is not None and value is not False:
            flags.append(f"{flag}={fspath(value) if isinstance(value, PathLike) else value}")
    return flags
