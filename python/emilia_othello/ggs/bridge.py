"""The bridge: a socket, the engines and the files around the state machine."""

from __future__ import annotations

import contextlib
import queue
import socket
import sys
import threading
import time
from typing import IO, Any, Callable, Dict, List, Optional, Tuple

from ..errors import EngineError, OptionError
from ..stream import Event
from . import lock
from .actions import Action, Forget, Leave, Note, Ponder, Save, Send, Show, Think, Thought
from .lines import LineSplitter, printable
from .options import Options
from .session import Session
from .thinker import Thinker, try_engine

#: Seconds between two calls of `Session.tick`.
TICK = 0.5
#: Seconds for a connection to begin, and for a line to leave.
SEND_SECONDS = 15.0
#: Seconds for a login.
LOGIN_SECONDS = 60.0
#: Options of TCP where the system has them: an idle, then a busy connection without a peer is lost after some two minutes.
TCP_OPTIONS = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 15, "TCP_KEEPCNT": 4, "TCP_USER_TIMEOUT": 120_000, "TCP_NODELAY": 1}
#: Waits before a new connection, in seconds: the first, and the longest of the growing ones.
FIRST_WAIT = 10.0
LONGEST_WAIT = 300.0
#: A connection of this length, in seconds, resets the waits; one that is shorter than `SHORT` is suspicious.
STABLE = 600.0
SHORT = 60.0
#: Short connections in a row after which the bridge gives up: another program may use the name.
SHORT_CONNECTIONS = 2
#: Pieces of input that wait for the main thread at most; then TCP slows the server down.
PIECES = 64
#: Engines that may die in a row.
DEATHS = 3
#: The most characters of a line of the server on the terminal.
SHOWN = 300

Item = Tuple[str, Any]


class Bridge:
    """A run of the program."""

    def __init__(self, options: Options, password: str, out: IO[str] = sys.stdout) -> None:
        self.options = options
        self.session = Session(options, password)
        self._password = password
        self._out = out
        self._log: Optional[IO[str]] = None
        self._items: "queue.SimpleQueue[Item]" = queue.SimpleQueue()
        self._socket: Optional[socket.socket] = None
        self._slots = threading.Semaphore(PIECES)
        self._splitter = LineSplitter()
        self._heard = 0.0
        self._thinkers: Dict[str, Thinker] = {}
        self._last_think: Dict[str, Think] = {}
        self._deaths = 0
        self._end: Optional[Leave] = None
        #: For tests: the waits.
        self.sleep: Callable[[float], object] = self._wait

    def run(self) -> int:
        """Plays until there is a reason to leave; the exit code."""
        try:
            try_engine(self.options)
            with lock.held(self.options):
                if self.options.log:
                    self._log = open(self.options.log, "a", encoding="utf-8")
                self._connections()
        except (EngineError, OSError) as error:
            self._end = Leave(1, str(error))
        finally:
            self._forget(None)
            if self._log:
                self._log.close()
        assert self._end
        print(f"emilia-ggs: {self._end.reason}", file=sys.stderr if self._end.code else self._out, flush=True)
        return self._end.code

    def interrupt(self) -> None:
        """Ctrl-C, from any thread."""
        self._items.put(("leave", None))

    def _connections(self) -> None:
        """One connection after the other, with growing waits."""
        wait = FIRST_WAIT
        short = 0
        while self._end is None:
            begin = time.monotonic()
            reason = self._connection()
            if self._end is not None:
                return
            lasted = time.monotonic() - begin
            if reason.startswith("closed"):
                short = short + 1 if lasted < SHORT else 0
            if short >= SHORT_CONNECTIONS:
                text = f"the server closed {short} connections within {SHORT:.0f} s: does another program use this name?"
                self._end = Leave(1, text)
                return
            if lasted >= STABLE:
                wait = FIRST_WAIT
            self._act([Show(f"no connection ({reason}); the next try comes in {wait:.0f} s")])
            self.sleep(wait)
            wait = min(2 * wait, LONGEST_WAIT)

    def _connection(self) -> str:
        """Connects and plays until the connection ends; the reason."""
        options = self.options
        try:
            self._socket = socket.create_connection((options.host, options.port), SEND_SECONDS)
        except OSError as error:
            return str(error)
        connection = self._socket
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        for name, value in TCP_OPTIONS.items():
            if hasattr(socket, name):
                connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
        self._splitter = LineSplitter()
        self._slots = threading.Semaphore(PIECES)
        self._heard = time.monotonic()
        reader = threading.Thread(target=self._read, args=(connection, self._slots), name="ggs-reader", daemon=True)
        reader.start()
        try:
            self._act([Show(f"connected to {options.host}, port {options.port}")])
            self._act(self.session.connected(time.monotonic()))
            reason = self._loop(connection)
        finally:
            self._socket = None
            # The reader may wait for the socket, or for a slot.
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            self._slots.release()
            # Another socket may get the number of a closed one, which the reader must not read.
            reader.join(SEND_SECONDS)
            connection.close()
        if self._end is None:
            self._act(self.session.dropped(time.monotonic()))
        return reason

    def _read(self, connection: socket.socket, slots: threading.Semaphore) -> None:
        """The thread that reads the socket."""
        while True:
            slots.acquire()
            try:
                data = connection.recv(65_536)
            except socket.timeout:
                slots.release()
                continue
            except OSError as error:
                self._items.put(("closed", (connection, f"lost: {error}")))
                return
            if not data:
                self._items.put(("closed", (connection, "closed by the server")))
                return
            self._items.put(("bytes", (connection, data)))

    def _loop(self, connection: socket.socket) -> str:
        """Handles items until the connection or the program ends."""
        tick = 0.0
        login_end = time.monotonic() + LOGIN_SECONDS
        while self._end is None:
            now = time.monotonic()
            if now >= tick:
                tick = now + TICK
                self._act(self.session.tick(now))
                self._prompt()
            if self._socket is None:
                return "lost: a line cannot be sent"
            if self.session.state != "in" and now > login_end:
                return f"lost: no login within {LOGIN_SECONDS:.0f} s"
            self._tick_engines(now)
            ends = [thinker.deadline for thinker in self._thinkers.values()]
            wake = min([tick, *(end for end in ends if end is not None)])
            try:
                kind, value = self._items.get(timeout=max(0.001, wake - time.monotonic()))
            except queue.Empty:
                continue
            if kind == "closed" and value[0] is connection:
                return str(value[1])
            self._handle(kind, value, connection)
        return "left"

    def _handle(self, kind: str, value: Any, connection: socket.socket) -> None:
        now = time.monotonic()
        if kind == "bytes" and value[0] is connection:
            self._slots.release()
            self._heard = now
            self._receive(value[1], now)
        elif kind == "engine":
            thinker, number, event = value
            self._engine_event(thinker, number, event, now)
        elif kind == "leave":
            self._act(self.session.leave(now))

    def _receive(self, data: bytes, now: float) -> None:
        dropped = self._splitter.dropped
        for line in self._splitter.feed(data):
            if self.session.state != "in":
                # The server may repeat it.
                line = line.replace(self._password, "(password)")
            self._write("<", line)
            if self._end is None:
                self._act(self.session.line(line, now))
        if self._splitter.dropped > dropped:
            self._write("!", "a line of more than 65,536 bytes is dropped")

    def _prompt(self) -> None:
        """A prompt of the login that has no end of line."""
        rest = self._splitter.rest
        if self.session.state in ("name", "password") and "Enter " in rest and time.monotonic() - self._heard > 1:
            self._receive(b"\n", time.monotonic())

    # Actions

    def _act(self, actions: List[Action]) -> None:
        for action in actions:
            if isinstance(action, Send):
                self._send(action)
            elif isinstance(action, Think):
                self._think(action)
            elif isinstance(action, Ponder):
                thinker = self._thinkers.get(action.id)
                if thinker:
                    thinker.ponder(action.position, time.monotonic())
            elif isinstance(action, Forget):
                self._forget(action.id)
            elif isinstance(action, Show):
                self._write("!", action.text)
                self._print(action.text)
            elif isinstance(action, Note):
                self._write("!", action.text)
            elif isinstance(action, Save):
                self._save(action.text)
            elif isinstance(action, Leave):
                self._end = self._end or action

    def _send(self, action: Send) -> None:
        self._write(">", "(password)" if action.is_secret else action.line)
        try:
            if self._socket:
                self._socket.sendall(action.line.encode("utf-8", "replace") + b"\n")
        except OSError as error:
            self._write("!", f"cannot send: {error}")
            self._socket = None

    def _write(self, sign: str, text: str) -> None:
        """A line of the log."""
        if self._log:
            try:
                self._log.write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {sign} {printable(text)}\n")
                self._log.flush()
            except OSError as error:
                # A full disk costs the log, not the game.
                self._log = None
                self._print(f"the log ends here: {error}")

    def _print(self, text: str) -> None:
        with contextlib.suppress(OSError):
            print(printable(text)[:SHOWN], file=self._out, flush=True)

    def _save(self, text: str) -> None:
        path = self.options.ggf or ""
        try:
            with open(path, "a", encoding="ascii", errors="replace") as file:
                file.write(text + "\n")
        except OSError as error:
            # The record is in the log and on the terminal.
            self._act([Show(f"the game cannot be written to {path}: {error}"), Show(text)])

    # Engines

    def _post(self, thinker: Thinker, number: int, event: Event) -> None:
        self._items.put(("engine", (thinker, number, event)))

    def _think(self, think: Think) -> None:
        self._last_think[think.id] = think
        now = time.monotonic()
        try:
            if think.id not in self._thinkers:
                self._thinkers[think.id] = Thinker(think.id, think, self.options, self._post)
            self._thought(self._thinkers[think.id].think(think, now), now)
        except EngineError as error:
            self._revive(think.id, error)

    def _engine_event(self, thinker: Thinker, number: int, event: Event, now: float) -> None:
        if self._thinkers.get(thinker.game) is not thinker:
            return
        try:
            self._thought(thinker.event(number, event, now), now)
        except EngineError as error:
            self._revive(thinker.game, error)

    def _tick_engines(self, now: float) -> None:
        for thinker in list(self._thinkers.values()):
            self._thought(thinker.tick(now), now)

    def _thought(self, thought: Optional[Thought], now: float) -> None:
        if thought:
            self._deaths = 0
            self._act(self.session.thought(thought, now))

    def _revive(self, game: str, error: EngineError) -> None:
        """Starts another engine for the same question; gives up when it dies again and again."""
        self._forget(game, keeps_question=True)
        self._deaths += 1
        self._act([Show(f"{game}: {error}")])
        think = self._last_think.get(game)
        if isinstance(error, OptionError) or self._deaths >= DEATHS:
            self._act([Leave(1, f"the engine does not run: {error}")])
        elif think:
            self._think(think)

    def _forget(self, game: Optional[str], keeps_question: bool = False) -> None:
        for id in [game] if game is not None else list(self._thinkers):
            thinker = self._thinkers.pop(id, None)
            if thinker:
                thinker.close()
            if not keeps_question:
                self._last_think.pop(id, None)

    def _wait(self, seconds: float) -> None:
        """Waits for a new connection; Ctrl-C ends the program."""
        end = time.monotonic() + seconds
        while self._end is None and time.monotonic() < end:
            try:
                kind, _ = self._items.get(timeout=max(0.001, min(TICK, end - time.monotonic())))
            except queue.Empty:
                continue
            if kind == "leave":
                self._act(self.session.leave(time.monotonic()))
