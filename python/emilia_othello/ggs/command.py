"""The command `emilia-ggs`."""

from __future__ import annotations

import io
import os
import signal
import sys
from typing import Optional, Sequence

from .bridge import Bridge
from .options import OptionsError, read_options


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Reads the options and plays; the exit code: 0, 1 after a failure, 2 for wrong options."""
    try:
        options, password = read_options(sys.argv[1:] if arguments is None else arguments, os.environ)
    except OptionsError as error:
        print(f"emilia-ggs: {error}", file=sys.stderr)
        return 2
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Chat may have letters that the terminal does not have.
        sys.stdout.reconfigure(errors="replace")
    bridge = Bridge(options, password)
    signal.signal(signal.SIGINT, lambda *_: bridge.interrupt())
    if hasattr(signal, "SIGTERM"):
        signal.signal(signal.SIGTERM, lambda *_: bridge.interrupt())
    return bridge.run()
