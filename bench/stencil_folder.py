#!/usr/bin/env python3
"""A folder with which the searches of the 104 stencils go on from what data/ has of them, on whatever machine it is carried to.

    bench/stencil_folder.py build/release/hoist build/stencils
    bench/stencils.py gather build/release/hoist --folder build/stencils --part own --own-model build/stencils/own.json.gz
        --family-model build/stencils/family.json.gz --own-techniques build/stencils/other-techniques.csv.gz --device cuda:0 --parallel 3 --jobs 3

The folder has the plan, its programs and the records; a model of speed that has learned from no program that is one of the 104 under another
name (own.json.gz), one that has learned from no stencil at all (family.json.gz), and a table of how other stencils load their input best
(other-techniques.csv.gz). --again leaves out the records of Hoist's own searches, so that they are run again. Learning takes minutes.
"""
import argparse
import gzip
import json
import pathlib
import subprocess
import sys

import json_lines
from stencil_plan import OWN, OWN_FAMILY
from stencil_ranking import programs_of

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
DEVICE_CLASS = "nvidia-h200-cuda"
MEASURED = ["h200", "h200-more"]  # programs with names
RANDOM = ["h200-merged", "h200-merged-2", "h200-followed"]  # stencils of other_stencils.py, also for techniques
FOLLOWED = ["h200-followed-2", "h200-followed-3"]  # further ones
SAME = {"jacobi3d7", "jacobi3d13", "jacobi3d19", "jacobi3d27", "heat3d"}  # as some of the 104
STENCILS = ["stencil1d", "stencil2d", "stencil3d"]  # families
ALSO_STENCILS = {"convolution2d"}  # of a family of its own


def train(hoist, kind, tables, without, path, effort=1):
    files = [DATA / f"{table}.csv.gz" for table in tables]
    programs = set().union(*(programs_of(file) for file in files)) - without
    called(hoist, "train", "--data", *files, "--class", DEVICE_CLASS, "--program", *sorted(programs), "--model", kind, "--effort", effort, "-o", path)


def called(*command):
    if subprocess.run([str(each) for each in command]).returncode != 0:
        sys.exit(f"this failed: {' '.join(str(each) for each in command)}")


def write_records(folder, records, again):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plan.json").write_bytes(gzip.decompress((DATA / f"{records}-plan.json.gz").read_bytes()))
    path = folder / "records.jsonl"
    path.write_bytes(gzip.decompress((DATA / f"{records}.jsonl.gz").read_bytes()))
    if again:
        kept = [record for record in json_lines.read(path) if record["search"] not in (OWN, OWN_FAMILY)]
        path.write_text("".join(json.dumps(record) + "\n" for record in kept))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--records", choices=["h200-stencils", "h100-stencils"], default="h200-stencils", help="whose plan and records")
    parser.add_argument("--again", action="store_true", help="without the records of Hoist's own searches")
    options = parser.parse_args()
    folder = options.folder
    if (folder / "records.jsonl").exists():
        sys.exit(f"{folder} has records already, which may be others")
    write_records(folder, options.records, options.again)
    for more in ([], ["--intensities"]):
        called(options.hoist, "stencils", "--write", folder / "programs", "--force", *more)
    families = json.loads((DATA / "families.json").read_text())
    stencils = {name for family in STENCILS for name in families[family]} | ALSO_STENCILS
    train(options.hoist, "ranking", MEASURED + RANDOM + FOLLOWED, SAME, folder / "own.json.gz", 8)
    train(options.hoist, "boosted", MEASURED, stencils, folder / "family.json.gz")
    called(sys.executable, pathlib.Path(__file__).with_name("other_techniques.py"), options.hoist,
           *(DATA / f"{table}.csv.gz" for table in RANDOM), "-o", folder / "other-techniques.csv.gz")
    return 0


if __name__ == "__main__":
    sys.exit(main())
