#!/usr/bin/env python3
"""Measures variants of loop nests on one core each, for models that learn from the assembly of their hot loops: contractions
and stencils of K. Stock, L.-N. Pouchet and P. Sadayappan (Using machine learning to improve automatic vectorization, ACM TACO
8(4), 2012).

    bench/simd_variants.py build build/release/hoist FOLDER --compiler g++ clang++ --isa avx2 avx512 --type f32 --variants 200
    bench/simd_variants.py time FOLDER --seconds 200
    bench/simd_variants.py mca FOLDER --seconds 60        llvm-mca's cycles of what models are judged by
    bench/simd_variants.py write FOLDER -o data           a table for each compiler and type
    bench/simd_variants.py terms build/release/hoist data/cpu-simd-*.csv.gz -o data      what no compiler is asked for

`build`, `time` and `mca` go on where they ended; their exit status is 4 while something is left. Programs are those of `hoist dev
workload`: 30 contractions to learn from, 19 of CCSD, nine stencils. A program's arrays fit the first-level cache together. Its
variants are candidates of `hoist explore` whose derivation is `orderLoops`: the order of the loops, which of them has the lanes
of vectors, how many lanes, how many iterations of each loop a body has. A seed puts them in a random order, and the first ones
are taken, so that more of them can follow; of a program that has fewer, all.

A *configuration* is a compiler, an instruction set and a type of numbers. A *part* is some variants of a program in one source,
which the compiler reads once: what it writes with -S is both read (`hoist dev assembly`) and linked. First parts of all programs
and configurations are built before second ones, so that whenever the time is over, all have about as many variants. Beside them
are Hoist's untuned kernel and, of contractions, plain loops in the order of the name, compiled with fast-math besides.

A time is the processor time of the thread in batches of some SECONDS_OF_BATCH. What else runs on a virtual machine's processor,
or on its sibling, may halve its speed for seconds, and no counter tells. So a reference kernel runs before and behind each
batch, and the batch counts only where both took at most SLOWER of the least time that the reference ever took; its time is
scaled by what the reference took, as clocks differ. Batches go on until LEAST_BATCHES count and their quartiles are within SPREAD
of their median. A worker whose processor is not its own changes to another one. A variant of which too few batches count has the
least of its times, a spread of 1, and is tried again by another run of `time`. Every result is compared.

To read: Configuration.plan() chooses the variants of a program, Configuration.build() makes a part, time_part() times it,
write_tables() collects. Needs NumPy (exit status 77 without it).
"""
import argparse
import bisect
import collections
import concurrent.futures
import csv
import ctypes
import functools
import gzip
import io
import itertools
import json
import math
import multiprocessing
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import contractions
from turns import SEED, called, commit, np, processor

LANES = {"sse4.2": 4, "avx2": 8, "avx512": 16}  # of f32
FLAGS = {"sse4.2": ["-msse4.2"], "avx2": ["-mavx2", "-mfma", "-mbmi", "-mbmi2"],
         "avx512": ["-mavx2", "-mfma", "-mbmi", "-mbmi2", "-mavx512f", "-mavx512cd", "-mavx512bw", "-mavx512dq", "-mavx512vl"]}
# Those of src/runtime/host/compiler.cpp, but for OpenMP: one thread computes.
COMMON = ["-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math", "-fPIC", "-march=x86-64"]
TUNING = ["-mtune=native", "-mprefer-vector-width=512"]
BYTES = {"f32": 4, "f64": 8}
CLOSE = {"f32": 1e-5, "f64": 1e-13}  # of the largest element: rounding in another order
FILES = 20  # variants of a part: a compiler's time grows faster than a source
MOST = 2500  # variants of a program that are put in an order
SECONDS_OF_BUILD = 60  # a compiler that takes longer for a part is stopped
SECONDS_OF_BATCH = 0.4e-3
SPREAD = 0.04
SLOWER = 1.12
LEAST_BATCHES, MOST_BATCHES = 5, 12
SECONDS_OF_TRYING = 0.025  # for a variant; a worker goes on with another then
FAILURES = 8  # batches that did not count, after which a worker changes to another processor
OWN = []  # processors that this worker alone uses
REFERENCE = r"""
// Multiplications and additions of four lanes that wait for nothing but the ports, which a sibling would take away.
typedef float Lanes __attribute__((vector_size(16)));
extern "C" void reference(void* const* arguments, const unsigned long*) {
  const Lanes factor = *static_cast<const float*>(arguments[0]) - Lanes{};
  Lanes sums[12];
  for (int chain = 0; chain < 12; ++chain) sums[chain] = Lanes{} + float(chain);
  for (int step = 0; step < 2000; ++step) {
#pragma GCC unroll 12
    for (int chain = 0; chain < 12; ++chain) sums[chain] = sums[chain] * factor + factor;
  }
  Lanes all{};
  for (int chain = 0; chain < 12; ++chain) all += sums[chain];
  *static_cast<float*>(arguments[1]) = all[0];
}
"""
STENCIL_SIZES = {2: {"f32": {"H": 32, "W": 64}, "f64": {"H": 32, "W": 32}},
                 3: {"f32": {"D": 8, "H": 16, "W": 16}, "f64": {"D": 8, "H": 8, "W": 16}}}
COLUMNS = ["compiler", "isa", "type", "group", "program", "sizes", "flops", "points", "part", "variant", "step", "seconds", "spread",
           "mca"]
# What a kernel's source includes, without the time to read it.
DECLARATIONS = """extern "C" void* memcpy(void*, const void*, __SIZE_TYPE__) noexcept;
typedef __SIZE_TYPE__ size_t;
namespace std {
using ::memcpy;
template <class T> struct Bare { typedef T type; };
template <class T> struct Bare<const T> : Bare<T> {};
template <class T> struct Bare<T&> : Bare<T> {};
template <class T> struct Bare<T&&> : Bare<T> {};
template <class T> using decay_t = typename Bare<T>::type;
}
"""
MCA = ["-mtriple=x86_64", "-mcpu=skylake-avx512", "-instruction-info=0", "-resource-pressure=0"]
ITERATIONS_OF_MCA = 10
JUDGED = ["CCSD", "stencils"]
IDS = 200  # candidates whose features are asked for at once
TERM_FEATURES = ["global_loads", "global_stores", "loop_bodies", "statements", "loop_branches", "float_add", "float_multiply",
                 "index_operations", "live_values", "spilled", "inner_operations", "inner_loads", "inner_depth", "inner_carried",
                 "inner_parallelism", "inner_trips", "inner_unroll", "lines_per_access", "load_sectors", "roofline_seconds"]


def workloads(hoist):
    """(group, name), those to learn from first."""
    rows = [line.split()[:2] for line in called([hoist, "dev", "workload"]).splitlines()[1:]]
    return sorted(((group, name) for name, group in rows), key=lambda row: ["training", "CCSD", "stencils"].index(row[0]))


def sizes_of(name, text, kind):
    if "-" in name:
        for shortest in (contractions.SHORTEST, contractions.SHORTEST // 2):
            try:
                lengths = contractions.extents(name, BYTES[kind], shortest)
                return {index.upper(): length for index, length in lengths.items()}
            except ValueError:
                continue
        raise ValueError(f"{name} does not fit")
    return STENCIL_SIZES[3 if "[D]" in text else 2][kind]


def arrays_of(compiled):
    """(name, elements) of the inputs, then of the outputs, as the plan behind a kernel's source lists them."""
    return [(name, int(count)) for name, count in re.findall(r"^//   (?:in|out)put (\w+): (\d+) of", compiled, re.M)]


def sample(derivations, count, seed):
    """Ids of variants, uniformly of all, with the step that each is of; the first ones of a larger sample are a smaller one.
    And how many there are."""
    ordered = [row for row in derivations if row["steps"].startswith("orderLoops(")]
    ends = list(itertools.accumulate(row["points"] for row in ordered))
    total = ends[-1] if ends else 0
    ids = {}
    for rank in random.Random(seed).sample(range(total), min(MOST, total))[:count]:
        place = bisect.bisect_right(ends, rank)
        row = ordered[place]
        ids[f"{row['derivation']}-{rank - (ends[place] - row['points'])}"] = row["steps"]
    return ids, total


def symbols_in(source):
    return re.findall(r'^extern "C" void (\w+)\(', source, re.M)


class Configuration(collections.namedtuple("Configuration", "compiler isa type")):
    """Who compiles, for which instructions, which numbers."""

    @property
    def name(self):
        return f"{pathlib.Path(self.compiler).name}-{self.isa}-{self.type}"

    def listing(self, source, path, flags=()):
        """The assembly of a source, and the library that it becomes."""
        path.with_suffix(".cpp").write_text(re.sub(r"(#include <\w+>\n)+", DECLARATIONS, source, count=1))
        flags = [*COMMON, *FLAGS[self.isa], *TUNING, *flags]
        called([self.compiler, *flags, "-S", path.with_suffix(".cpp"), "-o", path.with_suffix(".s")], timeout=SECONDS_OF_BUILD)
        called([self.compiler, "-shared", "-Wl,-s", path.with_suffix(".s"), "-o", path.with_suffix(".so")])

    def features(self, hoist, path, symbols, mca=False):
        """Those of each symbol. For llvm-mca the hot loops are written down, too."""
        told = json.loads(called([hoist, "dev", "assembly", path.with_suffix(".s"), *symbols, "--json"]))
        loops = {each["kernel"]: each["loop"] for each in told["kernels"]}
        if mca:
            path.with_suffix(".mca").write_text("".join(region(symbol, loop) for symbol, loop in loops.items() if loop))
        path.with_suffix(".cpp").unlink()
        path.with_suffix(".s").unlink()
        return {symbol: loop and loop["features"] for symbol, loop in loops.items()}

    def plan(self, options, group, name):
        """Which variants there are; the kernels beside them are built. Facts are told last."""
        folder = options.folder / self.name / name
        folder.mkdir(parents=True, exist_ok=True)
        text = folder / "program.hoist"
        text.write_text(called([options.hoist, "dev", "workload", name, "--type", self.type]))
        sizes = sizes_of(name, text.read_text(), self.type)
        given = [str(text), *(f"{size}={value}" for size, value in sizes.items())]
        chosen = ["--device", "host", "--isa", self.isa]
        derivations = json.loads(called([options.hoist, "explore", *given, *chosen, "--derivations", "--json"]))
        ids, total = sample(derivations, MOST, f"{options.seed} {name}")
        compiled = called([options.hoist, "compile", *given, "--target", "host", "--isa", self.isa])
        self.listing(compiled, folder / "untuned")
        [symbol] = symbols_in(compiled)
        variants = [{"variant": "untuned", "step": "", "library": "untuned.so", "symbol": symbol,
                     "features": self.features(options.hoist, folder / "untuned", [symbol])[symbol]}]
        if "-" in name:
            lengths = {index.lower(): length for index, length in sizes.items()}
            order = contractions.indices_of(name)
            plain = contractions.loops(name, lengths, order)
            self.listing(plain.replace("float", "double") if self.type == "f64" else plain, folder / "loops", ["-ffast-math"])
            symbol = f"order_{order}"
            variants.append({"variant": "loops", "step": "", "library": "loops.so", "symbol": symbol,
                             "features": self.features(options.hoist, folder / "loops", [symbol])[symbol]})
            flops = contractions.operations(sizes)
        else:
            flops = flops_of(options.hoist, given)
        facts = {"compiler": compiler_name(self.compiler), "isa": self.isa, "type": self.type, "group": group, "program": name,
                 "sizes": sizes, "flops": flops, "points": total, "arrays": arrays_of(compiled), "seed": options.seed,
                 "processor": processor(), "commit": options.commit, "given": given[1:], "ids": ids}
        written(folder / "part-plain.json", {"variants": variants})
        written(folder / "facts.json", facts)
        return 1

    def build(self, options, name, number):
        """A part."""
        folder = (options.folder / self.name / name).resolve()
        facts, path = facts_of(folder), folder / f"part{number}"
        ids = list(facts["ids"])[number * FILES:(number + 1) * FILES]
        words = [word for each in ids for word in ("--id", each)]
        source = called([options.hoist, "explore", folder / "program.hoist", *facts["given"], "--device", "host", "--isa", self.isa,
                         *words, "--show", "host"])
        variants = []
        try:
            symbols = symbols_in(source)
            self.listing(source, path)
            features = self.features(options.hoist, path, symbols, facts["group"] in JUDGED)
            for symbol in symbols:
                variant = "-".join(symbol.rsplit("_", 2)[1:])
                variants.append({"variant": variant, "step": facts["ids"][variant], "library": f"{path.name}.so",
                                 "symbol": symbol, "features": features[symbol]})
        except subprocess.TimeoutExpired:
            print(f"{self.name} {name} part {number}: the compiler took too long", flush=True)
        written(path.with_suffix(".json"), {"variants": variants})
        return len(variants)


def flops_of(hoist, given):
    """Of a run; 0 where none succeeds."""
    try:
        return json.loads(called([hoist, "run", *given, "--device", "host", "--untuned", "--random", 1, "--json"]))["flops"]
    except RuntimeError as error:
        print(str(error)[:1000], file=sys.stderr, flush=True)
        return 0


def region(symbol, loop):
    """A loop's instructions as llvm-mca takes them."""
    lines = "".join(f"\t{each['text']}\n" for each in loop["instructions"])
    return f"# LLVM-MCA-BEGIN {symbol}\n{lines}# LLVM-MCA-END\n"


def written(path, facts):
    """All of it, or nothing: what is there was completed."""
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(facts))
    beside.rename(path)


@functools.lru_cache(maxsize=256)
def facts_of(folder):
    return json.loads((folder / "facts.json").read_text())


def compiler_name(program):
    """"gcc 12.2.0", "clang 14.0.6"."""
    line = called([program, "--version"]).splitlines()[0]
    version = re.search(r"clang version (\S+)", line)
    return f"clang {version[1]}" if version else f"gcc {line.split()[-1]}"


class Crew:
    """Workers that take tasks in their order until the time is over; what was begun is completed."""

    def __init__(self, options, processors=None):
        self.end, self.jobs = time.monotonic() + options.seconds, options.jobs
        context = multiprocessing.get_context("fork")
        sets = context.SimpleQueue()
        for number in range(self.jobs if processors else 0):
            sets.put(processors[number::self.jobs])
        self.pool = concurrent.futures.ProcessPoolExecutor(self.jobs, context, take_processors, (sets if processors else None,))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.pool.shutdown()

    def done(self, function, tasks, what):
        """Whether all tasks were done."""
        start, counts, wrong, waiting, left = time.monotonic(), [], 0, set(), False
        for task in tasks:
            while len(waiting) >= self.jobs + 2:
                ended, waiting = concurrent.futures.wait(waiting, return_when="FIRST_COMPLETED")
                wrong += results_of(ended, counts)
            if time.monotonic() > self.end:
                left = True
                break
            waiting.add(self.pool.submit(function, *task))
        wrong += results_of(concurrent.futures.wait(waiting)[0], counts)
        seconds = time.monotonic() - start
        if counts or wrong:
            print(f"{sum(counts)} {what} in {seconds:.0f} s, {sum(counts) / max(seconds, 1e-9):.1f} a second by {self.jobs}"
                  f"{f'; {wrong} failed' if wrong else ''}{'; something is left' if left else ''}", flush=True)
        return not left


def take_processors(sets):
    """Those that this worker alone may use."""
    if sets:
        OWN[:] = sets.get()
        os.sched_setaffinity(0, {OWN[0]})


def results_of(ended, counts):
    """Adds what tasks tell; how many failed."""
    failed = 0
    for future in ended:
        try:
            counts.append(future.result())
        except (RuntimeError, ValueError, OSError, KeyError) as error:
            failed += 1
            print(f"error: {str(error)[:2000]}", file=sys.stderr, flush=True)
    return failed


def cores_here():
    """A processor of each core that this process may use."""
    found = {}
    for number in sorted(os.sched_getaffinity(0)):
        siblings = pathlib.Path(f"/sys/devices/system/cpu/cpu{number}/topology/thread_siblings_list")
        found.setdefault(siblings.read_text() if siblings.exists() else number, number)
    return list(found.values())


def build(options):
    options.hoist = options.hoist.resolve()
    options.folder = options.folder.resolve()
    options.jobs = options.jobs or os.cpu_count()
    try:
        options.commit = commit()
    except RuntimeError:
        options.commit = "unknown"
    configurations = [Configuration(*each) for each in itertools.product(options.compiler, options.isa, options.type)]
    programs = [each for each in workloads(options.hoist) if not options.programs or each[1] in options.programs]
    with Crew(options) as crew:
        plans = [(each, options, group, name) for each in configurations for group, name in programs
                 if not (options.folder / each.name / name / "facts.json").exists()]
        all_planned = crew.done(Configuration.plan, plans, "programs planned")
        planned = [(each, name, len(facts_of(options.folder / each.name / name)["ids"])) for each in configurations
                   for _, name in programs if (options.folder / each.name / name / "facts.json").exists()]
        wanted = [(number, each, name) for each, name, points in planned
                  for number in range(-(-min(options.variants, points) // FILES))]
        tasks = [(each, options, name, number) for number, each, name in sorted(wanted, key=lambda task: task[0])
                 if not (options.folder / each.name / name / f"part{number}.json").exists()]
        return 0 if crew.done(Configuration.build, tasks, "variants built") and all_planned else 4


class Arrays:
    """The program's arrays, each at a cache line of its own: random inputs, and the outputs."""

    def __init__(self, facts):
        kind = np.float32 if facts["type"] == "f32" else np.float64
        line = contractions.CACHE_LINE // BYTES[facts["type"]]
        counts = [-(-count // line) * line for _, count in facts["arrays"]]
        self.memory = np.zeros(sum(counts) + line, kind)
        start = -self.memory.ctypes.data % contractions.CACHE_LINE // BYTES[facts["type"]]
        generator, self.all = np.random.default_rng(SEED), []
        for (_, count), stride in zip(facts["arrays"], counts):
            self.all.append(self.memory[start:start + count])
            self.all[-1][...] = generator.uniform(-1, 1, count)
            start += stride
        self.result = self.all[-1]
        self.pointers = (ctypes.c_void_p * len(self.all))(*(each.ctypes.data for each in self.all))

    def expected(self, facts):
        """In double precision; nothing where it is not a contraction."""
        if "-" not in facts["program"]:
            return None
        parts = contractions.parts_of(facts["program"])
        operands = [each.astype(np.float64).reshape([facts["sizes"][index.upper()] for index in part])
                    for each, part in zip(self.all, parts[1:])]
        return np.einsum(f"{parts[1]},{parts[2]}->{parts[0]}", *operands).ravel()


class Reference:
    """A kernel whose time tells whether the processor is this thread's alone."""

    def __init__(self, driver):
        self.driver, self.function = driver, driver.reference
        self.memory = (ctypes.c_float * 2)(0.5, 0)
        self.pointers = (ctypes.c_void_p * 2)(ctypes.addressof(self.memory), ctypes.addressof(self.memory) + 4)
        self.least, self.failures = math.inf, 0
        for _ in range(200):
            self.slowness()

    def slowness(self):
        """How much longer it takes now than it ever did: 1 and more; infinity where the clock stood still, as some virtual
        machines' clocks do at times."""
        seconds = self.driver.seconds_of(self.function, self.pointers, ctypes.c_long(1))
        if seconds <= 0:
            return math.inf
        self.least = min(self.least, seconds)
        return seconds / self.least

    def failed(self):
        """Changes to another processor when that has been often."""
        self.failures += 1
        if self.failures % FAILURES == 0 and OWN:
            os.sched_setaffinity(0, {random.choice(OWN)})


def timed(driver, reference, function, pointers):
    """The median of the batches that count, and how far their quartiles are apart, as a share of it."""
    once = driver.seconds_of(function, pointers, ctypes.c_long(3))
    runs = ctypes.c_long(max(1, round(SECONDS_OF_BATCH / max(once, 1e-9))))
    times, least, spread, end = [], math.inf, math.inf, time.monotonic() + SECONDS_OF_TRYING
    while len(times) < MOST_BATCHES and (len(times) < LEAST_BATCHES or spread > SPREAD) and time.monotonic() < end:
        before = reference.slowness()
        seconds = driver.seconds_of(function, pointers, runs)
        slowness = max(before, reference.slowness())
        least = min(least, seconds) if seconds > 0 else least
        if seconds <= 0 or slowness > SLOWER:
            reference.failed()
            continue
        times.append(seconds / slowness)
        if len(times) >= LEAST_BATCHES:
            quartiles = statistics.quantiles(times, n=4)
            spread = (quartiles[2] - quartiles[0]) / statistics.median(times)
    return (statistics.median(times), spread) if len(times) >= LEAST_BATCHES else (least, 1)


@functools.lru_cache(maxsize=64)
def arrays_and_expected(folder, driver_folder):
    """Of a program, in this process: its arrays, and what its kernels are to compute. Of stencils that is what the untuned
    kernel does."""
    facts = facts_of(folder)
    (driver, _), arrays = opened(driver_folder), Arrays(facts)
    expected = arrays.expected(facts)
    if expected is None:
        [untuned] = [each for each in json.loads((folder / "part-plain.json").read_text())["variants"]
                     if each["variant"] == "untuned"]
        function = getattr(ctypes.CDLL(str(folder / untuned["library"])), untuned["symbol"])
        driver.seconds_of(function, arrays.pointers, ctypes.c_long(1))
        expected = arrays.result.astype(np.float64)
    return arrays, expected


@functools.lru_cache(maxsize=1)
def opened(folder):
    """The driver, and its reference."""
    library = ctypes.CDLL(str(folder / "driver.so"))
    library.seconds_of.restype = ctypes.c_double
    return library, Reference(library)


def time_part(folder, part, driver_folder):
    """How many variants of a part were timed; those with another result are told, and have no time."""
    facts, (driver, reference) = facts_of(folder), opened(driver_folder)
    arrays, expected = arrays_and_expected(folder, driver_folder)
    known = folder / f"{part}.some"
    times, libraries = json.loads(known.read_text()) if known.exists() else {}, {}
    before = sum(spread < 1 for _, spread in times.values())
    for variant in json.loads((folder / f"{part}.json").read_text())["variants"]:
        if times.get(variant["variant"], (0, 1))[1] < 1:
            continue
        if variant["library"] not in libraries:
            libraries[variant["library"]] = ctypes.CDLL(str(folder / variant["library"]))
        function = getattr(libraries[variant["library"]], variant["symbol"])
        arrays.result[...] = np.nan
        driver.seconds_of(function, arrays.pointers, ctypes.c_long(1))
        if not np.abs(arrays.result - expected).max() <= CLOSE[facts["type"]] * np.abs(expected).max():
            print(f"error: {folder.parent.name} {facts['program']} {variant['variant']}: another result", file=sys.stderr, flush=True)
            continue
        found = timed(driver, reference, function, arrays.pointers)
        times[variant["variant"]] = min(found, times.get(variant["variant"], found), key=lambda each: (each[1] >= 1, each[0]))
    counted = sum(spread < 1 for _, spread in times.values())
    written(known if counted < len(times) else known.with_suffix(".times"), times)
    return counted - before


def parts_in(folder, suffix, made):
    """(folder of the program, part) where a part has a file with the suffix, but what is made of it is not there; first parts
    first."""
    found = [path for path in folder.resolve().glob(f"*/*/part*{suffix}") if not path.with_suffix(made).exists()]
    number = lambda path: int(path.stem[len("part"):].replace("-plain", "-1"))
    return [(path.parent, path.stem) for path in sorted(found, key=lambda path: (number(path), path))]


def time_all(options):
    cores = cores_here()
    options.jobs = min(options.jobs or max(1, len(cores) // 2), len(cores))
    driver = options.folder.resolve() / "driver"
    driver.mkdir(exist_ok=True)
    contractions.built("g++", ["-std=c++17", "-O3"], contractions.DRIVER + REFERENCE, driver / "driver.so")
    with Crew(options, cores) as crew:
        while time.monotonic() < crew.end:
            tasks = [(*task, driver) for task in parts_in(options.folder, ".json", ".times")]
            if not tasks or not crew.done(time_part, tasks, "timed"):
                break
    return 4 if parts_in(options.folder, ".json", ".times") else 0


def cycles_of_part(folder, part, mca):
    """llvm-mca's cycles for an iteration of each variant's hot loop."""
    told = called([mca, *MCA, f"-iterations={ITERATIONS_OF_MCA}", folder / f"{part}.mca"])
    names = re.findall(r"^# LLVM-MCA-BEGIN (\w+)", (folder / f"{part}.mca").read_text(), re.M)
    cycles = {int(number): int(total) / ITERATIONS_OF_MCA for number, total in
              re.findall(r"^\[(\d+)\] Code Region.*?^Total Cycles: +(\d+)", told, re.M | re.S)}
    written(folder / f"{part}.cycles", {names[number]: total for number, total in cycles.items()})
    return len(cycles)


def cycles_of_all(options):
    options.jobs = options.jobs or os.cpu_count()
    mca = shutil.which(options.mca)
    if not mca:
        print(f"{options.mca} is not installed", file=sys.stderr)
        return 77
    tasks = [(*task, mca) for task in parts_in(options.folder, ".mca", ".cycles")]
    with Crew(options) as crew:
        return 0 if crew.done(cycles_of_part, tasks, "loops simulated") else 4


def number_text(value):
    """With few digits: what is counted is exact up to 10,000."""
    return f"{value:.4g}" if value != int(value) or abs(value) >= 1e6 else str(int(value))


def rows_of_program(folder):
    """A row for each variant that was timed and has a loop, in the order of the sample."""
    facts = facts_of(folder)
    sizes = ";".join(f"{name}={value}" for name, value in facts["sizes"].items())
    of_program = [*(facts[key] for key in COLUMNS[:5]), sizes, f"{facts['flops']:.0f}", facts["points"]]
    timed_parts = [*folder.glob("*.times"), *(path for path in folder.glob("*.some") if not path.with_suffix(".times").exists())]
    for path in sorted(timed_parts, key=lambda path: (len(path.stem), path.stem)):
        times = json.loads(path.read_text())
        cycles = json.loads(path.with_suffix(".cycles").read_text()) if path.with_suffix(".cycles").exists() else {}
        for variant in json.loads(path.with_suffix(".json").read_text())["variants"]:
            if variant["variant"] in times and variant["features"]:
                seconds, spread = times[variant["variant"]]
                mca = cycles.get(variant["symbol"])
                part = path.stem[len("part"):].replace("-plain", "")
                yield ([*of_program, part, variant["variant"], variant["step"], f"{seconds:.4g}", f"{spread:.2f}",
                        "" if mca is None else number_text(mca), *map(number_text, variant["features"].values())],
                       list(variant["features"]))


def write_tables(options):
    """A table for each compiler and type, and what was measured of each configuration."""
    tables, counts = collections.defaultdict(list), collections.defaultdict(list)
    names = None
    for path in sorted(path for folder in options.folders for path in folder.resolve().glob("*/*/facts.json")):
        rows = []
        for row, names in rows_of_program(path.parent):
            rows.append(row)
        configuration, facts = path.parent.parent.name, facts_of(path.parent)
        tables[f"{facts['compiler'].split()[0]}-{facts['type']}"] += rows
        counts[configuration].append((sum(bool(row[COLUMNS.index("step")]) for row in rows), facts_of(path.parent)["points"]))
    for configuration, pairs in sorted(counts.items()):
        variants = [count for count, _ in pairs]
        print(f"{configuration}: {len(pairs)} programs, {sum(variants)} variants, {min(variants)} to {max(variants)} of each, "
              f"{sum(count >= total for count, total in pairs)} complete")
    options.output.mkdir(parents=True, exist_ok=True)
    for table, rows in sorted(tables.items()):
        write_table(options.output / f"cpu-simd-{table}.csv.gz", [*COLUMNS, *names], rows)
    return 0


def write_table(path, columns, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(text.getvalue().encode())
    print(f"{path}: {len(rows)} rows")


def term_rows(hoist, isa, kind, program, sizes, variants):
    """What a program's variants are before any compiler sees them: their parameters, and the features of their terms."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        text = pathlib.Path(folder) / "program.hoist"
        text.write_text(called([hoist, "dev", "workload", program, "--type", kind]))
        for first in range(0, len(variants), IDS):
            words = [word for each in variants[first:first + IDS] for word in ("--id", each)]
            told = json.loads(called([hoist, "features", text, *sizes.split(";"), "--device", "host", "--isa", isa, *words,
                                      *(["--id", variants[0]] if len(words) == 2 else []), "--json"]))
            for candidate in told["candidates"]:
                values = " ".join(f"{name}={value}" for name, value in candidate["values"].items())
                rows.append([isa, kind, program, candidate["id"], values,
                             *(number_text(candidate["features"][each]) for each in TERM_FEATURES)])
    return rows


def write_terms(options):
    options.hoist = options.hoist.resolve()
    found = collections.defaultdict(dict)
    for path in options.data:
        with gzip.open(path, "rt") as file:
            for row in csv.DictReader(file):
                if row["step"]:
                    found[row["isa"], row["type"], row["program"], row["sizes"]][row["variant"]] = None
    tables = collections.defaultdict(list)
    with concurrent.futures.ThreadPoolExecutor(options.jobs or os.cpu_count()) as pool:
        jobs = [(isa, kind, pool.submit(term_rows, options.hoist, isa, kind, program, sizes, list(variants)))
                for (isa, kind, program, sizes), variants in sorted(found.items())]
        for _, kind, job in jobs:
            tables[kind] += job.result()
    for kind, rows in tables.items():
        write_table(options.output / f"cpu-simd-terms-{kind}.csv.gz",
                    ["isa", "type", "program", "variant", "values", *TERM_FEATURES], rows)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("build")
    command.add_argument("hoist", type=pathlib.Path)
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("--compiler", nargs="+", default=["g++"])
    command.add_argument("--isa", nargs="+", choices=list(LANES), default=["avx2"])
    command.add_argument("--type", nargs="+", choices=list(BYTES), default=["f32"])
    command.add_argument("--variants", type=int, default=40, help="of each program")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--programs", nargs="+")
    command.set_defaults(run=build)
    with_time = [(command, math.inf)]
    command = commands.add_parser("time")
    command.add_argument("folder", type=pathlib.Path)
    command.set_defaults(run=time_all)
    with_time.append((command, 200))
    command = commands.add_parser("mca")
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("--mca", default="llvm-mca-14", help="the program")
    command.set_defaults(run=cycles_of_all)
    with_time.append((command, math.inf))
    for command, seconds in with_time:
        command.add_argument("--seconds", type=float, default=seconds, help="after which nothing new is begun")
        command.add_argument("--jobs", type=int, help="workers; as many as there are processors, or cores")
    command = commands.add_parser("write")
    command.add_argument("folders", type=pathlib.Path, nargs="+")
    command.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder of the tables")
    command.set_defaults(run=write_tables)
    command = commands.add_parser("terms")
    command.add_argument("hoist", type=pathlib.Path, help="of the commit that named the variants")
    command.add_argument("data", type=pathlib.Path, nargs="+")
    command.add_argument("-o", "--output", type=pathlib.Path, required=True, help="folder of the tables")
    command.add_argument("--jobs", type=int)
    command.set_defaults(run=write_terms)
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
