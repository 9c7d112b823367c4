#!/usr/bin/env python3
"""How stencils that are none of the 104 of Garvey and Abdelrahman load their input best, as a table for hoist train --technique.

    bench/other_techniques.py build/release/hoist data/h200-merged.csv.gz data/h200-followed.csv.gz -o techniques.csv.gz
    hoist train --technique techniques.csv.gz --keep

Of each stencil of other_stencils.py that was measured the fastest candidate of the merging space is taken with each technique, blocks of
rows and planes included. Images were not among these candidates.
"""
import argparse
import collections
import csv
import gzip
import pathlib
import tempfile

from other_stencils import round_of, stencils_of
from stencil_plan import HEURISTICS, TECHNIQUES
from stencil_records import technique_of_named
from stencil_techniques import TRAITS, table_text
from stencils import facts

MERGING = "1:"  # what ids of that space begin with, where both are searched


def measured(tables):
    """By stencil and technique the seconds of all candidates that ran to their end, and the tables' class of devices."""
    seconds = collections.defaultdict(lambda: collections.defaultdict(list))
    device_class = None
    for table in tables:
        with gzip.open(table, "rt") as lines:
            for row in csv.DictReader(line for line in lines if not line.startswith("#")):
                device_class = row["device_class"]
                if row["candidate"].startswith(MERGING) and row["outcome"] == "ok":
                    values = {name: int(value) for name, value in (each.split("=") for each in row["values"].split())}
                    seconds[row["program"]][technique_of_named(values)].append(float(row["seconds"]))
    return seconds, device_class


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("data", type=pathlib.Path, nargs="+", help="tables of measurements of --space both")
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    seconds, device_class = measured(options.data)
    rounds = sorted({number for name in seconds if (number := round_of(name))})
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, program in (each for number in rounds for each in stencils_of(number)):
            if name not in seconds:
                continue
            path = pathlib.Path(folder) / f"{name}.hoist"
            path.write_text(program)
            traits = facts(options.hoist, "features", path, "D=64", "H=64", "W=64", "--stencil")["stencil"]
            row = [name, "points", *(traits[each] for each in TRAITS)]
            for heuristic in HEURISTICS:
                for technique in TECHNIQUES:
                    found = seconds[name].get(technique, []) if heuristic == "hybrid" else []
                    row += [f"{min(found):.6g}" if found else "", len(found), "", ""]
            rows.append(row)
    text = table_text(device_class, {"stencils": "bench/other_stencils.py"}, rows)
    options.output.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"wrote {options.output}: {len(rows)} stencils")


if __name__ == "__main__":
    main()
