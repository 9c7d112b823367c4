#!/usr/bin/env bash
# Installs what was built as `pip install .` does, without a network, in an environment of its own, and runs a program there:
# wheel.sh PYTHON BUILD SOURCE. Exit status 77 where there is no pip.
set -euo pipefail
python=$1 build=$2 source=$3
work=$build/wheel-test
"$python" -c 'import numpy, venv, ensurepip' 2>/dev/null || exit 77
rm -rf "$work"
"$python" -m venv --system-site-packages "$work/there"
unset PYTHONPATH
export HOIST_BUILD=$build PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 XDG_DATA_HOME=$work/data
"$work/there/bin/pip" install --quiet --force-reinstall --no-deps "$source"
cd "$work"
cat >five.py <<'PYTHON'
import hoist, numpy
step = hoist.program("def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)", device="host")
print(step(numpy.ones(4, numpy.float32)).sum(), step.tune(numpy.ones(4096, numpy.float32), budget=60, evaluations=1).baseline > 0)
PYTHON
[ "$("$work/there/bin/python" five.py)" = "8.0 True" ]
"$work/there/bin/hoist" --version
# What ranks need, where it was built, is found beside the library.
if [ -e "$build/libhoist-mpi.so" ]; then
  "$work/there/bin/python" - <<'PYTHON'
import hoist, pathlib
folder = pathlib.Path(hoist.__file__).parent
assert (folder / "libhoist-mpi.so").is_file(), sorted(each.name for each in folder.iterdir())
try:
    print("ranks:", hoist.ranks())
except hoist.Error as error:  # of a machine without mpi4py
    assert "mpi4py" in str(error), error
PYTHON
fi
"$work/there/bin/pip" uninstall --quiet --yes hoist
[ -z "$(find "$work/there" -name '*hoist*')" ]
echo "installed, run, tuned and removed"
