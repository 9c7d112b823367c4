#!/usr/bin/env bash
# What programs from elsewhere and random ones found, on the first CUDA device and on the first OpenCL GPU: the programs
# of tests/programs and 300 random pipelines against the interpreter, then three that were wrong once, at sizes that fill
# a GPU. Skipped, with the reason, where there is no GPU. Needs the release build's hoist, test_programs and
# test_pipelines (argument: their folder). HOIST_SLOW=1 makes it 10,000 pipelines (16 processors: 3 minutes with CUDA).
#   tests/device/found.sh build/release
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
build=$(cd "${1:-build/release}" && pwd)
# OpenCL's tests take the first device, which is to be a GPU.
if [ -z "${OCL_ICD_VENDORS:-}" ] && [ -e /etc/OpenCL/vendors/nvidia.icd ]; then
  export OCL_ICD_VENDORS=/etc/OpenCL/vendors/nvidia.icd
fi
gpus=$("$build/hoist" devices --json | tr -d ' \n' | grep -o '{[^{}]*"type":"gpu"[^{}]*}' | grep -o '"id":"[a-z]*:[0-9]*"' | cut -d'"' -f4 || true)
failed=0
check() { echo "+ $*"; "$@" || { echo "failed: $*"; failed=1; }; }
tried=0
for platform in cuda opencl; do
  device=$(grep -m 1 "^$platform:" <<<"$gpus" || true)
  [ -n "$device" ] || continue
  tried=1
  suite=$([ "$platform" = cuda ] && echo Cuda || echo OpenCL)
  check "$build/test_programs" --gtest_brief=1 --gtest_filter="*.$suite/*"
  check tests/pipelines.sh "$build" "$suite" 1 "$([ "${HOIST_SLOW:-0}" = 0 ] && echo 300 || echo 10000)"
  for program in "scan_in_map W=2048 H=2160" "odd_iterate N=4096" "integer_limits N=5000"; do
    read -r name sizes <<<"$program"
    # shellcheck disable=SC2086  # one argument for each size
    check "$build/hoist" run "tests/programs/found/$name.hoist" $sizes --device "$device" --untuned --random 1 --verify
  done
done
if [ "$tried" = 0 ]; then
  echo "skipped: no GPU among the devices of CUDA and OpenCL (hoist devices lists those there are)"
fi
exit "$failed"
