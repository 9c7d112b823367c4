#!/usr/bin/env bash
# Every program that ships, on the first CUDA device and on the first OpenCL GPU: verified against the interpreter, then
# timed. Skipped, with the reason, where there is no GPU. Needs the release build's hoist and kernels_bench (arguments:
# their folder, the output's folder; a folder in it for each device).
#   tests/device/run.sh build/release bench/results/today
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=${1:-build/release}
output=${2:-build/bench}
gpus=$("$build/hoist" devices --json | tr -d ' \n' | grep -o '{[^{}]*"type":"gpu"[^{}]*}' | grep -o '"id":"[a-z]*:[0-9]*"' | cut -d'"' -f4 || true)
tried=0
failed=0
for platform in cuda opencl; do
  device=$(grep -m 1 "^$platform:" <<<"$gpus" || true)
  [ -n "$device" ] || continue
  tried=1
  mkdir -p "$output/$platform"
  HOIST_KERNELS=$PWD/kernels "$build/kernels_bench" "$device" "$output/$platform/kernels.json" \
    "$output/$platform/kernels.md" "${HOIST_COMMIT:-$(git rev-parse --short HEAD)}" || failed=1
done
if [ "$tried" = 0 ]; then
  echo "skipped: no GPU among the devices of CUDA and OpenCL (hoist devices lists those there are)"
fi
exit "$failed"
