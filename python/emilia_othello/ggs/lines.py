"""Bytes to lines, and lines to messages. Every limit here guards against a server or a user that floods the bridge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import List, Optional

#: The most bytes of a line; the splitter drops longer lines.
MAX_LINE = 65_536
#: The largest message in characters, where each line counts `PER_LINE` more; the reader drops the rest.
MAX_MESSAGE = 1_000_000
PER_LINE = 100
#: Lines that end a message.
READY = "READY"
ALERT = "ALERT"

_ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")


def printable(text: str) -> str:
    """The text without escape sequences and control characters: safe for a terminal and one line of a log."""
    return _CONTROL.sub("", _ESCAPE.sub("", text))


class LineSplitter:
    """Splits a stream of bytes into lines, whatever the pieces in which it arrives."""

    def __init__(self) -> None:
        self._rest = b""
        self._is_too_long = False
        #: Lines dropped because of their length.
        self.dropped = 0

    @property
    def rest(self) -> str:
        """The text after the last end of a line: a prompt may have none."""
        return printable(self._rest.decode("utf-8", "replace"))

    def feed(self, data: bytes) -> List[str]:
        """The lines that the bytes complete, without their ends and without control characters."""
        *complete, self._rest = (self._rest + data).split(b"\n")
        lines = []
        for line in complete:
            if self._is_too_long or len(line) > MAX_LINE:
                self.dropped += 1
            else:
                lines.append(printable(line.decode("utf-8", "replace")))
            self._is_too_long = False
        if len(self._rest) > MAX_LINE:
            self._is_too_long = True
            self._rest = b""
        return lines


@dataclass(frozen=True)
class Message:
    """The lines up to `READY` or `ALERT`, without the empty ones."""

    lines: List[str]
    #: It ended with `ALERT`: the central server does not serve at present.
    is_alert: bool = False


class MessageReader:
    """Collects lines to messages."""

    def __init__(self) -> None:
        self._lines: List[str] = []
        self._size = 0
        #: Lines dropped because their message was too long.
        self.dropped = 0

    def feed(self, line: str) -> Optional[Message]:
        """The message that the line ends, if it ends one."""
        word = line.strip()
        if word in (READY, ALERT):
            lines = self._lines
            self._lines = []
            self._size = 0
            return Message(lines, word == ALERT)
        self._size += len(line) + PER_LINE
        if self._size > MAX_MESSAGE:
            self.dropped += 1
        elif word:
            self._lines.append(line)
        return None
