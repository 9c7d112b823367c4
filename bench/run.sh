#!/usr/bin/env bash
# Measures the compiler, and the kernels on a device (default: the first OpenCL device); on every GPU generated kernels against
# hand-written ones, and cuBLAS and CLBlast where they are. Prints, and writes to build/bench/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build/bench
commit=$(git rev-parse --short HEAD)
build/release/compile_bench
build/release/kernels_bench "${1:-opencl}" build/bench/kernels.json build/bench/kernels.md "$commit"
gpus=$(build/release/hoist devices --json | tr -d ' \n' | grep -o '{[^{}]*"type":"gpu"[^{}]*}' | grep -o '"id":"[^"]*"' | cut -d'"' -f4 || true)
for gpu in $gpus; do
  output=build/bench/reference-${gpu/:/-}
  build/release/reference_bench --device "$gpu" --json "$output.json" --markdown "$output.md" --commit "$commit"
  case $gpu in opencl:*)
    # 77: there is no CLBlast, which it says.
    output=build/bench/clblast-${gpu/:/-}
    build/release/clblast_bench --device "$gpu" --json "$output.json" --markdown "$output.md" --commit "$commit" || [ $? -eq 77 ] ;;
  esac
done
[ -n "$gpus" ] || echo "no GPU: generated kernels were not held against hand-written ones"
# 77: there is no cuBLAS, which it says.
build/release/cublas_bench --json build/bench/cublas.json --markdown build/bench/cublas.md --commit "$commit" || [ $? -eq 77 ]
echo "wrote to build/bench:"
ls build/bench
