#!/usr/bin/env python3
"""Matrix products on the CPU beside OpenBLAS: what runs untuned, and what a while of tuning finds, timed in turns with it.

    bench/cpu_products.py build/release/hoist --budget 60s --write bench/results/cpu-products
    bench/cpu_products.py build/release/hoist --threads 1 --types f32 --sizes 1024x1024x1024 matmul_nn
    bench/cpu_products.py build/release/hoist --cores 0,1:2,3:4,5:6,7 --threads 1,2

All compute the same product of random numbers, and the largest difference of an element is held against a bound. Sizes are
MxNxK, of matmul_batched PxMxNxK, of syrk NxK. syrk, which computes all elements here, is held against gemm, which does so too.
OpenBLAS is libopenblas.so.0, or the file that OPENBLAS_LIBRARY names, with the core type that is the fastest for a product
of 1024 (of its own choice and those in CORE_TYPES), unless --core-type names one. --cores has groups of processors with colons
between them, or is auto, for as many groups as there may be of processors of different cores: each group, to which all that
is tuned and timed is pinned, takes the next product when it is free; a product on fewer threads than its group has is timed
on the first ones. Exit status: 0, 3 where a result differs or is missing, 77 where the library, the compiler or NumPy is.
"""
import argparse
import concurrent.futures
import ctypes
import ctypes.util
import json
import math
import os
import pathlib
import queue
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import numpy as np
except ImportError:
    np = None

HERE = pathlib.Path(__file__).resolve().parent
PLAIN = ["matmul_nn", "matmul_nt", "matmul_tn", "matmul_tt"]
SIZES = {**dict.fromkeys(PLAIN, ["1024x1024x1024", "2048x2048x2048", "4096x4096x4096", "1023x1023x1023", "1000x37x512",
                                 "4096x16x4096"]),
         "matmul_batched": ["16x512x512x512", "64x128x128x128"], "syrk": ["1024x1024", "2048x2048"]}
NAMES = {"matmul_batched": "PMNK", "syrk": "NK"}
FLAGS = ["-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-march=native", "-mprefer-vector-width=512",
         "-fopenmp", "-shared"]
CORE_TYPES = ["", "ZEN", "HASWELL", "SKYLAKEX", "COOPERLAKE", "SAPPHIRERAPIDS"]  # "": what OpenBLAS takes itself
ROW_MAJOR, AS_IS, TRANSPOSED = 101, 111, 112
TYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double}
CLOSE = {"f32": 1e-3, "f64": 1e-11}  # of sums of up to 4096 products of numbers below 1
ALPHA, BETA = 0.5, 1.5               # of syrk
LARGE = 1e11                         # operations


def called(command, **options):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


def text_of(kernel, scalar, folder):
    """The program that ships, of another type where one is asked for."""
    text = (HERE.parent / "kernels" / f"{kernel}.hoist").read_text()
    path = folder / f"{kernel}_{scalar}.hoist"
    path.write_text(text.replace("f32", scalar))
    return path


def loaded_blas(path):
    blas = ctypes.CDLL(path)
    for kind, name in ((ctypes.c_float, "cblas_sgemm"), (ctypes.c_double, "cblas_dgemm")):
        pointer, integer = ctypes.c_void_p, ctypes.c_int
        getattr(blas, name).argtypes = ([integer] * 6 + [kind, pointer, integer, pointer, integer, kind, pointer, integer])
    blas.openblas_get_config.restype = blas.openblas_get_corename.restype = ctypes.c_char_p
    return blas


def array(scalar, length, seed=None):
    """Starts at a cache line."""
    kind = np.dtype(TYPES[scalar])
    memory = np.empty(length * kind.itemsize + 64, np.uint8)
    start = -memory.ctypes.data % 64
    values = memory[start:start + length * kind.itemsize].view(kind)
    values[...] = np.nan if seed is None else np.random.default_rng(seed).random(length, kind) - kind.type(0.5)
    return values


class Product:
    """What a kernel computes of its arrays, and how OpenBLAS does."""

    def __init__(self, blas, kernel, scalar, sizes):
        self.scalar, self.kernel = scalar, kernel
        gemm = blas.cblas_sgemm if scalar == "f32" else blas.cblas_dgemm
        batches = sizes.get("P", 1)
        depth = sizes["K"]
        rows, columns = (sizes["N"],) * 2 if kernel == "syrk" else (sizes["M"], sizes["N"])
        a = array(scalar, batches * rows * depth, 1)
        self.operations = 2 * batches * rows * columns * depth
        self.ours, self.theirs = (array(scalar, batches * rows * columns) for _ in range(2))
        if kernel == "syrk":
            numbers = [np.array([value], a.dtype) for value in (ALPHA, BETA)]
            c = array(scalar, rows * columns, 2)
            self.inputs, self.numbers = [a, c], numbers

            def run():
                self.theirs[...] = c  # as the kernel, which leaves its input alone
                gemm(ROW_MAJOR, AS_IS, TRANSPOSED, rows, columns, depth, ALPHA, a.ctypes.data, depth, a.ctypes.data, depth,
                     BETA, self.theirs.ctypes.data, columns)
        else:
            b = array(scalar, batches * depth * columns, 2)
            self.inputs, self.numbers = [a, b], []
            layout = kernel[-2:] if kernel in PLAIN else "nn"
            of_a, of_b = (TRANSPOSED if letter == "t" else AS_IS for letter in layout)
            calls = []
            for batch in range(batches):
                at = [each.ctypes.data + batch * size * a.itemsize
                      for each, size in ((a, rows * depth), (b, depth * columns), (self.theirs, rows * columns))]
                calls.append((ROW_MAJOR, of_a, of_b, rows, columns, depth, 1, at[0], rows if of_a == TRANSPOSED else depth,
                              at[1], depth if of_b == TRANSPOSED else columns, 0, at[2], columns))

            def run():
                for call in calls:
                    gemm(*call)
        self.run_baseline = run

    def runner(self, library, name):
        arrays = [*self.inputs, self.ours, *self.numbers]
        pointers = (ctypes.c_void_p * len(arrays))(*(each.ctypes.data for each in arrays))
        work_items = (ctypes.c_size_t * 6)(*[1] * 6)
        function = getattr(library, name)
        return lambda: function(pointers, work_items)

    def error(self):
        return float(np.abs(self.ours - self.theirs).max())


def source_of(hoist, given, kernel):
    if kernel == "default":
        return called([hoist, "compile", "--target", "host", *given])
    return called([hoist, "explore", *given, "--device", "host", "--id", kernel, "--show", "host"])


def untuned(hoist, given):
    """The kernel that runs where nothing was tuned."""
    with tempfile.TemporaryDirectory() as empty:
        return json.loads(called([hoist, "run", *given, "--device", "host", "--random", "1", "--json"],
                                 env={**os.environ, "XDG_DATA_HOME": empty}))["kernel"]


def tuned(hoist, given, budget, folder):
    """The fastest kernel that the search finds, what it is, and how many candidates there were; the default mapping where time
    was over before it had a time."""
    found = json.loads(called([hoist, "tune", *given, "--device", "host", "--budget", budget, "--store", folder / "tuned.db",
                               "--json"]))
    best = found["best"][0] if found["best"] else {"id": "default", "values": {}}
    return best["id"], " ".join(f"{name}={value}" for name, value in best["values"].items()), found["evaluated"]


def budget_of(options, operations):
    return options.large_budget if options.large_budget and operations >= LARGE else options.budget


def built(source, path):
    path.with_suffix(".cpp").write_text(source)
    called(["g++", *FLAGS, path.with_suffix(".cpp"), "-o", path])
    return ctypes.CDLL(str(path))


def times_in_turns(contenders, seconds):
    """Seconds of a run; rounds until a time is over, at least 5, or 3 where runs are long. Threads of the one before spin for a while: they are waited
    for, and short runs, several of which are a turn, begin with one that is not counted."""
    threads_sleep, turn, long_run = 0.05, 0.03, 0.2

    def once(run, runs):
        start = time.perf_counter()
        for _ in range(runs):
            run()
        return (time.perf_counter() - start) / runs

    estimates = [once(run, 1) for run in contenders]
    estimates = [once(run, 1) if first < long_run else first for run, first in zip(contenders, estimates)]
    least = 5 if max(estimates) < long_run else 3
    times = [[] for _ in contenders]
    end = time.perf_counter() + seconds
    while len(times[0]) < least or time.perf_counter() < end:
        for run, estimate, own in zip(contenders, estimates, times):
            time.sleep(threads_sleep)
            if estimate < long_run:
                run()
            own.append(once(run, max(1, round(turn / estimate))))
    return times


def measured(options, row, folder):
    """Of one product in this process, whose environment says how many threads there are."""
    kernel, scalar, sizes, threads = row["kernel"], row["type"], row["sizes"], row["threads"]
    if row["cores"]:
        os.sched_setaffinity(0, row["cores"])
    given = [text_of(kernel, scalar, folder), *(f"{name}={length}" for name, length in sizes.items())]
    ids, how, candidates = {"untuned": untuned(options.hoist, given)}, None, None
    if budget := budget_of(options, 2 * math.prod(sizes.values()) * (sizes["N"] if kernel == "syrk" else 1)):
        ids["tuned"], how, candidates = tuned(options.hoist, given, budget, folder)
    sources = {name: source_of(options.hoist, given, each) for name, each in ids.items()}
    libraries = {name: built(source, folder / f"{name}.so") for name, source in sources.items()}
    if row["cores"]:
        os.sched_setaffinity(0, row["cores"][:threads])
    blas = loaded_blas(options.library)
    product = Product(blas, kernel, scalar, sizes)
    product.run_baseline()
    runs, errors = [], {}
    for name, library in libraries.items():
        symbol = re.findall(r'^extern "C" void (\w+)\(', sources[name], re.M)[-1]
        runs.append(product.runner(library, symbol))
        product.ours[...] = np.nan
        runs[-1]()
        errors[name] = product.error()
    *own, baseline = times_in_turns([*runs, product.run_baseline], options.seconds)
    facts = {"benchmark": kernel, "type": scalar, "sizes": sizes, "threads": threads, "baseline": "OpenBLAS", "how": how,
             "candidates": candidates, "commit": options.commit}
    return row_of(facts, blas, product.operations, baseline, dict(zip(libraries, own)), ids, errors, CLOSE[scalar])


def row_of(facts, blas, operations, baseline, own, ids, errors, bound):
    """A row of results: facts, the times of all variants beside those of the baseline, and whether errors are within a bound."""
    other = statistics.median(baseline)
    row = {**facts, "backend": "host", "baseline_seconds": other, "baseline_gflops": operations / other / 1e9,
           "load": os.getloadavg()[0],
           "openblas": f"{blas.openblas_get_config().decode()}, kernels for {blas.openblas_get_corename().decode()}",
           "outcome": "ok" if all(error <= bound for error in errors.values()) else "wrong",
           "largest_difference": max(errors.values())}
    for variant, times in own.items():
        median = statistics.median(times)
        row[variant] = {"id": ids[variant], "median_seconds": median, "gflops": operations / median / 1e9,
                        "ratio": other / median, "ratio_of_minima": min(baseline) / min(times)}
    return row


HEADER = ("| product | type | sizes | threads | OpenBLAS | untuned | of OpenBLAS | tuned | of OpenBLAS | of best runs | "
          "candidates | how |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---|\n")


def line_of(row, more=()):
    """A line of a table; more cells stand behind the baseline's speed."""
    sizes = "×".join(str(length) for length in row["sizes"].values())
    cells = [row["benchmark"], row["type"], sizes, row["threads"], f"{row['baseline_gflops']:.1f}", *more]
    for variant, keys in (("untuned", ["gflops", "ratio"]), ("tuned", ["gflops", "ratio", "ratio_of_minima"])):
        cells += [f"{row[variant][key]:.{1 if key == 'gflops' else 2}f}" if variant in row else "" for key in keys]
    cells += [row["candidates"], row["how"]] if "tuned" in row else ["", ""]
    note = "" if row["outcome"] == "ok" else f" ({row['outcome']})"
    return "| " + " | ".join(map(str, cells)) + note + " |\n"


def summary(rows):
    """For each kind of size: the geometric mean and the least ratio, untuned and tuned."""
    kinds = {"squares of powers of two": lambda row: row["benchmark"] in PLAIN and row["sizes"]["M"] % 1024 == 0 and
             row["sizes"]["N"] % 1024 == 0,
             "other sizes": lambda row: row["benchmark"] in PLAIN and not kinds["squares of powers of two"](row),
             "batched and syrk": lambda row: row["benchmark"] not in PLAIN}
    text = "\n| sizes | products | untuned: geometric mean | least | tuned: geometric mean | least |\n|---|---:|---:|---:|---:|---:|\n"
    for kind, belongs in kinds.items():
        own = [row for row in rows if belongs(row)]
        if not own:
            continue
        cells = [kind, len(own)]
        for variant in ("untuned", "tuned"):
            ratios = [row[variant]["ratio"] for row in own if variant in row]
            cells += [f"{statistics.geometric_mean(ratios):.2f}", f"{min(ratios):.2f}"] if ratios else ["", ""]
        text += "| " + " | ".join(map(str, cells)) + " |\n"
    return text


def table(rows):
    loads = [row["load"] for row in rows]
    libraries = "; ".join(sorted({row["openblas"] for row in rows}))
    return (HEADER + "".join(map(line_of, rows)) + summary(rows) + f"\nGFLOP/s of medians, sizes M×N×K (batched: P×M×N×K; syrk: "
            f"N×K). {libraries}. Load of the machine, which has {os.cpu_count()} processors: {min(loads):.1f} to "
            f"{max(loads):.1f}.\n")


def write(folder, name, rows, as_table):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(rows, indent=1) + "\n")
    (folder / f"{name}.md").write_text(as_table(rows))


def environment_of(core_type, threads):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("OPENBLAS_")}
    if core_type:
        environment["OPENBLAS_CORETYPE"] = core_type
    # Its threads would wait for the next call in loops, on the processors where ours run meanwhile.
    environment["OPENBLAS_THREAD_TIMEOUT"] = "4"
    return {**environment, "OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads)}


def time_core_type(library):
    """Seconds of products of 1024 in this process."""
    blas, total = loaded_blas(library), 0
    for scalar in TYPES:
        product = Product(blas, "matmul_nn", scalar, {"M": 1024, "N": 1024, "K": 1024})
        total += min(times_in_turns([product.run_baseline], 0)[0])
    print(total)


def fastest_core_type(options):
    times = {}
    for core_type in CORE_TYPES:
        done = subprocess.run([sys.executable, HERE / "cpu_products.py", options.hoist, "--library", options.library,
                               "--commit", options.commit, "--time-core-type"], env=environment_of(core_type, 1), capture_output=True, text=True)
        if done.returncode == 0:  # a core type's instructions may be missing
            times[core_type] = float(done.stdout)
    return min(times, key=times.get)


def add_options(parser):
    """Those of all that is timed beside OpenBLAS."""
    parser.add_argument("--budget", default="60s", help="how long each is tuned; empty: untuned only")
    parser.add_argument("--large-budget", help=f"the same, of what has {LARGE:.0e} operations or more")
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds after which no other one is begun")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--types", default="f32,f64")
    parser.add_argument("--seconds", type=float, default=2, help="how long all are timed in turns")
    parser.add_argument("--cores", help="groups of processors: 0,1:2,3")
    parser.add_argument("--core-type", help="OPENBLAS_CORETYPE")
    parser.add_argument("--library", default=os.environ.get("OPENBLAS_LIBRARY", "libopenblas.so.0"))
    parser.add_argument("--write", type=pathlib.Path, help="folder for the rows as JSON and as a table")
    parser.add_argument("--commit", help="of Hoist, where this is no checkout")
    parser.add_argument("--row", help=argparse.SUPPRESS)


def complete(options):
    """The exit status where something is missing."""
    options.hoist = options.hoist.resolve()
    has_library = os.path.exists(options.library) or ctypes.util.find_library("openblas")
    if not shutil.which("g++") or not has_library or np is None:
        print("g++, OpenBLAS or NumPy is missing", file=sys.stderr)
        return 77
    if not options.commit:
        options.commit = called(["git", "-C", HERE, "rev-parse", "--short", "HEAD"]).strip()
    return None


def groups_of_cores(text, size):
    if text != "auto":
        return [[int(core) for core in group.split(",")] for group in text.split(":")] if text else [[]]
    first = []  # of each core's processors
    for processor in sorted(os.sched_getaffinity(0)):
        path = pathlib.Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
        siblings = path.read_text() if path.exists() else str(processor)
        if int(re.split("[,-]", siblings)[0]) == processor:
            first.append(processor)
    return [first[at:at + size] for at in range(0, len(first) - size + 1, size)] or [first]


def measure_all(options, script, wanted, key, cost, line_of_row, save, as_table):
    """Has each row measured by a process of its own, with the threads and on the processors that it should have; what
    takes the longest comes first. The exit status."""
    core_type = fastest_core_type(options) if options.core_type is None else options.core_type
    start = time.monotonic()
    groups = queue.SimpleQueue()
    for group in groups_of_cores(options.cores, max(row["threads"] for row in wanted)):
        groups.put(group)
    places = {json.dumps(key(row)): place for place, row in enumerate(wanted)}
    rows = []

    def measure(row):
        if time.monotonic() > start + options.limit:
            return
        cores = groups.get()
        done = subprocess.run([sys.executable, script, *sys.argv[1:], "--row", json.dumps({**row, "cores": cores})],
                              stdout=subprocess.PIPE, text=True, env=environment_of(core_type, row["threads"]))
        groups.put(cores)
        if done.returncode != 0:
            print(f"{row} failed", file=sys.stderr)
            return
        rows.append(json.loads(done.stdout))
        print(line_of_row(rows[-1]), end="", file=sys.stderr, flush=True)
        if options.write:
            save(sorted(rows, key=lambda each: places[json.dumps(key(each))]))

    with concurrent.futures.ThreadPoolExecutor(groups.qsize()) as pool:
        list(pool.map(measure, sorted(wanted, key=cost, reverse=True)))
    rows.sort(key=lambda each: places[json.dumps(key(each))])
    if rows:
        print(as_table(rows))
    return 0 if len(rows) == len(wanted) and all(row["outcome"] == "ok" for row in rows) else 3


def rows_to_measure(options):
    for threads in options.threads.split(","):
        for kernel in options.kernels or [*PLAIN, "matmul_batched", "syrk"]:
            names = NAMES.get(kernel, "MNK")
            for size in options.sizes.split(",") if options.sizes else SIZES[kernel]:
                lengths = [int(length) for length in size.split("x")]
                if len(lengths) != len(names):
                    continue
                for scalar in options.types.split(","):
                    yield {"kernel": kernel, "type": scalar, "threads": int(threads), "sizes": dict(zip(names, lengths))}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=pathlib.Path)
    parser.add_argument("kernels", nargs="*", help="products; all six when none is named")
    parser.add_argument("--sizes", help="MxNxK, ...; otherwise each kernel's own")
    parser.add_argument("--time-core-type", action="store_true", help=argparse.SUPPRESS)
    add_options(parser)
    options = parser.parse_intermixed_args()
    missing = complete(options)
    if missing:
        return missing
    if options.time_core_type:
        time_core_type(options.library)
        return 0
    if options.row:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measured(options, json.loads(options.row), pathlib.Path(folder))))
        return 0
    key = lambda row: [row.get("kernel") or row["benchmark"], row["type"], row["sizes"], row["threads"]]
    cost = lambda row: float(np.prod([float(length) for length in row["sizes"].values()])) / row["threads"]
    return measure_all(options, __file__, list(rows_to_measure(options)), key, cost, line_of,
                       lambda rows: write(options.write, "products", rows, table), table)


if __name__ == "__main__":
    sys.exit(main())
