"""A small server for the tests of the bridge, on the loopback interface.

It imports nothing of the bridge. Its texts follow the documented grammar of the Generic Game Server; its rules, clocks and
matches are its own. Robots are users inside the server that play at once. `faults` lists each command of a player that a match
must not have: illegal moves, moves out of turn, time-outs.
"""

import random
import socket
import threading
import time


class FairClock:
    """A clock that stands still while this machine runs nothing else: a pause counts as half a second."""

    LONGEST = 0.5

    def __init__(self):
        self._lock = threading.Lock()
        self._last = time.monotonic()
        self._lost = 0.0
        threading.Thread(target=self._watch, daemon=True).start()

    def _watch(self):
        while True:
            time.sleep(0.05)
            with self._lock:
                now = time.monotonic()
                self._lost += max(0.0, now - self._last - self.LONGEST)
                self._last = now

    def monotonic(self):
        with self._lock:
            return min(time.monotonic(), self._last + self.LONGEST) - self._lost


CLOCK = FairClock()

#: Eight rows of eight squares in a frame of ten columns.
FRAME = [row * 10 + column for row in range(1, 9) for column in range(1, 9)]
STEPS = (-11, -10, -9, -1, 1, 9, 10, 11)
BLACK, WHITE, EMPTY, BORDER = "*", "O", "-", "#"
FILES = "ABCDEFGH"


class Board:
    """Othello in a frame: `squares` has 100 letters."""

    def __init__(self, kind_discs=None, rng=None):
        self.squares = [BORDER] * 100
        for place in FRAME:
            self.squares[place] = EMPTY
        self.turn = BLACK
        if kind_discs is None:
            for place, disc in ((44, WHITE), (55, WHITE), (45, BLACK), (54, BLACK)):
                self.squares[place] = disc
        else:
            self._strew(kind_discs, rng)

    def _strew(self, discs, rng):
        """Random discs around the center; neither side needs to be able to reach the board by play."""
        while True:
            for place in FRAME:
                self.squares[place] = EMPTY
            near = sorted(FRAME, key=lambda place: (max(abs(place % 10 - 4.5), abs(place // 10 - 4.5)), rng.random()))
            for place in near[:discs]:
                self.squares[place] = rng.choice((BLACK, WHITE))
            self.turn = BLACK if discs % 2 == 0 else WHITE
            if self.moves(BLACK) or self.moves(WHITE):
                return

    def copy(self):
        new = Board.__new__(Board)
        new.squares = list(self.squares)
        new.turn = self.turn
        return new

    def turned(self, side, place):
        found = []
        if self.squares[place] != EMPTY:
            return found
        for step in STEPS:
            line = []
            at = place + step
            while self.squares[at] not in (side, EMPTY, BORDER):
                line.append(at)
                at += step
            if line and self.squares[at] == side:
                found += line
        return found

    def moves(self, side):
        return [place for place in FRAME if self.turned(side, place)]

    def play(self, place):
        """Plays for the side to move; `None` is a pass."""
        side = self.turn
        if place is not None:
            for each in self.turned(side, place) + [place]:
                self.squares[each] = side
        self.turn = WHITE if side == BLACK else BLACK

    def is_over(self):
        return not self.moves(BLACK) and not self.moves(WHITE)

    def result(self):
        """Discs of Black less those of White; empty squares count for the winner."""
        black, white = self.squares.count(BLACK), self.squares.count(WHITE)
        empty = 64 - black - white
        return black - white + (empty if black > white else -empty if white > black else 0)

    def rows(self):
        edge = "   " + " ".join(FILES)
        lines = [edge]
        for row in range(1, 9):
            lines.append(f" {row} " + " ".join(self.squares[10 * row + 1 : 10 * row + 9]) + f" {row} ")
        return lines + [edge]


def place_of(word):
    """The square of a move, `None` for a pass; raises `ValueError` for another word."""
    if word in ("pa", "PA", "pass", "PASS"):
        return None
    if len(word) != 2 or word[0].upper() not in FILES or word[1] not in "12345678":
        raise ValueError(word)
    return 10 * int(word[1]) + FILES.index(word[0].upper()) + 1


def name_of(place):
    return "PA" if place is None else FILES[place % 10 - 1] + str(place // 10)


def shown_time(seconds):
    sign = "-" if seconds < 0 else ""
    whole = int(abs(seconds) + 0.5)
    return f"{sign}{whole // 60:02}:{whole % 60:02}"


def read_time(text):
    total = 0
    for part in text.split(":"):
        total = 60 * total + int(part)
    return total


class Clock:
    """The clock of a player: base time, increment, extension."""

    def __init__(self, setting):
        base, increment, extension = (setting.split("/") + ["", ""])[:3]
        self.setting = setting
        self.left = float(read_time(base))
        self.increment = float(read_time(increment)) if increment else 0.0
        self.extension = float(read_time(extension)) if extension else 0.0
        self.is_extended = False
        self.moves = 0

    def use(self, seconds):
        """Charges a move. Returns the time-outs: neither, `soft`, or `soft` and `hard`."""
        self.left -= seconds
        self.moves += 1
        outs = []
        if self.left < 0:
            outs.append("soft")
            if self.is_extended or self.extension == 0:
                outs.append("hard")
            elif not self.is_extended:
                self.is_extended = True
                self.left += self.extension
        self.left += self.increment
        return outs

    def __str__(self):
        parts = [f"{shown_time(self.left)},{self.moves}:0"]
        parts.append(f"{shown_time(self.increment)},{self.moves}:1" if self.increment else "")
        parts.append(f"{shown_time(self.extension)},{self.moves}:0" if self.extension else "")
        return "/".join(parts)


class Game:
    """One board with its clocks; `names` are those of Black and White."""

    def __init__(self, id, board, names, setting):
        self.id = id
        self.start = board.copy()
        self.board = board
        self.names = dict(zip((BLACK, WHITE), names))
        self.clocks = {BLACK: Clock(setting), WHITE: Clock(setting)}
        self.texts = []
        self.since = CLOCK.monotonic()
        self.is_over = board.is_over()
        self.flagged = []
        self.result = None
        #: In a synchro match: the move of this round, and its player, while the other one has not moved.
        self.held = None

    def side_of(self, name):
        return BLACK if self.names[BLACK] == name else WHITE

    def clock_lines(self):
        ratings = {BLACK: "1720.0", WHITE: "1811.5"}
        return [f"{self.names[side]:8} ({ratings[side]} {side}) {self.clocks[side]}" for side in (BLACK, WHITE)]

    def position_lines(self, move, says_turn=True):
        lines = [move, *self.clock_lines(), "", *self.board.rows(), ""]
        if says_turn or not self.is_over:
            lines.append(f"{self.board.turn} to move")
        return lines

    def join_lines(self):
        """The lines of a join: with moves it has the start and the position, two boards in one message."""
        if not self.texts:
            return ["0 move(s)", *self.position_lines("  0: PASS")]
        setting = self.clocks[BLACK].setting
        lines = [f"{len(self.texts)} move(s)"]
        lines += [f"{self.names[side]:8} (1700.0 {side}) {setting}" for side in (BLACK, WHITE)]
        lines += ["", *self.start.rows(), "", f"{self.start.turn} to move"]
        lines += [f"{number:3}: {text}" for number, text in enumerate(self.texts[:-1], 1)]
        return lines + self.position_lines(f"{len(self.texts):3}: {self.texts[-1]}")


class Match:
    def __init__(self, id, names, kind, mode, games):
        self.id = id
        self.names = names
        self.kind = kind
        self.mode = mode
        self.games = games

    def head(self):
        return f"match {self.id} 1811 {self.names[0]} 1720 {self.names[1]} {self.kind} {self.mode}"


class Client:
    """A logged-in connection."""

    def __init__(self, server, connection, name):
        self.server = server
        self.connection = connection
        self.name = name
        self.variables = {"open": "0", "trust": "-", "rated": "-", "client": "+", "request": "-"}
        #: Matches whose end the client may not have read: its moves cross the news.
        self.ended = set()

    def send(self, *lines):
        """A message: its lines, and `READY`, or `ALERT` while the server does not serve."""
        self.server.write(self.connection, ["", *lines, "ALERT" if self.server.is_alert else "READY"])


class Robot:
    """A user in the server. `choose` gets a board and returns a square."""

    def __init__(self, server, name, choose=None):
        self.name = name
        self.variables = {"open": "9", "trust": "+", "rated": "+", "client": "-", "request": "-"}
        self.choose = choose or (lambda board: server.rng.choice(board.moves(board.turn)))
        self.heard = []
        self.is_still = False

    def send(self, *lines):
        self.heard.append(lines)


class Server:
    def __init__(self, users=None, seed=1, ending="\n", piece=None, banner=(), news=()):
        self.users = {"ann": "secret", "bob": "hidden"} if users is None else users
        self.rng = random.Random(seed)
        self.ending = ending
        #: Bytes that leave at once.
        self.piece = piece
        self.banner = banner
        self.news = news
        self.is_alert = False
        self.says_turn_at_end = True
        #: Discs of the random start of the next match instead of those of its type: a `Board`.
        self.next_board = None
        #: Seconds charged in addition to the next move of a player.
        self.penalties = {}
        #: Answers to the next moves of a player instead of their execution.
        self.errors = {}
        #: Send each update this number of times.
        self.repeats = 1
        self.lock = threading.RLock()
        self.online = {}
        self.matches = {}
        self.requests = {}
        self.stored = {}
        self.watchers = {}
        self.lines = []
        self.faults = []
        self.results = []
        self.logins = 0
        self.kicked = []
        self.last_archive = 84050
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.is_closed = False
        self.listener = threading.Thread(target=self._listen, daemon=True)
        self.listener.start()

    # Connections

    def close(self):
        if self.is_closed:
            return
        self.is_closed = True
        # The listener leaves the socket before another server can get its number.
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            socket.create_connection(("127.0.0.1", self.port)).close()
        self.listener.join(10)
        self.socket.close()
        with self.lock:
            for client in list(self.online.values()):
                if isinstance(client, Client):
                    self._cut(client.connection)

    @staticmethod
    def _cut(connection):
        try:
            connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        connection.close()

    def _listen(self):
        while not self.is_closed:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            if self.is_closed:
                connection.close()
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def write(self, connection, lines):
        data = "".join(line + self.ending for line in lines).encode()
        try:
            if self.piece is None:
                connection.sendall(data)
                return
            for at in range(0, len(data), self.piece):
                connection.sendall(data[at : at + self.piece])
                time.sleep(0.0005)
        except OSError:
            pass

    def _serve(self, connection):
        reader = connection.makefile("r", encoding="utf-8", newline="\n")
        client = None
        try:
            client = self._login(connection, reader)
            if client is None:
                return
            for line in reader:
                line = line.rstrip("\r\n")
                with self.lock:
                    self.lines.append((client.name, line))
                    if self.online.get(client.name) is not client or not self._command(client, line):
                        return
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                if client is not None and self.online.get(client.name) is client:
                    self._offline(client.name)
            self._cut(connection)

    def _login(self, connection, reader):
        self.write(connection, [*self.banner, ": Enter login (yours, or one you'd like to use)."])
        for _ in range(3):
            name = reader.readline().rstrip("\r\n")
            if not name:
                return None
            self.logins += 1
            self.write(connection, [": Enter your password."])
            password = reader.readline().rstrip("\r\n")
            with self.lock:
                self.lines.append((name, "(login)"))
                if self.users.get(name) == password:
                    return self._enter(connection, name)
            self.write(connection, [f"{password} ", ": ERR Password is incorrect.", ": Enter login (yours, or one you'd like to use)."])
        return None

    def _enter(self, connection, name):
        old = self.online.get(name)
        if isinstance(old, Client):
            # The second login ends the first.
            self.kicked.append(name)
            self._offline(name)
            self._cut(old.connection)
        client = self.online[name] = Client(self, connection, name)
        client.send()
        for text in self.news:
            client.send(*text)
        partners = {other for names in self._stored_names() if name in names for other in names if other != name}
        for partner in partners:
            if partner in self.online:
                self.online[partner].send(f"/os: + {name} stored")
        return client

    def _offline(self, name):
        del self.online[name]
        for match in [match for match in self.matches.values() if name in match.names]:
            self._adjourn(match, f"{name} left")

    def drop(self, name):
        """Cuts the connection of a client."""
        with self.lock:
            self._cut(self.online[name].connection)

    def robot(self, name, choose=None):
        with self.lock:
            self.online[name] = robot = Robot(self, name, choose)
        return robot

    def say(self, name, *lines):
        """Sends any message to a user."""
        with self.lock:
            self.online[name].send(*lines)

    # Commands

    def _command(self, client, line):
        """Executes a line; `False` ends the connection."""
        if self.is_alert:
            client.send(": ERR the server does not serve")
            return True
        words = line.split()
        if words == ["quit"]:
            client.send(": Thank you for using GGS.")
            return False
        if not words or words[0] == "verbose":
            client.send()
        elif words[:2] == ["tell", "/os"] and len(words) > 2:
            client.send()
            self._service(client, words[2], words[3:])
            self._robots_move()
        else:
            client.send(f": ERR unknown command {words[0]}")
        return True

    def _service(self, client, command, words):
        if command in ("client", "trust", "rated", "open", "request", "vt100") and len(words) == 1:
            client.variables[command] = words[0]
            if command == "open" and words != ["0"]:
                # A client that wants a new match has read the end of the old one.
                client.ended.clear()
        elif command in ("ask", "accept", "decline", "cancel", "play", "moves", "watch", "break", "resign"):
            getattr(self, "_" + command)(client, words)
        elif command == "stored":
            rows = [f"|{number} 30 Jul 2026 12:00:00 {' '.join(each.names)} {each.kind}:l" for number, each in self.stored.items()]
            client.send(f"/os: stored {client.name}", *rows)
        elif command == "continue":
            for number in list(self.stored):
                self._ask(client, [number])
        else:
            client.send(f"/os: ERR unknown command {command}")

    def ask(self, asker, asked, kind, clock, mode="U"):
        """A robot asks a client; returns the number of the request."""
        with self.lock:
            return self._request(asker, asked, kind, clock, mode)

    def adjourn(self, name):
        """Ends the match of a robot, which leaves, and comes back at once."""
        with self.lock:
            match = next(match for match in self.matches.values() if name in match.names)
            self._adjourn(match, f"{name} left")
            partner = match.names[0] if match.names[1] == name else match.names[1]
            self._request(name, partner, match.kind, "05:00//02:00", "S", f".{self.last_archive}")

    def _ask(self, client, words):
        if words[0].startswith("."):
            self._ask_stored(client, words[0])
            return
        kind, clock, asked = (words + ["15:00//2:00", "*"])[:3]
        if asked != "*" and asked not in self.online:
            client.send(f"/os: ERR user '{asked}' not found.")
            return
        mode = "R" if client.variables["rated"] == "+" else "U"
        id = self._request(client.name, asked, kind, clock, mode)
        if isinstance(self.online.get(asked), Robot):
            self._start(id)

    def _ask_stored(self, client, number):
        match = self.stored.get(number)
        if match is None or client.name not in match.names:
            client.send(f"/os: ERR stored match '{number}' not found.")
            return
        partner = match.names[0] if match.names[1] == client.name else match.names[1]
        if partner not in self.online:
            client.send(f"/os: ERR user '{partner}' not found.")
            return
        mirrored = [id for id, each in self.requests.items() if each["stored"] == number and each["asker"] == partner]
        id = mirrored[0] if mirrored else self._request(client.name, partner, match.kind, "05:00//02:00", "S", number)
        if mirrored or isinstance(self.online[partner], Robot):
            self._start(id)

    def _request(self, asker, asked, kind, clock, mode, stored=None):
        id = next(f".{number}" for number in range(1, 999) if f".{number}" not in self.requests)
        self.requests[id] = {"asker": asker, "asked": asked, "kind": kind, "clock": clock, "mode": mode, "stored": stored}
        self._tell_request("+", id)
        return id

    def _tell_request(self, sign, id):
        each = self.requests[id]
        other = "*      *" if each["asked"] == "*" else f"1720.0 {each['asked']}"
        text = f"/os: {sign}   {id} 1811.5 {each['asker']:8} {each['clock']} {each['kind']:>8} {each['mode']} {other}"
        text += f" {each['stored']}" if each["stored"] else ""
        names = list(self.online) if each["asked"] == "*" else [each["asker"], each["asked"]]
        for name in names:
            if name in self.online:
                self.online[name].send(text)

    def _accept(self, client, words):
        each = self.requests.get(words[0])
        if each is None:
            client.send(f"/os: ERR request '{words[0]}' not found.")
        elif each["asker"] == client.name:
            client.send("/os: ERR you cannot accept your own match request.")
        elif client.variables["open"] == "0":
            client.send("/os: ERR Your open value is too low for new matches.")
        else:
            if each["asked"] == "*":
                each["asked"] = client.name
            self._start(words[0])

    def _decline(self, client, words):
        if words[0] in self.requests:
            self._tell_request("-", words[0])
            del self.requests[words[0]]

    _cancel = _decline

    # Matches

    def _start(self, id):
        each = self.requests[id]
        names = (each["asker"], each["asked"])
        number = next(f".{number}" for number in range(7, 999) if f".{number}" not in self.matches)
        if each["stored"]:
            match = self.stored.pop(each["stored"])
            match.id, old = number, match.id
            for game in match.games:
                game.id = number + game.id[len(old) :]
                game.since = CLOCK.monotonic()
        else:
            match = self._new_match(number, names, each)
        self.matches[number] = match
        # The request disappears before or after the news of the match.
        late = self.rng.random() < 0.5
        if not late:
            self._tell_request("-", id)
        for name in match.names:
            self.online[name].send(f"/os: + {match.head()}")
        if late:
            self._tell_request("-", id)
        del self.requests[id]
        for game in match.games:
            self._join(match, game)

    def _new_match(self, number, names, each):
        kind = each["kind"]
        discs = int(kind.split("r")[1]) if "r" in kind else None
        board = self.next_board or Board(discs, self.rng)
        self.next_board = None
        black_first = kind.endswith("b") or not kind.endswith("w") and self.rng.random() < 0.5
        if kind.startswith("s"):
            pairs = [names, names[::-1]]
            games = [Game(f"{number}.{at}", board.copy(), pair, each["clock"]) for at, pair in enumerate(pairs)]
        else:
            pair = names if black_first else names[::-1]
            games = [Game(number, board, pair, each["clock"])]
        return Match(number, names, kind, each["mode"], games)

    def _join(self, match, game, only=None):
        for name in [only] if only else self._hearers(match):
            lines = [f"/os: join {game.id} 8 K?", *("|" + line for line in game.join_lines())]
            self.online[name].send(*lines)

    def _hearers(self, match):
        watching = [name for name, id in self.watchers.items() if id == match.id]
        return [name for name in [*match.names, *watching] if name in self.online]

    def _moves(self, client, words):
        match, game = self._find(words[0])
        if game:
            self._join(match, game, client.name)
        else:
            client.send(f"/os: ERR match '{words[0]}' not found.")

    def _watch(self, client, words):
        match = self.matches.get(words[1])
        if words[0] == "+" and match:
            self.watchers[client.name] = match.id
            for game in match.games:
                self._join(match, game, client.name)

    def _find(self, id):
        for match in self.matches.values():
            for game in match.games:
                if game.id == id:
                    return match, game
        return None, None

    def _play(self, client, words):
        match, game = self._find(words[0])
        if game is None:
            found = self.matches.get(words[0])
            if found:
                client.send(f"/os: error {words[0]} game id needed (only) in synchro games")
            else:
                client.send(f"/os: ERR match '{words[0]}' not found.")
            if not any(words[0] == id or words[0].startswith(f"{id}.") for id in client.ended):
                self._fault(client.name, f"no game {words[0]}")
            return
        planned = self.errors.get(client.name)
        if planned:
            client.send(f"/os: error {game.id} {planned.pop(0)}")
            return
        reason = self._move(match, game, client.name, words[1])
        if reason:
            self._fault(client.name, f"{game.id} {words[1]}: {reason}")
            client.send(f"/os: error {game.id} {reason}")

    def _fault(self, name, text):
        self.faults.append(f"{name}: {text}")

    def _move(self, match, game, name, text):
        """Plays a move; the reason if the match does not allow it."""
        board = game.board
        parts = text.split("/")
        try:
            place = place_of(parts[0])
            score = float(parts[1]) if parts[1:] and parts[1] else 0.0
            seconds = float(parts[2]) if parts[2:] and parts[2] else 0.0
        except ValueError:
            return "corrupt move"
        if name not in match.names:
            return "wrong game!"
        if seconds < 0 or seconds > 99999 or abs(score) >= 1000:
            return "move time >= 0 expected"
        if game.is_over or game.names[board.turn] != name:
            return "not your turn"
        if game.held:
            return "wrong game!"
        if (place is None) == bool(board.moves(board.turn)) or place is not None and not board.turned(board.turn, place):
            return "illegal move"
        self._charge(match, game, name, seconds)
        game.texts.append(self._text(parts[0], score, seconds))
        board.play(place)
        game.is_over = game.is_over or board.is_over()
        self._spread(match, game, name)
        return None

    @staticmethod
    def _text(move, score, seconds):
        text = move
        if score or seconds >= 0.005:
            text += f"/{score:.2f}" if score else "/"
        if seconds >= 0.005:
            text += f"/{seconds:.2f}"
        return text

    def _charge(self, match, game, name, seconds):
        user = self.online[name]
        # A robot plays at once, however slow this machine is.
        wall = 0.0 if isinstance(user, Robot) else CLOCK.monotonic() - game.since
        if user.variables["trust"] != "+" or seconds < wall - 4:
            if user.variables["trust"] == "+":
                self._everyone(match, f"/os: trust-violation {game.id} {name} (*) delta= 4 + {wall - seconds - 4:.1f} secs")
                self._fault(name, "trust-violation")
            seconds = wall
        seconds += self.penalties.pop(name, 0)
        outs = game.clocks[game.board.turn].use(seconds)
        for out in outs:
            word = "timeout" if out == "soft" else "fatal-timeout"
            self._everyone(match, f"/os: {word} {game.id} {name} ({game.board.turn})")
            self._fault(name, f"{game.id} {word}")
        if outs and not game.flagged:
            game.flagged.append(name)
        if "hard" in outs:
            game.is_over = True
            game.result = -64 if game.side_of(name) == BLACK else 64

    def _everyone(self, match, *lines):
        for name in self._hearers(match):
            self.online[name].send(*lines)

    def _spread(self, match, game, name):
        """Shows a move. In a synchro match only the mover sees it until both games have their move of the round."""
        others = [each for each in match.games if each is not game and not each.is_over]
        if not others and not any(each.held for each in match.games):
            self._update(match, game, self._hearers(match))
        else:
            self._update(match, game, [name])
            game.held = name
            waiting = [each for each in match.games if not each.held and not each.is_over]
            if not waiting:
                self._end_round(match)
        if all(each.is_over and not each.held for each in match.games):
            self._finish(match)

    def _end_round(self, match):
        for each in match.games:
            if each.held:
                self._update(match, each, [other for other in self._hearers(match) if other != each.held])
                each.held = None
                if each.is_over and len(match.games) == 2 and not all(game.is_over for game in match.games):
                    self._game_over(match, each)
            each.since = CLOCK.monotonic()

    def _update(self, match, game, names):
        lines = game.position_lines(f"{len(game.texts):3}: {game.texts[-1]}", self.says_turn_at_end)
        for name in names:
            for _ in range(self.repeats):
                self.online[name].send(f"/os: update {game.id} 8 K?", *("|" + line for line in lines))
        if game.held is None:
            game.since = CLOCK.monotonic()

    def _value(self, match, game):
        """The result of a game for the first name."""
        value = game.board.result() if game.result is None else game.result
        if game.side_of(match.names[0]) == WHITE:
            value = -value
        if game.flagged and game.result is None:
            # A soft time-out: at best the smallest loss.
            value = min(value, -2) if game.flagged[0] == match.names[0] else max(value, 2)
        return value

    def _game_over(self, match, game):
        self._everyone(match, f"/os: end {game.id} ( {match.names[0]} vs. {match.names[1]} ) {self._value(match, game):+.2f}")

    def _finish(self, match):
        values = [self._value(match, game) for game in match.games]
        if len(match.games) == 1:
            self._game_over(match, match.games[0])
        value = sum(values) / len(values)
        self.results.append((match.names, match.kind, value))
        self.last_archive += 1
        archive = f"  .{self.last_archive}" if match.mode != "U" else ""
        self._end(match, f"{value:+.2f}{archive}")

    def _end(self, match, words):
        del self.matches[match.id]
        for name in self._hearers(match):
            if isinstance(self.online[name], Client):
                self.online[name].ended.add(match.id)
        self._everyone(match, f"/os: - {match.head()} {words}")

    def _adjourn(self, match, words):
        number = ""
        if match.mode != "U":
            self.last_archive += 1
            number = f" .{self.last_archive}"
            self.stored[number.strip()] = match
            for game in match.games:
                game.held = game.held and None
        self._end(match, words + number)

    def _break(self, client, words):
        match = self.matches.get(words[0])
        if match:
            self._adjourn(match, f"{client.name} left")

    def _resign(self, client, words):
        match = self.matches.get(words[0])
        if match:
            for game in match.games:
                game.result = -64 if game.side_of(client.name) == BLACK else 64
            self._finish(match)

    def _stored_names(self):
        return [match.names for match in self.stored.values()]

    # Robots

    def go_on(self):
        """Lets the robots move."""
        with self.lock:
            self._robots_move()

    def _robots_move(self):
        """Plays for each robot whose turn it is."""
        moved = True
        while moved:
            moved = False
            for match in list(self.matches.values()):
                for game in match.games:
                    robot = self.online.get(game.names[game.board.turn])
                    if not isinstance(robot, Robot) or robot.is_still or game.is_over or game.held:
                        continue
                    if match.id not in self.matches:
                        continue
                    moves = game.board.moves(game.board.turn)
                    text = name_of(robot.choose(game.board)) if moves else "pa"
                    assert self._move(match, game, robot.name, text) is None
                    moved = True
