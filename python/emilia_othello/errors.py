"""What can go wrong. All of it is an `EngineError`."""

from __future__ import annotations

from typing import Any, Optional


class EngineError(Exception):
    """Something that the engine said or did."""


class EngineDied(EngineError):
    """The engine's process ended while it was wanted; the text tells how, and what it wrote to stderr."""


class OptionError(EngineError, ValueError):
    """The program refuses an option of `Engine` or of `Engine.play`. The text is the program's."""


class RequestError(EngineError, ValueError):
    """The engine refuses a request. The text is the engine's and begins with the field."""

    #: The id of the request, as the caller gave it.
    id: Any
    #: The field that is wrong, if one is.
    field: Optional[str]

    def __init__(self, text: str, id: Any = None, field: Optional[str] = None) -> None:
        super().__init__(text)
        self.id = id
        self.field = field


class Cancelled(EngineError):
    """The position was given up before its search began, so nothing is known of it."""
