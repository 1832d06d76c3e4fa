"""Runs a job of shards.py on Spark.

    python spark_run.py JOB --emilia ./emilia --master 'local[2,4]'
    spark-submit spark_run.py s3://bucket/job --emilia /opt/emilia

The second number of local[2,4] is how often a task may fail: a plain local[2] ends with the first worker that dies.
"""

import itertools
import os
import sys
import threading

from pyspark.accumulators import AccumulatorParam
from pyspark.sql import SparkSession

import shards


class Outcomes(AccumulatorParam):
    """What tasks tell the driver as they end."""

    def zero(self, value):
        return []

    def addInPlace(self, one, other):
        return one + other


def run(args, work, missing):
    if args.master and args.master.startswith("local"):
        # The workers run this Python, with its packages, though its environment need not be activated.
        os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    builder = SparkSession.builder.appName("emilia").config("spark.ui.enabled", "false")
    spark = (builder.master(args.master) if args.master else builder).getOrCreate()
    context = spark.sparkContext
    context.addPyFile(shards.__file__)
    while some := list(itertools.islice(missing, args.ahead)):
        ended, told = context.accumulator([], Outcomes()), 0
        # One task a shard, nothing to shuffle or sort; a task that is done is never run again.
        tasks = context.parallelize(some, len(some))
        failure = []

        def all_tasks():
            try:
                tasks.foreach(lambda shard: ended.add([work(shard)]))
            except Exception as error:
                failure.append(error)

        job = threading.Thread(target=all_tasks)
        job.start()
        while job.is_alive() or told < len(ended.value):
            job.join(timeout=0.2)
            fresh = ended.value[told:]
            told += len(fresh)
            yield from fresh
        if failure:
            raise failure[0]
    spark.stop()


if __name__ == "__main__":
    shards.main(__doc__, run, lambda parser: parser.add_argument("--master", help="such as local[2,4]; spark-submit knows its own"))
