"""Runs a job of shards.py on Ray.

    python ray_run.py JOB --emilia ./emilia
    python ray_run.py s3://bucket/job --emilia /opt/emilia --address auto

Without --address it starts a cluster of its own on this machine.
"""

import itertools
import os

import ray

import shards


def run(args, work, missing):
    here = os.path.dirname(os.path.abspath(shards.__file__))
    if args.address:
        ray.init(address=args.address, runtime_env={"py_modules": [os.path.join(here, "shards.py")]})
    else:
        ray.init(num_cpus=args.workers, include_dashboard=False, runtime_env={"env_vars": {"PYTHONPATH": here}})
    # Attempts are counted in the manifest: Ray shall not give a shard up before.
    task = ray.remote(max_retries=args.attempts + 1)(lambda shard: work(shard))
    waiting = iter(missing)
    submit = lambda count: [task.remote(shard) for shard in itertools.islice(waiting, count)]
    running = submit(args.ahead)
    while running:
        [ended], running = ray.wait(running)
        try:
            yield ray.get(ended)
        except ray.exceptions.RayError as error:
            yield {"done": False, "error": str(error)}
        running += submit(1)


if __name__ == "__main__":
    shards.main(__doc__, run, lambda parser: parser.add_argument("--address", help="of a running cluster; auto finds it"))
