#!/usr/bin/env python3
"""Times of Hoist's device `host` beside plain loops, for the kernels of kernels/polybench, all in one run.

    bench/polybench/polybench.py build/release/hoist --store build/polybench.db --write bench/results/polybench
    bench/polybench/polybench.py build/release/hoist --store build/polybench.db --tune 60     tunes before it measures
    bench/polybench/polybench.py build/release/hoist --check      only whether the loops agree with hoist eval

The loops of this folder are compiled by gcc for one thread and by clang with OpenMP for two. Inputs are random, the
same for all, and in memory before anything is timed; arrays that the loops overwrite are restored between runs. The
time of Hoist is that of a whole run: kernels, launches and what is copied between them. All are timed in turns.
Needs NumPy (exit status 77 without it), gcc and clang 14 (--check does with one of them).

A run: signatures() reads from the C text what each function is given, a Case makes inputs and memory for it, Loops
and Hoist each take a turn() in every round of measured(), and table() writes what came of it.
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from turns import (ROOT, SEED, THREADS, Hoist, InProcess, aligned, called, commit, load_of, np, random_input,  # noqa: E402
                   rows_of, times_in_turns, write)

KERNELS = ROOT / "kernels" / "polybench"
FLAGS = ["-std=c17", "-O3", "-march=native", "-ffast-math", "-fPIC", "-shared"]
ALL_COMPILERS = {"gcc": ["gcc", *FLAGS], "clang+OpenMP": ["clang-14", *FLAGS, "-fopenmp"]}
COMPILERS = {name: command for name, command in ALL_COMPILERS.items() if shutil.which(command[0])}
TYPES = {"double": (np.float64, ctypes.c_double), "float": (np.float32, ctypes.c_float),
         "int": (np.int32, ctypes.c_int)}
# The largest difference, as a share of the largest element: rounding in another order. Integers are equal.
BOUNDS = {np.dtype(np.float64): 1e-9, np.dtype(np.float32): 1e-4, np.dtype(np.int32): 0}
BEHIND = 1.5  # times the better loops' median: what is slower needs a reason


def built_loops(folder):
    """The loops by each compiler, as opened libraries."""
    libraries = {}
    for name, command in COMPILERS.items():
        path = pathlib.Path(folder) / f"{name}.so"
        called([*command, *sorted(HERE.glob("*.c")), "-o", path, "-lm"])
        libraries[name] = ctypes.CDLL(str(path))
    return libraries


def signatures():
    """The parameters of each function of the loops: (is const, C type, name, names of the sizes of its shape)."""
    found = {}
    for source in HERE.glob("*.c"):
        for name, parameters in re.findall(r"^void (\w+)\(([^)]*)\)", source.read_text(), re.M):
            found[name] = [(bool(const), kind, each, re.findall(r"\[(?:restrict )?(\w+)\]", shape))
                           for const, kind, each, shape in
                           re.findall(r"(const )?(\w+) (\w+)((?:\[[^\]]*\])*)", parameters)]
    return found


class Loops(InProcess):
    """A kernel in plain loops with memory of its own for what they read and write."""

    def __init__(self, library, name, parameters, sizes, inputs, result_count):
        self.function = getattr(library, name)
        self.function.restype = None
        self.inputs, self.arrays, self.arguments = inputs, {}, []
        for _, kind, parameter, shape in parameters:
            if kind == "long":
                self.arguments.append(ctypes.c_long(sizes[parameter]))
            elif not shape:
                self.arguments.append(TYPES[kind][1](inputs[parameter][()]))
            else:
                array = aligned([sizes[each] for each in shape], TYPES[kind][0])
                self.arrays[parameter] = array
                self.arguments.append(ctypes.c_void_p(array.ctypes.data))
        written = [parameter for is_const, _, parameter, shape in parameters if shape and not is_const]
        self.results = [self.arrays[each] for each in written[-result_count:]]
        self.overwritten = [each for each in written if each in inputs]
        for each in self.arrays.keys() & inputs.keys():
            self.arrays[each][...] = inputs[each]
        self.first = self.seconds()

    def seconds(self):
        for each in self.overwritten:
            self.arrays[each][...] = self.inputs[each]
        start = time.perf_counter()
        self.function(*self.arguments)
        return time.perf_counter() - start


class Case:
    """A kernel at some sizes: its inputs, as files too, and the loops, which have run once."""

    def __init__(self, hoist, name, entry, size_set, libraries, folder):
        self.name, self.sizes = name, entry[size_set]
        self.text = KERNELS / f"{name}.hoist"
        self.given = [f"{size}={value}" for size, value in self.sizes.items()]
        program = json.loads(called([hoist, "check", self.text, *self.given, "--json"]))
        parameters = signatures()[name]
        kinds = {parameter: TYPES[kind][0] for _, kind, parameter, _ in parameters if kind in TYPES}
        generator = np.random.default_rng(SEED)
        self.inputs = {}
        for parameter in program["parameters"]:
            shape = [int(length) for length in re.findall(r"\[(\d+)\]", parameter["type"])]
            each, ranges = parameter["name"], entry.get("inputs", {})
            self.inputs[each] = random_input(shape, kinds[each], ranges.get(each, {}), self.sizes, generator)
            path = pathlib.Path(folder) / f"{each}.npy"
            np.save(path, self.inputs[each])
            self.given.append(f"{each}={path}")
        leaves = len(re.findall(r"[fi]\d+", program["result"]))
        self.outputs = [pathlib.Path(folder) / f"output{i}.npy" for i in range(leaves)]
        self.loops = {compiler: Loops(library, name, parameters, self.sizes, self.inputs, leaves)
                      for compiler, library in libraries.items()}

    def differences(self):
        """How the loops' results differ from those in the files `outputs`, in words."""
        found = []
        for compiler, loops in self.loops.items():
            for i, (got, path) in enumerate(zip(loops.results, self.outputs)):
                expected = np.load(path)
                scale = np.abs(expected).max() or 1
                error = np.abs(got - expected).max() / scale
                if got.dtype != expected.dtype or not error <= BOUNDS[expected.dtype]:
                    found.append(f"result {i} by {compiler} differs by {error:.3g} of the largest element")
        return found


def contenders_of(case, hoist, options):
    """Who is timed, by name, and what is wrong with their results."""
    run = [hoist, "run", case.text, *case.given, "--device", "host"]
    contenders, wrong = dict(case.loops), []
    variants = {"hoist": ["--untuned"]}
    if options.tune:
        called([hoist, "tune", case.text, *case.given, "--device", "host", "--budget", options.tune, "--store",
                options.store, "--json"])
    if options.store:
        variants["hoist tuned"] = ["--store", options.store]
    for name, how in variants.items():
        contenders[name] = Hoist([*run, *how], case.outputs)
        wrong += [f"{name}: {each}" for each in case.differences()]
    return contenders, wrong


def measured(case, hoist, options):
    """A row for everyone who computes the kernel; they take turns."""
    contenders, wrong = contenders_of(case, hoist, options)
    times = times_in_turns(contenders, options.rounds)
    return rows_of(case.name, case.sizes, times, COMPILERS, wrong, options.commit)


def line_of(rows, reasons):
    """A kernel's line of the table; the last row is that of the kernel that `hoist run` takes."""
    sizes = " ".join(f"{name}={value}" for name, value in rows[0]["sizes"].items())
    cells = [f"{row['median_seconds'] * 1e3:.3g}" for row in rows]
    slower = 1 / rows[-1]["ratio"]
    why = reasons.get(rows[0]["benchmark"], "?") if slower > BEHIND else ""
    notes = why if rows[-1]["outcome"] == "ok" else rows[-1]["outcome"]
    return (f"| {rows[0]['benchmark']} | {sizes} | {' | '.join(cells)} | {slower:.2f} | "
            f"{1 / rows[-1]['ratio_of_minima']:.2f} | {notes} |\n")


def table(kernels, reasons):
    names = [row["variant"] for row in kernels[0]]
    text = f"| kernel | sizes | {' | '.join(f'{name}, ms' for name in names)} | times the better | of best runs | why |\n"
    text += "|---|---|" + "---:|" * (len(names) + 2) + "---|\n"
    text += "".join(line_of(rows, reasons) for rows in kernels)
    slower = [1 / rows[-1]["ratio"] for rows in kernels]
    return text + (f"\nTimes are medians. `times the better`: the last of Hoist's columns over the better of the loops; "
                   f"`of best runs`: the same of the shortest times.\nGeometric mean {statistics.geometric_mean(slower):.2f}; "
                   f"{sum(each > BEHIND for each in slower)} of {len(slower)} are slower than {BEHIND} times the better "
                   f"loops.\n" + load_of(kernels))


def check(hoist, libraries, sizes, wanted):
    """Exit status 1 where loops give something else than the interpreter at one of the small sizes."""
    wrong = []
    for name in wanted:
        for size_set in ("dividing", "prime"):
            with tempfile.TemporaryDirectory() as folder:
                case = Case(hoist, name, sizes[name], size_set, libraries, folder)
                called([hoist, "eval", case.text, *case.given, "-o", ",".join(map(str, case.outputs))])
                wrong += [f"{name}, {size_set}: {each}" for each in case.differences()]
    print("\n".join(wrong) or f"the loops of {len(wanted)} kernels agree with hoist eval")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=pathlib.Path)
    parser.add_argument("kernels", nargs="*", help="all when none is named")
    parser.add_argument("--check", action="store_true", help="only hold the loops against hoist eval, at small sizes")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--store", help="where tuned kernels are: another column")
    parser.add_argument("--tune", metavar="TIME", help="tune each kernel first, with this budget, into --store")
    parser.add_argument("--write", type=pathlib.Path, help="folder for polybench.json and polybench.md")
    options = parser.parse_intermixed_args()
    if options.tune and not options.store:
        parser.error("--tune needs --store")
    if len(COMPILERS) < (1 if options.check else len(ALL_COMPILERS)):
        print("a compiler is missing: " + ", ".join(ALL_COMPILERS.keys() - COMPILERS.keys()), file=sys.stderr)
        return 77
    os.environ["OMP_NUM_THREADS"] = str(THREADS)
    hoist = options.hoist.resolve()
    options.store = options.store and pathlib.Path(options.store).resolve()
    sizes = json.loads((KERNELS / "sizes.json").read_text())
    reasons = json.loads((HERE / "reasons.json").read_text())
    wanted = options.kernels or list(sizes)
    with tempfile.TemporaryDirectory() as folder:
        libraries = built_loops(folder)
        if options.check:
            return check(hoist, libraries, sizes, wanted)
        options.commit = commit()
        kernels = []
        for name in wanted:
            with tempfile.TemporaryDirectory() as files:
                kernels.append(measured(Case(hoist, name, sizes[name], "bench", libraries, files), hoist, options))
            print(line_of(kernels[-1], reasons), end="", flush=True)
            if options.write:
                write(options.write, "polybench", kernels, table(kernels, reasons))
    print(table(kernels, reasons))
    return 0 if all(row["outcome"] == "ok" for rows in kernels for row in rows) else 3


if __name__ == "__main__":
    sys.exit(main())
