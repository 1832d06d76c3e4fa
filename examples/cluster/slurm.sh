#!/bin/bash
# A job array of Slurm on a shared disk: every task answers its share of the lines. The same command continues
# killed and requeued tasks.
#
#   sbatch --array=1-100 slurm.sh ./emilia requests.jsonl.gz answers --reproducible --depth 12
#   cat answers/*.summary.json          the summary of each task
#
#SBATCH --job-name=emilia
#SBATCH --cpus-per-task=1
#SBATCH --mem=1G
#SBATCH --time=04:00:00
#SBATCH --requeue
set -euo pipefail
emilia=$1 requests=$2 answers=$3
shift 3
mkdir -p "$answers"
output=$answers/$SLURM_ARRAY_TASK_ID.jsonl.gz
# The summary is written last.
if [ -e "$output.summary.json" ]; then exit 0; fi
exec "$emilia" analyze "$requests" --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" -o "$output" --resume "$@"
