#!/usr/bin/env bash
# Random programs of many stages (tests/equivalence/pipelines_test.cpp) in shares of 100 seeds, as many at once as there are
# processors: a process that builds thousands of programs runs out of the memory maps that PoCL's libraries take, and a share
# whose device's compiler crashes leaves the others. Prints what failed. Exit status: 0 where all shares pass.
#   tests/pipelines.sh build/release Host|OpenCL|Cuda|ByLoops|CandidatesByLoops [first [last]]     (seeds; 1 to 10000)
set -euo pipefail
tests=$(cd "${1:?the folder of test_pipelines}" && pwd)/test_pipelines
executor=${2:?Host, OpenCL, Cuda, ByLoops or CandidatesByLoops}
first=${3:-1}
last=${4:-10000}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
share() {
  last_of_share=$((seed + 99 < last ? seed + 99 : last))
  log=$logs/$seed
  HOIST_SEED=$seed-$last_of_share "$tests" --gtest_brief=1 --gtest_filter="*.$executor" >"$log" 2>&1 && return
  echo "seeds $seed to $last_of_share: exit status $?"
  head -c 20000 "$log"
  return 1
}
export -f share
export tests executor last logs
seq "$first" 100 "$last" | xargs -P "$(nproc)" -I{} bash -c 'seed={}; share'
