"""Holds scores against searches six plies deeper: how often they lie within the error that is stated with them.

    emilia convert --to moves WTH_2019.wtb | python deeper.py /path/to/emilia [COUNT] [DEPTH]

Takes a position with 24 to 44 empties of each game, searches it at every selectivity to DEPTH (8), and once to
DEPTH + 6 at 95 %. Prints a row per selectivity.
"""

import json
import random
import subprocess
import sys

LEVELS = [73, 87, 95, 99]


def ask(emilia, requests):
    """All answers, in the order of the requests."""
    command = [emilia, "analyze", "--in-order", "--threads", "2"]
    text = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    emilia = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    depth = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    rng = random.Random(1)
    games = [line.strip() for line in sys.stdin if len(line.strip()) >= 100]
    games = rng.sample(games, min(count, len(games)))
    # So many moves leave 24 to 44 empties.
    positions = [game[: 2 * rng.randint(16, 36)] for game in games]
    deeper = ask(emilia, [{"position": p, "depth": depth + 6, "selectivity": 95} for p in positions])
    print("| selectivity | scores | within the stated error | stated error | error seen |")
    print("|---|---|---|---|---|")
    for level in LEVELS:
        scores = ask(emilia, [{"position": p, "depth": depth, "selectivity": level} for p in positions])
        pairs = [(s, d) for s, d in zip(scores, deeper) if s["depth"] == depth and d["depth"] == depth + 6]
        off = [abs(score["score"] - deep["score"]) for score, deep in pairs]
        within = sum(gap <= score["score_error"] for gap, (score, _) in zip(off, pairs)) / len(pairs)
        stated = sum(score["score_error"] for score, _ in pairs) / len(pairs)
        seen = (sum(gap * gap for gap in off) / len(pairs)) ** 0.5
        print(f"| {level} % | {len(pairs)} | {100 * within:.1f} % | {stated:.2f} | {seen:.2f} |")


if __name__ == "__main__":
    main()
