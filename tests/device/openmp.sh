#!/usr/bin/env bash
# The programs of examples/openmp, translated to CUDA by hoist openmp, on the first CUDA device, with one task and with eight:
# each prints what its serial form prints, up to rounding. Nothing is built here: `openmp.sh build` builds all before, on a
# machine with hoist, gcc and CUDA's headers, and without a GPU if need be. Skipped, with the reason, where there is no GPU.
# Each run ends after a minute, the whole after TIME seconds (300).
#   tests/device/openmp.sh build build/release build/openmp-cuda
#   tests/device/openmp.sh run build/openmp-cuda
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
usage() { echo "usage: openmp.sh build FOLDER-OF-HOIST OUTPUT | openmp.sh run OUTPUT"; exit 2; }
failed=0

build() {
  local hoist=$1/hoist output=$2 headers=${CUDA_INCLUDE:-/usr/local/cuda/include} driver=${CUDA_DRIVER:-}
  mkdir -p "$output"
  # A machine without a GPU has no driver to link: CUDA's stub stands for it.
  [ -n "$driver" ] || driver=$(find -L "$headers/.." -name libcuda.so 2>/dev/null | head -1)
  local nvrtc
  nvrtc=$(find -L "$headers/.." -name libnvrtc.so 2>/dev/null | head -1)
  for source in "$here"/examples/openmp/*.c; do
    local name
    name=$(basename "$source" .c)
    "$hoist" openmp "$source" -o "$output/source" --target cuda --force >"$output/$name.log" 2>&1 &&
      gcc -std=gnu11 -O2 -w -DHOIST_OPENMP_CUDA -I"$headers" -I"$here/examples/openmp" "$output/source/$name.c" \
        "$output/source/hoist_openmp.c" -o "$output/$name" "${driver:--lcuda}" "${nvrtc:--lnvrtc}" -lm >>"$output/$name.log" 2>&1 &&
      gcc -std=gnu11 -O2 -w "$source" -o "$output/$name.serial" -lm >>"$output/$name.log" 2>&1 ||
      { echo "not built: $name"; cat "$output/$name.log"; failed=1; }
    rm -f "$output/$name.log"
  done
  # What NVRTC needs beside the driver, for machines that have no CUDA.
  [ -z "$nvrtc" ] || cp -L "$(dirname "$nvrtc")"/libnvrtc.so.[0-9]* "$(dirname "$nvrtc")"/libnvrtc-builtins.so.[0-9]* "$output/" 2>/dev/null
}

same() {  # two files of results: words, and numbers that agree to four digits of themselves or of the sum of magnitudes
  awk 'NR == FNR { expected[FNR] = $0; lines = FNR; next }
    { count = split(expected[FNR], a, /[ =]+/); if (split($0, b, /[ =]+/) != count) bad = 1
      scale = 0
      for (i = 1; i < count; ++i) if (a[i] == "magnitude") scale = a[i + 1]
      for (i = 1; i <= count; ++i) if (a[i] != b[i]) {
        d = a[i] - b[i]; s = (a[i] < 0 ? -a[i] : a[i]); if (d < 0) d = -d
        if (a[i - 1] ~ /sum|weighted/ && s < scale) s = scale
        if (a[i] !~ /^[-+0-9.]/ || d > 1e-4 * s) bad = 1 } }
    END { exit bad || FNR != lines }' "$1" "$2"
}

run() {
  local output end
  output=$(cd "$1" && pwd)
  end=$((SECONDS + ${TIME:-300}))
  if ! command -v nvidia-smi >/dev/null || ! nvidia-smi -L >/dev/null 2>&1; then
    echo "skipped: no GPU (nvidia-smi lists none)"
    exit 0
  fi
  export LD_LIBRARY_PATH=$output:${LD_LIBRARY_PATH:-}
  local equal=0 all=0
  scratch=$(mktemp -d)  # not local: it is removed when the script ends
  trap 'rm -rf "$scratch"' EXIT
  for serial in "$output"/*.serial; do
    local name
    name=$(basename "$serial" .serial)
    ((all += 1))
    if [ "$SECONDS" -ge "$end" ]; then echo "not run in time: $name"; failed=1; continue; fi
    timeout 60 "$serial" | grep -v '^seconds' >"$scratch/expected"
    local verdict=equal
    for streams in 1,1 1,8; do
      HOIST_VERBOSE=1 HOIST_STREAMS=$streams timeout 60 "$output/$name" 2>"$scratch/told" | grep -v '^seconds' >"$scratch/got"
      same "$scratch/expected" "$scratch/got" || verdict="differs with $streams"
      ! grep -q "refuses\|the host runs" "$scratch/told" || verdict="ran on the host with $streams"
    done
    echo "$name: $verdict"
    if [ "$verdict" = equal ]; then ((equal += 1)); else failed=1; tail -3 "$scratch/told"; fi
  done
  echo "$equal of $all programs are equal to their serial form"
}

case ${1:-} in
  build) [ $# = 3 ] || usage; build "$2" "$3" ;;
  run) [ $# = 2 ] || usage; run "$2" ;;
  *) usage ;;
esac
exit "$failed"
