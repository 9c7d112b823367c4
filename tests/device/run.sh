#!/usr/bin/env bash
# Every program that ships, on the first OpenCL GPU: verified against the interpreter, then timed. Skipped, with the reason,
# where there is no GPU. Needs the release build's hoist and kernels_bench (arguments: their folder, the output's folder).
#   tests/device/run.sh build/release bench/results/today
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${1:-build/release}
output=${2:-build/bench}
device=$("$build/hoist" devices --json | tr -d ' \n' | grep -o '{[^{}]*"type":"gpu"[^{}]*}' | grep -o '"id":"opencl:[0-9]*"' | head -1 | cut -d'"' -f4 || true)
if [ -z "$device" ]; then
  echo "skipped: no OpenCL GPU among the devices (hoist devices lists those there are)"
  exit 0
fi
mkdir -p "$output"
HOIST_KERNELS=$PWD/kernels "$build/kernels_bench" "$device" "$output/kernels.json" "$output/kernels.md" \
  "${HOIST_COMMIT:-$(git rev-parse --short HEAD)}"
