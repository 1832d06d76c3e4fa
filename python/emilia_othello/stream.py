"""One running `emilia analyze`: lines go out by one thread and come in by another.

Every line is numbered from 1 as it is written, and its number is its id. So an answer to a line that the engine could
not read, which has no id but the number of the line, finds its request, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import queue
import subprocess
import threading
import time
from collections import deque
from typing import Any, Callable, Deque, Dict, Generic, List, Mapping, Optional, Sequence, TypeVar, Union

from . import program
from .errors import EngineDied, EngineError

T = TypeVar("T")

#: Seconds between partial answers if the caller does not want them: by them an engine notices that
#: its client was killed, and ends.
ALIVE_SECONDS = 2.0
#: Seconds that an engine gets to end by itself.
PATIENCE = 5.0
#: Longest wait without a look at signals: on Windows Ctrl-C does not interrupt one.
TICK = 0.5


class Event:
    """An answer, or why none will come."""

    __slots__ = ("answer", "is_last")

    def __init__(self, answer: Union[Dict[str, Any], EngineError], is_last: bool) -> None:
        self.answer = answer
        #: No other answer to this request will come.
        self.is_last = is_last


class Inbox(Generic[T]):
    """Items that threads and coroutines wait for, to take them out or to look at them."""

    def __init__(self) -> None:
        self._items: Deque[T] = deque()
        self._changed = threading.Condition()
        self._wake: List[Callable[[], object]] = []

    def put(self, item: T) -> None:
        """Adds an item, from any thread."""
        with self._changed:
            self._items.append(item)
            self._changed.notify_all()
            wake, self._wake = self._wake, []
        for each in wake:
            each()

    def _find(self, place: Optional[int]) -> Optional[T]:
        if place is None:
            return self._items.popleft() if self._items else None
        return self._items[place] if place < len(self._items) else None

    def get(self, place: Optional[int] = None, end: Optional[float] = None) -> T:
        """Waits for an item and takes it out, or with a `place`, from 0, for that which came there, and leaves it.

        Raises `TimeoutError` when the clock shows `end` before that.
        """
        with self._changed:
            while True:
                item = self._find(place)
                if item is not None:
                    return item
                left = TICK if end is None else end - time.monotonic()
                if left <= 0:
                    raise TimeoutError("no answer in time")
                self._changed.wait(min(left, TICK))

    async def get_async(self, place: Optional[int] = None) -> T:
        """As `get`, without holding up the event loop."""
        loop = asyncio.get_running_loop()
        while True:
            with self._changed:
                item = self._find(place)
                if item is not None:
                    return item
                future = loop.create_future()
                self._wake.append(functools.partial(_wake, loop, future))
            await future


def _wake(loop: asyncio.AbstractEventLoop, future: "asyncio.Future[None]") -> None:
    # A closed loop has no waiting task.
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(lambda: None if future.done() else future.set_result(None))


class _Job:
    """A line that waits for answers."""

    __slots__ = ("sink", "left")

    def __init__(self, sink: Callable[[Event], object]) -> None:
        self.sink = sink
        #: Answers to come, known from the first one.
        self.left: Optional[int] = None


class Stream:
    """The process and its two threads. Knows lines and numbers, nothing of Othello."""

    def __init__(self, command: Sequence[str]) -> None:
        self._process, self._stderr = program.start(command)
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._jobs: Dict[int, _Job] = {}
        self._lines = 0
        self._is_closed = False
        self._end: Optional[EngineError] = None
        #: Lines to write, numbers of lines to give up, and at last `None`.
        self._outbox: "queue.SimpleQueue[Union[bytes, int, None]]" = queue.SimpleQueue()
        self._reader = threading.Thread(target=self._read, name="emilia-answers", daemon=True)
        for thread in (self._reader, threading.Thread(target=self._write, name="emilia-requests", daemon=True)):
            thread.start()

    @property
    def pid(self) -> int:
        """The number of the engine's process."""
        return self._process.pid

    def send(self, fields: Mapping[str, object], sink: Callable[[Event], object]) -> int:
        """Sends a line and returns its number; `sink` gets the answers, in another thread."""
        if os.getpid() != self._owner:
            raise EngineError("this engine belongs to the process that forked; start another one here")
        with self._lock:
            if self._end is not None:
                raise type(self._end)(*self._end.args)
            number = self._lines + 1
            text = json.dumps({**fields, "id": number}, separators=(",", ":"))
            self._lines = number
            self._jobs[number] = _Job(sink)
            self._outbox.put(text.encode() + b"\n")
        return number

    def cancel(self, number: Optional[int] = None) -> None:
        """Gives up the line with this number, or all; what was given up is answered all the same."""
        if number is not None and number not in self._jobs:
            return
        fields: Dict[str, object] = {"cancel_all": True} if number is None else {"cancel": number}
        # An engine that has ended searches nothing.
        with contextlib.suppress(EngineError):
            self.send(fields, lambda event: None)

    def cancel_later(self, number: int) -> None:
        """As `cancel`, for destructors: they may run anywhere, with the lock held, too."""
        self._outbox.put(number)

    def close(self) -> None:
        """Ends the engine; what still waits for an answer gets an error."""
        self.cancel()
        self._is_closed = True
        self._outbox.put(None)
        if os.getpid() == self._owner:
            self._reader.join(PATIENCE)
            self.kill()
            self._reader.join(PATIENCE)

    def kill(self) -> None:
        """Ends the engine at once; the reader sees to the rest."""
        self._is_closed = True
        if os.getpid() == self._owner:
            self._process.kill()

    def _write(self) -> None:
        """Writes lines as they come, as many at once as there are."""
        pipe = self._process.stdin
        assert pipe is not None
        is_open = True
        # If the engine has ended, the reader reports it.
        with contextlib.suppress(OSError), pipe:
            while is_open:
                items = [self._outbox.get()]
                while not self._outbox.empty():
                    items.append(self._outbox.get())
                is_open = None not in items
                for item in items:
                    if isinstance(item, int) and item in self._jobs:
                        self.cancel(item)
                pipe.write(b"".join(item for item in items if isinstance(item, bytes)))
                pipe.flush()

    def _read(self) -> None:
        """Hands answers out until there are no more."""
        pipe = self._process.stdout
        assert pipe is not None
        strange = None
        for line in pipe:
            try:
                self._hand_out(json.loads(line))
            except (ValueError, KeyError, TypeError, AttributeError):
                strange = f"the engine wrote what is no answer: {line[:200].decode('utf-8', 'replace')!r}"
                self._process.kill()
                break
        try:
            code = self._process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        with self._lock:
            if self._is_closed:
                self._end = EngineError("the engine is closed")
            else:
                self._end = EngineDied(strange) if strange else program.end_of(code, self._stderr)
            jobs, self._jobs = self._jobs, {}
        for job in jobs.values():
            job.sink(Event(self._end, True))
        self._outbox.put(None)
        pipe.close()
        self._stderr.close()

    def _hand_out(self, answer: Dict[str, Any]) -> None:
        number = answer["id"] if answer.get("id") is not None else answer["line"]
        with self._lock:
            job = self._jobs[number]
            if not answer.get("partial"):
                job.left = (answer.get("positions", 1) if job.left is None else job.left) - 1
            is_last = job.left == 0
            if is_last:
                del self._jobs[number]
        job.sink(Event(answer, is_last))
