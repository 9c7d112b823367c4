#!/bin/sh
# Makes the listings of kernels.cc again: make.sh [FOLDER]. Those that are kept are by g++ 12.2 and clang 14.0.
cd "$(dirname "$0")" || exit 1
folder=${1:-.}
for compiler in g++ clang++; do
  for isa in sse4.2 avx2 avx512; do
    case $isa in
      sse4.2) flags="-msse4.2" ;;
      avx2) flags="-mavx2 -mfma" ;;
      avx512) flags="-march=skylake-avx512 -mprefer-vector-width=512" ;;
    esac
    $compiler -std=c++17 -O3 -fno-math-errno -fno-trapping-math -fopenmp -fno-asynchronous-unwind-tables $flags -S kernels.cc \
      -o "$folder/$compiler-$isa.s" || exit 1
  done
done
