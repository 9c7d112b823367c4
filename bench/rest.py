#!/usr/bin/env python3
"""Every program of kernels/ on two cores of the CPU, untuned and tuned, against the best of plain loops by g++ and by clang,
OpenBLAS, and Halide 14 with schedules of Adams2019: one table.

    bench/rest.py build/release --folder build/rest --tune 20 --write bench/results/cpu-rest     all of it, some 30 minutes
    bench/rest.py build/release --folder build/rest --tune 20 asum atax                          these; goes on from there
    bench/rest.py build/release --folder build/rest --table --write bench/results/cpu-rest       the table of what is there

Of each program a search of so many seconds is made once, into a store of the folder; then plain_halide_bench (plain_bench,
where Halide is not) measures all contenders in turns, in one process, at the sizes of plain/sizes.cpp; three processes do so one
after the other, and each contender has the least of its three medians, which goes to FOLDER/NAME.json: in some processes both
threads of OpenMP stay on one processor, ours and those of plain loops alike. What is there already is not measured again. Run it on two cores of a quiet machine:
`taskset -c 0,1 bench/rest.py ...`.
"""
import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
THREADS = 2
PROCESSES = 3
PEERS = ["plain", "clang", "OpenBLAS", "Halide"]
OURS = ["host", "host, tuned"]
HEADS = {"plain": "g++", "host": "Hoist", "host, tuned": "Hoist, tuned"}
ASKED_MEAN, ASKED_LEAST = 1.3, 0.9
APART = ["histogram"]  # told, and not part of the mean


def timed_sizes():
    """Those of plain/sizes.cpp, by kernel."""
    text = (ROOT / "bench" / "plain" / "sizes.cpp").read_text()
    pair = r"\{\{(.*?)\}\}"
    read = lambda inner: {name: int(value) for name, value in re.findall(r"\"(\w+)\", (\d+)", inner)}
    shared = {name: read(inner) for name, inner in re.findall(r"(\w+)" + pair, text.partition("table{")[0], re.S)}
    rows = text.partition("table{")[2]
    sizes = {name: shared[of] for name, of in re.findall(r"\{\"(\w+)\", (\w+)\}", rows) if of in shared}
    sizes.update({name: read(inner) for name, inner in re.findall(r"\{\"(\w+)\", " + pair, rows, re.S)})
    return sizes


def tune(options, name, sizes):
    if options.tune <= 0:
        return
    given = [f"{size}={value}" for size, value in sizes.items()]
    extra = []
    ranges = json.loads((ROOT / "kernels" / "sizes.json").read_text())[name].get("inputs", {})
    for array, each in ranges.items():
        low, high = each.get("low", -1), each.get("high", 1)
        extra.append(f"{array}=random:1:{sizes.get(low, low)}:{sizes.get(high, high)}")
    command = [options.build / "hoist", "tune", ROOT / "kernels" / f"{name}.hoist", *given, *extra, "--device", "host", "--store",
               options.folder / "tuned.db", "--budget", f"{options.tune}s", "--json"]
    ran = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if ran.returncode != 0:
        print(f"{name}: not tuned: {ran.stderr.strip()[-300:]}", file=sys.stderr)
        return
    found = json.loads(ran.stdout)
    (options.folder / f"{name}.tuned.json").write_text(json.dumps({"evaluated": found["evaluated"], "seconds": found["seconds"]}))


def measure(options, name):
    bench = options.build / "plain_halide_bench"
    if not bench.exists():
        bench = options.build / "plain_bench"
    path = options.folder / f"{name}.part"
    command = [bench, "--device", "host", "--repetitions", options.rounds, "--patience", options.patience, "--json", path, name]
    if (options.folder / "tuned.db").exists():
        command += ["--store", options.folder / "tuned.db"]
    rows = {}
    for _ in range(PROCESSES):
        ran = subprocess.run([str(word) for word in command], capture_output=True, text=True)
        print(ran.stderr, end="", flush=True)
        for row in rows_of(path) if path.exists() else []:
            known = rows.get(row["variant"])
            is_better = not known or row.get("median_seconds", math.inf) < known.get("median_seconds", math.inf)
            # What was wrong in one of the processes stays so.
            if row["outcome"] != "ok" or (is_better and (not known or known["outcome"] == "ok")):
                rows[row["variant"]] = row
        path.unlink(missing_ok=True)
    (options.folder / f"{name}.json").write_text(json.dumps(list(rows.values()), indent=1) + "\n")


def rows_of(path):
    return [row for row in json.loads(path.read_text()) if "variant" in row]


def speeds(rows):
    """Milliseconds by contender, of those that are right."""
    return {row["variant"]: 1e3 * row["median_seconds"] for row in rows if row["outcome"] == "ok" and "median_seconds" in row}


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else float("nan")


def table(options):
    kernels = {path.stem: rows_of(path) for path in sorted(options.folder.glob("*.json")) if "." not in path.stem}
    text = (f"| kernel | sizes | {' | '.join(f'{HEADS.get(each, each)}, ms' for each in PEERS + OURS)} | best of the others | untuned | tuned | candidates |\n"
            f"|---|---|{'---:|' * (len(PEERS) + len(OURS))}---|---:|---:|---:|\n")
    ratios, notes = {each: {} for each in OURS}, []
    for name, rows in kernels.items():
        times = speeds(rows)
        notes += [f"{name}: {row['variant']}: {row['outcome']}" for row in rows if row["outcome"] != "ok"]
        peers = {each: times[each] for each in PEERS if each in times}
        if not peers:
            continue
        best = min(peers, key=peers.get)
        for each in OURS:
            # What a search did not beat is what runs untuned.
            own = times.get(each, times.get(OURS[0]))
            if own:
                ratios[each][name] = peers[best] / own
        cells = [f"{times[each]:.3g}" if each in times else "" for each in PEERS + OURS]
        tuned = options.folder / f"{name}.tuned.json"
        cells += [HEADS.get(best, best), *(f"{ratios[each][name]:.2f}" if name in ratios[each] else "" for each in OURS),
                  str(json.loads(tuned.read_text())["evaluated"]) if tuned.exists() else ""]
        sizes = " ".join(f"{size}={value}" for size, value in rows[0]["sizes"].items())
        text += f"| {name} | {sizes} | {' | '.join(cells)} |\n"
    text += (f"\nMedian times, in turns, on {THREADS} threads; the least of {PROCESSES} processes. `untuned` and `tuned` are the "
             f"speeds of Hoist's kernels as shares of "
             f"that of the best of the others (2 is twice as fast). The search had {options.tune:g} seconds each. "
             f"{', '.join(APART)} is told apart.\n\n")
    has_tuned = any(row["variant"] == OURS[1] for rows in kernels.values() for row in rows)
    for each in OURS[:1 + has_tuned]:
        counted = {name: ratio for name, ratio in ratios[each].items() if name not in APART}
        if counted:
            below = sorted((ratio, name) for name, ratio in counted.items() if ratio < ASKED_LEAST)
            text += (f"{each}: {len(counted)} programs, geometric mean {mean(counted.values()):.2f} (asked {ASKED_MEAN}); "
                     f"under {ASKED_LEAST}: {', '.join(f'{name} {ratio:.2f}' for ratio, name in below) or 'none'}; "
                     f"{', '.join(f'{name} {ratios[each][name]:.2f}' for name in APART if name in ratios[each])}\n\n")
    for note in notes:
        text += f"{note}\n"
    return text, [row for rows in kernels.values() for row in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the folder of hoist and plain_halide_bench")
    parser.add_argument("names", nargs="*", help="kernels; all when none is named")
    parser.add_argument("--folder", type=pathlib.Path, required=True, help="for the store and what is measured")
    parser.add_argument("--tune", type=float, default=20, help="seconds of each search; 0: none")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--patience", type=float, default=4, help="seconds that the runs of a kernel may take")
    parser.add_argument("--table", action="store_true", help="measure nothing")
    parser.add_argument("--write", type=pathlib.Path, help="folder for rest.json and rest.md")
    options = parser.parse_intermixed_args()
    options.build = options.build.resolve()
    options.folder.mkdir(parents=True, exist_ok=True)
    os.environ["OMP_NUM_THREADS"] = str(THREADS)
    os.environ["HL_NUM_THREADS"] = str(THREADS)
    sizes = timed_sizes()
    for name in [] if options.table else options.names or sorted(sizes):
        if (options.folder / f"{name}.json").exists():
            continue
        if not (options.folder / f"{name}.tuned.json").exists():
            tune(options, name, sizes[name])
        measure(options, name)
    text, rows = table(options)
    print(text)
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        (options.write / "rest.md").write_text(text)
        (options.write / "rest.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
