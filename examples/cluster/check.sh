#!/usr/bin/env bash
# Runs the commands of README.md with small jobs, and breaks workers, drivers, stores and shards.
#   ./check.sh /path/to/emilia [COUNT] [DEPTH]
# Uses the Python on the PATH; reports and skips missing frameworks.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
emilia=$(realpath "$1")
count=${2:-10000}
depth=${3:-6}
work=$(mktemp -d)
moto=
trap 'if [ -n "$moto" ]; then kill "$moto"; fi; rm -rf "$work"' EXIT
cd "$work"
export PYTHONPATH=$here
command=(analyze --no-book --reproducible --depth "$depth" --fields "id,score,depth,best,nodes")
lines=$((count / 20))

has() { python -c "import $1" 2>/dev/null || { echo "$1 is not installed: not checked"; return 1; }; }
plan() { python "$here/shards.py" plan "$@" >/dev/null; }
fail() { echo "FAILED: $*"; exit 1; }
# The time of a run.
timed() {
    local name=$1 begin end
    shift
    begin=$EPOCHREALTIME
    "$@"
    end=$EPOCHREALTIME
    awk -v name="$name" -v n="$count" -v begin="$begin" -v end="$end" \
        'BEGIN { t = end - begin; printf "%-44s %7.1f s %7.0f positions/s\n", name, t, n / t }'
}
# The outputs of a job, sorted, are those of one process; and each position was searched once: the nodes add up.
same() {
    local job=$1
    gzip -dc "$job"/output/*.gz | LC_ALL=C sort | cmp - one.sorted || fail "$job: the answers differ"
    python - "$job" "$count" "$nodes" <<'END' || fail "$job: something was searched twice or not at all"
import json, pathlib, sys
job, count, nodes = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
done = [json.loads(file.read_text()) for file in pathlib.Path(job, "done").iterdir()]
found = sum(one["positions"] for one in done), sum(one["resumed"] for one in done), sum(one["nodes"] for one in done)
print(f"    equal; {found[0]} positions, {found[1]} resumed, {found[2]} nodes")
sys.exit(found != (count, 0, nodes))
END
}

python "$here/make_requests.py" "$count" >requests.jsonl
one() { "$emilia" "${command[@]}" requests.jsonl >one.jsonl; }
two() {
    "$emilia" "${command[@]}" requests.jsonl --shard 1/2 -o first.jsonl &
    local other=$!
    "$emilia" "${command[@]}" requests.jsonl --shard 2/2 -o second.jsonl
    wait "$other"
}
timed "one process" one
LC_ALL=C sort one.jsonl >one.sorted
nodes=$(python -c 'import json,sys; print(sum(json.loads(line)["nodes"] for line in sys.stdin))' <one.jsonl)
timed "two processes, --shard 1/2 and 2/2" two
cat first.jsonl second.jsonl | LC_ALL=C sort | cmp - one.sorted || fail "the shards differ"
awk '{ if (length($0) + 1 > 80) bad = 1; sum += length($0) + 1 } END { printf "    equal; %.0f bytes an answer\n", sum / NR; exit bad }' one.jsonl ||
    fail "an answer takes more than 80 bytes"

engine() {
    local told=$1 name=$2 script=$3
    shift 3
    plan "$name" --input requests.jsonl --lines "$lines" -- "${command[@]}"
    timed "$told" python "$here/$script" "$name" --emilia "$emilia" "$@" >"$name.report" 2>"$name.log" || { tail -20 "$name.log"; fail "$name"; }
    tail -1 "$name.report"
    same "$name"
}
if has distributed; then engine "Dask, two workers" dask dask_run.py --workers 2; fi
if has ray; then engine "Ray, two workers" ray ray_run.py --workers 2; fi
# By its path, as from an environment that is not activated.
if has pyspark; then engine "Spark, local[2,4]" spark spark_run.py --master 'local[2,4]'; fi

# --- Faults
status() { python "$here/shards.py" status "$1" || true; }
field() { python -c 'import json,sys; print(json.load(sys.stdin)[sys.argv[1]])' "$1"; }
# A Python process that runs the program now.
worker_of() { for child in $(pgrep -f "^$emilia analyze .*--first-line" || true); do ps -o ppid= -p "$child" || true; done | head -1 | tr -d ' '; }
if has distributed; then
    plan killed --input requests.jsonl --lines "$lines" -- "${command[@]}"
    python "$here/dask_run.py" killed --emilia "$emilia" >killed.report 2>killed.log &
    job=$! worker=
    while [ -z "$worker" ]; do sleep 0.05; worker=$(worker_of); done
    kill -KILL "$worker"
    wait "$job" || fail "a killed worker ends the job"
    echo "a worker killed: $(field done <killed.report) shards done, $(ls killed/attempts/* | wc -l) attempts"
    same killed

    plan driver --input requests.jsonl --lines "$lines" -- "${command[@]}"
    python "$here/dask_run.py" driver --emilia "$emilia" >driver.report 2>driver.log &
    job=$!
    while [ "$(status driver | field done)" -lt 3 ]; do sleep 0.2; done
    kill -KILL "$job"
    wait "$job" 2>/dev/null || true
    sleep 3
    left=$(status driver | field missing)
    echo "the driver killed: $left of 20 shards missing"
    python "$here/dask_run.py" driver --emilia "$emilia" >driver.report 2>driver.log
    grep -q "^$left of 20 shards to do" driver.log || fail "a rerun did more than was missing: $(head -1 driver.log)"
    same driver
fi

# A store that refuses every tenth write: a hook at the start of Python installs it in every process.
mkdir -p hook
echo 'import fsspec; fsspec.register_implementation("flaky", "check_store.Flaky")' >hook/sitecustomize.py
export FLAKY_LOG=$work/flaky.log
: >"$FLAKY_LOG"
PYTHONPATH=$here:$work/hook plan "flaky://$work/flaky" --input requests.jsonl --lines "$lines" -- "${command[@]}"
PYTHONPATH=$here:$work/hook python "$here/shards.py" work "flaky://$work/flaky" --emilia "$emilia" >flaky.report 2>flaky.log2 || fail "a store that refuses now and then ends the job"
echo "a store that refuses every tenth write: $(wc -l <"$FLAKY_LOG") writes refused, $(field done <flaky.report) shards done"
same flaky

# A shard that never works: a packed file that is cut short.
mkdir -p broken-input
head -n "$lines" requests.jsonl >broken-input/a.jsonl
head -n "$lines" requests.jsonl | gzip >whole.gz
head -c 1000 whole.gz >broken-input/b.jsonl.gz
tail -n "$lines" requests.jsonl >broken-input/c.jsonl
plan broken --input 'broken-input/*' --lines "$lines" -- "${command[@]}"
if python "$here/shards.py" work broken --emilia "$emilia" >broken.report 2>/dev/null; then fail "a shard that never works is passed over"; fi
echo "a shard that never works: $(field done <broken.report) of 3 done, $(ls broken/attempts/*/000002-* | wc -l) attempts, told: $(field failed <broken.report)"
head -n "$lines" requests.jsonl | gzip >broken-input/b.jsonl.gz
python "$here/shards.py" work broken --emilia "$emilia" 2>broken.log >/dev/null || fail "a mended shard is not done"
echo "    mended: $(head -1 broken.log)"

# Damaged outputs and records: named by status --verify, and done again by the next run.
shard() { python "$here/shards.py" "$@"; }
columns() { has pyarrow >/dev/null && python "$here/to_parquet.py" "$@"; }
plan damaged --input requests.jsonl --lines "$lines" -- "${command[@]}"
shard work damaged --emilia "$emilia" >/dev/null 2>&1
damage() {
    local told=$1 name=$2
    bash -c "cd damaged && $3"
    if shard status damaged --verify >damage.report; then fail "$told: status --verify finds nothing"; fi
    python -c 'import json,sys; print(f"{sys.argv[1]}:", *json.load(sys.stdin)["damaged"].values(), sep="\n    ")' "$told" <damage.report
    grep -q "shard $name: " damage.report || fail "$told: shard $name is not named"
    shard work damaged --emilia "$emilia" >/dev/null 2>damage.log || fail "$told: $(tail -1 damage.log)"
    echo "    a rerun: $(head -1 damage.log)"
    same damaged
    shard status damaged --verify >damage.report || fail "$told: not mended: $(cat damage.report)"
}
damage "an emptied output" 2 ': >output/000002.jsonl.gz'
damage "an output that is cut short" 3 'truncate -s -20 output/000003.jsonl.gz'
damage "two outputs swapped" 4 'mv output/000004.jsonl.gz t && mv output/000005.jsonl.gz output/000004.jsonl.gz && mv t output/000005.jsonl.gz'
damage "an output of other text, as many bytes" 6 'printf X | dd of=output/000006.jsonl.gz bs=1 seek=200 conv=notrunc status=none'
damage "an output that is gone" 7 'rm output/000007.jsonl.gz'
damage "an empty record" 8 ': >done/000008.json'
damage "the record of another shard" 9 'cp done/000010.json done/000009.json'
damage "a shard of another version" 11 'sed -i "s/\"version\": \"[^\"]*/\"version\": \"0.1/" done/000011.json'
# Readers name the shard; a worker with another program does not go on.
: >damaged/output/000002.jsonl.gz
if columns damaged damaged-table 2>damage.log; then fail "to_parquet.py reads an emptied output"; fi
has pyarrow && { grep -q "shard 2: " damage.log || fail "to_parquet.py: $(tail -1 damage.log)"; echo "to_parquet.py: $(tail -1 damage.log)"; }
shard status damaged --verify >/dev/null || true
cp damaged/made_by.json made_by.json
echo '["0.1", "other"]' >damaged/made_by.json
if shard work damaged --emilia "$emilia" >damage.report 2>/dev/null; then fail "two versions in a job"; fi
echo "a worker of another version: $(python -c 'import json,sys; print(*json.load(sys.stdin)["failed"].values())' <damage.report)"
# An input that changed since the plan.
head -n 20 requests.jsonl >changed.jsonl
plan changed --input changed.jsonl --lines 10 -- "${command[@]}"
head -n 15 requests.jsonl >changed.jsonl
if shard work changed --emilia "$emilia" >damage.report 2>/dev/null; then fail "a changed input is passed over"; fi
echo "an input cut short after the plan: $(python -c 'import json,sys; print(*json.load(sys.stdin)["failed"].values())' <damage.report)"
# Fields that have no column are refused before the job runs.
plan fields --input changed.jsonl -- analyze --depth 1 --fields=id,score,why
if columns fields 2>damage.log; then fail "to_parquet.py knows no column why"; fi
has pyarrow && echo "to_parquet.py before the job: $(tail -1 damage.log | cut -c1-60)..."

# Two workers of a job array.
both() {
    local part pids=()
    for part in 1/2 2/2; do
        python "$here/shards.py" work "$1" --emilia "$emilia" --part "$part" >/dev/null 2>"array-${part%/2}.log" &
        pids+=($!)
    done
    for part in "${pids[@]}"; do wait "$part" || fail "$1: $(tail -qn 3 array-*.log)"; done
}

# --- An object store
if has moto.server && has s3fs; then
    python -m moto.server -p 5911 >moto.log 2>&1 &
    moto=$!
    export AWS_ACCESS_KEY_ID=test AWS_SECRET_ACCESS_KEY=test AWS_DEFAULT_REGION=us-east-1 AWS_ENDPOINT_URL=http://127.0.0.1:5911
    until python -c 'import s3fs; s3fs.S3FileSystem().mkdir("bucket")' 2>/dev/null; do sleep 0.5; done
    python -c 'import s3fs; s3fs.S3FileSystem().put_file("requests.jsonl", "bucket/requests.jsonl")'
    plan s3://bucket/job --input s3://bucket/requests.jsonl --lines "$lines" -- "${command[@]}"
    both s3://bucket/job
    python -c 'import s3fs; s3fs.S3FileSystem().get("bucket/job", "s3", recursive=True)'
    echo "S3, two workers of shards.py work"
    same s3
fi

# --- Columns
if has pyarrow && has duckdb && has pandas && [ -d killed ]; then
    python "$here/to_parquet.py" killed
    python "$here/to_parquet.py" killed table --by depth --rows $((count / 4))
    python "$here/check_columns.py" table one.jsonl 2>/dev/null || fail "the table differs"
fi

# --- Labels and the book, by two workers
# `emilia-lab` is in the same folder, if it was built.
lab=$(dirname "$emilia")/emilia-lab
if [ -x "$lab" ]; then
    plan labels --parts 4 --ending .rec -- label --eval classic --empties 6-9 --solve-from 9 --positions 2000
    emilia=$lab both labels
    "$lab" label --eval classic --empties 6-9 --solve-from 9 --positions 2000 --shard 2/4 -o direct.rec >/dev/null
    # One file may have one block more: the common part must be the same.
    cmp direct.rec labels/output/000002.rec | grep -q "differ" && fail "a label file differs"
    echo "labels: $(ls labels/output | wc -l) files, the second equal to one made by hand"
else
    echo "no emilia-lab: labels are not checked"
fi
echo 'f5d6c3d3c4' | "$emilia" book import one.book - >/dev/null
"$emilia" book grow one.book --positions 8 --depth 4 >/dev/null 2>&1
cp one.book two.book
"$emilia" book jobs one.book --positions 40 --depth 4 >jobs.jsonl 2>/dev/null
plan book --input jobs.jsonl --lines 10 -- analyze --no-book --reproducible
both book
"$emilia" book absorb one.book book/output/*.jsonl.gz
"$emilia" analyze --no-book --reproducible jobs.jsonl | "$emilia" book absorb two.book
"$emilia" book export one.book | sort >one.export
"$emilia" book export two.book | sort | cmp - one.export || fail "the books differ"

# --- Without Python
rm -rf array
array() { for task in "$@"; do SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=$# bash "$here/slurm.sh" 12 "$emilia" requests.jsonl array "${command[@]:1}" || return 1; done; }
array $(seq 12) 2>array.log || fail "slurm.sh: $(tail -1 array.log)"
# Some again, in an array of their own: one that was killed, one whose output is lost, one that is complete.
gzip -dc array/of-12/03.jsonl.gz | head -c 300 >array/of-12/03.jsonl.gz.part && rm array/of-12/03.jsonl.gz array/of-12/03.jsonl.gz.summary.json
rm array/of-12/07.jsonl.gz array/of-12/07.jsonl.gz.summary.json
array 3 7 12 2>array.log || fail "slurm.sh again: $(tail -1 array.log)"
if array 13 2>/dev/null; then fail "slurm.sh: task 13 of 12"; fi
gzip -dc array/of-12/*.jsonl.gz | LC_ALL=C sort | cmp - one.sorted || fail "the tasks of the array differ"
echo "slurm.sh, 12 tasks, three of them again: equal"
seq 4 | xargs -P 2 -I{} "$emilia" "${command[@]}" requests.jsonl --shard {}/4 -o parallel-{}.jsonl.gz
gzip -dc parallel-*.gz | LC_ALL=C sort | cmp - one.sorted || fail "the processes side by side differ"
echo "four processes, two side by side: equal"

if has kubernetes_validate; then
    # Unknown fields are faults, too.
    kubernetes-validate --strict "$here/kubernetes.yaml" >kubernetes.log 2>&1 || fail "kubernetes.yaml: $(cat kubernetes.log)"
    echo "kubernetes.yaml: the fields of its schemas"
fi

python "$here/simulate.py" --workers 200 --shards 2000 >simulated || fail "the simulation: $(cat simulated)"
echo "simulated: $(cut -c1-200 simulated)"
echo "all is well"
