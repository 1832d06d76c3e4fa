"""Runs a filter such as `emilia analyze` over the lines of a file on a Ray cluster.

    python ray_analyze.py requests.jsonl answers.jsonl -- emilia analyze --reproducible --depth 10

With --address auto it joins a running cluster. A shard whose worker dies is computed again by another.
"""

import argparse
import itertools
import subprocess

import ray


@ray.remote(max_retries=3)
def run_shard(lines, command):
    return subprocess.run(command, input="".join(lines), text=True, stdout=subprocess.PIPE, check=True).stdout


def shards(path, size):
    with open(path, encoding="utf-8") as requests:
        while lines := list(itertools.islice(requests, size)):
            yield lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("requests")
    parser.add_argument("answers")
    parser.add_argument("--address", help="of a running cluster; auto finds it")
    parser.add_argument("--workers", type=int, default=2, help="of a cluster of our own")
    parser.add_argument("--shard", type=int, default=500, help="lines per task")
    parser.add_argument("command", nargs="+", help="the filter, after --")
    args = parser.parse_args()
    if args.address:
        ray.init(address=args.address)
    else:
        ray.init(num_cpus=args.workers, include_dashboard=False)
    with open(args.answers, "w", encoding="utf-8") as answers:
        for future in [run_shard.remote(lines, args.command) for lines in shards(args.requests, args.shard)]:
            answers.write(ray.get(future))


if __name__ == "__main__":
    main()
