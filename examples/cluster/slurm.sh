#!/bin/bash
# A job array of Slurm on a shared disk: every task answers its share of the lines. The first word is the number of shards.
# Submit the same command again for all tasks or for some: it checks complete tasks and continues killed and requeued ones.
#
#   sbatch --array=1-100 slurm.sh 100 ./emilia requests.jsonl.gz answers --reproducible --depth 12
#   sbatch --array=7,31 slurm.sh 100 ./emilia requests.jsonl.gz answers --reproducible --depth 12
#   cat answers/of-100/*.summary.json          the summary of each complete task
#
#SBATCH --job-name=emilia
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --time=04:00:00
#SBATCH --requeue
set -euo pipefail
if ! [[ ${1-} =~ ^[1-9][0-9]*$ ]] || [ $# -lt 4 ]; then
    echo "slurm.sh: expected the number of shards, the program, the requests and the folder of the answers" >&2
    exit 2
fi
shards=$1 emilia=$2 requests=$3 answers=$4/of-$1
shift 4
if [ "$SLURM_ARRAY_TASK_ID" -gt "$shards" ]; then
    echo "slurm.sh: task $SLURM_ARRAY_TASK_ID of $shards shards: number the tasks from 1 to $shards" >&2
    exit 2
fi
# Arrays may begin with 0: task 0 has the last shard.
shard=$((SLURM_ARRAY_TASK_ID > 0 ? SLURM_ARRAY_TASK_ID : shards))
mkdir -p "$answers"
name=$(printf "%0${#shards}d" "$shard")
exec "$emilia" analyze "$requests" --shard "$shard/$shards" -o "$answers/$name.jsonl.gz" --resume "$@"
