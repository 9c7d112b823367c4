#!/usr/bin/env bash
# Installs what was built, and builds and runs the example project against nothing else: run.sh CMAKE BUILD SOURCE COMPILER
set -euo pipefail
cmake=$1 build=$2 source=$3 compiler=$4
work=$build/installed
rm -rf "$work"
"$cmake" --install "$build" --prefix "$work/prefix" >/dev/null
"$cmake" -G Ninja -S "$source/examples/cpp" -B "$work/example" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
  -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >/dev/null
"$cmake" --build "$work/example" >/dev/null

fail() {
  echo "$*" >&2
  exit 1
}
"$work/example/heat" host | tee "$work/output"
grep -q '^heat: 1000.0$' "$work/output" || fail "heat was lost or made"
# What it runs can be captured, tuned, and is run then.
export XDG_DATA_HOME="$work/data"
HOIST_CAPTURE="$work/captured" "$work/example/heat" host | grep -q '^heat: 1000.0$' || fail "capturing changed the result"
"$work/prefix/bin/hoist" tune "$work/captured" --evaluations 1 --budget 60 | tee "$work/output"
grep -q '1 of 2: step, H = 256, W = 320, 100 runs' "$work/output" || fail "what was captured is not tuned"
"$work/example/heat" host | grep -q '^heat: 1000.0$' || fail "heat was lost or made by a tuned kernel"
"$work/example/heat" host:7 2>"$work/output" && fail "a device that is not there was opened"
grep -q "host:7" "$work/output" || fail "the error does not name the device"
# On ranks, where there is an MPI.
if command -v mpirun >/dev/null && command -v mpicxx >/dev/null; then
  "$cmake" -G Ninja -S "$source/examples/ranks" -B "$work/ranks" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" \
    -DCMAKE_CXX_FLAGS="-Wall -Wextra -Werror" >/dev/null
  "$cmake" --build "$work/ranks" >/dev/null
  OMP_NUM_THREADS=1 mpirun --allow-run-as-root --oversubscribe --bind-to none -n 3 "$work/ranks/heat_on_ranks" | tee "$work/output"
  grep -q '^heat: 1000.0$' "$work/output" || fail "heat was lost or made on ranks"
fi
"$work/prefix/bin/hoist" --version >/dev/null

# Only the interface is visible, under its version, and the headers need no other library's.
symbols=$(nm -DC --defined-only "$work"/prefix/lib*/libhoist.so | cut -d ' ' -f 3-)
grep 'hoist::api::' <<<"$symbols" | grep -v '@HOIST_[0-9.]*$' && fail "a symbol has no version"
hidden=$(grep -v -e 'hoist::api::' -e '^HOIST_[0-9.]*$' <<<"$symbols" || true)
[ -z "$hidden" ] || fail "libhoist.so shows more than its interface: $hidden"
grep -rhE '^#include ["<]' "$work/prefix/include" | grep -E '"|/' | grep -v '<hoist/' && fail "a header includes what is not installed"
for page in man/man1/hoist-run.1.gz bash-completion/completions/hoist hoist/kernels/jacobi2d5.hoist; do
  [ -s "$work/prefix/share/$page" ] || fail "share/$page is not installed"
done
echo "installed, found, built and run"
