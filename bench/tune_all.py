#!/usr/bin/env python3
"""Tunes every program of kernels/ at two sizes each, one after the other, and writes what was found as a table.

    bench/tune_all.py build/release/hoist --device cuda:0 --budget 60 --write bench/results/h200-all
    bench/tune_all.py build/release/hoist --device cuda:0 --budget 20 --write build/all --until 500    resumes later
    bench/tune_all.py build/release/hoist --until 0 --write build/all --beside cublas.json handwritten.json

The sizes are those of kernels/sizes.json for benchmarks, and others that no tiles divide: three less in each dimension
that has more than 64 elements. Beside each stand the default mapping and, where kernels/low-level has one, the text by
hand. What DIR/tune_all.json has already is not tuned again, so a run that --until ended, or that was interrupted, is
gone on with. Rows of cublas_bench and reference_bench (--beside) of the same program and sizes stand beside it, too.
Exit status 1 where a program could not be tuned.
"""
import argparse
import json
import math
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "kernels"
BY_HAND = {"nearest_neighbour": "nn", "matmul_nn": "sgemm", "transpose": "transpose_tiled"}
# Of other benchmarks, the program that does the same, and what its sizes are called there.
SAME = {"sgemm": [("matmul_nn", {}), ("contraction_ij_ik_kj", {"I": "M", "J": "N", "K": "K"})],
        "sgemm_nt": [("matmul_nt", {})], "sgemm_tn": [("matmul_tn", {})], "sgemm_tt": [("matmul_tt", {})],
        "sgemm_batched": [("matmul_batched", {})], "sgemv": [("gemv", {})], "sgemv_t": [("gemv_transposed", {})],
        "saxpy": [("axpy", {})], "sscal": [("scal", {})], "sdot": [("dot", {})], "sasum": [("asum", {})],
        "snrm2": [("nrm2", {})], "nn": [("nearest_neighbour", {})], "mm_nvidia": [("matmul_nn", {})],
        "mm_amd": [("matmul_nn", {})], "nbody_nvidia": [("nbody", {})], "nbody_amd": [("nbody", {})]}
NOT_BY_HAND = "help: choose sizes for which it holds"  # texts by hand need sizes that their tiles divide
ALIKE = 0.95  # of the best of others: less is behind
LONG = 64  # elements of a dimension that becomes shorter in the second size


KNOWN = json.loads((KERNELS / "sizes.json").read_text())


def cases():
    for name, known in KNOWN.items():
        bench = known["bench"]
        yield name, bench
        other = {size: value - 3 if value > LONG else value for size, value in bench.items()}
        if other != bench:
            yield name, other


def inputs(name, sizes):
    """Random inputs in the ranges that kernels/sizes.json says; a limit may be a size."""
    for seed, (each, limits) in enumerate(KNOWN[name].get("inputs", {}).items(), 1):
        low, high = (sizes.get(limits[side], limits[side]) for side in ("low", "high"))
        yield f"{each}=random:{seed}:{low}:{high}"


def tuned(options, name, sizes):
    """A row: times in seconds of what was found, of the default mapping and by hand, None where there is none."""
    command = [options.hoist, "tune", KERNELS / f"{name}.hoist", *(f"{size}={value}" for size, value in sizes.items()),
               *inputs(name, sizes), "--device", options.device, "--budget", str(options.budget), "--store", options.write / "tune_all.db",
               "--json"]
    by_hand = KERNELS / "low-level" / f"{BY_HAND.get(name, name)}.hoist"
    row = {"program": name, "sizes": sizes, "device": options.device, "budget": options.budget}

    def run(*more):
        return subprocess.run([str(each) for each in (*command, *more)], capture_output=True, text=True, cwd=ROOT)

    ran = run("--by-hand", by_hand) if by_hand.exists() else run()
    if NOT_BY_HAND in ran.stderr:
        ran = run()
    if ran.returncode != 0:
        return row | {"outcome": ran.stderr.strip().splitlines()[-1] if ran.stderr.strip() else "no output"}
    result = json.loads(ran.stdout)
    times = {"found": None, "by_hand": None}
    for each in result["best"]:
        kind = "by_hand" if "kernels/" in each["id"] else "found"
        if times[kind] is None or each["median_seconds"] < times[kind]:
            times[kind] = each["median_seconds"]
            if kind == "found":
                row["how"] = each["derivation"]
    return row | times | {"outcome": "ok", "default": result["baseline_seconds"], "tried": result["evaluated"],
                          "seconds": result["seconds"], "ended_by": result["ended_by"]}


def in_milliseconds(seconds):
    return "" if seconds is None else f"{seconds * 1e3:.4f}"


def others(row, beside):
    """What else computes the row's program at its sizes: (seconds, whose), the fastest first."""
    found = [(row["by_hand"], "by hand")] if row["by_hand"] else []
    for each in beside:
        if each.get("outcome") != "ok" or each.get("variant") not in ("pedantic", "hand-written"):
            continue
        for program, names in SAME.get(each["benchmark"], [(each["benchmark"], {})]):
            if program == row["program"] and {ours: each["sizes"].get(names.get(ours, ours))
                                              for ours in row["sizes"]} == row["sizes"]:
                found.append((each["median_seconds"],
                              "cuBLAS" if each["backend"] == "cublas" else "hand-written"))
    return sorted(found)


def table(rows, beside):
    text = ("| program | sizes | found, ms | default, ms | best of others, ms | whose | others / found | tried | seconds | "
            "how |\n|---|---|--:|--:|--:|---|--:|--:|--:|---|\n")
    ratios = []
    for row in rows:
        sizes = " ".join(f"{size}={value}" for size, value in row["sizes"].items())
        if row["outcome"] != "ok":
            text += f"| {row['program']} | {sizes} | | | | | | | | {row['outcome']} |\n"
            continue
        best, whose, ratio = None, "", ""
        if row["found"] and others(row, beside):
            best, whose = others(row, beside)[0]
            ratios.append(best / row["found"])
            ratio = f"{ratios[-1]:.2f}"
        text += (f"| {row['program']} | {sizes} | {in_milliseconds(row['found'])} | {in_milliseconds(row['default'])} | "
                 f"{in_milliseconds(best)} | {whose} | {ratio} | {row['tried']} | {row['seconds']:.0f} | "
                 f"{row.get('how', '')} |\n")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        below = sum(ratio < ALIKE for ratio in ratios)
        text += (f"\nTimes are medians. Beside the best of others, of {len(ratios)} rows that have any: geometric mean of "
                 f"others / found {mean:.2f}, least {min(ratios):.2f}, {below} below {ALIKE}.\n")
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("programs", nargs="*", help="all when none is named")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--budget", type=float, default=60, help="seconds for each size of a program")
    parser.add_argument("--until", type=float, default=math.inf, help="seconds after which no other one is begun")
    parser.add_argument("--write", type=pathlib.Path, required=True, help="folder for tune_all.json and tune_all.md")
    parser.add_argument("--beside", type=pathlib.Path, nargs="*", default=[], help="rows of other benchmarks, JSON")
    options = parser.parse_intermixed_args()
    beside = [row for file in options.beside for row in json.loads(file.read_text())]
    options.write.mkdir(parents=True, exist_ok=True)
    options.write = options.write.resolve()
    results = options.write / "tune_all.json"
    rows = json.loads(results.read_text()) if results.exists() else []
    began = time.monotonic()
    for name, sizes in cases():
        if options.programs and name not in options.programs:
            continue
        if any(row["program"] == name and row["sizes"] == sizes and row["device"] == options.device for row in rows):
            continue
        if time.monotonic() - began > options.until:
            break
        rows.append(tuned(options, name, sizes))
        print(f"{name} {sizes}: {in_milliseconds(rows[-1].get('found')) or rows[-1]['outcome']}", flush=True)
        results.write_text(json.dumps(rows, indent=1) + "\n")
        (options.write / "tune_all.md").write_text(table(rows, beside))
    (options.write / "tune_all.md").write_text(table(rows, beside))
    print(table(rows, beside))
    return 0 if all(row["outcome"] == "ok" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
