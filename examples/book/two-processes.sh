#!/usr/bin/env bash
# One book built by two processes; README.md beside this says more.
#   two-processes.sh BOOK ROUNDS REQUESTS [emilia book jobs options]
set -euo pipefail
book=$1 rounds=$2 requests=$3
shift 3
emilia=${EMILIA:-emilia}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$emilia" book absorb "$book" </dev/null
for ((round = 1; round <= rounds; round++)); do
    "$emilia" book jobs "$book" --positions "$requests" "$@" >"$work/requests.jsonl"
    [ -s "$work/requests.jsonl" ] || break
    split -n r/2 "$work/requests.jsonl" "$work/part."
    for part in "$work"/part.a?; do
        "$emilia" analyze --reproducible <"$part" >"$part.answers" &
    done
    wait
    "$emilia" book absorb "$book" "$work"/part.*.answers
    rm -f "$work"/part.*
done
"$emilia" book verify "$book"
