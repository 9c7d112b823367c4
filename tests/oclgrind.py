"""Runs the programs that ship under Oclgrind, a simulator of OpenCL devices that sees what hardware hides: data races,
barriers that only a part of a group reaches, accesses outside of memory.

    oclgrind.py HOIST KERNELS [--streams] [NAME ...]

HOIST is the program `hoist`, KERNELS the folder with the programs and their sizes.json; each NAME picks programs.
Every program runs at its smallest set of sizes and must also compute what the reference interpreter computes. With --streams
it runs in three tasks, where it can be cut into as many, and some programs with windows of their arrays.
Exit status 0: nothing found; 1: something found; 77: no Oclgrind here.
"""

import json
import math
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

SEED = 20261121
SECONDS_FOR_EACH = 900
# In tasks: sizes at which arrays are windows, of elements or of columns, in so little memory; and columns in arrays that are whole.
WINDOWS = {"jacobi2d5": [["H=67", "W=31", "--streams", "1,16", "--memory", "6KiB"]],
           "transpose": [["H=37", "W=322", "--streams", "1,4"], ["H=37", "W=322", "--streams", "1,8", "--memory", "78KiB"]]}
# Not asked: --uninitialized. It forgets what earlier kernels wrote, and stops at instructions (freeze) that it does not
# know; the loop interpreter finds reads of unset memory in the same plans.


def oclgrind_library(oclgrind):
    """Its OpenCL library: `hoist` opens the library itself, so preloading is not enough."""
    home = pathlib.Path(oclgrind).resolve().parent.parent
    for folder in ("lib/oclgrind", "lib64/oclgrind", "lib"):
        library = home / folder / "liboclgrind-rt.so"
        if library.exists():
            return library
    return None


def smallest_sizes(entry):
    """The smallest set by the product of its sizes; of equals the one whose sizes divide less."""
    sets = [(name, sizes) for name, sizes in entry.items()
            if isinstance(sizes, dict) and name not in ("bench", "inputs")]
    return min(sets, key=lambda named: (math.prod(named[1].values()), named[0] != "prime"))


def arguments(entry, sizes):
    result = [f"{name}={value}" for name, value in sizes.items()]
    for seed, (name, limits) in enumerate(entry.get("inputs", {}).items()):
        low, high = (sizes.get(limit, limit) for limit in (limits["low"], limits["high"]))
        result.append(f"{name}=random:{SEED + seed}:{low}:{high}")
    return result + ["--random", str(SEED)]


def run(oclgrind, library, hoist, text, given):
    """What is wrong with the program, or an empty text; None where it cannot be cut into tasks."""
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        command = [oclgrind, "--data-races", "--max-errors", "3", "--log", str(log), hoist, "run", str(text),
                   *given, "--device", "opencl:0", "--verify", "--elements", "1"]
        try:
            done = subprocess.run(command, env=dict(os.environ, HOIST_OPENCL_LIBRARY=str(library)),
                                  capture_output=True, text=True, timeout=SECONDS_FOR_EACH)
        except subprocess.TimeoutExpired:
            return f"not done after {SECONDS_FOR_EACH} s: {' '.join(command)}"
        if done.returncode and "cannot be cut into" in done.stderr:
            return None
        found = log.read_text().strip() if log.exists() else ""
        if "Oclgrind Simulator" not in done.stdout and not done.returncode:
            found += "\nit did not run on Oclgrind's device\n" + done.stdout
        if done.returncode or "verified:" not in done.stdout:
            found += f"\nexit status {done.returncode}\n" + done.stdout + done.stderr
        return found and f"{' '.join(command)}\n{found}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    hoist, kernels, picked = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3:]
    in_tasks = picked[:1] == ["--streams"]
    picked = picked[1:] if in_tasks else picked
    oclgrind = shutil.which("oclgrind")
    library = oclgrind and oclgrind_library(oclgrind)
    if not library:
        print("skipped: there is no oclgrind on this machine")
        sys.exit(77)
    failed = 0
    for folder in (kernels, kernels / "low-level"):
        for name, entry in json.loads((folder / "sizes.json").read_text()).items():
            text = folder / f"{name}.hoist"
            if picked and name not in picked:
                continue
            runs = [arguments(entry, smallest_sizes(entry)[1])]
            if in_tasks:
                more = WINDOWS.get(name, []) if folder == kernels else []
                runs = [[*runs[0], "--streams", "1,3"], *([*each, "--random", str(SEED)] for each in more)]
            for given in runs:
                began = time.monotonic()
                found = run(oclgrind, library, hoist, text, given)
                failed += bool(found)
                said = "not cut" if found is None else "FOUND" if found else "clean"
                print(f"{text.relative_to(kernels)}: {said} ({time.monotonic() - began:.0f} s)", flush=True)
                if found:
                    print(found, flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
