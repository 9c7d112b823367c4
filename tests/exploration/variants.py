#!/usr/bin/env python3
"""Loops of the programs of the data in orders drawn at random, built by compilers and run: what they compute is held against
NumPy in double precision (contractions) or the reference interpreter (stencils).

    tests/exploration/variants.py build/release/hoist                           a few, for each instruction set here and NEON
    tests/exploration/variants.py build/release/hoist --count 500 --all-types   the slow suite, which takes half an hour
    tests/exploration/variants.py build/release/hoist --isa avx2 --type f64 --count 20 --compiler clang++-14 ijk-ilk-jl

Programs are those of `hoist dev workload`, variants candidates whose derivation is `orderLoops`, arrays as large as the
first-level cache. Of each program there are as many, of its derivations in turn; all of a program are built from one source.
Where results are to be, and behind them, is a pattern that must be overwritten, and stay; inputs must stay as they are. The
arrays begin at cache lines, as those of the device `host` do, and with --offset so many elements behind. Vectors of
instruction sets that the processor lacks are not run. With --sanitize compilers look for accesses outside of arrays. NEON needs Debian's g++-aarch64-linux-gnu and qemu-user, and everything
NumPy (exit status 77 without it).
"""
import argparse
import itertools
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))
from turns import called, np  # noqa: E402
import contractions  # noqa: E402
import simd_variants  # noqa: E402

SEED = 20261124
FEATURES = {"sse4.2": "sse4_2", "avx2": "avx2", "avx512": "avx512vl"}  # as Linux lists them
NEON, NEON_COMPILER, EMULATOR = "neon", "aarch64-linux-gnu-g++", ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
KINDS = {"f32": np.float32, "f64": np.float64, "i32": np.int32}
# The largest difference, as a share of the largest element: rounding in another order. Integers are equal.
CLOSE = {"f32": 1e-5, "f64": 1e-13, "i32": 0}
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
LEFT_ALONE = 64  # bytes behind an array that no kernel may write

# Calls kernels of a library on the arrays of a file, one after the other, and writes what each leaves in all of them.
RUNNER = r"""
#include <dlfcn.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
typedef void Kernel(void* const*, const size_t*);
// runner LIBRARY ARRAYS RESULTS OFFSET BYTES... -- KERNEL...
int main(int count, char** words) {
  void* library = dlopen(words[1], RTLD_NOW);
  if (library == nullptr) return std::puts(dlerror()), 1;
  const size_t offset = std::strtoul(words[4], nullptr, 10), line = 64;
#if defined(__SANITIZE_ADDRESS__)
  const size_t behind = 0;  // what is touched there is told
#else
  const size_t behind = line;
#endif
  int word = 5;
  std::vector<std::vector<char>> given;
  std::vector<char*> memory;
  std::vector<void*> arguments;
  FILE* arrays = std::fopen(words[2], "rb");
  for (; std::strcmp(words[word], "--") != 0; ++word) {
    std::vector<char>& array = given.emplace_back(std::strtoul(words[word], nullptr, 10) + line);
    if (std::fread(array.data(), 1, array.size(), arrays) != array.size()) return 2;
    void* start = nullptr;
    if (posix_memalign(&start, line, offset + array.size() - line + behind) != 0) return 4;
    memory.push_back(static_cast<char*>(start) + offset);
    arguments.push_back(memory.back());
  }
  FILE* results = std::fopen(words[3], "wb");
  for (++word; word < count; ++word) {
    auto* kernel = reinterpret_cast<Kernel*>(dlsym(library, words[word]));
    if (kernel == nullptr) return 3;
    for (size_t i = 0; i < given.size(); ++i) std::memcpy(memory[i], given[i].data(), given[i].size() - line + behind);
    std::fprintf(stderr, "%s\n", words[word]);
    kernel(arguments.data(), nullptr);
    for (size_t i = 0; i < given.size(); ++i) {
      std::fwrite(memory[i], 1, given[i].size() - line + behind, results);
      std::fwrite(given[i].data() + given[i].size() - line + behind, 1, line - behind, results);
    }
  }
  std::fclose(results);
  std::fclose(arrays);
  for (char* array : memory) std::free(array - offset);
}
"""


def instruction_sets():
    """Those that run here, and NEON where it can be emulated."""
    flags = pathlib.Path("/proc/cpuinfo").read_text().partition("flags")[2].split("\n")[0].split()
    found = [name for name, feature in FEATURES.items() if feature in flags]
    return found + ([NEON] if shutil.which(NEON_COMPILER) and shutil.which(EMULATOR[0]) else [])


def sizes_of(name, text, kind):
    """Those of the data; short ones for what the first-level cache does not hold so."""
    try:
        return simd_variants.sizes_of(name, text, kind)
    except ValueError:
        fastest = [part[-1] for part in contractions.parts_of(name)]
        return {index.upper(): 8 if index in fastest else 2 for index in contractions.indices_of(name)}


class Configuration:
    """Who compiles for which instructions, and what runs the result."""

    def __init__(self, options, isa, folder):
        self.options, self.isa, self.folder = options, isa, folder
        is_neon = isa == NEON
        self.vectors = "sse4.2" if is_neon else isa  # vectors of NEON are as wide, and the text is the same
        self.compiler = NEON_COMPILER if is_neon else options.compiler
        self.emulator = EMULATOR if is_neon else []
        own = [] if is_neon else [*simd_variants.FLAGS[isa], *simd_variants.TUNING]
        self.flags = [flag for flag in [*simd_variants.COMMON, *own] if not (is_neon and flag.startswith("-march"))]
        self.flags += SANITIZERS if options.sanitize else []
        self.runner = self.built(RUNNER, folder / f"runner_{isa}",
                                 ["-std=c++17", "-O1", "-ldl", *(SANITIZERS if options.sanitize else [])])

    def built(self, source, path, flags):
        path.with_suffix(".cpp").write_text(source)
        called([self.compiler, path.with_suffix(".cpp"), *flags, "-o", path])
        return path

    def library(self, source, path):
        return self.built(source, path, [*self.flags, "-fopenmp", "-shared"])

    def run(self, library, arrays, symbols, offset):
        """What each kernel leaves in all arrays, which end with what is behind them; and the last kernel that began."""
        given, results = self.folder / "given", self.folder / "results"
        given.write_bytes(b"".join(array.tobytes() for array in arrays))
        counts = [array.nbytes - LEFT_ALONE for array in arrays]
        ran = subprocess.run([*self.emulator, self.runner, library, given, results, *map(str, [offset, *counts]), "--", *symbols],
                             capture_output=True, text=True)
        if ran.returncode != 0:
            begun = ran.stderr.split()
            names = [word for word in begun if word in symbols]
            raise RuntimeError(f"{' '.join(names[-1:])}: exit status {ran.returncode} {ran.stdout} {ran.stderr[-2000:]}")
        left, at = results.read_bytes(), 0
        for symbol in symbols:
            each = []
            for array in arrays:
                each.append(np.frombuffer(left, array.dtype, array.size, at))
                at += array.nbytes
            yield symbol, each


class Program:
    """A program of numbers of one kind, at the sizes of the data, with arrays and what it computes."""

    def __init__(self, hoist, name, kind, folder, seed):
        self.hoist, self.name, self.kind, self.folder = hoist, name, kind, folder
        # A contraction means the same of integers, which `hoist dev workload` does not write.
        text = called([hoist, "dev", "workload", name, "--type", "f32" if kind == "i32" else kind])
        self.path = folder / "program.hoist"
        self.path.write_text(text.replace("f32", kind))
        self.sizes = sizes_of(name, text, "f32" if kind == "i32" else kind)
        self.given = [self.path, *(f"{size}={value}" for size, value in self.sizes.items())]
        compiled = called([hoist, "compile", *self.given, "--target", "host"])
        self.arrays, generator = [], np.random.default_rng(seed)
        for _, count in simd_variants.arrays_of(compiled):
            values = generator.integers(-99, 100, count) if kind == "i32" else generator.uniform(-1, 1, count)
            behind = np.full(LEFT_ALONE // np.dtype(KINDS[kind]).itemsize, 77)
            self.arrays.append(np.concatenate([values, behind]).astype(KINDS[kind]))
        self.behind = len(behind)
        self.arrays[-1][:-self.behind] = np.frombuffer(b"\xa5" * (self.arrays[-1].nbytes - LEFT_ALONE), KINDS[kind])
        self.expected = self.contracted() if "-" in name else self.interpreted(text.replace("f32", "f64"))

    def contracted(self):
        parts = contractions.parts_of(self.name)
        exact = np.int64 if self.kind == "i32" else np.float64
        operands = [array[:-self.behind].astype(exact).reshape([self.sizes[index.upper()] for index in part])
                    for array, part in zip(self.arrays, parts[1:])]
        return np.einsum(f"{parts[1]},{parts[2]}->{parts[0]}", *operands).ravel()

    def interpreted(self, text):
        """Of stencils, which have one array and a border of some elements."""
        double = self.folder / "double.hoist"
        double.write_text(text)
        shape = self.shape(text)
        np.save(self.folder / "u.npy", self.arrays[0][:-self.behind].astype(np.float64).reshape(shape))
        called([self.hoist, "eval", double, f"u={self.folder / 'u.npy'}", "-o", self.folder / "out.npy"])
        return np.load(self.folder / "out.npy").ravel()

    def shape(self, text):
        extents = text.partition("(u: ")[2].partition("f64")[0].strip("[]").split("][")
        return [sum(self.sizes.get(part, 0) or int(part) for part in extent.split(" + ")) for extent in extents]

    def sample(self, isa, count, seed):
        """Ids of candidates, of its derivations in turn."""
        rows = json.loads(called([self.hoist, "explore", *self.given, "--device", "host", "--isa", isa, "--derivations", "--json"]))
        generator = random.Random(f"{seed} {self.name} {self.kind} {isa}")
        points = {row["derivation"]: set() for row in rows if row["steps"].startswith("orderLoops(")}
        of_derivation = {row["derivation"]: row["points"] for row in rows if row["derivation"] in points}
        for derivation in itertools.islice(itertools.cycle(points), count if points else 0):
            points[derivation].add(generator.randrange(of_derivation[derivation]))
        return [f"{derivation}-{point}" for derivation, some in points.items() for point in sorted(some)]

    def source(self, isa, ids):
        words = [word for each in ids for word in ("--id", each)]
        return called([self.hoist, "explore", *self.given, "--device", "host", "--isa", isa, *words, "--show", "host"])

    def fault(self, left):
        """What is wrong with what a kernel left; empty if nothing is."""
        for number, (array, now) in enumerate(zip(self.arrays, left)):
            is_result = number == len(left) - 1
            same = array[-self.behind:] if is_result else array
            if not np.array_equal(same, now[-len(same):]):
                return f"it wrote {'behind' if is_result else 'to'} array {number}"
        result = left[-1][:-self.behind]
        worst = np.abs(result - self.expected).max() / max(np.abs(self.expected).max(), 1)
        return "" if worst <= CLOSE[self.kind] else f"another result: {worst:.2g} of the largest element"


def checked(configuration, name, kind, count, folder):
    """How many variants of a program ran, and what is wrong with some."""
    options = configuration.options
    program = Program(options.hoist, name, kind, folder, options.seed)
    ids = program.sample(configuration.vectors, count, options.seed)
    if not ids:
        return 0, [f"{name} of {kind} has no loops to order"]
    source = program.source(configuration.vectors, ids)
    symbols = simd_variants.symbols_in(source)
    library = configuration.library(source, folder / "variants.so")
    offset = options.offset * np.dtype(KINDS[kind]).itemsize
    faults = []
    try:
        for symbol, left in configuration.run(library, program.arrays, symbols, offset):
            if fault := program.fault(left):
                faults.append(f"{symbol}: {fault}")
    except RuntimeError as crashed:
        faults.append(str(crashed))
    if faults:
        given = " ".join(map(str, program.given[1:]))
        faults = [f"{name} of {kind} for {configuration.isa} by {configuration.compiler}, {given}: {fault}" for fault in faults]
    return len(symbols), faults


def cases(options, names):
    """(instruction set, type, program, how many). Few programs are as many of each, drawn anew for each."""
    kinds = options.type or (["f32", "f64", "i32"] if options.all_types else ["f32", "f64"])
    for isa, kind in itertools.product(options.isa or instruction_sets(), kinds):
        possible = [name for name in names if kind != "i32" or "-" in name]
        most = min(len(possible), max(1, options.count // options.least))
        some = sorted(random.Random(f"{options.seed} {isa} {kind}").sample(possible, most))
        for name in some:
            yield isa, kind, name, -(-options.count // most)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="programs; all when none is named")
    parser.add_argument("--isa", choices=[*FEATURES, NEON], action="append", help="all that can be run when none is named")
    parser.add_argument("--type", choices=list(KINDS), action="append", help="f32 and f64 when none is named")
    parser.add_argument("--all-types", action="store_true", help="i32, too")
    parser.add_argument("--count", type=int, default=9, help="variants for each instruction set and type")
    parser.add_argument("--least", type=int, default=3, help="variants of a program")
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--offset", type=int, default=0, help="elements between a cache line and an array")
    parser.add_argument("--sanitize", action="store_true", help="with the sanitizers of addresses and undefined behaviour (g++)")
    parser.add_argument("--seed", type=int, default=SEED)
    options = parser.parse_intermixed_args()
    options.hoist = options.hoist.resolve()
    if not shutil.which(options.compiler):
        print(f"{options.compiler} is not here")
        return 77
    names = options.names or [name for _, name in simd_variants.workloads(options.hoist)]
    start, counts, faults, configurations = time.monotonic(), {}, [], {}
    with tempfile.TemporaryDirectory() as base:
        folder = pathlib.Path(base)
        for isa, kind, name, count in cases(options, names):
            if isa not in configurations:
                configurations[isa] = Configuration(options, isa, folder)
            ran, wrong = checked(configurations[isa], name, kind, count, folder)
            counts[isa, kind] = counts.get((isa, kind), 0) + ran
            for each in wrong:
                print(each, flush=True)
            faults += wrong
    told = ", ".join(f"{ran} {isa} {kind}" for (isa, kind), ran in counts.items())
    print(f"{told}: {len(faults)} wrong; seed {options.seed}, {time.monotonic() - start:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
