#!/usr/bin/env python3
"""Matrix products on the CPU beside OpenBLAS: each tuned for a while, then both timed in turns.

    bench/cpu_products.py build/release/hoist --budget 60s --write bench/results/cpu-products
    bench/cpu_products.py build/release/hoist --threads 1 --types f32 --sizes 1024x1024x1024 matmul_nn

Both compute the same product of random numbers, and the largest difference of an element is held against a bound. OpenBLAS is
libopenblas.so.0 with OPENBLAS_CORETYPE=SKYLAKEX unless it is set. Exit status: 0, 3 where a result differs, 77 where the
library or the compiler is missing.
"""
import argparse
import ctypes
import ctypes.util
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
KERNELS = ["matmul_nn", "matmul_nt", "matmul_tn", "matmul_tt"]
SIZES = ["1024x1024x1024", "2048x2048x2048", "1023x1023x1023", "1000x37x512", "4096x16x4096"]
FLAGS = ["-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-march=native", "-mprefer-vector-width=512",
         "-fopenmp", "-shared"]
ROW_MAJOR, AS_IS, TRANSPOSED = 101, 111, 112
TYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double}
CLOSE = {"f32": 1e-3, "f64": 1e-11}  # of sums of up to 4096 products of numbers below 1


def called(command):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True).stdout


def text_of(kernel, scalar, folder):
    """The program that ships, of another type where one is asked for."""
    text = (HERE.parent / "kernels" / f"{kernel}.hoist").read_text()
    path = folder / f"{kernel}_{scalar}.hoist"
    path.write_text(text.replace("f32", scalar))
    return path


def tuned_source(options, text, sizes, folder):
    """The source of the fastest kernel that the search finds, and what it is."""
    given = [text, *(f"{name}={length}" for name, length in sizes.items())]
    tuned = json.loads(called([options.hoist, "tune", *given, "--device", "host", "--budget", options.budget, "--store",
                               folder / "tuned.db", "--json"]))
    best = tuned["best"][0]
    if best["id"] == "default":
        return called([options.hoist, "compile", "--target", "host", *given]), "default"
    source = called([options.hoist, "explore", *given, "--device", "host", "--id", best["id"], "--show", "host"])
    return source, " ".join(f"{name}={value}" for name, value in best["values"].items())


def built(source, path):
    path.with_suffix(".cpp").write_text(source)
    called(["g++", *FLAGS, path.with_suffix(".cpp"), "-o", path])
    return ctypes.CDLL(str(path))


def array(scalar, length, seed=None):
    """Starts at a cache line. Numbers repeat after a while that divides no size."""
    kind = TYPES[scalar]
    memory = (ctypes.c_char * (length * ctypes.sizeof(kind) + 64))()
    values = (kind * length).from_buffer(memory, -ctypes.addressof(memory) % 64)
    if seed is not None:
        source = random.Random(seed)
        some = (kind * 10007)(*(source.uniform(-0.5, 0.5) for _ in range(10007)))
        for at in range(0, length, len(some)):
            size = min(len(some), length - at) * ctypes.sizeof(kind)
            ctypes.memmove(ctypes.addressof(values) + at * ctypes.sizeof(kind), some, size)
    return values


def times_in_turns(contenders, seconds):
    """Seconds of each run; rounds until a time is over, at least 7."""
    for run in contenders:
        run()
    times = [[] for _ in contenders]
    end = time.perf_counter() + seconds
    while len(times[0]) < 7 or time.perf_counter() < end:
        for run, own in zip(contenders, times):
            start = time.perf_counter()
            run()
            own.append(time.perf_counter() - start)
    return times


def measured(options, blas, kernel, scalar, lengths, folder):
    rows, columns, depth = lengths
    sizes = {"M": rows, "N": columns, "K": depth}
    source, how = tuned_source(options, text_of(kernel, scalar, folder), sizes, folder)
    library = built(source, folder / f"{kernel}_{scalar}_{rows}_{columns}_{depth}_{options.thread}.so")
    name = source.split('extern "C" void ')[1].split("(")[0]
    a, b = array(scalar, rows * depth, 1), array(scalar, depth * columns, 2)
    ours, theirs = array(scalar, rows * columns), array(scalar, rows * columns)
    pointers = (ctypes.c_void_p * 3)(*(ctypes.addressof(each) for each in (a, b, ours)))
    work_items = (ctypes.c_size_t * 6)(*[1] * 6)
    function = getattr(library, name)
    gemm = blas.cblas_sgemm if scalar == "f32" else blas.cblas_dgemm
    of_a, of_b = (TRANSPOSED if letter == "t" else AS_IS for letter in kernel[-2:])
    kind, pointer = TYPES[scalar], ctypes.c_void_p
    gemm.argtypes = [ctypes.c_int] * 6 + [kind, pointer, ctypes.c_int, pointer, ctypes.c_int, kind, pointer, ctypes.c_int]
    arguments = [ROW_MAJOR, of_a, of_b, rows, columns, depth, 1, ctypes.addressof(a), rows if of_a == TRANSPOSED else depth,
                 ctypes.addressof(b), depth if of_b == TRANSPOSED else columns, 0, ctypes.addressof(theirs), columns]
    own, baseline = times_in_turns([lambda: function(pointers, work_items), lambda: gemm(*arguments)], options.seconds)
    error = max(abs(x - y) for x, y in zip(ours, theirs))
    median, other = statistics.median(own), statistics.median(baseline)
    operations = 2 * rows * columns * depth
    return {"benchmark": kernel, "type": scalar, "sizes": sizes, "threads": options.thread, "backend": "host", "how": how,
            "median_seconds": median, "baseline": "OpenBLAS", "baseline_seconds": other, "ratio": other / median,
            "ratio_of_minima": min(baseline) / min(own), "gflops": operations / median / 1e9,
            "baseline_gflops": operations / other / 1e9, "largest_difference": error,
            "outcome": "ok" if error <= CLOSE[scalar] else "wrong", "load": os.getloadavg()[0], "commit": options.commit}


HEADER = ("| product | type | sizes | threads | Hoist | OpenBLAS | ratio | of best runs | how |\n"
          "|---|---|---|---:|---:|---:|---:|---:|---|\n")


def line_of(row):
    sizes = "×".join(str(length) for length in row["sizes"].values())
    note = "" if row["outcome"] == "ok" else f" ({row['outcome']})"
    return (f"| {row['benchmark']} | {row['type']} | {sizes} | {row['threads']} | {row['gflops']:.1f} | "
            f"{row['baseline_gflops']:.1f} | {row['ratio']:.2f} | {row['ratio_of_minima']:.2f} | {row['how']}{note} |\n")


def write(folder, rows, facts):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "products.json").write_text(json.dumps(rows, indent=1) + "\n")
    mean = statistics.geometric_mean(row["ratio"] for row in rows)
    (folder / "products.md").write_text(
        HEADER + "".join(map(line_of, rows)) + f"\nGFLOP/s of medians, sizes M×N×K. Geometric mean of the ratios {mean:.2f}, "
        f"least {min(row['ratio'] for row in rows):.2f}. {facts}. Load of the machine: {min(row['load'] for row in rows):.1f} to "
        f"{max(row['load'] for row in rows):.1f}.\n")


def worker(options):
    """The products of one number of threads, which OpenMP and OpenBLAS read when they start."""
    blas = ctypes.CDLL("libopenblas.so.0")
    blas.openblas_get_config.restype = blas.openblas_get_corename.restype = ctypes.c_char_p
    facts = f"{blas.openblas_get_config().decode()}, kernels for {blas.openblas_get_corename().decode()}"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes:
            for scalar in options.types:
                for kernel in options.kernels or KERNELS:
                    lengths = [int(length) for length in size.split("x")]
                    rows.append(measured(options, blas, kernel, scalar, lengths, pathlib.Path(folder)))
                    print(line_of(rows[-1]), end="", file=sys.stderr, flush=True)
    print(json.dumps([facts, rows]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=pathlib.Path)
    parser.add_argument("kernels", nargs="*", help="products; all four when none is named")
    parser.add_argument("--budget", default="60s", help="how long each is tuned")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--types", default="f32,f64")
    parser.add_argument("--sizes", default=",".join(SIZES), help="MxNxK, ...")
    parser.add_argument("--seconds", type=float, default=2, help="how long both are timed in turns")
    parser.add_argument("--write", type=pathlib.Path, help="folder for products.json and products.md")
    parser.add_argument("--thread", type=int, help=argparse.SUPPRESS)
    options = parser.parse_intermixed_args()
    if not shutil.which("g++") or not ctypes.util.find_library("openblas"):
        print("g++ or OpenBLAS is missing", file=sys.stderr)
        return 77
    options.hoist = options.hoist.resolve()
    options.types, options.sizes = options.types.split(","), options.sizes.split(",")
    options.commit = called(["git", "-C", HERE, "rev-parse", "--short", "HEAD"]).strip()
    if options.thread:
        worker(options)
        return 0
    rows, facts = [], ""
    for threads in options.threads.split(","):
        environment = {"OPENBLAS_CORETYPE": "SKYLAKEX", **os.environ, "OMP_NUM_THREADS": threads, "OPENBLAS_NUM_THREADS": threads}
        done = subprocess.run([sys.executable, __file__, *sys.argv[1:], "--thread", threads], env=environment, check=True,
                              stdout=subprocess.PIPE, text=True)
        facts, more = json.loads(done.stdout)
        rows += more
        if options.write:
            write(options.write, rows, facts)
    print(HEADER + "".join(map(line_of, rows)))
    return 0 if all(row["outcome"] == "ok" for row in rows) else 3


if __name__ == "__main__":
    sys.exit(main())
