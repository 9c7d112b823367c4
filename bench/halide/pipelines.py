#!/usr/bin/env python3
"""Times of Hoist beside Halide 14, for the pipelines of kernels/imaging on two cores, all in one run.

    bench/halide/pipelines.py build/release/hoist --write bench/results/halide
    bench/halide/pipelines.py build/release/hoist --store build/halide.db --tune 60s     tunes before it measures
    bench/halide/pipelines.py build/release/hoist --device host harris unsharp           these two, without PoCL

generators.cpp has the same pipelines for Halide, scheduled by Adams2019 for these sizes and two threads; what it makes
is kept in build/halide. Inputs are random, the same for all, and in memory before anything is timed. The time of Hoist
is that of a whole run: kernels, launches and what is copied between them. All are timed in turns (../turns.py).
Needs NumPy and Debian's libhalide14-0-dev (exit status 77 without them).
"""
import argparse
import ctypes
import json
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from turns import (ROOT, SEED, THREADS, Hoist, InProcess, aligned, called, commit, load_of, np, random_input,  # noqa: E402
                   rows_of, times_in_turns, write)

KERNELS = ROOT / "kernels" / "imaging"
BUILD = ROOT / "build" / "halide"
SOURCE = HERE / "generators.cpp"
HEADERS, GENGEN = pathlib.Path("/usr/include/halide14"), pathlib.Path("/usr/src/halide14/GenGen.cpp")
AUTOSCHEDULERS = list(pathlib.Path("/usr/lib").glob("*/halide14/libautoschedule_adams2019.so"))
# Threads, bytes of the last cache, and what a load from memory costs beside arithmetic: Halide's usual numbers.
MACHINE = f"{THREADS},{16 << 20},40"
# The largest difference, as a share of the largest element: rounding in another order.
BOUND = 1e-4
# Which share of the elements may differ by more: where rounding decides to which bin of a histogram a pixel belongs.
BEYOND = {"equalise": 1e-3}
# How many pixels at the border are not compared: where Halide's chain of stencils has a border of the input alone.
BORDERS = {"stencil_chain": 32}


class Dimension(ctypes.Structure):
    """halide_dimension_t of HalideRuntime.h."""
    _fields_ = [("min", ctypes.c_int32), ("extent", ctypes.c_int32), ("stride", ctypes.c_int32), ("flags", ctypes.c_uint32)]


class Buffer(ctypes.Structure):
    """halide_buffer_t of HalideRuntime.h, with its halide_type_t in one number."""
    _fields_ = [("device", ctypes.c_uint64), ("device_interface", ctypes.c_void_p), ("host", ctypes.c_void_p),
                ("flags", ctypes.c_uint64), ("type", ctypes.c_uint32), ("dimensions", ctypes.c_int32),
                ("dim", ctypes.POINTER(Dimension)), ("padding", ctypes.c_void_p)]


def buffer_of(array):
    """What Halide is told of an array of f32: its innermost dimension first."""
    shape = array.shape[::-1]
    dimensions = (Dimension * len(shape))(
        *[Dimension(0, length, int(np.prod(shape[:d], dtype=int)), 0) for d, length in enumerate(shape)])
    float_code, lanes = 2, 1
    return Buffer(host=array.ctypes.data, type=float_code | 32 << 8 | lanes << 16, dimensions=len(shape), dim=dimensions)


def generator_program():
    """The program that makes pipelines."""
    program = BUILD / "generators"
    if not program.exists() or program.stat().st_mtime < SOURCE.stat().st_mtime:
        BUILD.mkdir(parents=True, exist_ok=True)
        called(["g++", "-std=c++17", "-O1", "-fno-rtti", f"-I{HEADERS}", SOURCE, GENGEN, "-o", program, "-lHalide14",
                "-ldl", "-lpthread"])
    return program


def pipeline(name, sizes):
    """A pipeline for these sizes, as an opened library; its schedule lies beside it."""
    program = generator_program()
    folder = BUILD / "-".join([name, *(f"{size}{value}" for size, value in sizes.items())])
    library = folder / f"{name}.so"
    if not library.exists() or library.stat().st_mtime < program.stat().st_mtime:
        folder.mkdir(exist_ok=True)
        called([program, "-g", name, "-f", name, "-o", folder, "-e", "static_library,schedule", "-p", AUTOSCHEDULERS[0],
                "target=host", "auto_schedule=true", f"machine_params={MACHINE}",
                *(f"{size}={value}" for size, value in sizes.items())])
        called(["g++", "-shared", "-Wl,--whole-archive", folder / f"{name}.a", "-Wl,--no-whole-archive", "-o", library,
                "-ldl", "-lpthread"])
    return ctypes.CDLL(str(library))


class Halide(InProcess):
    """A pipeline of Halide with its inputs and memory for its results."""

    def __init__(self, name, sizes, inputs, result_shapes):
        self.function = getattr(pipeline(name, sizes), f"{name}_argv")
        arrays = []
        for each in inputs:
            array = aligned(each.shape, np.float32)
            array[...] = each
            arrays.append(array)
        self.results = [aligned(shape, np.float32) for shape in result_shapes]
        self.held = [ctypes.c_float(each[()]) if each.ndim == 0 else buffer_of(each) for each in arrays + self.results]
        self.arguments = (ctypes.c_void_p * len(self.held))(*[ctypes.addressof(each) for each in self.held])
        self.arrays = arrays
        self.first = self.seconds()

    def seconds(self):
        start = time.perf_counter()
        status = self.function(self.arguments)
        if status != 0:
            raise RuntimeError(f"Halide's pipeline gave error {status}")
        return time.perf_counter() - start


def shapes_in(type_text):
    return [[int(length) for length in re.findall(r"\[(\d+)\]", lengths)]
            for lengths in re.findall(r"((?:\[\d+\])*)f32", type_text)]


def difference(name, got, expected):
    """How a result of Halide differs from Hoist's, in words."""
    border = BORDERS.get(name, 0)
    if border:
        got, expected = (each[border:-border, border:-border] for each in (got, expected))
    error = np.abs(got - expected) / (np.abs(expected).max() or 1)
    share = np.count_nonzero(~(error <= BOUND)) / error.size
    if share > BEYOND.get(name, 0):
        return f"{share:.2g} of the elements differ, by {error.max():.3g} of the largest element"
    return ""


class Case:
    """A pipeline at the sizes that are timed: its inputs, as files too."""

    def __init__(self, hoist, name, entry, folder):
        self.name, self.sizes, self.text = name, entry["bench"], KERNELS / f"{name}.hoist"
        self.given = [f"{size}={value}" for size, value in self.sizes.items()]
        program = json.loads(called([hoist, "check", self.text, *self.given, "--json"]))
        generator = np.random.default_rng(SEED)
        inputs = []
        for parameter in program["parameters"]:
            shape, = shapes_in(parameter["type"])
            given = entry.get("inputs", {}).get(parameter["name"], {})
            inputs.append(random_input(shape, np.float32, given, self.sizes, generator))
            path = pathlib.Path(folder) / f"{parameter['name']}.npy"
            np.save(path, inputs[-1])
            self.given.append(f"{parameter['name']}={path}")
        shapes = shapes_in(program["result"])
        self.outputs = [pathlib.Path(folder) / f"output{i}.npy" for i in range(len(shapes))]
        self.halide = Halide(name, self.sizes, inputs, shapes)

    def differences(self):
        pairs = zip(self.halide.results, self.outputs)
        return [each for each in (difference(self.name, got, np.load(path)) for got, path in pairs) if each]


def measured(case, hoist, options):
    """A row for everyone who computes the pipeline; they take turns."""
    contenders, wrong = {"halide": case.halide}, []
    for device in options.device:
        variants = {device: ["--untuned"]}
        if options.tune:
            try:
                called([hoist, "tune", case.text, *case.given, "--device", device, "--budget", options.tune, "--store",
                        options.store, "--json"])
            except RuntimeError as failure:
                # What cannot be tuned, since rounding decides its result, runs as the default mapping has it.
                print(f"{case.name} on {device} is not tuned: {str(failure).splitlines()[-1]}", file=sys.stderr)
        if options.store:
            variants[f"{device} tuned"] = ["--store", options.store]
        for name, how in variants.items():
            run = [hoist, "run", case.text, *case.given, "--device", device, *how]
            contenders[name] = Hoist(run, case.outputs)
            wrong += [f"{name}: {each}" for each in case.differences()]
    return rows_of(case.name, case.sizes, times_in_turns(contenders, options.rounds), ["halide"], wrong, options.commit)


def line_of(rows):
    sizes = " ".join(f"{name}={value}" for name, value in rows[0]["sizes"].items())
    times = " | ".join(f"{row['median_seconds'] * 1e3:.3g}" for row in rows)
    ratios = " | ".join(f"{row['ratio']:.2f}" for row in rows[1:])
    notes = "" if rows[0]["outcome"] == "ok" else rows[0]["outcome"]
    return f"| {rows[0]['benchmark']} | {sizes} | {times} | {ratios} | {best_of(rows):.2f} | {notes} |\n"


def best_of(rows):
    return max(row["ratio"] for row in rows[1:])


def table(kernels):
    names = [row["variant"] for row in kernels[0]]
    heads = [*(f"{name}, ms" for name in names), *(f"{name}, speed" for name in names[1:]), "best"]
    text = f"| pipeline | sizes | {' | '.join(heads)} | notes |\n|---|---|{'---:|' * len(heads)}---|\n"
    text += "".join(line_of(rows) for rows in kernels)
    text += "\nTimes are medians. `speed` is Halide's time over this one, `best` the best of them.\nGeometric means of speeds: "
    for at, name in enumerate(names[1:], 1):
        text += f"{name} {statistics.geometric_mean(rows[at]['ratio'] for rows in kernels):.2f}, "
    bests = [best_of(rows) for rows in kernels]
    text += f"best {statistics.geometric_mean(bests):.2f}; the least of the best {min(bests):.2f}.\n"
    return text + load_of(kernels)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=pathlib.Path)
    parser.add_argument("pipelines", nargs="*", help="all when none is named")
    parser.add_argument("--device", action="append", help="host and opencl unless given; again for another")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--store", help="where tuned kernels are: more columns")
    parser.add_argument("--tune", metavar="TIME", help="tune each pipeline first, with this budget, into --store")
    parser.add_argument("--write", type=pathlib.Path, help="folder for pipelines.json and pipelines.md")
    options = parser.parse_intermixed_args()
    if options.tune and not options.store:
        parser.error("--tune needs --store")
    if not AUTOSCHEDULERS or not HEADERS.exists() or not GENGEN.exists():
        print("Halide 14 is missing: apt-get install libhalide14-0-dev", file=sys.stderr)
        return 77
    os.environ["OMP_NUM_THREADS"] = os.environ["HL_NUM_THREADS"] = str(THREADS)
    options.device = options.device or ["host", "opencl"]
    options.store = options.store and pathlib.Path(options.store).resolve()
    options.commit = commit()
    hoist = options.hoist.resolve()
    sizes = json.loads((KERNELS / "sizes.json").read_text())
    kernels = []
    for name in options.pipelines or sizes:
        with tempfile.TemporaryDirectory() as folder:
            kernels.append(measured(Case(hoist, name, sizes[name], folder), hoist, options))
        print(line_of(kernels[-1]), end="", flush=True)
        if options.write:
            write(options.write, "pipelines", kernels, table(kernels))
    print(table(kernels))
    return 0 if all(row["outcome"] == "ok" for rows in kernels for row in rows) else 3


if __name__ == "__main__":
    sys.exit(main())
