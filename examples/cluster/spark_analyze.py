"""Runs a filter such as `emilia analyze` over the lines of a file with Spark's `pipe`.

    spark-submit spark_analyze.py requests.jsonl answers -- emilia analyze --reproducible --depth 10
    python spark_analyze.py --master 'local[2]' requests.jsonl answers -- emilia analyze ...

Each partition goes through a process of its own; a partition whose worker dies is computed again. `answers` becomes a
folder of part files, sorted by line: with ids of equal length that is the order of the ids. `cat answers/part-*` puts
them together.
"""

import argparse
import shlex

from pyspark.sql import SparkSession


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("requests")
    parser.add_argument("answers")
    parser.add_argument("--master", help="such as local[2] or spark://head:7077; spark-submit knows its own")
    parser.add_argument("--shards", type=int, default=16, help="partitions, a few per worker")
    parser.add_argument("command", nargs="+", help="the filter, after --")
    args = parser.parse_args()
    builder = SparkSession.builder.appName("emilia")
    if args.master:
        builder = builder.master(args.master)
    spark = builder.getOrCreate()
    lines = spark.sparkContext.textFile(args.requests).repartition(args.shards)
    answers = lines.pipe(shlex.join(args.command), checkCode=True)
    answers.sortBy(lambda line: line).saveAsTextFile(args.answers)
    spark.stop()


if __name__ == "__main__":
    main()
