#!/usr/bin/env python3
"""Answers of a book, told of parity.

A network that cannot tell odd empties from even ones values the side with even empties too high, by as much at every
depth of search. `parity.py OLD NEW DISCS` reads two exports of a book (`emilia book export`, NEW may be `-`) and writes NEW with the
scores that OLD holds too corrected: DISCS less where the empties are even, more where they are odd. Scores that
OLD does not hold are of searches since, and proven ones are true: both stay.
"""

import json
import sys


def answers(path):
    with sys.stdin if path == "-" else open(path) as lines:
        yield from map(json.loads, lines)


def level(answer):
    return answer["position"], answer["depth"], answer["selectivity"], answer["exact"]


def main():
    old_path, new_path, discs = sys.argv[1], sys.argv[2], float(sys.argv[3])
    old = {level(answer): {move["move"]: move["score"] for move in answer["moves"]} for answer in answers(old_path)}
    corrected = kept = 0
    for answer in answers(new_path):
        before = {} if answer["exact"] else old.get(level(answer), {})
        turn = -discs if answer["empties"] % 2 == 0 else discs
        for move in answer["moves"]:
            if before.get(move["move"]) == move["score"]:
                move["score"] = max(-64.0, min(64.0, move["score"] + turn))
                corrected += 1
            else:
                kept += 1
        answer["moves"].sort(key=lambda move: -move["score"])
        answer["score"] = answer["moves"][0]["score"]
        print(json.dumps(answer, separators=(",", ":")))
    print(f"{corrected} scores corrected, {kept} kept", file=sys.stderr)


if __name__ == "__main__":
    main()
