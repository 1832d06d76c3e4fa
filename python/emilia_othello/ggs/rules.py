"""The rules on the boards of the server, by `Board`: 64 characters from a1 to h8, `-`, `X` for Black and `O` for White."""

from __future__ import annotations

from typing import List, Optional

from ..board import Board

PASS = "pa"


def other(side: str) -> str:
    """The opponent of a side, `X` or `O`."""
    return "O" if side == "X" else "X"


def legal_moves(board: str, side: str) -> List[str]:
    """The squares where the side may move, passes excluded."""
    return list(Board(f"{board} {side}").legal_moves)


def is_over(board: str) -> bool:
    """Whether neither side can move."""
    return Board(f"{board} X").is_over


def play(board: str, side: str, move: str) -> Optional[str]:
    """The board after a move or a pass; `None` if it is illegal."""
    try:
        return Board(f"{board} {side}").play(move).position[:64]
    except ValueError:
        return None


def score(board: str) -> int:
    """The result of a finished game for Black, in discs; the empty squares count for the winner."""
    difference = board.count("X") - board.count("O")
    empties = board.count("-")
    if difference == 0:
        return 0
    return difference + empties if difference > 0 else difference - empties
