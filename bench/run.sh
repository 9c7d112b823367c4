#!/usr/bin/env bash
# Measures the compiler, and the kernels on a device (default: the first OpenCL device); prints, and writes to build/bench/.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mkdir -p build/bench
build/release/compile_bench
build/release/kernels_bench "${1:-opencl}" build/bench/kernels.json build/bench/kernels.md "$(git rev-parse --short HEAD)"
echo "wrote build/bench/kernels.json and build/bench/kernels.md"
