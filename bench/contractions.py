#!/usr/bin/env python3
"""Speed of tensor contractions whose arrays stay in the first-level cache, on one thread: Hoist's device `host` beside
plain loops.

    bench/contractions.py build/release/hoist --budget 20 --write bench/results/cpu-contractions
    bench/contractions.py build/release/hoist ijk-ilk-jl --show     the sources that were timed, too

The contractions are the 19 of CCSD that K. Stock, L.-N. Pouchet and P. Sadayappan use (Using machine learning to improve
automatic vectorization, ACM TACO 8(4), 2012), by their names: the indices of the result and of both operands. The plain
loops have constant bounds and restrict pointers, and are compiled by g++ and clang++ with several sets of flags, fast-math
among them; in the order of the name, and in others. Hoist's kernels are the untuned one and the fastest that `hoist tune`
finds in --budget, built by g++ with the flags of the device `host` but for OpenMP. All are functions in this process, which
take turns on the same arrays; a time is the processor time of the thread, so that what else runs on the machine is not
counted, though it disturbs. The peak is that of independent fused multiply-adds in the same turns.

A run: extents() chooses sizes, loops() writes a contraction as C++, plain_contenders() and hoist_contenders() build
everyone, and measured() times them. Needs NumPy (exit status 77 without it), g++ and clang++.
"""
import argparse
import concurrent.futures
import ctypes
import itertools
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import sys
import tempfile

from turns import SEED, called, commit, np, rows_of, times_in_turns, write

CACHE = 32 * 1024  # bytes for all arrays of a contraction together
ELEMENT = 4  # bytes of an f32
LANES = 16  # of the widest vector
SHORTEST = 4  # extent of an index
CACHE_LINE = 64
OPERATIONS_OF_TIMING = 50e6
OPERATIONS_OF_CHOICE = 5e6  # of a timing by which the best of the plain loops are chosen
CLOSE = 1e-5  # of the largest element: rounding in another order

BEST = ["-O3", "-march=native", "-ffast-math"]
WIDE = "-mprefer-vector-width=512"
FLAG_SETS = {"g++": [BEST, [*BEST, WIDE], [*BEST, WIDE, "-funroll-loops"]], "clang++": [BEST, [*BEST, WIDE]]}
# Those of src/runtime/host/compiler.cpp, but for OpenMP: one thread computes.
HOIST_FLAGS = ["-std=c++17", "-O3", "-fno-math-errno", "-fno-trapping-math", "-march=native", WIDE]
BASELINES = [f"{compiler}{order}" for compiler in FLAG_SETS for order in ("", ", best order")]

DRIVER = r"""
#include <time.h>
typedef void Kernel(void* const*, const unsigned long*);
static double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec + 1e-9 * time.tv_nsec;
}
extern "C" double seconds_of(Kernel* kernel, void* const* arguments, long runs) {
  const double start = now();
  for (long run = 0; run < runs; ++run) kernel(arguments, nullptr);
  return (now() - start) / runs;
}
#if defined(__AVX512F__)
constexpr int lanes = 16, chains = 16;
#elif defined(__AVX__)
constexpr int lanes = 8, chains = 12;
#else
constexpr int lanes = 4, chains = 12;
#endif
typedef float Vector __attribute__((vector_size(4 * lanes)));
// The peak: as many chains of multiply-adds as registers hold, each of its own. The arguments are a factor, a summand,
// and where the result goes.
extern "C" const long operations_of_peak = 2L * lanes * chains * 1000;
extern "C" void peak(void* const* arguments, const unsigned long*) {
  const Vector factor = *static_cast<const float*>(arguments[0]) - Vector{};
  const Vector summand = *static_cast<const float*>(arguments[1]) - Vector{};
  Vector sums[chains];
  for (int chain = 0; chain < chains; ++chain) sums[chain] = Vector{} + float(chain);
  for (int step = 0; step < 1000; ++step) {
#pragma GCC unroll 16
    for (int chain = 0; chain < chains; ++chain) sums[chain] = sums[chain] * factor + summand;
  }
  Vector all{};
  for (int chain = 0; chain < chains; ++chain) all += sums[chain];
  *static_cast<float*>(arguments[2]) = all[0];
}
"""


def ccsd(hoist):
    """The names of the 19."""
    lines = called([hoist, "dev", "workload"]).splitlines()
    return [words[0] for words in map(str.split, lines) if words[1:2] == ["CCSD"]]


def parts_of(name):
    return name.split("-")


def indices_of(name):
    """Those of the result, then the contracted ones in the order of the left operand."""
    result, left, _ = parts_of(name)
    return result + "".join(index for index in left if index not in result)


def elements(name, lengths):
    """Of all three arrays."""
    return sum(math.prod(lengths[index] for index in part) for part in parts_of(name))


def operations(lengths):
    return 2 * math.prod(lengths.values())


def extents(name, element=ELEMENT, shortest=SHORTEST):
    """Extents by index with which all arrays together fit CACHE, of elements of so many bytes. The fastest dimension of each
    array is a multiple of LANES, or as many bytes; where not even the least such choice fits, only that of the result is, and
    those of operands of half as many. From there on the smallest extent that can be is doubled, the first index first."""
    fastest = [part[-1] for part in parts_of(name)]
    widest = LANES * ELEMENT // element
    for lanes in (widest, widest // 2):
        lengths = {index: lanes if index in fastest else shortest for index in indices_of(name)}
        lengths[fastest[0]] = widest
        if elements(name, lengths) * element > CACHE:
            continue
        growing = list(lengths)
        while growing:
            smallest = min(growing, key=lengths.get)
            lengths[smallest] *= 2
            if elements(name, lengths) * element > CACHE:
                lengths[smallest] //= 2
                growing.remove(smallest)
        return lengths
    raise ValueError(f"{name} does not fit {CACHE} bytes")


def orders(name):
    """Orders of the loops, that of the name first: each index innermost, the others in the order of the name, or the
    contracted ones first."""
    indices, result = indices_of(name), parts_of(name)[0]
    contracted_first = indices[len(result):] + result
    found = [indices]
    for others, last in itertools.product((indices, contracted_first), reversed(indices)):
        order = others.replace(last, "") + last
        if order not in found:
            found.append(order)
    return found


def place(part, lengths):
    """Where in its array the element of these indices is: "(i * 4 + l) * 16 + k"."""
    text = part[0]
    for index in part[1:]:
        text = f"{f'({text})' if '+' in text else text} * {lengths[index]} + {index}"
    return text


def nest(indices, lengths, body):
    """Lines of loops around others."""
    for index in reversed(indices):
        body = [f"for (int {index} = 0; {index} < {lengths[index]}; ++{index}) {{", *("  " + line for line in body), "}"]
    return body


def loops(name, lengths, order):
    """Plain loops as a C++ function that the driver calls. Where the contracted indices are the inner ones, an element is
    a sum in a variable; else the result is set to zero first."""
    result, left, right = parts_of(name)
    element = f"C[{place(result, lengths)}]"
    product = f"A[{place(left, lengths)}] * B[{place(right, lengths)}];"
    outer, inner = order[:len(result)], order[len(result):]
    if set(outer) == set(result):
        lines = nest(outer, lengths, ["float sum = 0;", *nest(inner, lengths, [f"sum += {product}"]), f"{element} = sum;"])
    else:
        lines = nest(result, lengths, [f"{element} = 0;"]) + nest(order, lengths, [f"{element} += {product}"])
    body = "".join(f"  {line}\n" for line in lines)
    return (f"__attribute__((noinline)) static void loops_{order}(const float* __restrict A, const float* __restrict B,\n"
            f"    float* __restrict C) {{\n{body}}}\n"
            f'extern "C" void order_{order}(void* const* arguments, const unsigned long*) {{\n'
            f"  loops_{order}(static_cast<const float*>(arguments[0]), static_cast<const float*>(arguments[1]),\n"
            "      static_cast<float*>(arguments[2]));\n}\n")


def built(compiler, flags, source, path):
    """The functions of a C++ source as an opened library, which its text stays beside."""
    text = path.with_suffix(".cpp")
    text.write_text(source)
    called([compiler, *flags, "-fPIC", "-shared", text, "-o", path])
    return ctypes.CDLL(str(path))


class Arrays:
    """A, B and C one after the other in memory, each at a cache line of its own."""

    def __init__(self, name, lengths):
        shapes = [[lengths[index] for index in part] for part in parts_of(name)]
        result, left, right = shapes
        counts = [-(-math.prod(shape) * ELEMENT // CACHE_LINE) * CACHE_LINE // ELEMENT for shape in (left, right, result)]
        self.memory = np.zeros(sum(counts) + CACHE_LINE // ELEMENT, np.float32)
        start = -self.memory.ctypes.data % CACHE_LINE // ELEMENT
        arrays = []
        for shape, count in zip((left, right, result), counts):
            arrays.append(self.memory[start:start + math.prod(shape)].reshape(shape))
            start += count
        generator = np.random.default_rng(SEED)
        for operand in arrays[:2]:
            operand[...] = generator.uniform(-1, 1, operand.shape)
        self.result = arrays[2]
        self.pointers = (ctypes.c_void_p * 3)(*(each.ctypes.data for each in arrays))
        _, left, right = parts_of(name)
        self.expected = np.einsum(f"{left},{right}->{parts_of(name)[0]}", *(each.astype(np.float64) for each in arrays[:2]))


class Function:
    """What is timed: one function of a library, on arrays that it shares with others."""

    def __init__(self, driver, library, symbol, arrays, operations_of_run, **facts):
        self.driver, self.function, self.arrays = driver, getattr(library, symbol), arrays
        self.operations, self.facts = operations_of_run, facts
        self.first = self.seconds(OPERATIONS_OF_CHOICE)

    def seconds(self, operations_of_timing=OPERATIONS_OF_TIMING):
        runs = max(1, round(operations_of_timing / self.operations))
        return self.driver.seconds_of(self.function, self.arrays.pointers, ctypes.c_long(runs))

    def turn(self):
        return [self.seconds()]

    def error(self):
        """The largest difference from the result in double precision, as a share of its largest element."""
        self.arrays.result[...] = np.nan
        self.driver.seconds_of(self.function, self.arrays.pointers, ctypes.c_long(1))
        return float(np.abs(self.arrays.result - self.arrays.expected).max() / np.abs(self.arrays.expected).max())


def driver_in(folder):
    library = built("g++", HOIST_FLAGS, DRIVER, folder / "driver.so")
    library.seconds_of.restype = ctypes.c_double
    return library


def plain_contenders(driver, name, lengths, arrays, folder):
    """The best of each compiler's flags: in the order of the name, and in any of the orders."""
    source = "".join(loops(name, lengths, order) for order in orders(name))
    builds = [(compiler, flags, source, folder / f"{compiler}{number}.so")
              for compiler, sets in FLAG_SETS.items() for number, flags in enumerate(sets)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        libraries = list(pool.map(lambda build: built(*build), builds))
    contenders, wrong = {}, []
    for compiler in FLAG_SETS:
        functions = [Function(driver, library, f"order_{order}", arrays, operations(lengths), order=order,
                              flags=" ".join(build[1]))
                     for build, library in zip(builds, libraries) if build[0] == compiler for order in orders(name)]
        for function in functions:
            if not function.error() <= CLOSE:
                wrong.append(f"{compiler} {function.facts['flags']}, order {function.facts['order']}: {function.error():.2g}")
            function.choice = min(function.seconds(OPERATIONS_OF_CHOICE) for _ in range(3))
        of_name = [each for each in functions if each.facts["order"] == indices_of(name)]
        contenders[compiler] = min(of_name, key=lambda each: each.choice)
        contenders[f"{compiler}, best order"] = min(functions, key=lambda each: each.choice)
    return contenders, wrong


def kernel_of(source):
    """The name of the kernel where a source has one alone, of two inputs and the result; else None."""
    names = re.findall(r'^extern "C" void (\w+)\(', source, re.M)
    return names[0] if len(names) == 1 and source.count("arguments[") == 3 else None


def hoist_contenders(driver, name, lengths, arrays, folder, options):
    """The default mapping, what runs where nothing was tuned, and the fastest that the search found."""
    text = folder / "contraction.hoist"
    text.write_text(called([options.hoist, "dev", "workload", name]))
    given = [text, *(f"{index.upper()}={length}" for index, length in lengths.items())]
    source_of = lambda kernel: called([options.hoist, "compile", "--target", "host", *given] if kernel == "default" else
                                      [options.hoist, "explore", *given, "--device", "host", "--id", kernel, "--show", "host"])
    by_model = json.loads(called([options.hoist, "run", *given, "--device", "host", "--random", SEED, "--json"]))["kernel"]
    sources = {"hoist default": (source_of("default"), {}), "hoist": (source_of(by_model), {"id": by_model})}
    if options.budget:
        tuned = json.loads(called([options.hoist, "tune", *given, "--device", "host", "--budget", options.budget, "--store",
                                   folder / "tuned.db", "--json"]))
        for each in tuned["best"]:
            source = source_of(each["id"])
            if kernel_of(source):
                facts = {key: each[key] for key in ("id", "derivation", "values")}
                sources["hoist tuned"] = source, {**facts, "candidates": tuned["evaluated"]}
                break
    contenders, wrong = {}, []
    for variant, (source, facts) in sources.items():
        library = built("g++", HOIST_FLAGS, source, folder / f"{variant.replace(' ', '_')}.so")
        contenders[variant] = Function(driver, library, kernel_of(source), arrays, operations(lengths), **facts)
        if not contenders[variant].error() <= CLOSE:
            wrong.append(f"{variant}: {contenders[variant].error():.2g}")
    return contenders, wrong


def measured(driver, name, folder, options):
    """A row for everyone who computes a contraction; they and the peak take turns."""
    lengths = extents(name)
    arrays = Arrays(name, lengths)
    plain, wrong_plain = plain_contenders(driver, name, lengths, arrays, folder)
    hoist, wrong_hoist = hoist_contenders(driver, name, lengths, arrays, folder, options)
    peak = Function(driver, driver, "peak", arrays, ctypes.c_long.in_dll(driver, "operations_of_peak").value)
    contenders = {**plain, **hoist}
    times = times_in_turns({**contenders, "peak": peak}, options.rounds)
    peak_speed = peak.operations / statistics.median(times.pop("peak")) / 1e9
    sizes = {index.upper(): length for index, length in lengths.items()}
    rows = rows_of(name, sizes, times, BASELINES, wrong_plain + wrong_hoist, options.commit)
    for row in rows:
        speed = operations(lengths) / row["median_seconds"] / 1e9
        row.update(gflops=speed, peak_gflops=peak_speed, share_of_peak=speed / peak_speed,
                   **contenders[row["variant"]].facts)
    return rows


def over_name_order(rows):
    """How many times as fast the last row is as the better compiler's loops in the order of the name."""
    return rows[-1]["gflops"] / max(row["gflops"] for row in rows if row["variant"] in FLAG_SETS)


def line_of(rows):
    """A contraction's line of the table. The last row is that of the kernel that is judged."""
    last = rows[-1]
    best = next(row for row in rows if row["variant"] == last["baseline"])
    notes = "" if last["outcome"] == "ok" else last["outcome"]
    cells = [last["benchmark"], "×".join(str(length) for length in last["sizes"].values()),
             *(f"{row['gflops']:.1f}" for row in rows), f"{last['share_of_peak']:.0%}",
             *(f"{ratio:.2f}" for ratio in (over_name_order(rows), last["ratio"], last["ratio_of_minima"])),
             f"{best['variant'].split(',')[0]}, {best['order']}", notes]
    return f"| {' | '.join(cells)} |\n"


def table(kernels):
    names = [row["variant"] for row in kernels[0]]
    text = (f"| contraction | extents | {' | '.join(names)} | of the peak | over the name's order | over the best loops | "
            "of best runs | best loops | notes |\n|---|---|" + "---:|" * (len(names) + 4) + "---|---|\n")
    text += "".join(map(line_of, kernels))
    peak = statistics.median(rows[0]["peak_gflops"] for rows in kernels)
    loads = [rows[0]["load"] for rows in kernels]
    return text + (f"\nGFLOP/s of medians. Extents are those of the result's indices, then of the contracted ones. The last "
                   f"of Hoist's columns is {summary(over_name_order, kernels)} the better compiler's loops in the order of the "
                   f"name, and {summary(lambda rows: rows[-1]['ratio'], kernels)} the best of all loops. One core's peak was "
                   f"{peak:.0f} GFLOP/s. Load of the machine, of whose {os.cpu_count()} processors one was used: "
                   f"{min(loads):.1f} to {max(loads):.1f}.\n")


def summary(ratio, kernels):
    least = min(kernels, key=ratio)
    return (f"{statistics.geometric_mean(map(ratio, kernels)):.2f} times (geometric mean; at least {ratio(least):.2f}, "
            f"{least[-1]['benchmark']})")


def show(folder):
    """Sources of Hoist's kernels."""
    for path in sorted(folder.glob("hoist*.cpp")):
        print(f"// {path.stem}\n{path.read_text()}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="contractions, any; the 19 when none is named")
    parser.add_argument("--budget", metavar="TIME", help="tune each contraction so long; otherwise untuned only")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--show", action="store_true", help="print the sources of Hoist's kernels")
    parser.add_argument("--write", type=pathlib.Path, help="folder for contractions.json and contractions.md")
    options = parser.parse_intermixed_args()
    missing = [compiler for compiler in FLAG_SETS if not shutil.which(compiler)]
    if missing:
        print("a compiler is missing: " + ", ".join(missing), file=sys.stderr)
        return 77
    os.environ["OMP_NUM_THREADS"] = "1"
    options.hoist = options.hoist.resolve()
    options.commit = commit()
    kernels = []
    with tempfile.TemporaryDirectory() as base:
        driver = driver_in(pathlib.Path(base))
        for name in options.names or ccsd(options.hoist):
            folder = pathlib.Path(base) / name
            folder.mkdir()
            kernels.append(measured(driver, name, folder, options))
            print(line_of(kernels[-1]), end="", flush=True)
            if options.show:
                show(folder)
            if options.write:
                write(options.write, "contractions", kernels, table(kernels))
    print(table(kernels))
    return 0 if all(row["outcome"] == "ok" for rows in kernels for row in rows) else 3


if __name__ == "__main__":
    sys.exit(main())
