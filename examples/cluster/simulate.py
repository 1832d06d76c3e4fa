"""Simulates a large job against the real manifest: a thousand workers that fail, dawdle and die, and a slow, faulty store.

    python simulate.py [--workers 1000] [--shards 10000] [--seed 1]

Time is simulated and the store lies in memory; planning, attempts, outputs and the report are those of shards.py. It ends
with exit code 1 if a shard is lost, done twice in the manifest, or neither done nor listed.
"""

import argparse
import heapq
import itertools
import json
import random
import sys

import fsspec

import shards

POSITIONS = 10_000
# Seconds of a shard, and how many times longer a straggler takes.
SECONDS, STRAGGLER = 600.0, 10.0
# Shares of shards that are stragglers, of attempts whose worker dies or fails, of writes that the store refuses, of shards that never work.
STRAGGLING, DYING, FAILING, REFUSED, BROKEN = 0.02, 0.01, 0.01, 0.10, 0.001
LIMIT = 3


class Clock:
    now = 0.0


class Store:
    """Asks again as shards.again does, with a store that refuses one write in ten; waiting is simulated."""

    def __init__(self, rng):
        self.rng, self.asked, self.refused, self.waited = rng, 0, 0, 0.0

    def again(self, call, *args, **options):
        for left in reversed(range(shards.STORE_TRIES)):
            self.asked += 1
            if self.rng.random() >= REFUSED:
                return call(*args, **options)
            self.refused += 1
            if left == 0:
                raise OSError("the store is busy")
            self.waited += shards.STORE_WAIT * 2 ** (shards.STORE_TRIES - left)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--shards", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    store = Store(rng)
    plan = [{"shard": number + 1, "input": "x", "offset": 0, "length": 1, "line": 1, "lines": POSITIONS} for number in range(args.shards)]
    shards.Job("memory://job").plan(plan, ["analyze"], ".jsonl.gz")
    job = shards.Job("memory://job", again=store.again)
    broken = {shard["shard"] for shard in plan if rng.random() < BROKEN}

    def run(name, missing, until=float("inf")):
        """A driver: gives shards to free workers until all are done or given up, or until it is killed."""
        waiting, running, order = iter(missing), [], itertools.count()
        searched, given_up = {}, set()

        def begin(shard, at):
            number = shard["shard"]
            try:
                attempt = job.begin(name, number, LIMIT)
            except shards.Spent:
                given_up.add(number)
                return False
            except OSError:
                heapq.heappush(running, (at + 60, next(order), shard, None, "store"))
                return True
            length = rng.gauss(SECONDS, SECONDS / 10) * (STRAGGLER if rng.random() < STRAGGLING else 1)
            chance = rng.random()
            how = "dies" if chance < DYING else "fails" if chance < DYING + FAILING or number in broken else "ends"
            heapq.heappush(running, (at + (length if how == "ends" else length * rng.random()), next(order), shard, attempt, how))
            return True

        def next_of(at):
            for shard in waiting:
                if begin(shard, at):
                    return

        start = Clock.now
        for _ in range(args.workers):
            next_of(start)
        while running and running[0][0] < until:
            Clock.now, _, shard, attempt, how = heapq.heappop(running)
            number = shard["shard"]
            if how == "ends":
                searched[number] = searched.get(number, 0) + 1
                try:
                    job.finish(number, b"x", {"positions": POSITIONS, "seconds": SECONDS})
                except OSError:
                    how = "refused"
            if how == "fails":
                try:
                    job.fail(name, number, attempt, "it never works" if number in broken else "out of memory")
                except OSError:
                    pass
            if how == "ends":
                next_of(Clock.now)
            # The scheduler runs this shard again: that of a lost worker after a minute.
            elif not begin(shard, Clock.now + (60 if how == "dies" else 1)):
                next_of(Clock.now)
        return searched, given_up, len(running)

    everything = job.shards()
    half = args.shards / args.workers * SECONDS / 2
    first, _, lost = run("first", everything, until=half)
    after_kill = job.done()
    missing = [shard for shard in everything if shard["shard"] not in after_kill]
    second, given_up, _ = run("second", missing)
    report = shards.Job("memory://job").report("second")
    done = job.done()
    twice = sum(first.get(number, 0) + second.get(number, 0) > 1 for number in done)
    ideal = args.shards * SECONDS / args.workers
    result = {
        "workers": args.workers, "shards": args.shards, "hours": round(Clock.now / 3600, 2), "hours_without_faults": round(ideal / 3600, 2),
        "done_when_the_driver_was_killed": len(after_kill), "in_work_then": lost, "given_up": sorted(given_up), "broken": sorted(broken),
        "searched_more_than_once": twice, "store_calls": store.asked, "store_refusals": store.refused,
        "positions": report["positions"], "failed": report["failed"],
    }  # fmt: skip
    print(json.dumps(result))
    whole = len(done) + len(given_up) == args.shards and not done & given_up
    objects = fsspec.filesystem("memory").ls("/job/output", detail=False)
    right = report["positions"] == POSITIONS * len(done) and broken <= given_up and len(objects) >= len(done)
    sys.exit(0 if whole and right else 1)


if __name__ == "__main__":
    main()
