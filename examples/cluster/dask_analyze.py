"""Runs a filter such as `emilia analyze` over the lines of a file on a Dask cluster.

    python dask_analyze.py requests.jsonl answers.jsonl -- emilia analyze --reproducible --depth 10

Without --scheduler ADDRESS it starts a cluster of its own on this machine. Each shard is one task: if its worker
dies, Dask gives the whole shard to another one, and only a finished shard is written, so nothing is lost or doubled.
Answers are written in the order of the requests.
"""

import argparse
import itertools
import subprocess

from dask.distributed import Client, LocalCluster


def run_shard(lines, command):
    """What the filter says to these lines; an error if it fails, so that the shard is tried again."""
    return subprocess.run(command, input="".join(lines), text=True, stdout=subprocess.PIPE, check=True).stdout


def shards(path, size):
    with open(path, encoding="utf-8") as requests:
        while lines := list(itertools.islice(requests, size)):
            yield lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("requests")
    parser.add_argument("answers")
    parser.add_argument("--scheduler", help="address of a running cluster, such as tcp://head:8786")
    parser.add_argument("--workers", type=int, default=2, help="of a cluster of our own")
    parser.add_argument("--shard", type=int, default=500, help="lines per task")
    parser.add_argument("command", nargs="+", help="the filter, after --")
    args = parser.parse_args()
    cluster = args.scheduler or LocalCluster(n_workers=args.workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client, open(args.answers, "w", encoding="utf-8") as answers:
        futures = [
            client.submit(run_shard, lines, args.command, pure=False, retries=3)
            for lines in shards(args.requests, args.shard)
        ]
        for future in futures:
            answers.write(future.result())


if __name__ == "__main__":
    main()
