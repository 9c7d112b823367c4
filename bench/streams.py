#!/usr/bin/env python3
"""How programs stream at all numbers of partitions and tasks, and how well models choose among them: the evaluation of Zhang et al.
(Optimizing streaming parallelism on heterogeneous many-core architectures, TPDS 2020, section 6).

    bench/streams.py plan build/release/hoist --folder build/streams --device cuda:0 --large
    bench/streams.py gather build/release/hoist --folder build/streams --until 540        exit status 4: the same again
    bench/streams.py table build/release/hoist --folder build/streams --class nvidia-h200-cuda -o data/streams-h200.csv.gz
    bench/streams.py tables build/release/hoist data/streams-h200.csv.gz --write bench/results/h200-streams

`plan` writes what is measured (FOLDER/plan.json, before anything is): of each program of examples/streams/programs.json and each of its
sizes (--large: and of those for a GPU) all pairs of partitions and tasks. Programs of one algorithm with other parameters have one name
there, and are left out of learning together. Random inputs are in the ranges that the sizes.json beside the program says. `gather` runs one pair after the other by hoist run --streams
P,T until --until seconds are over, and goes on from there when it is called again; its exit status is 4 while something is left.
Sizes are taken in turns, so that a plan that was not finished has something of all programs. Each result is a line of
FOLDER/runs.jsonl, each program's features one of FOLDER/features.jsonl; the folder may be carried to another machine of
the same kind in between. `table` makes what hoist train --streams learns from, `tables` has it evaluated and prints the paper's
figures 9 to 11 and 13 as tables: speed over a single stream program by program, fixed choices, and how the share of the best
configuration's speed is distributed.
"""
import argparse
import datetime
import gzip
import itertools
import json
import pathlib
import subprocess
import sys
import time

import json_lines

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "examples" / "streams" / "programs.json"
LEFT = 4  # exit status while something is left
# The paper's ranges: on a processor 1 to 256 tasks, on a GPU 2^0 to 2^10; partitions as many as a device has.
PROCESSOR_TASKS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 224, 256]
GPU_TASKS = [2 ** i for i in range(11)]
PROCESSOR_PARTITIONS = [1, 2]
GPU_PARTITIONS = [1, 2, 4, 8, 16]
DYNAMIC = ["upload_seconds", "kernel_seconds", "download_seconds"]
FIGURE_11 = ["ours", "best-fixed", "fixed-2-2", "fixed-4-4"]
FIGURE_13 = ["ours", "network", "svm", "liu", "werkhoven"]


def called(command):
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, cwd=ROOT)


def facts(command):
    ran = called([*command, "--json"])
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{ran.stderr}")
    return json.loads(ran.stdout)


def sizes_of(sizes):
    return [f"{name}={value}" for name, value in sizes.items()]


def pairs(partitions, tasks):
    """A single stream first; a partition without a task computes nothing."""
    return sorted({(p, t) for p in partitions for t in tasks if p <= t} | {(1, 1)})


def inputs_of(program):
    """Random inputs in the ranges that the sizes.json beside a program says."""
    path = ROOT / program
    known = path.parent / "sizes.json"
    ranges = json.loads(known.read_text()).get(path.stem, {}).get("inputs", {}) if known.exists() else {}
    return [f"{name}=random:{seed}:{given['low']}:{given['high']}" for seed, (name, given) in enumerate(ranges.items(), 2)
            if "low" in given and "high" in given]


def programs_of(known, options):
    """Those that the language can say, with the sizes that they have (others are of the OpenMP source alone)."""
    for name, entry in known.items():
        if options.only and name not in options.only:
            continue
        if not entry.get("program"):
            print(f"{name} is no program of Hoist's")
            continue
        sizes = [{size: value for size, value in each.items() if size not in entry.get("only_source", [])}
                 for each in [*entry["sizes"], *(entry.get("large", []) if options.large else [])]]
        yield {"program": name, "group": entry["name"], "file": entry["program"], "inputs": inputs_of(entry["program"]),
               "sizes": [each for i, each in enumerate(sizes) if each not in sizes[:i]]}


def make_plan(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / "plan.json"
    if path.exists() and not options.force:
        sys.exit(f"{path} is there already; --force writes another")
    programs = list(programs_of(json.loads(options.programs.read_text()), options))
    is_gpu = options.gpu or options.device.startswith("cuda")
    plan = {"device": options.device, "repeats": options.repeats, "programs": programs,
            "tasks": sorted(set(options.tasks or (GPU_TASKS if is_gpu else PROCESSOR_TASKS))),
            "partitions": sorted(set(options.partitions or (GPU_PARTITIONS if is_gpu else PROCESSOR_PARTITIONS)))}
    path.write_text(json.dumps(plan, indent=1) + "\n")
    count = sum(len(each["sizes"]) for each in programs) * len(pairs(plan["partitions"], plan["tasks"]))
    print(f"{len(programs)} programs, {count} pairs of partitions and tasks at most, {options.repeats} runs of each")
    return 0


class Folder:
    """What is done, by program, size and pair."""

    def __init__(self, folder):
        self.folder = folder
        self.plan = json.loads((folder / "plan.json").read_text())
        self.features = {(each["program"], each["size"]): each for each in json_lines.read(folder / "features.jsonl")}
        self.runs = {(each["program"], each["size"], each["partitions"], each["tasks"]): each
                     for each in json_lines.read(folder / "runs.jsonl")}

    def add(self, name, entry):
        json_lines.add(self.folder / name, entry)

    def jobs(self):
        """Program, sizes, pair: the first size of all programs, then the second, pairs of one size together."""
        most = max(len(each["sizes"]) for each in self.plan["programs"])
        for place in range(most):
            for program in self.plan["programs"]:
                if place < len(program["sizes"]):
                    sizes = program["sizes"][place]
                    for pair in pairs(self.plan["partitions"], self.plan["tasks"]):
                        yield program, sizes, pair

    def left(self):
        for program, sizes, pair in self.jobs():
            key = (program["program"], " ".join(sizes_of(sizes)))
            known = self.features.get(key)
            # What cannot be cut so far is not asked for again, and what failed is not either.
            if known and (known.get("failed") or pair[1] > max(known["features"].get("max_tasks", pair[1]), 1)):
                continue
            if (*key, *pair) not in self.runs:
                yield program, sizes, key, pair


def error_of(ran):
    return next((line for line in ran.stderr.splitlines() if line), f"exit status {ran.returncode}")


def describe(options, folder, program, sizes, key):
    ran = called([options.hoist, "features", program["file"], *sizes_of(sizes), "--device", folder.plan["device"], "--streams", "--json"])
    entry = {"program": key[0], "size": key[1]}
    if ran.returncode != 0:
        entry["failed"] = error_of(ran)
    else:
        entry["features"] = {name: value for name, value in json.loads(ran.stdout)["features"].items() if value is not None}
    folder.features[key] = entry
    folder.add("features.jsonl", entry)
    return entry


def entry_of(key, pair, streams):
    """A line of runs.jsonl, of what hoist run told of a pair; None where it told nothing."""
    entry = {"program": key[0], "size": key[1], "partitions": pair[0], "tasks": pair[1]}
    if streams is None:
        return entry | {"failed": "hoist run tells nothing of it"}
    if "failed" in streams:
        return entry | {"failed": streams["failed"]}
    return entry | {"seconds": streams["seconds"]} | {name: streams[name] for name in DYNAMIC if streams.get(name) is not None}


def run(options, folder, program, sizes, key, wanted):
    """Several pairs in one process: inputs are made once."""
    asked = [option for pair in wanted for option in ("--streams", f"{pair[0]},{pair[1]}")]
    ran = called([options.hoist, "run", program["file"], *sizes_of(sizes), *program["inputs"], "--device", folder.plan["device"],
                  "--random", 1, *asked, "--repeat", folder.plan["repeats"], "--json"])
    if ran.returncode != 0:
        told = {pair: {"failed": error_of(ran)} for pair in wanted}
    else:
        streams = json.loads(ran.stdout)["streams"]
        told = {(each["partitions"], each["tasks"]): each for each in (streams if isinstance(streams, list) else [streams])}
    entries = [entry_of(key, pair, told.get(pair)) for pair in wanted]
    for pair, entry in zip(wanted, entries):
        folder.runs[(*key, *pair)] = entry
        folder.add("runs.jsonl", entry)
    return entries


def gather(options):
    folder = Folder(options.folder)
    end = time.monotonic() + options.until
    failed = done = 0
    while True:
        # Each pass looks anew: a program's features tell which of its pairs are left.
        found = list(itertools.islice(folder.left(), options.batch))
        if not found:
            break
        if time.monotonic() >= end:
            print(f"{done} runs done, {sum(1 for _ in folder.left())} are left; the same command goes on")
            return LEFT
        program, sizes, key, _ = found[0]
        if key not in folder.features:
            entries = [describe(options, folder, program, sizes, key)]
        else:
            wanted = [pair for _, _, other, pair in found if other == key]
            entries = run(options, folder, program, sizes, key, wanted)
            done += len(entries)
        for entry in entries:
            if "failed" in entry:
                failed += 1
                pair = f" {entry['partitions']},{entry['tasks']}" if "tasks" in entry else ""
                print(f"{key[0]} {key[1]}{pair}: {entry['failed']}", flush=True)
    print(f"{done} runs done, nothing is left" + (f"; {failed} failed" if failed else ""))
    return 0


def cell(value):
    if isinstance(value, str):
        return '"' + value.replace('"', '""') + '"' if any(each in value for each in ',"#') else value
    return "" if value is None else f"{value:.9g}"


def table_text(folder, device_class):
    """Dynamic features are those of the single stream; sizes without one, or without a second pair, are left out."""
    names = []
    programs = []
    for program in folder.plan["programs"]:
        for sizes in program["sizes"]:
            key = (program["program"], " ".join(sizes_of(sizes)))
            runs = [each for each in folder.runs.values() if (each["program"], each["size"]) == key and "seconds" in each]
            single = next((each for each in runs if (each["partitions"], each["tasks"]) == (1, 1)), None)
            if single is None or len(runs) < 2:
                continue
            features = dict(folder.features[key].get("features", {}))
            features.update({name: single[name] for name in DYNAMIC if name in single})
            names += [each for each in features if each not in names]
            programs.append((program, key, features, runs))
    lines = ["#hoist-streams,1", f"#device_class,{device_class}", f"#provenance,gathered,{datetime.date.today()}",
             ",".join(["program", "group", "size", *names, "partitions", "tasks", "seconds"])]
    for program, key, features, runs in programs:
        for each in sorted(runs, key=lambda entry: (entry["partitions"], entry["tasks"])):
            start = [key[0], program["group"], key[1], *(features.get(name) for name in names), each["partitions"], each["tasks"]]
            lines += [",".join(cell(value) for value in [*start, seconds]) for seconds in each["seconds"]]
    return "\n".join(lines) + "\n"


def make_table(options):
    folder = Folder(options.folder)
    text = table_text(folder, options.device_class)
    if str(options.output).endswith(".gz"):
        options.output.write_bytes(gzip.compress(text.encode(), mtime=0))
    else:
        options.output.write_text(text)
    print(f"wrote {options.output}: {text.count(chr(10)) - 4} runs")
    return 0


def geometric_mean(numbers):
    product = 1.0
    for each in numbers:
        product *= each ** (1 / len(numbers))
    return product


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def speedups_table(evaluation, choosers):
    """Program by program: the geometric mean over sizes, and the least and the greatest."""
    by_program = {}
    for each in evaluation["programs"]:
        by_program.setdefault(each["program"], []).append(each["choices"])
    rows = []
    for program, choices in [*sorted(by_program.items()), ("all", [each["choices"] for each in evaluation["programs"]])]:
        row = [program]
        for chooser in choosers:
            speedups = [each[chooser]["speedup"] for each in choices]
            row.append(f"{geometric_mean(speedups):.2f} ({min(speedups):.2f} to {max(speedups):.2f})")
        rows.append(row)
    return markdown(["program", *choosers], rows)


def distribution_table(evaluation, choosers):
    judgements = {each["chooser"]: each for each in evaluation["judgements"]}
    rows = [[name, f"{judgements[name]['mean_share']:.3f}", *(f"{each:.3f}" for each in judgements[name]["share_distribution"])]
            for name in choosers]
    return markdown(["chosen by", "mean", "least", "5%", "25%", "median", "75%", "95%", "most"], rows)


def tables_text(evaluation):
    known = [each["chooser"] for each in evaluation["judgements"]]
    only = lambda names: [each for each in names if each in known]
    summary = [[each["chooser"], f"{each['mean_share']:.3f}", f"{each['least_share']:.3f}", f"{each['mean_speedup']:.3f}",
                f"{each['least_speedup']:.3f}"] for each in evaluation["judgements"]]
    return "\n".join([
        f"# Streams on {evaluation['device_class']}\n",
        f"{len(evaluation['programs'])} programs at sizes; each program is left out of learning with all of its sizes. Speed-ups are over a "
        "single stream, shares are of the speed of the best configuration that was measured.\n",
        "## All that choose\n", markdown(["chosen by", "mean share", "least", "mean speed-up", "least"], summary),
        "## Figure 9: over a single stream, the mean over sizes (and range)\n", speedups_table(evaluation, only(["ours", "oracle"])),
        "## Figure 10: fixed choices\n", speedups_table(evaluation, only(FIGURE_11)),
        "## Figure 11: distribution of shares, fixed choices\n", distribution_table(evaluation, only(FIGURE_11)),
        "## Figure 12: models of others\n", speedups_table(evaluation, only(FIGURE_13)),
        "## Figure 13: distribution of shares, models of others\n", distribution_table(evaluation, only(FIGURE_13)),
        "## Figure 6: which features tell programs apart\n",
        markdown(["feature", "share of the variance"], [[each["feature"], f"{each['share']:.3f}"] for each in evaluation["importances"]])])


def make_tables(options):
    evaluation = facts([options.hoist, "evaluate", "--streams", *(each.resolve() for each in options.table)])
    text = tables_text(evaluation)
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        (options.write / "tables.md").write_text(text)
        (options.write / "evaluation.json").write_text(json.dumps(evaluation, indent=1) + "\n")
    print(text)
    return 0


def counts(text):
    return [int(each) for each in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    plan, gathering, table, tables = (commands.add_parser(name) for name in ("plan", "gather", "table", "tables"))
    for each in (plan, gathering, table, tables):
        each.add_argument("hoist", type=lambda text: pathlib.Path(text).resolve())
    for each in (plan, gathering, table):
        each.add_argument("--folder", type=pathlib.Path, required=True)
    plan.add_argument("--device", required=True)
    plan.add_argument("--programs", type=pathlib.Path, default=PROGRAMS)
    plan.add_argument("--only", nargs="+", help="these programs")
    plan.add_argument("--large", action="store_true", help="sizes for a GPU, too")
    plan.add_argument("--partitions", type=counts, help="1,2,4")
    plan.add_argument("--tasks", type=counts, help="1,2,4,8")
    plan.add_argument("--gpu", action="store_true", help="an OpenCL device that is a GPU: its range of tasks")
    plan.add_argument("--repeats", type=int, default=5)
    plan.add_argument("--force", action="store_true")
    plan.set_defaults(action=make_plan)
    gathering.add_argument("--batch", type=int, default=1, help="pairs in one process")
    gathering.add_argument("--until", type=float, default=600, help="seconds")
    gathering.set_defaults(action=gather)
    table.add_argument("-o", "--output", type=pathlib.Path, required=True)
    table.add_argument("--class", dest="device_class", required=True, help="of the device: nvidia-h200-cuda")
    table.set_defaults(action=make_table)
    tables.add_argument("table", nargs="+", type=pathlib.Path)
    tables.add_argument("--write", type=pathlib.Path)
    tables.set_defaults(action=make_tables)
    options = parser.parse_args()
    return options.action(options)


if __name__ == "__main__":
    sys.exit(main())
