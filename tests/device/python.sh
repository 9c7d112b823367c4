#!/usr/bin/env bash
# The package for Python on a machine with a GPU: arrays of PyTorch, CuPy and JAX in and out without a copy and on their
# streams (tests/device/python_arrays.py), then four programs, tuned, beside torch.compile and CuPy (bench/python_peers.py).
# Nothing is built there: `python.sh build` makes the module before, on a machine without a GPU if need be, for every Python
# that is named, or else for the system's and those of pyenv. Exit status 77, with the reason, where there is no GPU, no
# PyTorch, or no module for the Python that is there (PYTHON names another one).
#   tests/device/python.sh build build/release build/python-device
#   tests/device/python.sh run build/python-device --seconds 250 --write bench/results/python-peers
# `run DIR --device host` does the same on this machine's processor, where NumPy stands for the other libraries.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
usage() { echo "usage: python.sh build FOLDER-OF-HOIST OUTPUT [PYTHON...] | python.sh run OUTPUT [--device ID] [--seconds N] [--write FOLDER]"; exit 2; }

module_for() {  # PYTHON BUILD OUTPUT: compiles src/python for it
  local python=$1 build=$2 output=$3 include suffix objects version
  version=$(sed -n 's/^project(.*VERSION \([0-9.]*\).*/\1/p' "$here/CMakeLists.txt")
  include=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["include"])') || return 1
  suffix=$("$python" -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))') || return 1
  if [ ! -e "$include/Python.h" ]; then echo "no headers of $python: $include/Python.h"; return 1; fi
  objects=$output/objects$suffix
  mkdir -p "$objects"
  local flags=(-std=c++20 -O2 -DNDEBUG "-DHOIST_VERSION=\"$version\"" -fPIC -fvisibility=hidden "-I$here/include" "-I$here/src" -isystem "$include")
  [ -z "${PYBIND11_INCLUDE:-}" ] || flags+=(-isystem "$PYBIND11_INCLUDE")
  (cd "$here/src/python" && printf '%s\n' *.cpp) | xargs -P 2 -I{} \
    "${CXX:-g++}" "${flags[@]}" -c "$here/src/python/{}" -o "$objects/{}.o" || return 1
  "${CXX:-g++}" -shared -s "$objects"/*.o "$build/libhoist.so" -Wl,-rpath,'$ORIGIN/../../lib' -o "$output/python/hoist/_hoist$suffix" || return 1
  rm -rf "$objects"
  PYTHONPATH=$output/python LD_LIBRARY_PATH=$output/lib "$python" -B -c 'import hoist' || return 1
  echo "built for $("$python" --version): _hoist$suffix"
}

build() {
  local build=$1 output=$2 failed=0
  shift 2
  rm -rf "$output"
  mkdir -p "$output/python/hoist" "$output/lib"
  output=$(cd "$output" && pwd)
  cp "$here"/src/python/hoist/*.py "$output/python/hoist/"
  cp -P "$build"/libhoist.so.* "$output/lib/"
  cp "$build/hoist-worker" "$output/lib/"
  strip "$output"/lib/libhoist.so.*.*.* "$output/lib/hoist-worker"
  # What a machine need not have: all but the C and C++ libraries.
  ldd "$build/libhoist.so" | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libstdc\+\+|libgcc_s|libpthread|libdl|librt)\.so/ { print $3 }' |
    xargs -r -I{} cp -L {} "$output/lib/"
  if [ $# = 0 ]; then
    # The newest of each minor version, from 3.11 on.
    set -- /usr/bin/python3 $(ls -d "$HOME"/.pyenv/versions/3.1[1-9].*/bin/python 2>/dev/null | sort -V)
  fi
  for python in "$@"; do
    module_for "$python" "$build" "$output" || { echo "not built for $python"; failed=1; }
  done
  du -sh "$output" | cut -f1
  return $failed
}

run() {
  local output python=${PYTHON:-python3} nvrtc site
  output=$(cd "$1" && pwd) || usage
  shift
  scratch=$(mktemp -d)  # not local: it is removed when the script ends
  trap 'rm -rf "$scratch"' EXIT
  # Of what came along, what this machine lacks: other programs of it want its own.
  mkdir "$scratch/lib"
  local library name
  for library in "$output"/lib/*; do
    name=$(basename "$library")
    case $name in
      libhoist* | hoist-worker) ;;
      *) ! ldconfig -p 2>/dev/null | grep -q "[[:space:]]$name " || continue ;;
    esac
    ln -s "$library" "$scratch/lib/$name"
  done
  export PYTHONPATH=$output/python LD_LIBRARY_PATH=$scratch/lib:${LD_LIBRARY_PATH:-} PYTHONUNBUFFERED=1
  export XDG_DATA_HOME=$scratch/data XDG_CACHE_HOME=$scratch/cache XLA_PYTHON_CLIENT_PREALLOCATE=false
  "$python" -c 'import platform, sys; print("Python", platform.python_version(), sys.executable)' || exit 77
  if ! "$python" -c 'import hoist' 2>"$scratch/told"; then
    tail -1 "$scratch/told"
    echo "skipped: the module is not built for this Python, but for: $(cd "$output/python/hoist" && echo _hoist*.so)"
    exit 77
  fi
  # NVRTC comes with CUDA, or with PyTorch.
  if [ -z "${HOIST_NVRTC_LIBRARY:-}" ] && ! ldconfig -p 2>/dev/null | grep -q libnvrtc.so; then
    site=$("$python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
    nvrtc=$(find -L /usr/local/cuda*/lib64 /usr/local/cuda*/targets "$site/nvidia" -name 'libnvrtc.so*' 2>/dev/null |
      grep -v -e alt -e builtins | sort -V | tail -1)
    [ -z "$nvrtc" ] || export HOIST_NVRTC_LIBRARY=$nvrtc
    echo "NVRTC: ${nvrtc:-none found}"
  fi
  local failed=0
  "$python" -B "$here/tests/device/python_arrays.py" "$@" || failed=$?
  [ "$failed" != 77 ] || exit 77
  "$python" -B "$here/bench/python_peers.py" "$@" || failed=$?
  exit "$failed"
}

case ${1:-} in
  build) [ $# -ge 3 ] || usage; shift; build "$@" ;;
  run) [ $# -ge 2 ] || usage; shift; run "$@" ;;
  *) usage ;;
esac
