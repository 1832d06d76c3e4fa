#!/usr/bin/env bash
# Compares the cluster scripts with one process, byte for byte, and kills a Dask worker in the middle.
#   ./check.sh /path/to/emilia [COUNT]
# Uses the Python on the PATH; a framework that is not installed is passed over and told.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
emilia=$1
count=${2:-10000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
filter=("$emilia" analyze --reproducible --depth 6)

python "$here/make_requests.py" "$count" >"$work/requests.jsonl"

# What a run took and whether it says the same as one process.
timed() {
    local name=$1 begin end
    shift
    begin=$EPOCHREALTIME
    "$@"
    end=$EPOCHREALTIME
    awk -v name="$name" -v n="$count" -v begin="$begin" -v end="$end" \
        'BEGIN { t = end - begin; printf "%-28s %7.1f s %7.0f positions/s", name, t, n / t }'
}
compare() {
    if cmp -s "$work/one.jsonl" "$1"; then echo "  equal"; else echo "  DIFFERS"; exit 1; fi
}

one() { "${filter[@]}" <"$work/requests.jsonl" >"$work/one.jsonl"; }
two() { "${filter[@]}" --jobs 2 <"$work/requests.jsonl" >"$work/two.jsonl"; }
timed "one process, one thread" one; echo
timed "one process, two threads" two; compare "$work/two.jsonl"

if python -c 'import distributed' 2>/dev/null; then
    dask() { python "$here/dask_analyze.py" "$@" "$work/requests.jsonl" "$work/dask.jsonl" -- "${filter[@]}" 2>"$work/dask.log"; }
    timed "Dask, one worker" dask --workers 1; compare "$work/dask.jsonl"
    timed "Dask, two workers" dask --workers 2; compare "$work/dask.jsonl"
    # A worker is the parent of a filter; one is killed with work in its hands.
    descendants() {
        local child
        for child in $(pgrep -P "$1"); do echo "$child"; descendants "$child"; done
    }
    worker_of() {
        local process
        for process in $(descendants "$1"); do
            if [ "$(ps -o comm= -p "$process")" = "$(basename "$emilia")" ]; then ps -o ppid= -p "$process"; fi
        done | head -n 1 | tr -d ' '
    }
    killing() {
        dask --workers 2 &
        local job=$! worker=
        while [ -z "$worker" ]; do sleep 0.2; worker=$(worker_of "$job"); done
        kill -KILL "$worker"
        printf '(killed one) '
        wait "$job"
    }
    timed "Dask, a worker killed" killing; compare "$work/dask.jsonl"
else
    echo "Dask is not installed: not checked"
fi

if python -c 'import pyspark' 2>/dev/null; then
    for workers in 1 2; do
        spark() { python "$here/spark_analyze.py" --master "local[$workers]" "file://$work/requests.jsonl" "file://$work/spark$workers" -- "${filter[@]}" 2>"$work/spark.log"; }
        timed "Spark, $workers worker(s)" spark
        cat "$work/spark$workers"/part-* >"$work/spark.jsonl"; compare "$work/spark.jsonl"
    done
else
    echo "Spark is not installed: not checked"
fi

if python -c 'import ray' 2>/dev/null; then
    rays() { python "$here/ray_analyze.py" "$work/requests.jsonl" "$work/ray.jsonl" -- "${filter[@]}" 2>"$work/ray.log" >&2; }
    timed "Ray, two workers" rays; compare "$work/ray.jsonl"
else
    echo "Ray is not installed: not checked"
fi
