"""`python -m emilia_othello.ggs`."""

import sys

from .command import main

sys.exit(main())
