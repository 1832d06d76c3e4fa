"""Emilia, an engine for Othello (Reversi), from Python.

    from emilia_othello import Engine

    with Engine(jobs=2) as engine:
        analysis = engine.analyze("f5d6c3", depth=12)
        print(analysis.best, analysis.score)            # d3 -0.5: discs, for the side to move
        for analysis in engine.analyze(["f5d6", "f5f6", "f5f4"], depth=10, best_moves="all"):
            print(analysis.id, [(move.move, move.score) for move in analysis.moves])

`Engine` has all there is to ask, `Options` how, `Analysis` what is answered. Rules, searches and scores are those of
the program `emilia` that comes with this package.
"""

from .board import Board
from .engine import Analyses, Engine, Search
from .errors import Cancelled, EngineDied, EngineError, OptionError, RequestError
from .games import read_analyses, read_games
from .request import START, HasPosition, Options, Query, Request
from .results import (
    Analysis,
    BookEntry,
    Estimate,
    Game,
    GameResult,
    LegalMove,
    Line,
    MoveAnalysis,
    MoveGames,
    Names,
    Played,
    Shown,
    Stable,
    Trap,
    to_pandas,
    to_rows,
)

__all__ = [
    "START",
    "Analyses",
    "Analysis",
    "Board",
    "BookEntry",
    "Cancelled",
    "Engine",
    "EngineDied",
    "EngineError",
    "Estimate",
    "Game",
    "GameResult",
    "HasPosition",
    "LegalMove",
    "Line",
    "MoveAnalysis",
    "MoveGames",
    "Names",
    "OptionError",
    "Options",
    "Played",
    "Query",
    "Request",
    "RequestError",
    "Search",
    "Shown",
    "Stable",
    "Trap",
    "read_analyses",
    "read_games",
    "to_pandas",
    "to_rows",
]
