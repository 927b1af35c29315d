#!/usr/bin/env bash
# Runs the fuzz targets of build/fuzz one after the other, each for as many seconds:
#
#   tools/fuzz.sh SECONDS [model] [journal]
#
# Begins with the examples and what earlier runs have kept in build/fuzz/corpus. A finding ends its target and
# stays as build/fuzz/findings/TARGET-…; give that file to the target to see it again. Exit 1 if there is one.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds="${1:?seconds for each target}"
shift
[ $# -gt 0 ] || set -- model journal
mkdir -p build/fuzz/findings
status=0
for target in "$@"; do
  case "$target" in
    model) seeds=examples ;;
    journal) seeds=tests/fuzz/journals ;;
    *)
      echo "fuzz: unknown target \"$target\" (model, journal)" >&2
      exit 2
      ;;
  esac
  corpus="build/fuzz/corpus/$target"
  mkdir -p "$corpus"
  echo "fuzz: $target for $seconds s"
  log="build/fuzz/$target.log"
  "build/fuzz/kinegrad_fuzz_$target" "$corpus" "$seeds" \
    -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 \
    -dict="tests/fuzz/$target.dict" -artifact_prefix="build/fuzz/findings/$target-" \
    -print_final_stats=1 >"$log" 2>&1 || status=1
  grep -E 'stat::|cov:.*DONE|ERROR|SUMMARY|broken promise' "$log" | tail -n 12
done
exit $status
