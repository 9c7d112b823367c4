#!/usr/bin/env python3
"""How good the order is in which a model of speed puts configurations of the stencil space, of which it has learned nothing.

    bench/stencil_ranking.py build/release/hoist build/stencils --write recorded.csv.gz --data data/h200.csv.gz data/h200-more.csv.gz \\
        --without jacobi3d7 jacobi3d13 jacobi3d19 jacobi3d27 heat3d

Configurations that were measured (stencil_records.py) become a table of measurements with their features, on a class of devices of
their own; a table that is there is read. `hoist evaluate --leave-out class` then learns from --data, but for the programs in
--without, and predicts the table. Told is the best of the first 1, 10 and 30 in the order of the model as a share of the best of all.
"""
import argparse
import collections
import gzip
import json
import math
import pathlib
import statistics
import subprocess
import sys

from stencil_ids import NAMES, Ids
from stencil_records import Records, Times

RECORDED = "recorded-stencils"  # the class of devices that the table is of
AT_ONCE = 64  # candidates whose features are asked for together
FIRST = (1, 10, 30)


def features_of(hoist, program, sizes, ids):
    """By id, of those that compile. Of one id alone hoist tells less, so it is asked for twice."""
    command = [hoist, "features", program, *(f"{name}={value}" for name, value in sizes.items()), "--space", "stencil", "--json"]
    asked = ids if len(ids) > 1 else ids * 2
    ran = subprocess.run([str(each) for each in command + [word for each in asked for word in ("--id", each)]],
                         capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(ran.stderr)
    found = {each["id"]: each for each in json.loads(ran.stdout)["candidates"]}
    return {name: each for name, each in found.items() if "features" in each}


def head_of(table):
    """The lines of a table of measurements that say what features it has, and their names."""
    with gzip.open(table, "rt") as lines:
        head = []
        for line in lines:
            if not line.startswith("#"):
                return head, line.rstrip("\n").split(",")
            if line.startswith(("#hoist-measurements", "#schema", "#feature")):
                head.append(line.rstrip("\n"))
    sys.exit(f"{table} is no table of measurements")


def write_table(options):
    plan, records = json.loads((options.folder / "plan.json").read_text()), Records(options.folder)
    times = Times(records)
    sizes = {name: plan["size"] for name in ("D", "H", "W")}
    head, columns = head_of(options.data[0])
    names = sorted(each["name"] for each in plan["stencils"] if times.seconds.get((each["name"], tuple(sizes.values()))))
    ids, rows = Ids(sizes), []
    for stencil in names[::options.every]:
        seconds = {ids.of(values): (values, each) for values, each in times.seconds[stencil, tuple(sizes.values())].items()}
        asked = list(seconds)
        for begin in range(0, len(asked), AT_ONCE):
            found = features_of(options.hoist, options.folder / "programs" / f"{stencil}.hoist", sizes, asked[begin:begin + AT_ONCE])
            for name, each in found.items():
                values, measured = seconds[name]
                if tuple(each["values"][coordinate] for coordinate in NAMES) != values:
                    sys.exit(f"{name} of {stencil} is another configuration")
                rows.append([stencil, " ".join(f"{size}={value}" for size, value in sizes.items()), RECORDED, "0", name,
                             " ".join(f"{coordinate}={value}" for coordinate, value in zip(NAMES, values)), "ok", f"{measured:.6g}",
                             *(f"{each['features'][column]:.10g}" for column in columns[8:])])
        print(f"{stencil}: {len(seconds)} configurations", flush=True)
    text = "\n".join([*head, "#derivation,mergeItems", ",".join(columns), *(",".join(row) for row in rows)]) + "\n"
    options.write.write_bytes(gzip.compress(text.encode(), mtime=0))


def programs_of(table):
    with gzip.open(table, "rt") as lines:
        return {line.split(",", 1)[0] for line in lines if not line.startswith(("#", "program,"))}


def best_of_first(curve, runs):
    """The share of the best after so many runs, or the most that the curve has below that."""
    return max((best for after, best, _ in curve if after <= runs), default=0)


def predicted_tasks(hoist, tables, programs, models, device_class, effort=1):
    """By kind of model, what `hoist evaluate` tells of the tasks on a class of devices, predicted from all others."""
    command = [hoist, "evaluate", "--data", *tables, "--program", *sorted(programs), "--leave-out", "class", "--model", *models,
               "--effort", effort, "--searches", 1, "--json"]
    ran = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(ran.stderr)
    return {model["kind"]: [task for task in model["tasks"] if task["device_class"] == device_class]
            for model in json.loads(ran.stdout)["models"]}


def judge(options):
    learned = set().union(*(programs_of(table) for table in options.data)) - set(options.without)
    found = predicted_tasks(options.hoist, [*options.data, options.write], learned | programs_of(options.write), options.models, RECORDED)
    print(f"Learned from {len(learned)} programs.\n")
    print("| model | stencils | " + " | ".join(f"first {runs}, least" for runs in FIRST) + " | rank correlation |")
    print("|---|--:|" + "--:|" * (len(FIRST) + 1))
    for kind, tasks in found.items():
        shares, ranks = collections.defaultdict(list), []
        for task in tasks:
            ranks.append(task["rank_correlation"])
            for runs in FIRST:
                shares[runs].append(best_of_first(task["curve"], runs))
        cells = [f"{math.exp(statistics.fmean(map(math.log, each))):.3f}, {min(each):.2f}" for each in shares.values()]
        print(f"| {kind} | {len(ranks)} | " + " | ".join(cells) + f" | {statistics.fmean(ranks):.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("folder", type=pathlib.Path, help="that of bench/stencils.py gather")
    parser.add_argument("--write", type=pathlib.Path, required=True, help="the table; one that is there is read")
    parser.add_argument("--data", type=pathlib.Path, nargs="+", required=True, help="what is learned from")
    parser.add_argument("--without", nargs="*", default=[], help="programs that nothing is learned from")
    parser.add_argument("--every", type=int, default=4, help="how many stencils there are for each that is judged")
    parser.add_argument("--models", nargs="+", default=["boosted"])
    options = parser.parse_args()
    if not options.write.exists():
        write_table(options)
    judge(options)


if __name__ == "__main__":
    main()
