#!/usr/bin/env python3
"""Measures variants of loop nests on one core, for models that learn from the assembly of their hot loops: contractions and
stencils of K. Stock, L.-N. Pouchet and P. Sadayappan (Using machine learning to improve automatic vectorization, ACM TACO
8(4), 2012).

    bench/simd_variants.py build build/release/hoist FOLDER --compiler g++ --isa avx2 --type f32 --variants 40
    bench/simd_variants.py time FOLDER --seconds 200      goes on where it ended; exit status 4 while something is left
    bench/simd_variants.py write FOLDER ... -o cpu-simd.csv.gz

Programs are those of `hoist dev workload`: 30 contractions to learn from, 19 of CCSD, nine stencils. A program's arrays fit the
first-level cache together. Its variants are candidates of `hoist explore` whose derivation is `orderLoops`: the order of the
loops, which of them has the lanes of vectors, how many lanes, how many iterations of each loop a body has. A sample is drawn
uniformly from all of them by a seed, or all are taken where they are fewer. `build` has them printed in one source, which the
compiler reads once: what it writes with -S is both read (`hoist dev assembly`) and linked. Beside them are Hoist's untuned
kernel and, of contractions, plain loops in the order of the name, compiled with fast-math besides.

A time is the processor time of the thread in batches of some SECONDS_OF_BATCH, until the quartiles of all batches are within
SPREAD of their median; every result is compared. Needs NumPy (exit status 77 without it).
"""
import argparse
import csv
import ctypes
import gzip
import io
import json
import math
import pathlib
import random
import re
import statistics
import sys
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
FILES = 20  # ids that one call is given, sources that one compiler run reads: a compiler's time grows faster than a source
SECONDS_OF_BATCH = 1e-3
SPREAD = 0.04
LEAST_BATCHES, MOST_BATCHES = 7, 60
STENCIL_SIZES = {2: {"f32": {"H": 32, "W": 64}, "f64": {"H": 32, "W": 32}},
                 3: {"f32": {"D": 8, "H": 16, "W": 16}, "f64": {"D": 8, "H": 8, "W": 16}}}
COLUMNS = ["compiler", "isa", "type", "group", "program", "sizes", "flops", "variant", "step", "seconds", "spread", "gflops"]


def workloads(hoist):
    """(group, name), those to learn from first."""
    rows = [line.split()[:2] for line in called([hoist, "dev", "workload"]).splitlines()[1:]]
    return sorted(((group, name) for name, group in rows), key=lambda row: ["training", "CCSD", "stencils"].index(row[0]))


def sizes_of(name, text, kind):
    if "-" in name:
        return {index.upper(): length for index, length in contractions.extents(name, BYTES[kind]).items()}
    return STENCIL_SIZES[3 if "[D]" in text else 2][kind]


def arrays_of(compiled):
    """(name, elements) of the inputs, then of the outputs, as the plan behind a kernel's source lists them."""
    return [(name, int(count)) for name, count in re.findall(r"^//   (?:in|out)put (\w+): (\d+) of", compiled, re.M)]


def sample(derivations, count, seed):
    """Ids of variants, uniformly of all; with the step that each is of."""
    ordered = [row for row in derivations if row["steps"].startswith("orderLoops(")]
    steps = {f"{row['derivation']}": row["steps"] for row in ordered}
    total = sum(row["points"] for row in ordered)
    ranks = sorted(random.Random(seed).sample(range(total), min(count, total)))
    ids, start = {}, 0
    for row in ordered:
        for rank in ranks:
            if start <= rank < start + row["points"]:
                ids[f"{row['derivation']}-{rank - start}"] = steps[f"{row['derivation']}"]
        start += row["points"]
    return ids, total


def symbols_in(source):
    return re.findall(r'^extern "C" void (\w+)\(', source, re.M)


class Build:
    """A configuration: who compiles, for which instructions, which numbers."""

    def __init__(self, options):
        self.options = options
        self.flags = [*COMMON, *FLAGS[options.isa], *TUNING]

    def listing(self, source, path, flags=()):
        """The assembly of a source, and the library that it becomes."""
        path.with_suffix(".cpp").write_text(source)
        called([self.options.compiler, *self.flags, *flags, "-S", path.with_suffix(".cpp"), "-o", path.with_suffix(".s")])
        called([self.options.compiler, "-shared", path.with_suffix(".s"), "-o", path.with_suffix(".so")])

    def features(self, path, symbols):
        told = json.loads(called([self.options.hoist, "dev", "assembly", path.with_suffix(".s"), *symbols, "--json"]))
        return {each["kernel"]: each["loop"] and each["loop"]["features"] for each in told["kernels"]}

    def program(self, group, name, folder):
        options, kind = self.options, self.options.type
        text = folder / "program.hoist"
        text.write_text(called([options.hoist, "dev", "workload", name, "--type", kind]))
        sizes = sizes_of(name, text.read_text(), kind)
        given = [text, *(f"{size}={value}" for size, value in sizes.items())]
        chosen = ["--device", "host", "--isa", options.isa]
        derivations = json.loads(called([options.hoist, "explore", *given, *chosen, "--derivations", "--json"]))
        ids, total = sample(derivations, options.variants, f"{options.seed} {name}")
        compiled = called([options.hoist, "compile", *given, "--target", "host", "--isa", options.isa])
        variants, start = [], time.monotonic()
        parts = [list(ids)[first:first + FILES] for first in range(0, len(ids), FILES)]
        for number, part in enumerate(parts):
            words = [word for each in part for word in ("--id", each)]
            source = called([options.hoist, "explore", *given, *chosen, *words, "--show", "host"])
            names = symbols_in(source)
            path = folder / f"part{number}"
            self.listing(source, path)
            features = self.features(path, names)
            for symbol in names:
                variant = "-".join(symbol.rsplit("_", 2)[1:])
                variants.append({"variant": variant, "step": ids[variant], "library": f"part{number}.so", "symbol": symbol,
                                 "features": features[symbol]})
        seconds = time.monotonic() - start
        self.listing(compiled, folder / "untuned")
        variants.append({"variant": "untuned", "step": "", "library": "untuned.so", "symbol": symbols_in(compiled)[0],
                         "features": self.features(folder / "untuned", symbols_in(compiled))[symbols_in(compiled)[0]]})
        if "-" in name:
            lengths = {index.lower(): length for index, length in sizes.items()}
            order = contractions.indices_of(name)
            plain = contractions.loops(name, lengths, order)
            self.listing(plain.replace("float", "double") if kind == "f64" else plain, folder / "loops", ["-ffast-math"])
            variants.append({"variant": "loops", "step": "", "library": "loops.so", "symbol": f"order_{order}",
                             "features": self.features(folder / "loops", [f"order_{order}"])[f"order_{order}"]})
        flops = json.loads(called([options.hoist, "run", *given, "--device", "host", "--untuned", "--random", 1, "--json"]))
        facts = {"compiler": compiler_name(options.compiler), "isa": options.isa, "type": kind, "group": group, "program": name,
                 "sizes": sizes, "flops": flops["flops"], "points": total, "arrays": arrays_of(compiled), "seed": options.seed,
                 "processor": processor(), "commit": commit(), "variants": variants}
        (folder / "facts.json").write_text(json.dumps(facts))
        return len(variants), seconds


def compiler_name(program):
    """"gcc 12.2.0", "clang 14.0.6"."""
    line = called([program, "--version"]).splitlines()[0]
    version = re.search(r"clang version (\S+)", line)
    return f"clang {version[1]}" if version else f"gcc {line.split()[-1]}"


def build(options):
    options.hoist = options.hoist.resolve()
    configuration, counts = Build(options), []
    for group, name in workloads(options.hoist):
        folder = options.folder / name
        if (options.programs and name not in options.programs) or (folder / "facts.json").exists():
            continue
        folder.mkdir(parents=True, exist_ok=True)
        counts.append(configuration.program(group, name, folder.resolve()))
        count, seconds = counts[-1]
        print(f"{name}: {count} built, {count / seconds:.1f} a second", flush=True)
    if counts:
        print(f"{sum(count for count, _ in counts)} variants: printed, compiled, their features read, "
              f"{sum(count for count, _ in counts) / sum(seconds for _, seconds in counts):.1f} a second")
    return 0


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


def timed(driver, function, pointers):
    """The median of the batches, and how far their quartiles are apart, as a share of it."""
    once = driver.seconds_of(function, pointers, ctypes.c_long(3))
    runs = ctypes.c_long(max(1, round(SECONDS_OF_BATCH / max(once, 1e-9))))
    times, spread = [], math.inf
    while len(times) < MOST_BATCHES and (len(times) < LEAST_BATCHES or spread > SPREAD):
        times.append(driver.seconds_of(function, pointers, runs))
        if len(times) >= LEAST_BATCHES:
            quartiles = statistics.quantiles(times, n=4)
            spread = (quartiles[2] - quartiles[0]) / statistics.median(times)
    return statistics.median(times), spread


def times_of(folder, driver):
    facts = json.loads((folder / "facts.json").read_text())
    arrays = Arrays(facts)
    expected, libraries, wrong = arrays.expected(facts), {}, 0
    # The untuned kernel first: what stencils are held against.
    for variant in sorted(facts["variants"], key=lambda each: each["variant"] != "untuned"):
        library = libraries.setdefault(variant["library"], ctypes.CDLL(str(folder / variant["library"])))
        function = getattr(library, variant["symbol"])
        arrays.result[...] = np.nan
        driver.seconds_of(function, arrays.pointers, ctypes.c_long(1))
        if expected is None:
            expected = arrays.result.astype(np.float64)
        if not np.abs(arrays.result - expected).max() <= CLOSE[facts["type"]] * np.abs(expected).max():
            wrong += 1
            print(f"error: {facts['program']} {variant['variant']}: another result", file=sys.stderr)
            continue
        variant["seconds"], variant["spread"] = timed(driver, function, arrays.pointers)
    (folder / "timed.json").write_text(json.dumps(facts))
    return len(facts["variants"]), wrong


def time_all(options):
    driver = contractions.driver_in(options.folder.resolve())
    start, done, wrong = time.monotonic(), 0, 0
    for path in sorted(options.folder.resolve().glob("*/facts.json")):
        if (path.parent / "timed.json").exists():
            continue
        if time.monotonic() - start > options.seconds:
            print(f"{done} timed; something is left")
            return 4
        count, wrong_here = times_of(path.parent, driver)
        done, wrong = done + count, wrong + wrong_here
    print(f"{done} timed, {done / max(time.monotonic() - start, 1e-9):.0f} a second, {wrong} wrong")
    return 3 if wrong else 0


def write_table(options):
    rows, features = [], None
    for path in sorted(path for folder in options.folders for path in folder.glob("*/timed.json")):
        facts = json.loads(path.read_text())
        for variant in facts["variants"]:
            if "seconds" not in variant or not variant["features"]:
                continue
            features = features or list(variant["features"])
            sizes = ";".join(f"{name}={value}" for name, value in facts["sizes"].items())
            rows.append([*(facts[key] for key in COLUMNS[:5]), sizes, f"{facts['flops']:.0f}", variant["variant"],
                         variant["step"], f"{variant['seconds']:.5g}", f"{variant['spread']:.3f}",
                         f"{facts['flops'] / variant['seconds'] / 1e9:.4g}",
                         *(f"{variant['features'][each]:.6g}" for each in features)])
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, *features])
    writer.writerows(rows)
    with gzip.GzipFile(options.output, "wb", mtime=0) as file:
        file.write(text.getvalue().encode())
    print(f"{options.output}: {len(rows)} rows")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("build")
    command.add_argument("hoist", type=pathlib.Path)
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("--compiler", default="g++")
    command.add_argument("--isa", choices=list(LANES), default="avx2")
    command.add_argument("--type", choices=list(BYTES), default="f32")
    command.add_argument("--variants", type=int, default=40, help="of each program")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--programs", nargs="+")
    command.set_defaults(run=build)
    command = commands.add_parser("time")
    command.add_argument("folder", type=pathlib.Path)
    command.add_argument("--seconds", type=float, default=200)
    command.set_defaults(run=time_all)
    command = commands.add_parser("write")
    command.add_argument("folders", type=pathlib.Path, nargs="+")
    command.add_argument("-o", "--output", type=pathlib.Path, required=True)
    command.set_defaults(run=write_table)
    options = parser.parse_args()
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
