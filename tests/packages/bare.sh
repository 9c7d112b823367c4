#!/usr/bin/env bash
# The packages where nothing is installed: bare.sh SOURCE WORK [--pip]. Makes them (./x package), installs them by apt in a root of
# Debian 12 that debootstrap makes in the directory WORK, and does there what a newcomer does: the demo, five lines of Python, an
# application in C++, and all of it without a compiler. With --pip it builds the source by `pip install .`, too. Prints how long
# each takes. Exit status 77 where that cannot be: without root's rights, debootstrap, or another system than Debian 12.
set -euo pipefail
source=$1 work=$2
skip() {
  echo "skipped: $*"
  exit 77
}
[ "$(id -u)" -eq 0 ] || skip "only root may make a root directory of a system"
command -v debootstrap unshare >/dev/null || skip "debootstrap is not installed"
. /etc/os-release
[ "${VERSION_CODENAME:-}" = bookworm ] || skip "this is not Debian 12"
mirror=$(apt-get indextargets --format '$(REPO_URI) $(COMPONENT)' 'Created-By: Packages' 'Codename: bookworm' | sed -n 's/ main$//p' | head -n 1)
[ -n "$mirror" ] || skip "apt has no mirror of Debian"

"$source/x" package
root=$work/root
rm -rf "$root"
mkdir -p "$root"
debootstrap --variant=minbase bookworm "$root" "$mirror" >"$work/debootstrap.log"
echo "deb $mirror bookworm main" >"$root/etc/apt/sources.list"
cp /etc/resolv.conf "$root/etc/"
mkdir "$root/packages"
cp "$source"/build/packages/*.deb "$root/packages"

fail() {
  cat "$work/output"
  echo "$*"
  exit 1
}
# Runs a command there, in a space of mounts and processes of its own, of which nothing is left.
there() {
  unshare --mount --pid --fork --kill-child bash -c 'mount -t proc proc "$0/proc" && mount -t sysfs -o ro sysfs "$0/sys" && exec chroot "$0" /usr/bin/env -i HOME=/root \
    LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive bash -euo pipefail -c "$1"' "$root" "$1"
}
# timed WHAT COMMAND [SECONDS]: runs it there, tells how long it took, and fails where it took longer than it may.
timed() {
  local start end
  start=$(date +%s%3N)
  there "$2" >"$work/output" 2>&1 || fail "$1 failed"
  end=$(date +%s%3N)
  printf '%-60s %5d.%d s\n' "$1" $(((end - start) / 1000)) $(((end - start) % 1000 / 100))
  [ $((end - start)) -le "${3:-3600}000" ] || fail "that is more than $3 s"
}
says() {
  grep -q -- "$1" "$work/output" || fail "this does not say '$1'"
}

there "apt-get update -qq"
timed "apt install ./hoist_*.deb" "apt-get install -y /packages/hoist_*.deb"
timed "hoist demo" "hoist demo /root/demo" 60
says "verified"
timed "apt install ./libhoist0_*.deb ./python3-hoist_*.deb" "apt-get install -y /packages/libhoist0_*.deb /packages/python3-hoist_*.deb"
cat >"$root/root/five.py" <<'PYTHON'
import hoist, numpy
step = hoist.load("/usr/share/hoist/kernels/jacobi2d5.hoist")
u = numpy.random.rand(512, 512).astype(numpy.float32)
v = step(u, steps=1000)
print(abs(v.mean(dtype=float) - u.mean(dtype=float)) < 1e-2)
PYTHON
timed "five lines of Python, compiled for the first time" "python3 /root/five.py"
says True
timed "five lines of Python, again" "python3 /root/five.py"
says True
there 'python3 -c "import hoist, numpy; r = hoist.load(\"/usr/share/hoist/kernels/scal.hoist\").tune(2.0, numpy.ones(4096, numpy.float32), budget=60, evaluations=1, progress=False); print(r.baseline > 0)"' >"$work/output"
says True
there "apt-get install -y -qq /packages/libhoist-dev_*.deb >/dev/null 2>&1
  g++ -std=c++20 /usr/share/hoist/examples/cpp/main.cpp -lhoist -o /root/heat && /root/heat" >"$work/output"
says "heat: 1000.0"
timed "apt install ./libhoist-mpi_*.deb" "apt-get install -y /packages/libhoist-mpi_*.deb openmpi-bin openssh-client"
there "cd /root && mpirun --allow-run-as-root --oversubscribe -n 2 hoist run /usr/share/hoist/kernels/jacobi2d5.hoist H=64 W=64 --random 1 --device host --verify 2>&1" >"$work/output"
says "verified"
there "for each in hoist hoist-run hoist-store; do zcat /usr/share/man/man1/\$each.1.gz; done; bash -n /usr/share/bash-completion/completions/hoist" >"$work/output"
says "hoist store list"

there "apt-get purge -y -qq 'g\+\+.*' >/dev/null 2>&1; ! command -v c++ g++ clang++
  cp /usr/share/hoist/kernels/dot.hoist /root
  hoist run /root/dot.hoist N=1000 --random 1 2>&1 || true" >"$work/output"
says "install one (Debian: g++)"
there "apt-get install -y -qq pocl-opencl-icd ocl-icd-libopencl1 >/dev/null 2>&1
  hoist run /root/dot.hoist N=1000 --random 1 --verify 2>&1" >"$work/output"
says "opencl:0"
says "verified"
there "apt-get purge -y -qq hoist libhoist0 libhoist-dev libhoist-mpi python3-hoist >/dev/null 2>&1
  find / -xdev -name '*hoist*' -not -path '/root/*' -not -path '/packages/*' -not -path '/tmp/*' -not -path '/proc/*'" >"$work/output"
[ ! -s "$work/output" ] || fail "these are left after the packages are removed"
if [ "${3:-}" = --pip ]; then
  mkdir "$root/source"
  (cd "$source" && git ls-files -z | tar --null -T - -c) | tar -x -C "$root/source"
  # What docs/python.md asks for, as ./x lists it.
  needed=$(sed -n '/^packages=(/,/)/p; /^python_packages=(/p' "$source/x" | sed 's/^[a-z_]*=(//; s/).*//' | tr '\n' ' ')
  there "apt-get install -y -qq --no-install-recommends $needed python3-venv >/dev/null 2>&1; python3 -m venv --system-site-packages /root/there"
  timed "pip install ." "cd /source && /root/there/bin/pip install --no-index ."
  timed "five lines of Python after it" "sed -i s,/usr/share/hoist,/source, /root/five.py; /root/there/bin/python /root/five.py"
  says True
fi
rm -rf "$root"
