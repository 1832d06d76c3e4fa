"""The rules of Othello on sets of squares: integers whose bit 0 is a1, bit 7 h1 and bit 63 h8."""

from __future__ import annotations

from typing import List, Tuple

FILES = "abcdefgh"
#: The names of the squares, a1 to h1 first.
SQUARES: Tuple[str, ...] = tuple(file + rank for rank in "12345678" for file in FILES)
#: The number of each square by its name.
NUMBERS = {name: number for number, name in enumerate(SQUARES)}

_NOT_A = 0xFEFEFEFEFEFEFEFE
_NOT_H = 0x7F7F7F7F7F7F7F7F
_INNER = _NOT_A & _NOT_H
_ALL = 0xFFFFFFFFFFFFFFFF
#: For each direction: the distance of neighbors, and the discs that can be turned along it.
_DIRECTIONS = ((1, _INNER), (8, _ALL), (7, _INNER), (9, _INNER))


def _rays(square: int) -> Tuple[Tuple[int, ...], ...]:
    """The squares in each of eight directions, nearest first; only directions in which a disc can be turned."""
    rank, file = divmod(square, 8)
    rays: List[Tuple[int, ...]] = []
    for up, right in ((0, 1), (0, -1), (1, 0), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
        steps = range(1, 8)
        places = [(rank + up * step, file + right * step) for step in steps]
        ray = tuple(1 << (8 * y + x) for y, x in places if 0 <= y < 8 and 0 <= x < 8)
        if len(ray) > 1:
            rays.append(ray)
    return tuple(rays)


_RAYS = tuple(_rays(square) for square in range(64))


def legal(player: int, opponent: int) -> int:
    """The empty squares on which `player` may play."""
    found = 0
    for step, mask in _DIRECTIONS:
        between = opponent & mask
        up = between & (player << step)
        down = between & (player >> step)
        for _ in range(5):
            up |= between & (up << step)
            down |= between & (down >> step)
        found |= (up << step) | (down >> step)
    return found & ~(player | opponent) & _ALL


def flipped(square: int, player: int, opponent: int) -> int:
    """The discs that a disc of `player` on the number of an empty square turns; 0 where the move is illegal."""
    turned = 0
    for ray in _RAYS[square]:
        passed = 0
        for place in ray:
            if opponent & place:
                passed |= place
            else:
                if player & place:
                    turned |= passed
                break
    return turned


def names(squares: int) -> Tuple[str, ...]:
    """The names of the squares in a set, a1 to h1 first."""
    found = []
    while squares:
        low = squares & -squares
        found.append(SQUARES[low.bit_length() - 1])
        squares ^= low
    return tuple(found)


def _orders() -> Tuple[Tuple[int, ...], ...]:
    """For each of the eight symmetries of a board: the squares in their new order."""
    places = [(y, x) for y in range(8) for x in range(8)]
    swapped = [(x, y) for y, x in places]
    # Exclusive or with 7 counts a rank or file from the other end.
    mirrors = ((0, 0), (0, 7), (7, 0), (7, 7))
    return tuple(tuple(8 * (y ^ up) + (x ^ side) for y, x in seen) for seen in (places, swapped) for up, side in mirrors)


#: The squares of a board in the order of each symmetry; the first is the identity.
ORDERS = _orders()
