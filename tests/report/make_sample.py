#!/usr/bin/env python3
"""Makes tests/report/sample.json, the report's data of a run that might have been: times of a matrix product measured on
an H200 (bench/results/h200-candidates), in an order and with failures that are made up, kernels and steps by this Hoist.
  tests/report/make_sample.py HOIST_BINARY > tests/report/sample.json
With a number it makes so many candidates, to see how the page bears thousands:
  tests/report/make_sample.py HOIST_BINARY 5000 > many.json
"""
import json
import pathlib
import random
import re
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[2]
hoist, count = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 120
SIZES = {"M": 1024, "N": 1024, "K": 1024}
FAILURES = [
    ("does not fit", "local memory of {} bytes, of 49152"),
    ("compile error", "nvrtc: ptxas error: entry function uses too much shared data (0x{:x} bytes, 0xc000 max)"),
    ("timeout", "no result after 2 s"),
    ("wrong result", "element {} is 12.25, the reference has 17.5"),
    ("crash", "CUDA_ERROR_ILLEGAL_ADDRESS in the guarded process; element {}"),
]


def call(*arguments):
    command = [hoist, *arguments]
    return subprocess.run(command, cwd=root, check=True, capture_output=True, text=True).stdout


def program(file):
    return [file, *(f"{name}={size}" for name, size in SIZES.items())]


def bounds(values):
    return [word for name, value in values.items() for word in ("--bound", f"{name}={value}:{value}")]


def best_of(row):
    """The kernel and the steps of a measured row, found again by its derivation and values."""
    at = program("kernels/matmul_nn.hoist")
    steps = row["derivation"].strip().rstrip(";")
    derivations = json.loads(call("explore", *at, *bounds(row["values"]), "--derivations", "--json"))
    number = next(each["derivation"] for each in derivations if each["steps"] == steps)
    chosen = [*at, *bounds(row["values"]), "--id", f"{number}-0"]
    return call("explore", *chosen, "--show", "cuda"), terms(call("explain", *chosen))


def terms(text):
    """`hoist explain` prints the program, then each step's name and place with the term after it, then the values."""
    blocks = re.split(r"^(\d+)\. (.+)$", re.sub(r"^With .*", "", text, flags=re.M), flags=re.M)
    steps = [{"rule": "program", "term": blocks[0].strip()}]
    for title, term in zip(blocks[2::3], blocks[3::3]):
        rule, _, place = title.partition(" at ")
        steps.append({"rule": rule, "place": place, "term": term.strip()})
    return steps


def failure(generator, order, row):
    outcome, message = generator.choices(FAILURES, weights=[6, 4, 3, 2, 1])[0]
    made = {"outcome": outcome, "message": message.format(generator.randrange(50000, 200000))}
    return {"id": f"{order}-{generator.randrange(9000)}", "values": row["values"], "derivation": row["derivation"], **made}


def evaluations(rows, generator):
    found = []
    when = 0.0
    for order in range(1, count + 1):
        row = generator.choice(rows) if order > len(rows) else rows[order - 1]
        when += generator.uniform(0.2, 1.8)
        if generator.random() < 0.12 and order != BEST_AT:
            each = failure(generator, order, row)
        else:
            noise = 1.0 if order <= len(rows) else generator.lognormvariate(0.1, 0.3)
            seconds = max(row["median_seconds"] * noise, rows[BEST_AT - 1]["median_seconds"])
            each = {"id": row["name"], "outcome": "ok", "median_seconds": seconds, "values": row["values"],
                    "derivation": row["derivation"],
                    "facts": {"registers": generator.choice([32, 40, 64, 96, 128, 168]),
                              "local_memory": generator.choice([0, 4096, 8704, 17408, 34816])}}
        each.update(order=order, when_seconds=round(when, 3), strategy="random" if order <= 40 else "model")
        found.append(each)
    return found


def vary(tried, best):
    """Some candidates of the end differ from the best in one value, as neighbours that a search looks at."""
    changes = [("k", 8, 1.9), ("k", 16, 1.2), ("t3", 8, 1.4), ("t3", 32, 1.05), ("t4", 2, 2.6), ("t4", 8, 1.3)]
    for place, (name, value, slower) in enumerate(changes, len(tried) - 10):
        each = {name: part for name, part in tried[place].items() if name != "message"}
        each.update(id=f"{best['id'].split('-')[0]}-{place}", outcome="ok", derivation=best["derivation"],
                    median_seconds=best["median_seconds"] * slower, values={**best["values"], name: value})
        tried[place] = each


OTHERS = [{"program": "gemmBias", "sizes": {"M": 1024, "N": 1024, "K": 1024}, "their_best_here": 0.91, "best_there": 0.97},
          {"program": "matmulNn", "sizes": {"M": 4096, "N": 4096, "K": 4096}, "their_best_here": 0.62, "best_there": 0.78},
          {"program": "matmulNt", "sizes": {"M": 1024, "N": 1024, "K": 1024}, "their_best_here": 0, "best_there": 0.44},
          {"program": "syrk", "sizes": {"N": 1024, "K": 1024}, "best_there": 0.83}]
BEST_AT = 83
measured = json.loads((root / "bench/results/h200-candidates/matmul_nn_1024.json").read_text())
default, by_hand, *rows = measured["rows"]
generator = random.Random(1)
for each in rows:
    each["derivation"] = each["derivation"].strip().rstrip(";")
# The fastest is found late, and before it ever faster ones.
rows.sort(key=lambda row: -row["median_seconds"] * generator.lognormvariate(0, 1.6))
fastest = next(row for row in rows if row["name"] == measured["facts"]["best"]["name"])
rows.remove(fastest)
rows.insert(BEST_AT - 1, fastest)
source, derivation = best_of(fastest)
tried = evaluations(rows, generator)
vary(tried, tried[BEST_AT - 1])
flops = 2 * SIZES["M"] * SIZES["N"] * SIZES["K"]
words = 4 * (SIZES["M"] * SIZES["K"] + SIZES["K"] * SIZES["N"] + SIZES["M"] * SIZES["N"])
sample = {
    "hoist": {"version": "0.1.0", "commit": measured["facts"]["commit"]},
    "made": "2026-11-22T06:00:00Z",
    "program": {"name": "matmulNn", "text": (root / "kernels/matmul_nn.hoist").read_text(), "sizes": SIZES,
                "flops": flops, "bytes": words},
    "device": {"name": "NVIDIA H200", "backend": "cuda:0", "driver": "580.95", "work_items_of_a_group": 1024,
               "local_memory": 49152, "multiprocessors": 132},
    "environment": {"host": "16 cores, 128 GiB", "system": "Debian 12", "compiler": "NVRTC 13.0", "clocks": "not fixed"},
    "run": {"strategy": "random, then model", "seed": 1, "budget_seconds": 120,
            "wall_seconds": round(tried[-1]["when_seconds"] + 2.5, 3), "started": "2026-11-22T05:58:01Z",
            "ended": "2026-11-22T05:59:58Z"},
    "funnel": [
        {"stage": "programs after macro rules", "count": 54},
        {"stage": "mapped to the device's hierarchy", "count": 53},
        {"stage": "with values placed in memory", "count": 1938,
         "discarded": [{"reason": "copies whose work-items read no neighbours", "count": 32},
                       {"reason": "groups of one work-item", "count": 1}]},
        {"stage": "with sizes that satisfy all constraints", "count": 909, "discarded": [{"reason": "no sizes fit", "count": 1029}]},
        {"stage": "candidates, one for each choice of sizes", "count": 4481146},
        {"stage": "tried", "count": count},
        {"stage": "that worked", "count": sum(each["outcome"] == "ok" for each in tried)},
    ],
    "ceilings": {"copy_gb_s": 4222.0, "local_gb_s": 33100.0, "flops_f32": 66.9e12,
                 "notes": ["copy: 1 GiB, read and written, median of 20 after 3 warm-ups",
                           "f32: fused multiply-adds in registers, 132 × 2048 work-items"]},
    "baseline": {"id": "default", "median_seconds": default["median_seconds"], "language": "CUDA C",
                 "source": call("compile", *program("kernels/matmul_nn.hoist"), "--target", "cuda"), "derivation": []},
    "by_hand": {"id": "sgemm", "median_seconds": by_hand["median_seconds"], "language": "Hoist, low level",
                "source": (root / "kernels/low-level/sgemm.hoist").read_text()},
    "best": {"id": fastest["name"], "median_seconds": fastest["median_seconds"], "language": "CUDA C", "source": source,
             "values": fastest["values"], "launch": [{"kernel": "matmulNn", "global": [1024, 16, 1], "local": [64, 1, 1]}],
             "facts": {"registers": 128, "local_memory": 34816, "barriers": 1}, "derivation": derivation},
    "evaluations": tried,
    "others": OTHERS,
}
json.dump(sample, sys.stdout, ensure_ascii=False, separators=(",", ":"))
print()
