"""Clocks of the server, and the time for a move. All times are in seconds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Optional

#: The share of the base time that stays unused, and its limit in seconds.
RESERVE_SHARE = 0.05
RESERVE_SECONDS = 5.0
#: The shortest search, in seconds.
SHORTEST = 0.01
#: Empty squares from which on the engine solves the game fast.
SOLVED_EMPTIES = 18

_TIME = re.compile(r"(-?)(?:(\d{1,3}):)?(\d{1,4}):(\d{1,2})$")
#: The counts of moves after BASE, INC and EXT that change no rule, with or without the counter of a state.
_PLAIN_COUNTS = (re.compile(r"(\d+:)?0$"), re.compile(r"(\d+:)?[01]$"), re.compile(r"(\d+:)?[01]$"))


def parse_time(text: str) -> Optional[float]:
    """`MM:SS` or `HH:MM:SS`, which may be negative; `None` for another text."""
    found = _TIME.match(text.strip())
    if not found:
        return None
    sign, hours, minutes, seconds = found.groups()
    total = 3600.0 * int(hours or 0) + 60.0 * int(minutes) + int(seconds)
    return -total if sign else total


@dataclass(frozen=True)
class Clock:
    """The setting of a clock, or its state with the time left as `base`."""

    base: float
    #: Added after each move.
    increment: float = 0.0
    #: Time after the base time, in which the game is lost but not yet by 64 discs. The bridge never plans with it.
    extension: float = 0.0
    #: No counts of moves and no letter `N`: the rules of the other clocks are not for this bridge.
    is_plain: bool = True


def parse_clock(text: str) -> Optional[Clock]:
    """`BASE/INC/EXT`, each with an optional count of moves, as a setting or as the state of a clock; `None` if unreadable.

    A state has counters such as `04:56,1:0//02:00,1:0`.
    """
    times = []
    is_plain = True
    for part, plain in zip((text.split("/") + ["", "", ""])[:3], _PLAIN_COUNTS):
        time, _, count = part.partition(",")
        if count and not plain.match(count):
            is_plain = False
        found = parse_time(time) if time else 0.0
        if found is None:
            return None
        times.append(found)
    if text.count("/") > 2 or not text.split("/")[0]:
        return None
    return Clock(times[0], times[1], times[2], is_plain)


def budget(left: float, clock: Clock, empties: int, delay: float) -> float:
    """Seconds for the next move.

    `left` is on the clock, `clock` its setting, `delay` the measured time that a move takes to the server and back. A soft
    time-out loses the game, so the extension is never part of the budget.
    """
    reserve = min(RESERVE_SECONDS, RESERVE_SHARE * clock.base) + delay
    available = left - reserve
    moves = max(2.0, (empties - SOLVED_EMPTIES) / 2 + 2)
    share = available / moves + 0.9 * clock.increment
    return max(SHORTEST, min(share, 0.7 * available))
