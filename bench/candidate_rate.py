#!/usr/bin/env python3
"""How many candidates a second `hoist tune --device host` builds, checks and times, for contractions whose arrays the
first-level cache holds.

    bench/candidate_rate.py build/release/hoist --seconds 20 --jobs 2 1 --write bench/results/cpu-simd
    bench/candidate_rate.py build/release/hoist ijk-ilk-jl ij-ik-kj

Each search has a store and a cache of its own, so that nothing is there before. A rate is that of the whole search: the reference
and the ranking by the model count. --jobs are processes that build.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

import contractions
from turns import called, commit, processor

NAMES = ["ij-ik-kj", "ijk-ilk-jl", "ijk-ikl-lj", "ijkl-imkn-jnlm", "ijkl-minj-nlmk"]


def searched(options, name, jobs, folder):
    text = folder / "contraction.hoist"
    text.write_text(called([options.hoist, "dev", "workload", name]))
    given = [f"{index.upper()}={length}" for index, length in contractions.extents(name).items()]
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache"), "XDG_DATA_HOME": str(folder)}
    told = json.loads(called([options.hoist, "tune", text, *given, "--device", "host", "--store", folder / "s.db", "--budget",
                              f"{options.seconds}s", "--jobs", jobs, "--json"], env=environment))
    return {"benchmark": name, "jobs": jobs, "candidates": told["evaluated"], "seconds": told["seconds"],
            "rate": told["evaluated"] / told["seconds"], "outcomes": told["outcomes"], "ended_by": told["ended_by"],
            "processor": processor(), "commit": commit()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help="contractions; five of the 19 when none is named")
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--jobs", type=int, nargs="+", default=[os.cpu_count()])
    parser.add_argument("--write", type=pathlib.Path, help="folder for candidate_rate.json and candidate_rate.md")
    options = parser.parse_intermixed_args()
    options.hoist = options.hoist.resolve()
    rows = []
    table = "| contraction | processes that build | candidates | seconds | a second | ended by |\n|---|---:|---:|---:|---:|---|\n"
    for name in options.names or NAMES:
        for jobs in options.jobs:
            with tempfile.TemporaryDirectory() as folder:
                row = searched(options, name, jobs, pathlib.Path(folder))
            rows.append(row)
            line = (f"| {name} | {jobs} | {row['candidates']} | {row['seconds']:.1f} | {row['rate']:.1f} | {row['ended_by']} |\n")
            print(line, end="", flush=True)
            table += line
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        (options.write / "candidate_rate.json").write_text(json.dumps(rows, indent=1) + "\n")
        (options.write / "candidate_rate.md").write_text(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
