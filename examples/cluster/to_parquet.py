"""Makes Parquet files of the answers of a job whose command has --fields.

    python to_parquet.py JOB                                  checks the job's --fields and prints the columns, before it runs
    python to_parquet.py JOB TABLE [--by empties] [--rows 1000000]

TABLE is a folder or URL; --by makes a folder for each value of a column. Each file says in its metadata which program,
weights, command and shards made it. pandas, DuckDB and Spark read TABLE as one table.
"""

import argparse
import io
import json
import sys

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
    asked = [word.removeprefix("--fields=") for word in command if word.startswith("--fields=")]
    asked += [after for word, after in zip(command, command[1:]) if word == "--fields"]
    if not asked:
        raise SystemExit("the command of the job has no --fields: plan a job with them, such as --fields id,score,depth,best")
    named = {"id", "line", "request", "turn", "error", "field"}.union(*(words.split(",") for words in asked))
    if unknown := sorted(named - COLUMNS.keys()):
        raise SystemExit(f"--fields {','.join(unknown)}: no column holds that; there are {', '.join(COLUMNS)}")
    if "score" in named:
        named |= {"result", "at_least", "at_most"}
    return pa.schema([(name, kind) for name, kind in COLUMNS.items() if name in named])


def table_of(lines, columns):
    """The answers of a shard."""
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
    """Summaries and answers of shards, as many as hold so many positions."""
    group, size, by = [], 0, None
    for number, summary, text, fault in job.outputs():
        by = by or shards.maker(summary or {})
        if not fault and shards.maker(summary) != by:
            fault = f"shard {number}: made by {shards.maker(summary)}, others by {by}"
        if fault:
            raise SystemExit(f"{fault}; run shards.py status JOB --verify, then the job again, and remove this table")
        group.append((summary, text))
        size += summary["positions"]
        if size >= rows:
            yield group
            group, size = [], 0
    if group:
        yield group


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job")
    parser.add_argument("table", nargs="?", help="a new folder; without it the columns are printed")
    parser.add_argument("--by", help="column whose values become folders")
    parser.add_argument("--rows", type=shards.positive, default=1_000_000, help="of a file")
    args = parser.parse_args()
    job = shards.Job(args.job)
    columns = columns_of(job.settings["command"])
    if args.by and args.by not in columns.names:
        raise SystemExit(f"--by {args.by}: the columns are {', '.join(columns.names)}")
    if not args.table:
        return print(columns)
    fs, root = fsspec.core.url_to_fs(args.table)
    if fs.exists(root) and fs.ls(root):
        raise SystemExit(f"{args.table}: it has files already: remove it or name another folder")
    missing = job.settings["shards"] - len(job.done())
    if missing:
        print(f"{missing} shards are missing: the table is not complete", file=sys.stderr)
    total = 0
    for number, group in enumerate(groups(job, args.rows)):
        table = pa.concat_tables([table_of(text, columns) for _, text in group])
        of_all = {name: [group[0][0][name]] for name in ("version", "weights")}
        made_by = {**of_all, "command": job.settings["command"],
                   "shards": [{name: one[name] for name in ("object", "output_crc32", "input_crc32")} for one, _ in group]}
        table = table.replace_schema_metadata({f"emilia.{name}": json.dumps(value) for name, value in made_by.items()})
        by = pyarrow.dataset.partitioning(pa.schema([columns.field(args.by)]), flavor="hive") if args.by else None
        pyarrow.dataset.write_dataset(table, root, filesystem=fs, format="parquet", partitioning=by,
                                      basename_template=f"{number:05}-{{i}}.parquet", existing_data_behavior="overwrite_or_ignore")
        total += table.num_rows
    print(f"{total} rows")


if __name__ == "__main__":
    main()
