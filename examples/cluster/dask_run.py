"""Runs a job of shards.py on Dask.

    python dask_run.py JOB --emilia ./emilia
    python dask_run.py s3://bucket/job --emilia /opt/emilia --scheduler tcp://head:8786

Without --scheduler it starts a cluster of its own on this machine.
"""

import itertools

import dask
from dask.distributed import Client, LocalCluster, as_completed

import shards


def run(args, work, missing):
    # Attempts are counted in the manifest: Dask shall not give a shard up before.
    dask.config.set({"distributed.scheduler.allowed-failures": args.attempts + 2})
    cluster = args.scheduler or LocalCluster(n_workers=args.workers, threads_per_worker=1, dashboard_address=None)
    with Client(cluster) as client:
        client.upload_file(shards.__file__)
        waiting = iter(missing)
        submit = lambda count: [client.submit(work, shard, pure=False) for shard in itertools.islice(waiting, count)]
        running = as_completed(submit(args.ahead))
        for future in running:
            yield {"done": False, "error": str(future.exception())} if future.exception() else future.result()
            running.update(submit(1))


if __name__ == "__main__":
    shards.main(__doc__, run, lambda parser: parser.add_argument("--scheduler", help="of a running cluster, such as tcp://head:8786"))
