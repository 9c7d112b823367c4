#!/usr/bin/env bash
# Four programs on one GPU, on two of one process, and on two ranks of MPI (tests/device/ranks.py): how much faster two are, whether
# their results are equal, and whether what they exchange is hidden. `ranks.sh build` gathers before what a machine may lack: hoist
# without symbols, its libraries, and Open MPI, packed in one file that `run` unpacks. Exit status 77, with the reason, where there are no two GPUs; without mpirun ranks are
# left out.
#   tests/device/ranks.sh build build/release build/ranks-device
#   tests/device/ranks.sh run build/ranks-device --seconds 200 --write bench/results/h200-ranks
# `run FOLDER --devices host host --small` does the same on this machine's processor, on small arrays. FOLDER may be build/release.
set -uo pipefail
packed=ranks.tar.gz
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
usage() { echo "usage: ranks.sh build FOLDER-OF-HOIST OUTPUT | ranks.sh run FOLDER [--devices ID ID] [--small] [--seconds N] [--write FOLDER]"; exit 2; }

libraries_of() {  # FILES: the libraries that they need but those of C and C++
  ldd "$@" 2>/dev/null | awk '$3 ~ /^\// && $1 !~ /^(libc|libm|libstdc\+\+|libgcc_s|libpthread|libdl|librt)\.so/ { print $3 }' | sort -u
}

build() {
  local build=$1 output=$2 mpi components
  rm -rf "$output"
  mkdir -p "$output/lib"
  cp "$build/hoist" "$build/hoist-worker" "$output/" && cp -P "$build"/libhoist.so.* "$output/" || return 1
  libraries_of "$build/hoist" | xargs -r -I{} cp -L {} "$output/lib/"
  if [ -e "$build/libhoist-mpi.so" ] && mpi=$(command -v mpirun) && mpi=$(readlink -f "$mpi"); then
    cp "$build/libhoist-mpi.so" "$output/"
    components=$(ompi_info --path pkglibdir --parsable 2>/dev/null | cut -d: -f3)
    mkdir -p "$output/mpi/bin" "$output/mpi/share" "$output/mpi/etc"
    cp -L "$mpi" "$output/mpi/bin/mpirun" && cp -L "$(dirname "$mpi")/orted" "$output/mpi/bin/orted"
    cp -rL "$components" "$output/mpi/components"
    # Networks and launchers that one machine does not need, of which some have large libraries.
    rm -f "$output"/mpi/components/mca_*{ucx,ofi,openib,psm,psm2,verbs,portals4,usnic,monitoring,flux,slurm,jsm,gridengine}*.so
    # Files, one-sided messages, topologies and OpenSHMEM: Hoist has none of them.
    rm -f "$output"/mpi/components/mca_{io,fs,fcoll,fbtl,sharedfp,osc,topo,vprotocol,spml,scoll,sshmem,memheap,atomic}_*.so
    rm -f "$output"/mpi/components/lib*.so
    cp -rL "$(ompi_info --path pkgdatadir --parsable 2>/dev/null | cut -d: -f3)" "$output/mpi/share/openmpi"
    : >"$output/mpi/etc/openmpi-mca-params.conf"
    libraries_of "$mpi" "$output/libhoist-mpi.so" "$output"/mpi/components/*.so | xargs -r -I{} cp -L {} "$output/lib/"
  else
    echo "without MPI: no mpirun, or no $build/libhoist-mpi.so"
  fi
  # Symbolic links among the libraries of Hoist stay links.
  find "$output" -type f \( -name '*.so*' -o -perm -u+x \) -exec strip --strip-unneeded {} + 2>/dev/null
  tar -C "$output" -czf "$output.tar.gz" . && rm -rf "${output:?}"/* && mv "$output.tar.gz" "$output/$packed" || return 1
  du -sh "$output" | cut -f1
}

run() {
  local folder library name
  folder=$(cd "$1" && pwd) || usage
  shift
  scratch=$(mktemp -d)  # not local: it is removed when the script ends
  trap 'rm -rf "$scratch"' EXIT
  mkdir "$scratch/lib"
  if [ -e "$folder/$packed" ]; then
    mkdir "$scratch/unpacked" && tar -C "$scratch/unpacked" -xzf "$folder/$packed" || exit 1
    folder=$scratch/unpacked
  fi
  # Of what came along, what this machine lacks: other programs of it want its own.
  for library in "$folder"/lib/*.so*; do
    name=$(basename "$library")
    [ -e "$library" ] && ! ldconfig -p 2>/dev/null | grep -q "[[:space:]]$name " && ln -s "$library" "$scratch/lib/$name"
  done
  export LD_LIBRARY_PATH=$scratch/lib:${LD_LIBRARY_PATH:-} XDG_DATA_HOME=$scratch/data XDG_CACHE_HOME=$scratch/cache PYTHONUNBUFFERED=1
  if [ -x "$folder/mpi/bin/mpirun" ] && ! command -v mpirun >/dev/null; then
    export PATH=$folder/mpi/bin:$PATH OPAL_PREFIX=$folder/mpi OPAL_PKGLIBDIR=$folder/mpi/components OPAL_LIBDIR=$folder/lib
    export OPAL_PKGDATADIR=$folder/mpi/share/openmpi OPAL_SYSCONFDIR=$folder/mpi/etc
    # All libraries of that MPI are of one version, and its own.
    export LD_LIBRARY_PATH=$folder/lib:$LD_LIBRARY_PATH OMPI_MCA_pmix=isolated,ext3x
  fi
  # NVRTC comes with CUDA, or with PyTorch.
  if [ -z "${HOIST_NVRTC_LIBRARY:-}" ] && ! ldconfig -p 2>/dev/null | grep -q libnvrtc.so; then
    nvrtc=$(find -L /usr/local/cuda*/lib64 /usr/local/cuda*/targets \
      "$(python3 -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')/nvidia" -name 'libnvrtc.so*' 2>/dev/null |
      grep -v -e alt -e builtins | sort -V | tail -1)
    [ -z "$nvrtc" ] || export HOIST_NVRTC_LIBRARY=$nvrtc
  fi
  python3 -B "$here/tests/device/ranks.py" "$folder/hoist" "$@"
}

case ${1:-} in
  build) [ $# = 3 ] || usage; shift; build "$@" ;;
  run) [ $# -ge 2 ] || usage; shift; run "$@" ;;
  *) usage ;;
esac
