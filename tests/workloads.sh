#!/usr/bin/env bash
# Every variant of the loops of the data's 58 programs at small sizes by the loop interpreter
# (tests/exploration/workloads_test.cpp), a program by each process, as many at once as there are processors. Prints what
# failed, and with each program how many variants it has. Exit status: 0 where all programs pass.
#   tests/workloads.sh build/release [first [last]]     (programs by their number; 0 to 57)
set -euo pipefail
tests=$(cd "${1:?the folder of test_exploration}" && pwd)/test_exploration
programs=58
export tests programs HOIST_SLOW=1
one() {
  GTEST_TOTAL_SHARDS=$programs GTEST_SHARD_INDEX=$1 "$tests" --gtest_brief=1 --gtest_filter='OfTheData/Workloads.*' 2>&1 |
    head -c 20000 | grep -v -e '^\[=' -e '^Running main' -e '^$'
  return "${PIPESTATUS[0]}"
}
export -f one
seq "${2:-0}" "${3:-$((programs - 1))}" | xargs -P "$(nproc)" -I{} bash -c 'one {}'
