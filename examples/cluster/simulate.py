"""Simulates a large job against the real manifest: a thousand workers that fail, dawdle and die, and a slow, faulty store.

    python simulate.py [--workers 1000] [--shards 10000] [--positions 10000] [--seed 1] [--finished]

`--finished` measures the manifest alone: all shards but three are done without workers.

Time is simulated and the store lies in memory; planning, attempts, outputs and the report are those of shards.py. The result
has the seconds of each step and the most memory of the process, most of it the store. One output in ten is empty. It ends
with exit code 1 if a shard is lost, done twice in the manifest, or neither done nor listed.
"""

import argparse
import gzip
import heapq
import itertools
import json
import random
import resource
import sys
import time

import fsspec

import shards

# What a shard gives: one in ten gives nothing.
OUTPUTS = [gzip.compress(text, mtime=0) for text in [b""] + [b'{"id":1,"score":2}\n'] * 9]
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


def finished(args):
    """Plans a job, finishes all shards but three, then lists, verifies and merges it: seconds of each step."""
    numbers, steps, begun = range(1, args.shards + 1), {}, time.time()

    def step(name):
        nonlocal begun
        steps[name], begun = round(time.time() - begun, 1), time.time()
        print(name, steps[name], file=sys.stderr)

    job = shards.Job("memory://job")
    parts = ({"shard": number, "input": "x", "offset": 0, "length": 1, "line": 1, "lines": args.positions} for number in numbers)
    job.plan(parts, ["analyze"], ".jsonl.gz")
    step("plan")
    missing = {1, args.shards // 2, args.shards}
    summary = {"positions": args.positions, "version": "1", "weights": "x"}
    for number in numbers[:10_000]:
        job.finish(number, OUTPUTS[number % 10], summary)
    step("finish 10,000")
    # The others are copies of the first ten, so that setting up takes less time.
    records = [job.read_json("done", f"{job.name(number)}.json") for number in range(1, 11)]
    for number in numbers[10_000:]:
        name = f"{job.name(number)}.jsonl.gz"
        job.fs.pipe_file(job.path("output", name), OUTPUTS[number % 10])
        job.fs.pipe_file(job.path("done", f"{job.name(number)}.json"), json.dumps({**records[(number - 1) % 10], "object": name}).encode())
    for number in missing:
        job.fs.rm_file(job.path("done", f"{job.name(number)}.json"))
    step("set up")
    report = job.report()
    step("status")
    done = job.done()
    left = {shard["shard"] for shard in job.shards(lambda number: number not in done)}
    step("find the missing shards")
    for number in missing:
        job.finish(number, OUTPUTS[number % 10], summary)
    verified = job.report(verify=True)
    step("status --verify")
    merged = sum(len(text) for _, _, text, _ in job.outputs())
    step("merge")
    mib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(json.dumps({"shards": args.shards, "positions": verified["positions"], "bytes": merged, "seconds": steps, "mib": mib}))
    whole = report["missing"] == 3 and left == missing and not verified["missing"] and not verified["damaged"]
    sys.exit(0 if whole and verified["positions"] == args.shards * args.positions else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=int, default=1000)
    parser.add_argument("--shards", type=int, default=10_000)
    parser.add_argument("--positions", type=int, default=10_000, help="of a shard")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--finished", action="store_true", help="measure plan, status and merge only")
    args = parser.parse_args()
    if args.finished:
        finished(args)
    rng = random.Random(args.seed)
    store = Store(rng)
    numbers, steps = range(1, args.shards + 1), {}

    def timed(name, call):
        begun = time.time()
        found = call()
        steps[name] = round(time.time() - begun, 1)
        return found

    plan = ({"shard": number, "input": "x", "offset": 0, "length": 1, "line": 1, "lines": args.positions} for number in numbers)
    timed("plan", lambda: shards.Job("memory://job").plan(plan, ["analyze"], ".jsonl.gz"))
    job = shards.Job("memory://job", again=store.again)
    broken = {number for number in numbers if rng.random() < BROKEN}

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
                    job.finish(number, OUTPUTS[number % 10], {"positions": args.positions, "seconds": SECONDS, "version": "1", "weights": "x"})
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

    half = args.shards / args.workers * SECONDS / 2
    first, _, lost = timed("first run", lambda: run("first", job.shards(), until=half))
    after_kill = job.done()
    missing = job.shards(lambda number: number not in after_kill)
    second, given_up, _ = timed("second run", lambda: run("second", missing))
    report = timed("status", lambda: shards.Job("memory://job").report("second"))
    verified = timed("status --verify", lambda: shards.Job("memory://job").report("second", verify=True))
    bytes_of_all = timed("merge", lambda: sum(len(text) for _, _, text, _ in job.outputs()))
    done = job.done()
    twice = sum(first.get(number, 0) + second.get(number, 0) > 1 for number in done)
    ideal = args.shards * SECONDS / args.workers
    result = {
        "workers": args.workers, "shards": args.shards, "hours": round(Clock.now / 3600, 2), "hours_without_faults": round(ideal / 3600, 2),
        "done_when_the_driver_was_killed": len(after_kill), "in_work_then": lost, "given_up": len(given_up), "broken": len(broken),
        "searched_more_than_once": twice, "store_calls": store.asked, "store_refusals": store.refused,
        "positions": report["positions"], "failed": len(report["failed"]), "merged_bytes": bytes_of_all, "seconds": steps,
        "mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }  # fmt: skip
    print(json.dumps(result))
    whole = len(done) + len(given_up) == args.shards and not done & given_up
    objects = fsspec.filesystem("memory").ls("/job/output", detail=False)
    right = report == verified and report["positions"] == args.positions * len(done) and broken <= given_up and len(objects) >= len(done)
    sys.exit(0 if whole and right else 1)


if __name__ == "__main__":
    main()
