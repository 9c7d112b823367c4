#!/usr/bin/env python3
"""The 19 contractions of CCSD at sizes of chemistry on the CPU, beside transpose, OpenBLAS, transpose (TTGT).

    bench/cpu_contractions.py build/release/hoist --budget 30s --write bench/results/cpu-contractions-chemistry
    bench/cpu_contractions.py build/release/hoist --threads 1 --types f64 ijkl-imkn-jnlm

Extents are those of EXTENTS, given to the indices in the order of the name (the result's, then the contracted ones). TTGT
brings the indices of both operands and of the result into groups (those of the left operand and the result, of the right
one and the result, of both operands), multiplies matrices by OpenBLAS, and brings the product into the result's order. Which
order the indices have inside of their groups, how each matrix lies, and which operand is the left one, is chosen for each
contraction by the times of all transposes and products that there may be, and of the best few as a whole. An array that is
in order already is not copied. Transposes are compiled for their extents by g++ -O3 -march=native: blocks are turned in
registers where the innermost index changes, rows are copied where it does not; threads share the outermost loops.
Options, exit status and OpenBLAS are as of cpu_products.py.
"""
import argparse
import ctypes
import itertools
import json
import math
import os
import pathlib
import re
import statistics
import sys
import tempfile
import time

import cpu_products as products
from cpu_products import array, called, loaded_blas, np, times_in_turns

EXTENTS = [72, 24, 40, 16, 56, 32]
CLOSE = {"f32": 1e-4, "f64": 1e-12}  # of the largest element: rounding in another order
BEST_FEW = 4

TRANSPOSE = r"""
#include <cstring>
typedef SCALAR Vector __attribute__((vector_size(LANES * sizeof(SCALAR))));
typedef INTEGER Mask __attribute__((vector_size(LANES * sizeof(SCALAR))));
template <int half> static inline void exchange(Vector& a, Vector& b) {
  Mask low, high;
  for (int lane = 0; lane < LANES; ++lane) {
    low[lane] = lane & half ? LANES + lane - half : lane;
    high[lane] = lane & half ? LANES + lane : lane + half;
  }
  const Vector first = __builtin_shuffle(a, b, low), second = __builtin_shuffle(a, b, high);
  a = first;
  b = second;
}
template <int half> static inline void exchange_all(Vector* rows) {
#pragma GCC unroll 16
  for (int i = 0; i < LANES; ++i)
    if (!(i & half)) exchange<half>(rows[i], rows[i + half]);
}
static inline void turn(const SCALAR* from, long from_row, SCALAR* to, long to_row) {
  Vector rows[LANES];
#pragma GCC unroll 16
  for (int i = 0; i < LANES; ++i) std::memcpy(&rows[i], from + i * from_row, sizeof(Vector));
  exchange_all<1>(rows);
  exchange_all<2>(rows);
  if (LANES > 4) exchange_all<4 % LANES>(rows);
  if (LANES > 8) exchange_all<8 % LANES>(rows);
#pragma GCC unroll 16
  for (int i = 0; i < LANES; ++i) std::memcpy(to + i * to_row, &rows[i], sizeof(Vector));
}
"""


def groups_of(name):
    """The indices of rows, columns and depth of the product, as they stand in the result and in the left operand."""
    result, left, right = name.split("-")
    return ("".join(index for index in result if index in left), "".join(index for index in result if index in right),
            "".join(index for index in left if index not in result))


def indices_of(name):
    result, left, _ = name.split("-")
    return result + "".join(index for index in left if index not in result)


def strides_of(part, lengths):
    return {index: math.prod(lengths[each] for each in part[at + 1:]) for at, index in enumerate(part)}


def merged(source, target, lengths):
    """Neighbours in both orders as one index."""
    lengths = dict(lengths)
    at = 0
    while at + 1 < len(source):
        pair = source[at:at + 2]
        if pair in target:
            lengths[pair[0]] *= lengths[pair[1]]
            source, target = source.replace(pair, pair[0]), target.replace(pair, pair[0])
        else:
            at += 1
    return source, target, lengths


def transpose_text(symbol, source, target, lengths, lanes):
    """A function that copies an array, whose indices have the order of `source`, into that of `target`."""
    source, target, lengths = merged(source, target, lengths)
    read, written = strides_of(source, lengths), strides_of(target, lengths)
    place = lambda strides, used: " + ".join(f"{index} * {strides[index]}" for index in used) or "0"
    if source[-1] == target[-1]:
        row = source[-1]
        outer = target[:-1]
        body = (f"std::memcpy(to + {place(written, outer)}, from + {place(read, outer)}, {lengths[row]} * sizeof(SCALAR));")
    else:
        i, o = source[-1], target[-1]  # side by side where it is read, and where it is written
        outer = "".join(index for index in target if index not in (i, o))
        whole_i, whole_o = lengths[i] // lanes * lanes, lengths[o] // lanes * lanes
        rest = lambda first_i, last_i, first_o, last_o: (
            f"for (long i = {first_i}; i < {last_i}; ++i) for (long o = {first_o}; o < {last_o}; ++o) "
            f"t[i * {written[i]} + o] = f[o * {read[o]} + i];")
        block = 64  # of both, for the first-level cache and pages
        body = (f"const SCALAR* f = from + {place(read, outer)}; SCALAR* t = to + {place(written, outer)};\n"
                f"for (long ob = 0; ob < {whole_o}; ob += {block}) for (long ib = 0; ib < {whole_i}; ib += {block})\n"
                f"for (long i = ib; i < ({whole_i} < ib + {block} ? {whole_i} : ib + {block}); i += {lanes})\n"
                f"for (long o = ob; o < ({whole_o} < ob + {block} ? {whole_o} : ob + {block}); o += {lanes})\n"
                f"turn(f + o * {read[o]} + i, {read[o]}, t + i * {written[i]} + o, {written[i]});\n"
                f"{rest(whole_i, lengths[i], 0, lengths[o])}\n{rest(0, whole_i, whole_o, lengths[o])}\n")
    loops = "".join(f"for (long {index} = 0; {index} < {lengths[index]}; ++{index})\n" for index in outer)
    shared = f"#pragma omp parallel for collapse({min(len(outer), 3)})\n" if outer else ""
    return (f'extern "C" void {symbol}(const SCALAR* __restrict from, SCALAR* __restrict to) {{\n{shared}{loops}{{\n{body}\n}}\n'
            "}\n")


class Ttgt:
    """A contraction by transposes and OpenBLAS: all ways to do it, and the best."""

    def __init__(self, blas, name, scalar, lengths, folder):
        self.result, self.left, self.right = name.split("-")
        self.scalar, self.lengths, self.blas = scalar, lengths, blas
        self.gemm = blas.cblas_sgemm if scalar == "f32" else blas.cblas_dgemm
        size = lambda part: math.prod(lengths[index] for index in part)
        self.size = size
        self.a, self.b = array(scalar, size(self.left), 1), array(scalar, size(self.right), 2)
        self.c = array(scalar, size(self.result))
        self.copies = [array(scalar, size(part), 3) for part in (self.left, self.right, self.result)]
        self.ways = list(self._ways())
        self.functions = self._transposes(folder)

    def _ways(self):
        rows, columns, depth = groups_of(self.result + "-" + self.left + "-" + self.right)
        ordered = lambda group, part: "".join(index for index in part if index in group)
        for m in {ordered(rows, self.left), ordered(rows, self.result)}:
            for n in {ordered(columns, self.right), ordered(columns, self.result)}:
                for k in {ordered(depth, self.left), ordered(depth, self.right)}:
                    for a, b, c in itertools.product((m + k, k + m), (k + n, n + k), (m + n, n + m)):
                        yield {"a": a, "b": b, "c": c, "m": m, "n": n, "k": k}

    def _transposes(self, folder):
        wanted = {(source, target) for way in self.ways
                  for source, target in ((self.left, way["a"]), (self.right, way["b"]), (way["c"], self.result))
                  if source != target}
        lanes = 16 if self.scalar == "f32" else 8
        kinds = {"f32": ("float", "int"), "f64": ("double", "long")}[self.scalar]
        text = TRANSPOSE.replace("SCALAR", kinds[0]).replace("INTEGER", kinds[1]).replace("LANES", str(lanes))
        for source, target in sorted(wanted):
            text += transpose_text(f"{source}_{target}", source, target, self.lengths, lanes).replace("SCALAR", kinds[0])
        library = products.built(text, folder / "transposes.so")
        functions = {}
        for source, target in wanted:
            functions[source, target] = getattr(library, f"{source}_{target}")
            functions[source, target].argtypes = [ctypes.c_void_p] * 2
        return functions

    def steps(self, way):
        """What a way calls, one after the other, each with the key by which its time is known."""
        a, b, c = self.a.ctypes.data, self.b.ctypes.data, self.c.ctypes.data
        found = []

        def in_order(source, target, array_at, copy):
            if source == target:
                return array_at
            function, to = self.functions[source, target], self.copies[copy].ctypes.data
            found.append(((source, target, copy), lambda: function(array_at, to)))
            return to

        a, b = in_order(self.left, way["a"], a, 0), in_order(self.right, way["b"], b, 1)
        product = c if way["c"] == self.result else self.copies[2].ctypes.data
        m, n, k = (self.size(way[group]) for group in "mnk")
        order = lambda is_as_is: products.AS_IS if is_as_is else products.TRANSPOSED
        a_is_mk, b_is_kn = way["a"] == way["m"] + way["k"], way["b"] == way["k"] + way["n"]
        if way["c"] == way["m"] + way["n"]:
            call = (products.ROW_MAJOR, order(a_is_mk), order(b_is_kn), m, n, k, 1, a, k if a_is_mk else m, b,
                    n if b_is_kn else k, 0, product, n)
        else:  # the transpose of the product is that of the transposes, the other way round
            call = (products.ROW_MAJOR, order(not b_is_kn), order(not a_is_mk), n, m, k, 1, b, n if b_is_kn else k, a,
                    k if a_is_mk else m, 0, product, m)
        found.append(((a_is_mk, b_is_kn, way["c"] == way["m"] + way["n"]), lambda: self.gemm(*call)))
        if way["c"] != self.result:
            function, to = self.functions[way["c"], self.result], self.c.ctypes.data
            found.append(((way["c"], self.result, 2), lambda: function(product, to)))
        return found

    def run_of(self, way):
        calls = [call for _, call in self.steps(way)]

        def run():
            for call in calls:
                call()
        return run

    def best(self):
        """The fastest way, and what it is in words."""
        known = {}
        for way in self.ways:
            for key, call in self.steps(way):
                if key not in known:
                    known[key] = seconds_of(call, 3)
        expected = lambda way: sum(known[key] for key, _ in self.steps(way))
        few = sorted(self.ways, key=expected)[:BEST_FEW]
        way = min(few, key=lambda each: seconds_of(self.run_of(each), 5))
        transposed = [f"{source}→{target}" for source, target in
                      ((self.left, way["a"]), (self.right, way["b"]), (way["c"], self.result)) if source != target]
        return self.run_of(way), ", ".join(transposed) or "no transposes"


def seconds_of(run, rounds):
    run()
    return min(timed(run) for _ in range(rounds))


def timed(run):
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def measured(options, row, folder):
    name, scalar, threads = row["name"], row["type"], row["threads"]
    if row["cores"]:
        os.sched_setaffinity(0, row["cores"])
    lengths = dict(zip(indices_of(name), EXTENTS))
    path = folder / "contraction.hoist"
    path.write_text(called([options.hoist, "dev", "workload", name]).replace("f32", scalar))
    given = [path, *(f"{index.upper()}={length}" for index, length in lengths.items())]
    ids, how, candidates = {"untuned": products.untuned(options.hoist, given)}, None, None
    if budget := products.budget_of(options, 2 * math.prod(lengths.values())):
        ids["tuned"], how, candidates = products.tuned(options.hoist, given, budget, folder)
    sources = {variant: products.source_of(options.hoist, given, each) for variant, each in ids.items()}
    libraries = {variant: products.built(source, folder / f"{variant}.so") for variant, source in sources.items()}
    if row["cores"]:
        os.sched_setaffinity(0, row["cores"][:threads])
    blas = loaded_blas(options.library)
    ttgt = Ttgt(blas, name, scalar, lengths, folder)
    run_ttgt, transposed = ttgt.best()
    run_ttgt()
    result, left, right = name.split("-")
    shape = lambda part: [lengths[index] for index in part]
    reference = np.einsum(f"{left},{right}->{result}", ttgt.a.reshape(shape(left)), ttgt.b.reshape(shape(right)), optimize=True)
    scale = float(np.abs(reference).max())
    errors = {"TTGT": float(np.abs(ttgt.c.reshape(shape(result)) - reference).max()) / scale}
    ours = array(scalar, math.prod(shape(result)))
    arrays = (ctypes.c_void_p * 3)(*(each.ctypes.data for each in (ttgt.a, ttgt.b, ours)))
    work_items = (ctypes.c_size_t * 6)(*[1] * 6)
    runs = {}
    for variant, library in libraries.items():
        symbols = re.findall(r'^extern "C" void (\w+)\(', sources[variant], re.M)
        if len(symbols) != 1:
            continue  # kernels in a row
        function = getattr(library, symbols[0])
        runs[variant] = lambda function=function: function(arrays, work_items)
        ours[...] = np.nan
        runs[variant]()
        errors[variant] = float(np.abs(ours.reshape(shape(result)) - reference).max()) / scale
    *own, baseline = times_in_turns([*runs.values(), run_ttgt], options.seconds)
    operations = 2 * math.prod(lengths.values())
    facts = {"benchmark": name, "type": scalar, "sizes": {index.upper(): length for index, length in lengths.items()},
             "threads": threads, "baseline": "TTGT", "transposes": transposed, "how": how, "candidates": candidates,
             "commit": options.commit}
    return products.row_of(facts, blas, operations, baseline, dict(zip(runs, own)), ids, errors, CLOSE[scalar])


HEADER = ("| contraction | type | extents | threads | TTGT | its transposes | untuned | of TTGT | tuned | of TTGT | of best runs | "
          "candidates | how |\n|---|---|---|---:|---:|---|---:|---:|---:|---:|---:|---:|---|\n")


def line_of(row):
    return products.line_of(row, [row["transposes"]])


def table(rows):
    text = HEADER + "".join(map(line_of, rows)) + "\n"
    for scalar, threads in sorted({(row["type"], row["threads"]) for row in rows}):
        own = [row for row in rows if (row["type"], row["threads"]) == (scalar, threads)]
        for variant in ("untuned", "tuned"):
            ratios = {row["benchmark"]: row[variant]["ratio"] for row in own if variant in row}
            if ratios:
                least = min(ratios, key=ratios.get)
                text += (f"{scalar}, {threads} thread{'s' if threads > 1 else ''}, {variant}: "
                         f"{statistics.geometric_mean(ratios.values()):.2f} times as fast as TTGT (geometric mean of {len(ratios)}; "
                         f"least {ratios[least]:.2f}, {least}).\n")
    loads = [row["load"] for row in rows]
    return text + (f"\nGFLOP/s of medians. Extents are those of the result's indices, then of the contracted ones. "
                   f"{rows[0]['openblas']}. Load of the machine, which has {os.cpu_count()} processors: {min(loads):.1f} to "
                   f"{max(loads):.1f}.\n")


def ccsd(hoist):
    lines = called([hoist, "dev", "workload"]).splitlines()
    return [words[0] for words in map(str.split, lines) if words[1:2] == ["CCSD"]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="contractions, any; the 19 when none is named")
    products.add_options(parser)
    options = parser.parse_intermixed_args()
    missing = products.complete(options)
    if missing:
        return missing
    if options.row:
        with tempfile.TemporaryDirectory() as folder:
            print(json.dumps(measured(options, json.loads(options.row), pathlib.Path(folder))))
        return 0
    wanted = [{"name": name, "type": scalar, "threads": int(threads)} for threads in options.threads.split(",")
              for name in options.names or ccsd(options.hoist) for scalar in options.types.split(",")]
    key = lambda row: [row.get("name") or row["benchmark"], row["type"], row["threads"]]
    cost = lambda row: math.prod(EXTENTS[:len(indices_of(row["name"]))]) / row["threads"]
    return products.measure_all(options, __file__, wanted, key, cost, line_of,
                                lambda rows: products.write(options.write, "contractions", rows, table), table)


if __name__ == "__main__":
    sys.exit(main())
