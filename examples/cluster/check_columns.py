"""Reads a table of to_parquet.py back by pandas, DuckDB and Spark and compares it with the answers: check_columns.py TABLE ANSWERS"""

import json
import pathlib
import sys

import duckdb
import pandas
import pyarrow.parquet

table, answers = sys.argv[1:]
expected = sorted((a["id"], a["score"], a["depth"], a.get("best")) for a in map(json.loads, open(answers)) if "score" in a)
by_pandas = pandas.read_parquet(table)
text = lambda value: value if isinstance(value, str) else None
by_duckdb = duckdb.sql(f"select id, score, depth, best from read_parquet('{table}/**/*.parquet') where score is not null").fetchall()
found = {"pandas": [(r.id, r.score, r.depth, text(r.best)) for r in by_pandas.dropna(subset=["score"]).itertuples()], "DuckDB": by_duckdb}
try:
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    rows = spark.read.parquet(f"file://{pathlib.Path(table).resolve()}").where("score is not null").select("id", "score", "depth", "best")
    found["Spark"] = [tuple(row) for row in rows.collect()]
    spark.stop()
except ImportError:
    print("Spark is not installed: not checked")
for name, rows in found.items():
    # float32 holds whole 1/128 discs exactly.
    assert sorted(rows) == expected, f"{name}: {len(rows)} rows, {len(expected)} expected"
    print(f"{name}: {len(rows)} rows, equal")
file = next(pathlib.Path(table).rglob("*.parquet"))
metadata = pyarrow.parquet.read_schema(file).metadata
print({key.decode(): value.decode()[:80] for key, value in metadata.items() if key.startswith(b"emilia.")})
assert b"emilia.shards" in metadata
