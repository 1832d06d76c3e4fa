"""Writes requests for positions of random games: make_requests.py [COUNT] [SEED] > requests.jsonl"""

import json
import random
import sys

STEPS = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]


def flips(board, side, square):
    """The squares that `side` turns by playing on `square`, an index from a1 = 0 to h8 = 63."""
    if board[square] != "-":
        return []
    turned = []
    for step_x, step_y in STEPS:
        x, y = square % 8 + step_x, square // 8 + step_y
        run = []
        while 0 <= x < 8 and 0 <= y < 8 and board[8 * y + x] not in ("-", side):
            run.append(8 * y + x)
            x, y = x + step_x, y + step_y
        if 0 <= x < 8 and 0 <= y < 8 and board[8 * y + x] == side:
            turned += run
    return turned


def position(rng, plies):
    """A position after so many random moves, or fewer if a side cannot move."""
    board = list("-" * 27 + "OX" + "-" * 6 + "XO" + "-" * 27)
    side = "X"
    for _ in range(plies):
        moves = [square for square in range(64) if flips(board, side, square)]
        if not moves:
            break
        square = rng.choice(moves)
        for turned in flips(board, side, square) + [square]:
            board[turned] = side
        side = "O" if side == "X" else "X"
    return "".join(board) + " " + side


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    for number in range(count):
        print(json.dumps({"id": f"{number:09}", "position": position(rng, rng.randint(4, 40))}))


if __name__ == "__main__":
    main()
