"""Makes Parquet files of the answers of a job whose command has --fields.

    python to_parquet.py JOB TABLE [--by empties] [--rows 1000000]

TABLE is a folder or URL; --by makes a folder for each value of a column. Each file says in its metadata which program,
weights, command and shards made it. pandas, DuckDB and Spark read TABLE as one table.
"""

import argparse
import io
import json

import fsspec
import pyarrow as pa
import pyarrow.dataset
import pyarrow.json

import shards

COLUMNS = {
    "id": pa.string(), "line": pa.int64(), "request": pa.string(), "turn": pa.int16(), "score": pa.float32(),
    "result": pa.string(), "at_least": pa.float32(), "at_most": pa.float32(), "depth": pa.int8(), "exact": pa.bool_(),
    "best": pa.string(), "selectivity": pa.int8(), "win_chance": pa.float32(), "draw_chance": pa.float32(), "loss_chance": pa.float32(),
    "lower": pa.float32(), "upper": pa.float32(),
    "score_error": pa.float32(), "margin": pa.float32(), "pv": pa.string(), "position": pa.string(), "empties": pa.int8(),
    "nodes": pa.int64(), "seconds": pa.float32(), "opening": pa.string(), "error": pa.string(), "field": pa.string(),
}  # fmt: skip


def columns_of(command):
    """The columns that answers of this command have."""
    asked = command[command.index("--fields") + 1].split(",")
    named = {"id", "line", "request", "turn", "error", "field", *asked}
    if "score" in named:
        named |= {"result", "at_least", "at_most"}
    return pa.schema([(name, kind) for name, kind in COLUMNS.items() if name in named])


def table_of(data, ending, columns):
    """The answers of a shard."""
    packed = "gzip" if ending.endswith(".gz") else None
    source = pa.CompressedInputStream(pa.BufferReader(data), packed) if packed else pa.BufferReader(data)
    lines = source.read()
    if not lines:
        return columns.empty_table()
    # Ids are texts or numbers: numbers become texts, so that a column has one type.
    options = pyarrow.json.ParseOptions(explicit_schema=columns, unexpected_field_behavior="ignore")
    try:
        return pyarrow.json.read_json(io.BytesIO(lines), parse_options=options)
    except pa.ArrowInvalid:
        rows = [json.loads(line) for line in lines.splitlines()]
        for row in rows:
            row["id"] = None if row["id"] is None else str(row["id"])
        return pa.Table.from_pylist(rows, schema=columns)


def groups(job, rows):
    """Summaries of shards, as many as hold so many positions."""
    group = []
    for summary in job.summaries():
        group.append(summary)
        if sum(summary["positions"] for summary in group) >= rows:
            yield group
            group = []
    if group:
        yield group


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job")
    parser.add_argument("table")
    parser.add_argument("--by", help="column whose values become folders")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of a file")
    args = parser.parse_args()
    job = shards.Job(args.job)
    columns = columns_of(job.settings["command"])
    fs, root = fsspec.core.url_to_fs(args.table)
    total = 0
    for number, group in enumerate(groups(job, args.rows)):
        read = lambda summary: job.again(job.fs.cat_file, job.path("output", summary["object"]))
        table = pa.concat_tables([table_of(read(one), one["object"], columns) for one in group])
        of_all = {name: sorted({summary[name] for summary in group}) for name in ("version", "weights")}
        made_by = {**of_all, "command": job.settings["command"],
                   "shards": [{name: one[name] for name in ("object", "output_crc32", "input_crc32")} for one in group]}
        table = table.replace_schema_metadata({f"emilia.{name}": json.dumps(value) for name, value in made_by.items()})
        by = pyarrow.dataset.partitioning(pa.schema([columns.field(args.by)]), flavor="hive") if args.by else None
        pyarrow.dataset.write_dataset(table, root, filesystem=fs, format="parquet", partitioning=by,
                                      basename_template=f"{number:05}-{{i}}.parquet", existing_data_behavior="overwrite_or_ignore")
        total += table.num_rows
    print(f"{total} rows")


if __name__ == "__main__":
    main()
