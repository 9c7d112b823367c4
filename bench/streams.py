#!/usr/bin/env python3
"""How programs stream at all numbers of partitions and tasks, and how well models choose among them: the evaluation of Zhang et al.
(Optimizing streaming parallelism on heterogeneous many-core architectures, TPDS 2020, section 6).

    bench/streams.py plan build/release/hoist --folder build/streams --device cuda:0 --large --seconds 1500
    bench/streams.py gather build/release/hoist --folder build/streams --until 540        exit status 4: the same again
    bench/streams.py table build/release/hoist --folder build/streams --class nvidia-h200-cuda -o data/streams-h200.csv.gz
    bench/streams.py tables build/release/hoist data/streams-h200.csv.gz --write bench/results/h200-streams

`plan` writes what is measured (FOLDER/plan.json, before anything is): of each program of examples/streams/programs.json and each of its
sizes (--large: and of those for a GPU) all pairs of partitions and tasks. --seconds leaves out sizes, and has each pair run for less,
so that gathering should take no longer; of each program remain at least ten, where it has them, spread evenly from the smallest to the
largest. Programs of one algorithm with other parameters have one name there, and are left out of learning together. Random inputs are in
the ranges that the sizes.json beside the program says.

`gather` measures by hoist dev streams, all pairs of a program at a size in turn, until --until seconds are over, and goes on from
there when it is called again; its exit status is 4 while something is left. --device cuda:0 cuda:1 measures on both, side by side.
Programs take turns, and of their sizes come first the smallest, the largest, and the one in the middle, so that a plan that was not
finished has something of everything. Each result is a line of FOLDER/runs.jsonl, each program's features one of
FOLDER/features.jsonl; the folder may be carried to another machine of the same kind in between. `table` makes what hoist train
--streams learns from, `tables` has it evaluated and prints the paper's figures 9 to 11 and 13 as tables: speed over a single stream
program by program, fixed choices, and how the share of the best configuration's speed is distributed; and what choices have of a best
that the same measurements did not choose.
"""
import argparse
import concurrent.futures
import csv
import datetime
import gzip
import itertools
import json
import os
import pathlib
import statistics
import subprocess
import sys
import threading
import time

import json_lines
from stream_device import Ended, StreamDevice, Timeout

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "examples" / "streams" / "programs.json"
LEFT = 4  # exit status while something is left
# The paper's ranges: on a processor 1 to 256 tasks, on a GPU 2^0 to 2^10; partitions as many as a device has.
PROCESSOR_TASKS = [1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 192, 224, 256]
GPU_TASKS = [2 ** i for i in range(11)]
PROCESSOR_PARTITIONS = [1, 2]
GPU_PARTITIONS = [1, 2, 4, 8, 16]
FEWEST_SIZES = 10  # of a program, however short the time
DEAR = 4  # times its share of the time, and a size is left out
ROUNDS = 3  # in which pairs are measured in turns, unless their runs are long
LONG_RUN = 0.2  # seconds
PAIR_SECONDS = 0.1  # that a pair is run for at the most, unless its first runs take longer
FEWEST_PAIR_SECONDS = 0.02
DYNAMIC = ["upload_seconds", "kernel_seconds", "download_seconds", "branch_miss_rate", "l1_miss_rate", "l2_miss_rate",
           "cycles_per_instruction"]
FIGURE_11 = ["ours", "fixed-2-2", "fixed-4-4", "best-fixed", "single"]
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


class Estimate:
    """Roughly what measuring takes, from features: which sizes a plan can have is decided before anything is measured."""

    def __init__(self, is_gpu):
        # Of the device: bytes moved and instructions, a second. Of the process: what a pair and a size take beside runs, and bytes of
        # arrays that are drawn, pinned and compared, a second.
        self.transfer, self.compute, self.pair, self.size, self.memory = (
            (3e10, 2e12, 0.03, 0.2, 2e9) if is_gpu else (4e9, 3e9, 0.05, 1.0, 1e9))

    def seconds(self, features, partitions, tasks, pair_seconds):
        most = features.get("max_tasks", 1)
        count = sum(1 for _, each in pairs(partitions, tasks) if each <= most)
        moved = features.get("transfer_bytes", 0)
        # Instructions of loops whose ends are data are estimated at their most.
        moving = moved / self.transfer
        run = moving + min(features.get("instructions", 0) / self.compute, 30 * moving) + 1e-4
        # Half of the pairs are slow ones, of which two runs are enough.
        rounds = 1 if run > LONG_RUN else ROUNDS
        runs = max(3 * rounds * run, min(pair_seconds, 100 * run)) / 2 + 2 * rounds * run
        return self.size + moved / self.memory + count * (runs + rounds * (self.pair + features.get("download_bytes", 0) / 1e10))


def spread(count):
    """The numbers below `count`: the first, the last, the middle one, those in the middle between, and so on."""
    order = [0, count - 1][:count]
    while len(order) < count:
        known = sorted(order)
        order += [(low + high) // 2 for low, high in zip(known, known[1:]) if high - low > 1]
    return order


def evenly(sizes, count):
    """So many of them, from the first to the last."""
    if count >= len(sizes):
        return sizes
    return [sizes[round(i * (len(sizes) - 1) / (count - 1))] for i in range(count)]


def chosen_sizes(programs, plan, seconds, known, estimate):
    """Fewer sizes and shorter runs, until both fit: what they should take, the seconds of a pair, the sizes of each program."""
    def needed(program, size, pair_seconds):
        features = known[program["program"], " ".join(sizes_of(size))]
        return estimate.seconds(features, plan["partitions"], plan["tasks"], pair_seconds)

    def affordable(program):
        """Without those of which one takes as long as many others."""
        costs = [needed(program, size, FEWEST_PAIR_SECONDS) for size in program["sizes"]]
        dear = sorted((i for i in range(len(costs)) if costs[i] > DEAR * seconds / len(known)), key=lambda i: -costs[i])
        dear = dear[:max(len(costs) - FEWEST_SIZES, 0)]
        return [size for i, size in enumerate(program["sizes"]) if i not in dear]

    def tried(count, pair_seconds):
        chosen = [evenly(each, count) for each in all_sizes]
        return (sum(needed(program, size, pair_seconds) for program, sizes in zip(programs, chosen) for size in sizes), pair_seconds,
                chosen)

    all_sizes = [affordable(each) for each in programs]
    most = max(len(each) for each in all_sizes)
    plans = [tried(count, pair_seconds) for count in range(most, min(FEWEST_SIZES, most) - 1, -1)
             for pair_seconds in (PAIR_SECONDS, PAIR_SECONDS / 2, FEWEST_PAIR_SECONDS)]
    return next((each for each in plans if each[0] <= seconds), plans[-1])


def make_plan(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / "plan.json"
    if path.exists() and not options.force:
        sys.exit(f"{path} is there already; --force writes another")
    programs = list(programs_of(json.loads(options.programs.read_text()), options))
    is_gpu = options.gpu or options.device.startswith("cuda")
    plan = {"device": options.device, "pair_seconds": PAIR_SECONDS, "programs": programs,
            "tasks": sorted(set(options.tasks or (GPU_TASKS if is_gpu else PROCESSOR_TASKS))),
            "partitions": sorted(set(options.partitions or (GPU_PARTITIONS if is_gpu else PROCESSOR_PARTITIONS)))}
    if options.seconds:
        known = static_features(options, programs, "gpu" if is_gpu else "cpu")
        needed, plan["pair_seconds"], chosen = chosen_sizes(programs, plan, options.seconds, known, Estimate(is_gpu))
        for program, sizes in zip(programs, chosen):
            program["sizes"] = sizes
        print(f"about {needed:.0f} s" + ("" if needed <= options.seconds else f", more than the {options.seconds:.0f} s that it may take"))
    path.write_text(json.dumps(plan, indent=1) + "\n")
    sizes = sum(len(each["sizes"]) for each in programs)
    print(f"{len(programs)} programs, {sizes} sizes, {sizes * len(pairs(plan['partitions'], plan['tasks']))} pairs of partitions and tasks "
          "at most")
    return 0


def static_features(options, programs, profile):
    """By program and size, for the usual device of a profile: a plan needs none."""
    def of(program, sizes):
        return facts([options.hoist, "features", program["file"], *sizes_of(sizes), "--profile", profile, "--streams"])["features"]
    wanted = [(program, sizes) for program in programs for sizes in program["sizes"]]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as threads:
        found = threads.map(lambda each: of(*each), wanted)
        return {(program["program"], " ".join(sizes_of(sizes))): each for (program, sizes), each in zip(wanted, found)}


class Folder:
    """What is done, by program, size and pair."""

    def __init__(self, folder):
        self.folder = folder
        self.plan = json.loads((folder / "plan.json").read_text())
        self.features = {(each["program"], each["size"]): each for each in json_lines.read(folder / "features.jsonl")}
        self.runs = {}  # the entries of all rounds
        for each in json_lines.read(folder / "runs.jsonl"):
            self.runs.setdefault((each["program"], each["size"], each["partitions"], each["tasks"]), []).append(each)
        self.lock = threading.Lock()  # of all of these

    def add_features(self, key, entry):
        with self.lock:
            self.features[key] = {"program": key[0], "size": key[1]} | entry
            json_lines.add(self.folder / "features.jsonl", self.features[key])

    def add_run(self, key, pair, entry):
        entry = {"program": key[0], "size": key[1], "partitions": pair[0], "tasks": pair[1]} | entry
        with self.lock:
            self.runs.setdefault((*key, *pair), []).append(entry)
            json_lines.add(self.folder / "runs.jsonl", entry)

    def sizes(self):
        """Program and sizes, in the order in which they are measured."""
        most = max(len(each["sizes"]) for each in self.plan["programs"])
        for turn in range(most):
            for program in self.plan["programs"]:
                if turn < len(program["sizes"]):
                    sizes = program["sizes"][spread(len(program["sizes"]))[turn]]
                    yield program, sizes, (program["program"], " ".join(sizes_of(sizes)))

    def pairs_left(self, key):
        """What cannot be cut so far is not asked for again, and what failed is not either."""
        known = self.features.get(key)
        if known and known.get("failed"):
            return []
        most = max(known["features"].get("max_tasks", 1), 1) if known else max(self.plan["tasks"])
        return [pair for pair in pairs(self.plan["partitions"], self.plan["tasks"]) if pair[1] <= most and not self.is_done(key, pair)]

    def is_done(self, key, pair):
        """A pair that failed is, and one whose last round was measured."""
        return any("failed" in each or each.get("is_last", True) for each in self.runs.get((*key, *pair), []))

    def joined(self, key):
        """Of each pair of a program at a size that has times those of each round, by pair and round, and what the single stream's commands
        took."""
        times, dynamic = {}, {}
        for (program, size, *pair), rounds in self.runs.items():
            if (program, size) != key or any("failed" in each for each in rounds):
                continue
            times[tuple(pair)] = {entry.get("round", 1): entry["seconds"] for entry in rounds}
            for entry in rounds:
                dynamic.update({name: entry[name] for name in DYNAMIC if name in entry})
        return times, dynamic

    def left(self):
        with self.lock:
            return [(program, sizes, key, wanted) for program, sizes, key in self.sizes() if (wanted := self.pairs_left(key))]


def measure(folder, device, program, sizes, key, wanted, end):
    """Measures pairs of a program at a size, and keeps each as soon as it is known; those that failed."""
    told = set()
    failed = []
    at = None  # the pair that is being measured

    def fail(pair, message):
        failed.append((pair, message))
        if pair is None:
            folder.add_features(key, {"failed": message})
        else:
            folder.add_run(key, pair, {"failed": message})

    job = {"program": program["file"], "values": [*sizes_of(sizes), *program["inputs"]], "random": 1, "pairs": wanted,
           "rounds": ROUNDS, "seconds": folder.plan["pair_seconds"] / ROUNDS}
    try:
        for line in device.answers(job, end):
            if "features" in line:
                folder.add_features(key, {"features": {name: value for name, value in line["features"].items() if value is not None}})
            elif "measuring" in line:
                at = tuple(line["measuring"])
            elif "tasks" in line:
                pair = (line["partitions"], line["tasks"])
                told.add(pair)
                if "failed" in line:
                    fail(pair, line["failed"])
                else:
                    folder.add_run(key, pair, {name: line[name] for name in ("seconds", "stop", "round", "is_last", *DYNAMIC) if name in line})
            elif "failed" in line and not told:
                fail(None, line["failed"])
    except Ended as ended:
        # What it was at is what it ended at, or else the whole size is.
        fail(at, str(ended))
    if not told and not failed:
        fail(None, "hoist dev streams tells nothing of its pairs")
    return failed


def gather(options):
    folder = Folder(options.folder)
    start = time.monotonic()
    end = start + options.until
    taken, lock = set(), threading.Lock()
    counts = {"failed": 0, "sizes": 0}
    all_sizes, runs_before = len(folder.left()), len(folder.runs)

    def take():
        with lock:
            found = next((each for each in folder.left() if each[2] not in taken), None)
            if found:
                taken.add(found[2])
            return found

    def work(name):
        device = StreamDevice(options.hoist, name, ROOT)
        try:
            while time.monotonic() < end and (found := take()):
                program, sizes, key, wanted = found
                began = time.monotonic()
                failed = measure(folder, device, program, sizes, key, wanted, end)
                with lock:
                    # After a failure the rest of the size is asked of another process.
                    taken.discard(key)
                    counts["failed"] += len(failed)
                    counts["sizes"] += not folder.pairs_left(key)
                    for pair, message in failed:
                        print(f"{key[0]} {key[1]}{'' if pair is None else f' {pair[0]},{pair[1]}'}: {message}")
                    now = time.monotonic()
                    rest = (all_sizes - counts["sizes"]) * (now - start) / max(counts["sizes"], 1)
                    print(f"{key[0]} {key[1]}: {now - began:.1f} s; {counts['sizes']} of {all_sizes} sizes, about {rest:.0f} s are left",
                          flush=True)
        except Timeout:
            pass
        finally:
            device.close()

    names = options.device or [folder.plan["device"]]
    with concurrent.futures.ThreadPoolExecutor(len(names)) as threads:
        for each in [threads.submit(work, name) for name in names]:
            each.result()
    left = sum(len(each[3]) for each in folder.left())
    runs = len(folder.runs) - runs_before
    failed = f"; {counts['failed']} failed" if counts["failed"] else ""
    if left:
        print(f"{runs} pairs done, {left} are left; the same command goes on{failed}")
        return LEFT
    print(f"{runs} pairs done, nothing is left{failed}")
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
            runs, dynamic = folder.joined(key)
            if (1, 1) not in runs or len(runs) < 2:
                continue
            features = folder.features[key].get("features", {}) | dynamic
            names += [each for each in features if each not in names]
            programs.append((program, key, features, runs))
    lines = ["#hoist-streams,1", f"#device_class,{device_class}", f"#provenance,gathered,{datetime.date.today()}",
             ",".join(["program", "group", "size", *names, "partitions", "tasks", "round", "seconds"])]
    for program, key, features, runs in programs:
        for pair, rounds in sorted(runs.items()):
            for number, all_seconds in sorted(rounds.items()):
                start = [key[0], program["group"], key[1], *(features.get(name) for name in names), *pair, number]
                lines += [",".join(cell(value) for value in [*start, seconds]) for seconds in all_seconds]
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


def markdown(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)]) + "\n"


def by_program(evaluation):
    """The choices of each program's sizes, in the order of their names, and of all programs."""
    found = {}
    for each in evaluation["programs"]:
        found.setdefault(each["program"], []).append(each)
    return [*sorted(found.items()), ("all", evaluation["programs"])]


def speedups_table(evaluation, choosers):
    """Program by program: the geometric mean over sizes, and the least and the greatest."""
    rows = []
    for program, records in by_program(evaluation):
        row = [program]
        for chooser in choosers:
            speedups = [each["choices"][chooser]["speedup"] for each in records]
            row.append(f"{statistics.geometric_mean(speedups):.2f} ({min(speedups):.2f} to {max(speedups):.2f})")
        rows.append(row)
    return markdown(["program", *choosers], rows)


def distribution_table(evaluation, choosers):
    judgements = {each["chooser"]: each for each in evaluation["judgements"]}
    rows = [[name, f"{judgements[name]['mean_share']:.3f}", *(f"{each:.3f}" for each in judgements[name]["share_distribution"])]
            for name in choosers]
    return markdown(["chosen by", "mean", "least", "5%", "25%", "median", "75%", "95%", "most"], rows)


def summary_table(evaluation):
    """Of all that choose; `ours over it` is the mean of shares over theirs."""
    ours = evaluation["judgements"][0]["mean_share"]
    rows = [[each["chooser"], f"{each['mean_share']:.3f}", f"{each['least_share']:.3f}", f"{each['mean_speedup']:.3f}",
             f"{each['least_speedup']:.3f}", str(each["slower_than_single"]), f"{ours / each['mean_share']:.3f}"]
            for each in evaluation["judgements"]]
    return markdown(["chosen by", "mean share", "least", "mean speed-up", "least", "slower than one stream by over 2%", "ours over it"], rows)


def rounds_of(tables):
    """Median seconds by program and size, pair and round."""
    runs = {}
    for path in tables:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                pairs_of = runs.setdefault((row["program"], row["size"]), {})
                rounds = pairs_of.setdefault((int(row["partitions"]), int(row["tasks"])), {})
                rounds.setdefault(int(row.get("round") or 1), []).append(float(row["seconds"]))
    return {key: {pair: {number: statistics.median(each) for number, each in rounds.items()} for pair, rounds in pairs_of.items()}
            for key, pairs_of in runs.items()}


def left_out_shares(evaluation, runs):
    """By chooser, of each program at a size that was measured in several rounds, and each of them: the speed of what was chosen over that
    of the pair that is the best in the other rounds, both in this one. A pair that was given up before has its times of the rounds that it
    was in."""
    shares = {}
    for each in evaluation["programs"]:
        times = runs[each["program"], each["size"]]
        numbers = set.union(*(set(rounds) for rounds in times.values()))
        if len(numbers) == 1:
            continue
        whole = [rounds for rounds in times.values() if set(rounds) == numbers]
        for number in numbers:
            others = numbers - {number}
            best = min(whole, key=lambda rounds: statistics.geometric_mean(rounds[other] for other in others))
            for chooser, choice in each["choices"].items():
                chosen = times[choice["partitions"], choice["tasks"]]
                seconds = chosen.get(number, statistics.mean(chosen.values()))
                shares.setdefault(chooser, []).append(best[number] / seconds)
    return shares


def left_out_table(evaluation, runs):
    """Nothing where nothing was measured in rounds."""
    shares = left_out_shares(evaluation, runs)
    if not shares:
        return []
    rows = [[name, f"{statistics.geometric_mean(shares[name]):.3f}", f"{statistics.mean(shares[name]):.3f}", f"{min(shares[name]):.3f}"]
            for name in (each["chooser"] for each in evaluation["judgements"])]
    return ["## Against the best of other rounds\n",
            "The best of many pairs is so by luck in part. Here the best is the one of the other rounds in which pairs were measured, and both "
            "it and the choice have the times of the round that is left out; each is left out once. The oracle, which knows all rounds, may be "
            "ahead of that.\n",
            markdown(["chosen by", "geometric mean share", "mean", "least"], rows)]


def limits_table(evaluation, choosers):
    """By how much overlap can gain: where uploads, kernels and downloads are alike it is 3."""
    rows = []
    for low, high in itertools.pairwise([1, 1.25, 1.5, 2, 2.5, 3.01]):
        records = [each for each in evaluation["programs"] if low <= each.get("limit_of_overlap", 0) < high]
        if records:
            rows.append([f"{low} to {min(high, 3)}", str(len(records)), *(
                f"{statistics.geometric_mean([each['choices'][name]['speedup'] for each in records]):.2f}" for name in choosers)])
    return markdown(["limit", "programs at sizes", *choosers], rows)


def tables_text(evaluation, runs):
    known = [each["chooser"] for each in evaluation["judgements"]]
    only = lambda names: [each for each in names if each in known]
    return "\n".join([
        f"# Streams on {evaluation['device_class']}\n",
        f"{len({each['program'] for each in evaluation['programs']})} programs at {len(evaluation['programs'])} sizes; each program is left "
        "out of learning with all of its sizes, and with those of the same algorithm. Speed-ups are over a single stream, means of them "
        "geometric; shares are of the speed of the best configuration that was measured.\n",
        "## All that choose\n", summary_table(evaluation), *left_out_table(evaluation, runs),
        "## Figure 9: over a single stream, the mean over sizes (and range)\n", speedups_table(evaluation, only(["ours", "oracle"])),
        "## Figure 10: fixed choices\n", speedups_table(evaluation, only(FIGURE_11)),
        "## Figure 11: distribution of shares, fixed choices\n", distribution_table(evaluation, only(FIGURE_11)),
        "## Figure 12: models of others\n", speedups_table(evaluation, only(FIGURE_13)),
        "## Figure 13: distribution of shares, models of others\n", distribution_table(evaluation, only(FIGURE_13)),
        "## What overlap can gain\n",
        "By the limit of overlap, uploads, kernels and downloads of a single stream together over the longest of the three.\n",
        limits_table(evaluation, only(["ours", "oracle"])),
        "## Figure 6: which features tell programs apart\n",
        markdown(["feature", "share of the variance"], [[each["feature"], f"{each['share']:.3f}"] for each in evaluation["importances"]])])


def make_tables(options):
    evaluation = facts([options.hoist, "evaluate", "--streams", *(each.resolve() for each in options.table)])
    text = tables_text(evaluation, rounds_of(options.table))
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
    plan.add_argument("--seconds", type=float, help="that gathering may take on one device")
    plan.add_argument("--force", action="store_true")
    plan.set_defaults(action=make_plan)
    gathering.add_argument("--device", nargs="+", help="devices of one kind, instead of the plan's")
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
