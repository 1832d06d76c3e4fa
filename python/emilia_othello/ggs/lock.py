"""A lock for each name on a server: a second login ends the first, so this machine never makes one."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import urllib.parse
from typing import IO, Iterator

from .options import Options

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl


@contextlib.contextmanager
def held(options: Options) -> Iterator[None]:
    """Holds the lock. Raises `OSError` if another bridge of this user holds it."""
    user = os.getuid() if hasattr(os, "getuid") else ""
    name = urllib.parse.quote(f"emilia-ggs-{user}-{options.host}-{options.port}-{options.name.lower()}", safe="")
    path = os.path.join(tempfile.gettempdir(), name + ".lock")
    with open(path, "a", encoding="ascii") as file:
        try:
            _lock(file)
        except OSError:
            raise OSError(f"{options.name} is already logged in to {options.host} by another emilia-ggs") from None
        yield


def _lock(file: IO[str]) -> None:
    if sys.platform == "win32":
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
