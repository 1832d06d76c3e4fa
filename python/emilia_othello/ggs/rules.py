"""The rules of Othello, for checks of boards, passes and records. The engine chooses the moves.

A board is 64 characters from a1 to h8, `-`, `X` for Black and `O` for White; a side is `X` or `O`.
"""

from __future__ import annotations

from typing import List, Optional

PASS = "pa"
SQUARES = [file + rank for rank in "12345678" for file in "abcdefgh"]
_PLACES = {square: place for place, square in enumerate(SQUARES)}
_STEPS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y]


def other(side: str) -> str:
    """The opponent of a side."""
    return "O" if side == "X" else "X"


def flips(board: str, side: str, square: str) -> List[int]:
    """Places of the discs that a move turns; empty if the move is illegal."""
    place = _PLACES.get(square, -1)
    if place < 0 or board[place] != "-":
        return []
    turned = []
    for x, y in _STEPS:
        column = place % 8 + x
        row = place // 8 + y
        line = []
        while 0 <= column < 8 and 0 <= row < 8 and board[8 * row + column] == other(side):
            line.append(8 * row + column)
            column += x
            row += y
        if 0 <= column < 8 and 0 <= row < 8 and board[8 * row + column] == side:
            turned += line
    return turned


def legal_moves(board: str, side: str) -> List[str]:
    """The squares where the side may move, passes excluded."""
    return [square for square in SQUARES if flips(board, side, square)]


def is_over(board: str) -> bool:
    """Whether neither side can move."""
    return not legal_moves(board, "X") and not legal_moves(board, "O")


def play(board: str, side: str, move: str) -> Optional[str]:
    """The board after a move or a pass; `None` if it is illegal."""
    if move == PASS:
        must_pass = not legal_moves(board, side) and legal_moves(board, other(side))
        return board if must_pass else None
    turned = flips(board, side, move)
    if not turned:
        return None
    squares = list(board)
    for place in [*turned, _PLACES[move]]:
        squares[place] = side
    return "".join(squares)


def score(board: str) -> int:
    """The result of a finished game for Black, in discs; the empty squares count for the winner."""
    difference = board.count("X") - board.count("O")
    empties = board.count("-")
    if difference == 0:
        return 0
    return difference + empties if difference > 0 else difference - empties
