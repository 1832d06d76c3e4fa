#!/usr/bin/env python3
"""Makes the suites of this folder: python make.py EMILIA XOT.txt WTH_2021.wtb ... WTH_2025.wtb

Each step leaves its file in the current folder and is not made again; `analyze` goes on where it was broken off.
The suites stand in moves-*.obf at the end. The labels take 37 G nodes: four minutes of 16 cores.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

EMILIA, XOT, *WTHOR = sys.argv[1:]
SEED = 41
SUITES = {"moves-28-34": (28, 34), "moves-36-48": (36, 48)}
KINDS = ["wthor", "xot"]
POSITIONS = 300


def emilia(*args):
    return subprocess.run([EMILIA, *map(str, args)], check=True, capture_output=True, text=True).stdout


def games():
    """The moves of WTHOR's games, and of 120 games of 20,000 nodes a move that Emilia plays against itself from XOT lines."""
    file = Path("xot.ggf")
    if not file.exists():
        player = "emilia:nodes=20000"
        emilia("match", f"a={player}", f"b={player}", "--openings", XOT, "--shuffle", "--seed", SEED, "--games", 240, "--ggf", file)
    return ["".join(emilia("convert", "--to", "moves", wtb) for wtb in WTHOR), emilia("convert", "--to", "moves", file)]


def beginnings(rng, text, low, high):
    """500 games cut off with `low` to `high` empties, at least seven moves before their end."""
    games = sorted(set(text.split()))
    rng.shuffle(games)
    found, index = [], 0
    while len(found) < 500 and index < 20 * len(games):
        game, moves = games[index % len(games)], 60 - rng.randint(low, high)
        index += 1
        if len(game) // 2 > moves + 6:
            found.append(game[: 2 * moves])
    return sorted(set(found), key=found.index)


def answers(name, requests):
    """What `analyze` answers to `requests`, by id."""
    file, out = Path(f"{name}.jsonl"), Path(f"{name}.answers.jsonl")
    if not out.exists():
        file.write_text("".join(json.dumps(request) + "\n" for request in requests))
        emilia("analyze", file, "--no-book", "--hash", 256, "-j", len(os.sched_getaffinity(0)), "-o", out, "--resume")
    found = {answer["id"]: answer for answer in map(json.loads, out.read_text().splitlines())}
    return [found[request["id"]] for request in requests]


def choose(rng, found):
    """Positions in which the choice is not easy: by 12 plies two moves within four discs, neither side far ahead."""
    kinds = {kind: {} for kind in KINDS}
    seen = set()
    for answer in found:
        moves = [move["score"] for move in answer["moves"]]
        if len(moves) == 2 and abs(moves[0]) <= 24 and moves[0] - moves[1] <= 4 and answer["position"] not in seen:
            seen.add(answer["position"])
            kinds[answer["id"].split()[0]][answer["position"]] = None
    lists = [list(positions) for positions in kinds.values()]
    for positions in lists:
        rng.shuffle(positions)
    return [(kind, position) for pair in zip(*lists) for kind, position in zip(KINDS, pair)][:POSITIONS]


def write(name, positions, deep, shallow):
    """Every second pair of positions is one of the exam."""
    halves = {"choose": [], "exam": []}
    for index, (kind, position) in enumerate(positions):
        scores = {move["move"]: move["score"] for move in deep[index]["moves"]}
        least = min(scores.values())
        for move in shallow[index]["moves"]:
            scores.setdefault(move["move"], min(move["score"], least))
        ranked = sorted(((round(score), move) for move, score in scores.items()), key=lambda pair: (-pair[0], pair[1]))
        told = " ".join(f"{move.upper()}:{score:+d};" for score, move in ranked)
        halves["exam" if index // 2 % 2 else "choose"].append(f"{position}; {told} % {kind}\n")
    for half, lines in halves.items():
        Path(f"{name}-{half}.obf").write_text("".join(lines))


rng = random.Random(SEED)
texts = games()
cut = {name: [beginnings(rng, text, *empties) for text in texts] for name, empties in SUITES.items()}
rng = random.Random(SEED)
for name, lists in cut.items():
    requests = [
        {"id": f"{kind} {game}", "position": game, "best_moves": 2, "depth": 12} for kind, found in zip(KINDS, lists) for game in found
    ]
    positions = choose(rng, answers(f"{name}-candidates", requests))

    def asked(what):
        return [{"id": str(index), "position": position, **what} for index, (_, position) in enumerate(positions)]

    # 26 plies at 95 % for the best four; the others are worth no more than the fourth, by 14 plies at 73 %.
    deep = answers(f"{name}-deep", asked({"best_moves": 4, "depth": 26, "selectivity": 95}))
    shallow = answers(f"{name}-shallow", asked({"best_moves": "all", "depth": 14}))
    write(name, positions, deep, shallow)
