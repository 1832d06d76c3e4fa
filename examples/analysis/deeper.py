"""Holds scores against searches six plies deeper: how often they lie within the margin that is stated with them.

    emilia convert --to moves WTH_2018.wtb | python deeper.py /path/to/emilia [COUNT] [DEPTH] [LEVELS]

Takes a position with 24 to 44 empties of each game and searches it at every level of selectivity (73,87,95) to
DEPTH (8) and to DEPTH + 6. Prints a row per level; `±` is one standard error.
"""

import json
import random
import subprocess
import sys


def ask(emilia, requests):
    """The answers in the order of the requests."""
    command = [emilia, "analyze", "--jobs", "2", "--no-book"]
    text = "".join(json.dumps({"id": number, **request}) + "\n" for number, request in enumerate(requests))
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, text=True, check=True)
    return sorted((json.loads(line) for line in done.stdout.splitlines()), key=lambda answer: answer["id"])


def main():
    emilia = sys.argv[1]
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 400
    depth = int(sys.argv[3]) if len(sys.argv) > 3 else 8
    levels = [int(level) for level in (sys.argv[4] if len(sys.argv) > 4 else "73,87,95").split(",")]
    rng = random.Random(1)
    games = [line.strip() for line in sys.stdin if len(line.strip()) >= 100]
    games = rng.sample(games, min(count, len(games)))
    # These numbers of moves leave 24 to 44 empties.
    positions = [game[: 2 * rng.randint(16, 36)] for game in games]
    print("| selectivity | scores | within the margin | ± | mean margin | error seen |")
    print("|---|---|---|---|---|---|")
    for level in levels:
        scores, deeper = (
            ask(emilia, [{"position": p, "depth": plies, "selectivity": level} for p in positions])
            for plies in (depth, depth + 6)
        )
        pairs = [(s, d) for s, d in zip(scores, deeper) if s["depth"] == depth and d["depth"] == depth + 6]
        off = [abs(score["score"] - deep["score"]) for score, deep in pairs]
        within = sum(gap <= score["margin"] for gap, (score, _) in zip(off, pairs)) / len(pairs)
        noise = (within * (1 - within) / len(pairs)) ** 0.5
        stated = sum(score["margin"] for score, _ in pairs) / len(pairs)
        seen = (sum(gap * gap for gap in off) / len(pairs)) ** 0.5
        row = [f"{level} %", len(pairs), f"{100 * within:.1f} %", f"{100 * noise:.1f}", f"{stated:.2f}", f"{seen:.2f}"]
        print("|", " | ".join(map(str, row)), "|", flush=True)


if __name__ == "__main__":
    main()
