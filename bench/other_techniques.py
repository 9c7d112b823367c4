#!/usr/bin/env python3
"""How stencils that are none of the 104 of Garvey and Abdelrahman load their input best, as a table for hoist train --technique.

    bench/other_techniques.py build/release/hoist data/h200-merged.csv.gz data/h200-followed.csv.gz -o techniques.csv.gz
    hoist train --technique techniques.csv.gz --keep

Of each stencil of other_stencils.py that was measured the fastest candidate of the merging space is taken with each technique, blocks of
rows and planes included. Images were not among these candidates.
"""
import argparse
import collections
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile

from other_stencils import stencils_of
from stencil_plan import HEURISTICS, TECHNIQUES
from stencil_records import technique_of_named

MERGING = "1:"  # what ids of that space begin with, where both are searched
LAST_ROUND = 11
MEASURED = ["seconds", "configurations", "build_seconds", "run_seconds"]
TRAITS = ["dimensionality", "size", "density", "unique_dimension", "additions_per_point", "multiplications_per_point"]


def measured(tables):
    """By stencil and technique the seconds of all candidates that ran to their end, and the tables' class of devices."""
    seconds = collections.defaultdict(lambda: collections.defaultdict(list))
    device_class = None
    for table in tables:
        columns = None
        with gzip.open(table, "rt") as lines:
            for line in lines:
                cells = line.rstrip("\n").split(",")
                if line.startswith("#"):
                    continue
                if columns is None:
                    columns = {name: place for place, name in enumerate(cells)}
                    continue
                of = {name: cells[columns[name]] for name in ("program", "device_class", "candidate", "values", "outcome", "seconds")}
                device_class = of["device_class"]
                if of["candidate"].startswith(MERGING) and of["outcome"] == "ok":
                    values = {name: int(value) for name, value in (each.split("=") for each in of["values"].split())}
                    seconds[of["program"]][technique_of_named(values)].append(float(of["seconds"]))
    return seconds, device_class


def traits_of(hoist, path):
    ran = subprocess.run([hoist, "features", path, "D=64", "H=64", "W=64", "--stencil", "--json"], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(ran.stderr)
    return json.loads(ran.stdout)["stencil"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("data", type=pathlib.Path, nargs="+", help="tables of measurements of --space both")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    seconds, device_class = measured(options.data)
    columns = ["stencil", "pattern", "dimensionality", "size", "density", "unique_dimension", "additions", "multiplications"]
    columns += [f"{heuristic}_{technique}_{what}" for heuristic in HEURISTICS for technique in TECHNIQUES for what in MEASURED]
    lines = ["#hoist-techniques,1", f"#device_class,{device_class}", "#provenance,stencils,bench/other_stencils.py", ",".join(columns)]
    with tempfile.TemporaryDirectory() as folder:
        for name, program in (each for number in range(1, LAST_ROUND + 1) for each in stencils_of(number)):
            if name not in seconds:
                continue
            path = pathlib.Path(folder) / f"{name}.hoist"
            path.write_text(program)
            traits = traits_of(options.hoist, path)
            row = [name, "points", *(traits[each] for each in TRAITS)]
            for heuristic in HEURISTICS:
                for technique in TECHNIQUES:
                    found = seconds[name].get(technique, []) if heuristic == "hybrid" else []
                    row += [f"{min(found):.6g}" if found else "", len(found), "", ""]
            lines.append(",".join(str(each) for each in row))
    options.output.write_bytes(gzip.compress(("\n".join(lines) + "\n").encode(), mtime=0))
    print(f"wrote {options.output}: {len(lines) - 4} stencils")


if __name__ == "__main__":
    main()
