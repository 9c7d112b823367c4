#!/usr/bin/env python3
"""From what random searches left in a store, the files that plot_candidates.py draws.

    hoist tune kernels/jacobi2d5.hoist H=8192 W=8192 --device cuda:0 --search random --evaluations 500 --budget 30m
        --by-hand kernels/low-level/jacobi2d5.hoist --store random.sqlite
    hoist store export --store random.sqlite -o random.jsonl
    bench/recorded_candidates.py random.jsonl FOLDER [--program jacobi2d5 ...]

Of each task that was searched at random one file, PROGRAM_SIZES.json: `facts` (program, sizes, device, points of the space, candidates
that were discarded before they were built) and `rows`, one for each candidate, the default mapping and kernels by hand.
"""
import argparse
import collections
import json
import pathlib
import sys


def read(lines):
    """The lines of an export by their kind and id; the evaluations by their candidate's task."""
    stored = {"program": {}, "device": {}, "task": {}, "derivation": {}, "candidate": {}, "run": {}}
    evaluations = collections.defaultdict(list)
    for line in lines:
        line = json.loads(line)
        if line["kind"] == "evaluation":
            evaluations[stored["candidate"][line["candidate"]]["task"]].append(line)
        elif line["kind"] in stored:
            stored[line["kind"]][line["id"]] = line
    return stored, evaluations


def facts_of(run, task, stored):
    program, device = stored["program"][task["program"]], stored["device"][task["device"]]
    return {"program": program["name"], "sizes": task["sizes"], "device": device["name"], "language": device["language"],
            "seed": run["seed"], "hoist": run["hoist"], "date": run["started"][:10], "points": run["funnel"]["points"],
            "derivations": run["funnel"]["derivations"], "discarded": sum(run["funnel"]["discarded"].values())}


def row_of(evaluation, candidate, stored):
    derivation = stored["derivation"][candidate["derivation"]]
    row = {"name": {"baseline": "default", "hand": "by hand"}.get(evaluation["origin"], candidate["name"]),
           "outcome": evaluation["outcome"], "values": candidate["parameters"],
           "derivation": "; ".join(step["rule"] for step in derivation["steps"]),
           "build_seconds": round(evaluation["build_seconds"], 4)}
    if evaluation["median"]:
        row["median_seconds"] = float(f"{evaluation['median']:.5g}")
    return row


def rows_of(evaluations, stored):
    """The first outcome of each candidate, with the least of its medians: what was fast was measured again."""
    rows = {}
    for evaluation in evaluations:
        candidate = stored["candidate"][evaluation["candidate"]]
        row = row_of(evaluation, candidate, stored)
        known = rows.setdefault(candidate["id"], row)
        if "median_seconds" in row:
            known["median_seconds"] = min(row["median_seconds"], known.get("median_seconds", row["median_seconds"]))
    return list(rows.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("export", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--program", nargs="+", help="only of these")
    options = parser.parse_args()
    with options.export.open() as lines:
        stored, evaluations = read(lines)
    options.folder.mkdir(parents=True, exist_ok=True)
    runs = {run["task"]: run for run in stored["run"].values() if run["strategy"] == "random"}
    written = 0
    for task, run in runs.items():
        facts = facts_of(run, stored["task"][task], stored)
        if options.program and facts["program"] not in options.program:
            continue
        sizes = "_".join(f"{name}{value}" for name, value in facts["sizes"].items())
        rows = ",\n".join(json.dumps(row) for row in rows_of(evaluations[task], stored))
        path = options.folder / f"{facts['program']}_{sizes}.json"
        path.write_text(f'{{"facts": {json.dumps(facts)},\n"rows": [\n{rows}\n]}}\n')
        print(path)
        written += 1
    if written == 0:
        sys.exit(f"error: {options.export} has no random search" + (f" of {options.program}" if options.program else ""))


if __name__ == "__main__":
    main()
