"""The state machine of a connection: events in, actions out. It does no input or output and reads no clock."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass
from typing import Any, Callable, Deque, Dict, List, Optional

from . import rules
from .actions import Action, Forget, Leave, Note, Ponder, Save, Send, Show, Think, Thought
from .clock import budget, parse_clock
from .events import (
    BoardEvent,
    Event,
    GameEnd,
    GameError,
    MatchEvent,
    Partner,
    Refusal,
    Request,
    ServiceState,
    Stored,
    Talk,
    TimeOut,
    parse,
)
from .games import Game, Match, is_playable, match_id, same
from .lines import READY, Message, MessageReader
from .options import Options

#: Seconds: without own traffic until an empty line is sent; for the echo of a move; until a request is repeated.
KEEP_ALIVE = 180.0
ECHO = 10.0
ASK_AGAIN = 60.0
#: Seconds for which the bridge tries to resume a match that it left.
RESUME = 1800.0
#: The longest delay of a move, in seconds, that the clock plans with.
LONGEST_DELAY = 2.0
#: The most seconds for the engine's answer after the end of its time.
GRACE = 0.5
#: The most questions about one position.
TRIES = 5
#: Settings of each connection. `client -` gives boards, `trust +` charges the stated time.
SETTINGS = ("verbose -news -faq -help -ack", "tell /os client -", "tell /os trust +", "tell /os vt100 -")


@dataclass(frozen=True)
class Left:
    """A match that the bridge left by losing the connection, and the time at which it gives up resuming it."""

    opponent: str
    kind: str
    end: float


class Session:
    """All that the bridge knows about the server. Each method returns the actions that follow."""

    def __init__(self, options: Options, password: str) -> None:
        self.options = options
        self._password = password
        self._name = options.name
        self._out: List[Action] = []
        self._reader = MessageReader()
        #: `connect`, `name`, `password`, `in`.
        self.state = "connect"
        self._is_served = True
        self.matches: Dict[str, Match] = {}
        self._left: List[Left] = []
        self.played = 0
        #: Leave after the running matches.
        self.is_leaving = False
        #: The number of our request, and the end of the wait for the match of an accepted one.
        self._own = ""
        self._accepted_until = 0.0
        self._ask_at = 0.0
        self._resume_at = 0.0
        self._sent_at = 0.0
        self._now = 0.0
        #: Times of recent moves to the server and back.
        self._delays: Deque[float] = deque([0.05], maxlen=8)

    # Inputs

    def connected(self, now: float) -> List[Action]:
        """A connection is there."""
        self._now = now
        self.state = "name"
        self._reader = MessageReader()
        self._sent_at = now
        return self._take()

    def dropped(self, now: float) -> List[Action]:
        """The connection is lost: the server stores rated matches."""
        self._now = now
        self.state = "connect"
        self._interrupt("the connection is lost")
        return self._take()

    def line(self, text: str, now: float) -> List[Action]:
        """A line of the server."""
        self._now = now
        if self.state in ("name", "password"):
            self._login(text)
        else:
            message = self._reader.feed(text)
            if message:
                self._message(message)
        return self._take()

    def thought(self, thought: Thought, now: float) -> List[Action]:
        """The engine has chosen a move."""
        self._now = now
        game = self._game(thought.id)
        # A stale answer belongs to an earlier position.
        if game and game.is_my_turn and game.position == thought.position and game.sent != thought.position:
            self._play(game, thought)
        return self._take()

    def tick(self, now: float) -> List[Action]:
        """Time has passed: at least one call a second."""
        self._now = now
        if self.state == "in":
            self._refresh_games()
            self._resume()
            self._ask()
            if now - self._sent_at >= KEEP_ALIVE:
                self._send("")
        return self._take()

    def leave(self, now: float) -> List[Action]:
        """The user wants to leave: after the match, or at once if he says so again."""
        self._now = now
        is_playing = any(match.is_mine for match in self.matches.values())
        if self.state != "in" or self.is_leaving or not is_playing:
            self._quit("left by the user")
        else:
            self.is_leaving = True
            self._show("the program leaves after this match; press Ctrl-C again to leave it now")
        return self._take()

    # The login

    def _login(self, text: str) -> None:
        if " ERR " in f" {text} ":
            # The server asks again, and a wrong password must not be sent in a loop.
            self._out.append(Leave(1, f"the server refuses the login: {text.strip(': ')}"))
        elif "Enter login" in text:
            if self.state == "password":
                self._out.append(Leave(1, "the server refuses the login: it asks for the name again"))
            self._send(self._name)
        elif "Enter your password" in text and self.state == "name":
            self.state = "password"
            self._send(self._password, is_secret=True)
        elif text.strip() == READY and self.state == "password":
            self.state = "in"
            self._show(f"logged in as {self._name}")
            for line in SETTINGS:
                self._send(line)
            self._announce()
            for line in self.options.send:
                self._send(line)

    def _announce(self) -> None:
        """Settings of the Othello service that depend on the options."""
        options = self.options
        if options.rated != "any":
            self._service(f"rated {'+' if options.rated == 'yes' else '-'}")
        if options.open and not options.watch:
            self._service("request +")
        self._service(f"open {0 if options.watch else 1}")
        if options.watch:
            self._service(f"watch + {options.watch}")
        if self._left:
            self._resume_at = self._now
        elif options.resume:
            self._service("continue")
        self._ask_at = self._now

    def _interrupt(self, reason: str) -> None:
        """Ends all matches for now."""
        for match in self.matches.values():
            self._show(f"{match.id} is interrupted: {reason}")
            if match.is_mine and match.mode != "U":
                self._left.append(Left(match.opponent(self._name), match.kind, self._now + RESUME))
                continue
            # The server keeps only rated matches.
            for game in match.games.values():
                self._save(match, game, "")
        self.matches.clear()
        self._own = ""
        self._accepted_until = 0.0
        self._out.append(Forget())

    # Events

    def _message(self, message: Message) -> None:
        if message.is_alert == self._is_served:
            self._is_served = not message.is_alert
            self._note("the central server serves again" if self._is_served else "ALERT: the central server does not serve")
        event = parse(message)
        if event is not None:
            self._event(event)

    def _event(self, event: Event) -> None:
        handlers: Dict[type, Callable[[Any], None]] = {
            BoardEvent: self._board,
            Request: self._request,
            MatchEvent: self._match,
            GameEnd: self._game_end,
            TimeOut: self._time_out,
            GameError: self._error,
            Refusal: self._refused,
            Stored: self._stored,
            Partner: self._partner,
            ServiceState: self._service_state,
            Talk: self._talk,
        }
        handlers[type(event)](event)

    def _talk(self, event: Talk) -> None:
        if event.sender not in ("", "os"):
            self._show(f"{event.sender}: {event.text}")

    def _partner(self, event: Partner) -> None:
        if any(same(left.opponent, event.name) for left in self._left):
            self._resume_at = self._now

    def _service_state(self, event: ServiceState) -> None:
        if event.is_up:
            self._show("the Othello service is there")
            for line in SETTINGS[1:]:
                self._send(line)
            self._announce()
        else:
            self._interrupt("the Othello service has left")

    def _request(self, request: Request) -> None:
        if same(request.asker, self._name):
            if request.is_new:
                self._own = request.id
            elif self._own == request.id:
                self._own = ""
                self._ask_at = self._now + ASK_AGAIN
            return
        is_for_us = same(request.asked, self._name)
        if not request.is_new or not (is_for_us or request.asked == "*" and self.options.open):
            return
        reason = self._reason_against(request)
        words = f"{request.asker} asks for {request.kind} {' '.join(request.clocks)} {request.mode}"
        if not reason:
            self._show(f"{words}: accepted")
            self._accepted_until = self._now + 30
            self._service(f"accept {request.id}")
        elif is_for_us:
            self._show(f"{words}: declined, {reason}")
            self._service(f"decline {request.id}")

    def _reason_against(self, request: Request) -> str:
        """Why the bridge declines a request; empty if it accepts."""
        options = self.options
        is_resumed = any(same(left.opponent, request.asker) for left in self._left)
        if options.watch or self.is_leaving:
            return "we do not play now"
        if self.matches or self._now < self._accepted_until:
            return "we play already"
        if self._left and not is_resumed:
            return "we wait for an interrupted match"
        if options.opponents and not any(same(request.asker, name) for name in options.opponents):
            return "the opponent is not on the list"
        if not options.accepts(request.kind):
            return "we do not play this type"
        if request.mode == "S":
            # The clocks are those of the stored match, which we accepted once.
            return ""
        is_rated = request.mode in ("R", "T")
        if options.rated != "any" and is_rated != (options.rated == "yes"):
            return "we play only rated matches" if options.rated == "yes" else "we play only unrated matches"
        for text in request.clocks:
            clock = parse_clock(text)
            if clock is None or not clock.is_plain:
                return f"we do not play with the clock {text}"
            if not options.min_time <= clock.base <= options.max_time:
                return "the base time is out of our bounds"
        return ""

    def _match(self, event: MatchEvent) -> None:
        is_mine = any(same(name, self._name) for name in event.names)
        if not is_mine and event.id != self.options.watch:
            return
        if event.is_start:
            self._begin(Match(event.id, event.names, event.kind, event.mode, is_mine))
        elif event.id in self.matches:
            self._end(self.matches.pop(event.id), event)

    def _begin(self, match: Match) -> None:
        self.matches[match.id] = match
        self._show(f"match {match.id}: {match.names[0]} and {match.names[1]}, {match.kind} {match.mode}")
        if not match.is_mine:
            return
        self._accepted_until = 0.0
        opponent = match.opponent(self._name)
        self._left = [left for left in self._left if not (same(left.opponent, opponent) and left.kind == match.kind)]
        self._service("open 0")
        if self._own:
            self._service(f"cancel {self._own}")
            self._own = ""
        if not is_playable(match.kind):
            self._show(f"{match.id} is of a type that we cannot play: we adjourn it")
            self._service(f"break {match.id}")

    def _end(self, match: Match, event: MatchEvent) -> None:
        words = " ".join(event.outcome)
        self._show(f"match {match.id} is over: {match.names[0]} and {match.names[1]}, {words}")
        is_finished = "left" not in event.outcome and "aborted" not in event.outcome
        archive = event.outcome[-1] if event.outcome and event.outcome[-1].startswith(".") else ""
        for game in match.games.values():
            if len(match.games) == 1 and is_finished and not game.result and event.outcome:
                game.result = event.outcome[0]
            if is_finished or not archive:
                self._save(match, game, archive)
            self._out.append(Forget(game.id))
        if archive and not is_finished:
            self._show(f"the server stores the match as {archive}; its record is written when it ends")
        if not match.is_mine:
            self._quit("the match is over")
            return
        self.played += is_finished
        if self.is_leaving or 0 < self.options.games <= self.played:
            self._quit(f"{self.played} matches are played")
        else:
            self._service("open 1")
            self._ask_at = self._now + 1

    def _save(self, match: Match, game: Game, archive: str) -> None:
        if not game.moves:
            return
        if not game.is_complete():
            self._show(f"{game.id}: the moves do not lead to the last board; the game is only in the log")
            return
        self._out.append(Save(game.ggf(match.kind, match.names[0], f"GGS/os {archive}".strip())))

    # Games

    def _game(self, id: str) -> Optional[Game]:
        match = self.matches.get(match_id(id)) if id.startswith(".") else None
        return match.games.get(id) if match else None

    def _board(self, event: BoardEvent) -> None:
        names = [seat.name for _, seat in sorted(event.seats.items())]
        is_mine = any(same(name, self._name) for name in names)
        match = self.matches.get(match_id(event.id))
        if match is None:
            if len(names) != 2 or not (is_mine or match_id(event.id) == self.options.watch):
                return
            # The news of its start is missing.
            synchro = "s" if event.id.count(".") > 1 else ""
            self._begin(Match(match_id(event.id), (names[0], names[1]), synchro + event.kind, "", is_mine))
            match = self.matches[match_id(event.id)]
        if not is_playable(match.kind) or event.id not in match.game_ids():
            return
        game = match.games.setdefault(event.id, Game(event.id))
        before = game.position
        for note in game.show(event, self._name):
            self._show(note)
            if "missing" in note or "cannot be read" in note:
                self._refresh(game)
        if game.board:
            self._turn(game, before)

    def _turn(self, game: Game, before: str) -> None:
        """Follows a new, or repeated, position."""
        if game.position != before:
            self._show_board(game)
            if game.sent and game.sent == before:
                self._delays.append(min(self._now - game.sent_at, LONGEST_DELAY))
                game.counted += game.setting.increment - game.used
            if game.is_my_turn:
                game.since = self._now
        is_refreshed = game.is_refreshing
        game.is_refreshing = False
        if not game.is_my_turn or game.sent == game.position:
            if is_refreshed and game.is_my_turn and game.command:
                # The server has not got our move.
                self._send_move(game)
            return
        if rules.legal_moves(game.board, game.side):
            self._think(game)
        elif rules.legal_moves(game.board, rules.other(game.side)):
            game.command = game.plain_command = f"tell /os play {game.id} {rules.PASS}"
            game.used = 0.0
            self._send_move(game)

    def _think(self, game: Game) -> None:
        if game.asked == game.position:
            return
        game.asked = game.position
        match = self.matches[match_id(game.id)]
        parts = 2 if match.is_synchro else 1
        left = game.left(self._now)
        seconds = budget(left, game.setting, game.board.count("-"), max(self._delays))
        grace = min(GRACE, 0.3 * max(0.0, left - seconds))
        threads = max(1, self.options.threads // parts)
        hash = max(1, self.options.hash // parts)
        self._out.append(Think(game.id, game.position, seconds, grace, threads, hash))

    def _play(self, game: Game, thought: Thought) -> None:
        if rules.play(game.board, game.side, thought.move) is None:
            self._show(f"{game.id}: the engine chose the illegal move {thought.move}")
            return
        game.used = max(0.01, self._now - game.since)
        score = f"{thought.score:+.2f}" if thought.score is not None else ""
        game.plain_command = f"tell /os play {game.id} {thought.move}"
        game.command = f"{game.plain_command}/{score}/{game.used:.2f}"
        self._send_move(game)
        self._show(f"{game.id}: {thought.move} {score} {thought.source}, {game.used:.2f} s, {game.left(self._now):.1f} s left")
        self._ponder(game, thought)

    def _ponder(self, game: Game, thought: Thought) -> None:
        """Searches on after the expected reply."""
        if len(thought.line) < 2:
            return
        mine, reply = thought.line[:2]
        board = rules.play(game.board, game.side, mine)
        after = board and rules.play(board, rules.other(game.side), reply)
        if after and rules.legal_moves(after, game.side):
            self._out.append(Ponder(game.id, f"{after} {game.side}"))

    def _send_move(self, game: Game) -> None:
        game.sent = game.position
        game.sent_at = self._now
        self._send(game.command)

    def _refresh(self, game: Game) -> None:
        """Asks for the board again."""
        if game.tries < TRIES:
            game.tries += 1
            game.is_refreshing = True
            game.sent_at = self._now
            self._service(f"moves {game.id}")

    def _refresh_games(self) -> None:
        """Asks for the board if the echo of a move does not come: the server may not have got it."""
        for match in self.matches.values():
            for game in match.games.values():
                if game.is_my_turn and game.sent == game.position and self._now - game.sent_at >= ECHO:
                    self._refresh(game)

    def _error(self, event: GameError) -> None:
        game = self._game(event.id)
        self._show(f"{event.id}: the server says: {event.text}")
        if not game or not game.is_my_turn or game.sent != game.position:
            return
        if "time" in event.text or "corrupt" in event.text:
            # The last form has neither score nor time.
            game.command = game.plain_command
        self._refresh(game)

    def _game_end(self, event: GameEnd) -> None:
        self._show(f"{event.id}: the game is over ({event.words}) {event.result}")
        game = self._game(event.id)
        if game:
            game.is_over = True
            game.result = event.result
            game.ending = event.words
            self._out.append(Forget(event.id))

    def _time_out(self, event: TimeOut) -> None:
        self._show(f"{event.id}: {'final ' if event.is_fatal else ''}time-out of {event.name}")
        game = self._game(event.id)
        if game and event.name not in game.flagged:
            game.flagged.append(event.name)
            if same(event.name, self._name):
                # The extension has begun, and only the server's figure shows it.
                game.counted = float("inf")

    def _show_board(self, game: Game) -> None:
        move = f"{len(game.moves)}. {game.moves[-1]}" if game.moves else "the start"
        clocks = "  ".join(
            f"{seat.name} {'Black' if side == 'X' else 'White'} {seat.text.split(',')[0].split('/')[0]}"
            for side, seat in sorted(game.seats.items(), reverse=True)
        )
        self._show(f"{game.id}: {move}  {clocks}")

    # Asking and resuming

    def _refused(self, event: Refusal) -> None:
        self._show(f"the server says: {event.text}")
        self._accepted_until = 0.0
        self._ask_at = self._now + ASK_AGAIN
        found = re.search(r"match '(\.\d+)[\d.]*' not found", event.text)
        if found and self.matches.pop(found.group(1), None):
            # The news of its end is missing.
            self._out.append(Forget())

    def _is_free(self) -> bool:
        return not self.matches and not self.is_leaving and self._now >= self._accepted_until

    def _ask(self) -> None:
        """Repeats our request when nothing else is under way."""
        if self.options.ask and self._is_free() and not self._own and not self._left and self._now >= self._ask_at:
            self._ask_at = self._now + ASK_AGAIN
            self._service(f"ask {self.options.ask}")

    def _resume(self) -> None:
        """Asks for the matches that we left."""
        given_up = [left for left in self._left if self._now >= left.end]
        for left in given_up:
            self._left.remove(left)
            self._show(f"the match with {left.opponent} cannot be resumed now; the server keeps it")
        if self._left and self._is_free() and self._now >= self._resume_at:
            self._resume_at = self._now + ASK_AGAIN
            self._service("stored")

    def _stored(self, event: Stored) -> None:
        """Looks for our matches in the list of stored games."""
        for left in self._left:
            rows = [
                number
                for number, words in event.rows
                if any(same(word, left.opponent) for word in words)
                and any(word.split(":")[0].lower() == left.kind.lower() for word in words)
            ]
            if rows and self._is_free():
                self._show(f"we ask {left.opponent} to resume {rows[-1]}")
                self._service(f"ask {rows[-1]}")
                return

    # Outputs

    def _quit(self, reason: str) -> None:
        if self.state == "in":
            self._service("open 0")
            self._send("quit")
        self._out.append(Leave(0, reason))

    def _service(self, command: str) -> None:
        self._send(f"tell /os {command}")

    def _send(self, line: str, is_secret: bool = False) -> None:
        self._sent_at = self._now
        self._out.append(Send(line, is_secret))

    def _show(self, text: str) -> None:
        self._out.append(Show(text))

    def _note(self, text: str) -> None:
        self._out.append(Note(text))

    def _take(self) -> List[Action]:
        actions, self._out = self._out, []
        return actions
