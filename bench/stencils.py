#!/usr/bin/env python3
"""The evaluation of J. D. Garvey and T. S. Abdelrahman (A strategy for automatic performance tuning of stencil computations on GPUs,
Scientific Programming 2018) on 104 stencils, and Hoist's own search beside it.

    bench/stencils.py plan build/release/hoist --folder build/stencils --device cuda:0
    bench/stencils.py gather build/release/hoist --folder build/stencils --until 540 --parallel 8 --jobs 4     exit status 4: the same again
    bench/stencils.py gather build/release/hoist --folder build/stencils --part labels references  only these parts
    bench/stencils.py tables build/release/hoist build/stencils --write bench/results/h200-stencils
    bench/stencils.py plan build/release/hoist --folder build/elsewhere --device cuda:0 --fastest-of build/stencils   for another device
    bench/stencils.py plan build/release/hoist --folder build/followed --device cuda:0 --others 12 13   of others, to learn from

`plan` writes what is measured, in parts (FOLDER/plan.json, plan.md), and the programs: first of all, so that it can be followed.
`gather` runs searches by `hoist tune`, until --until seconds are over, and goes on from there when it is called again: FOLDER has all
that takes: the records of searches that are done, and for each stencil at its sizes a store with each configuration that was measured,
so that no other search measures it again. The folder may be carried to another machine in between, and goes on by devices of the same name
and language only. Its exit status is 4 while something
is left that could be run, 1 where searches failed or wait for others that did, else 0. `tables` makes the paper's tables 3 to 11,
section 5's experiments and the shares of the roof from the records of one folder for each device, writes the table that classifiers
learn from (FOLDER/techniques.csv.gz), and has them judged by hoist evaluate.

Few searches at a time with several processes that build are the faster: opening a device takes the longer the more others use it. On two
H200s with 32 cores a search had its reference after 40 s in the median where 25 were under way, after 3 s where 4 were.

Hoist's own searches are to have seen none of the stencils: --own-model names a model of speed, --own-techniques a table of loading techniques
(other_techniques.py). On a device for whose hybrid there is no time, `plan --fastest-of` has them compared with what the hybrid found on
another: of each stencil its FASTEST configurations there, and the FASTEST_OF_EACH of each technique.

To read: stencil_plan.py has the plan, stencil_records.py runs it, stencil_tables.py and stencil_space.py make tables.
"""
import argparse
import datetime
import gzip
import json
import math
import pathlib
import subprocess
import sys

from other_stencils import written
from stencil_plan import (HEURISTICS, OWN, OWN_FAMILY, RESTRICTED, TECHNIQUES, cube, followed_plan, plan_of, plan_text,
                          transferred_plan)
from stencil_records import LEFT, Records, Times, gather
from stencil_space import all_experiments
from stencil_tables import Device, all_tables, markdown
from stencil_techniques import TRAITS, table_text

FASTEST, FASTEST_OF_EACH = 12, 2  # of another device's configurations: of all, of each technique


def facts(hoist, *arguments):
    ran = subprocess.run([str(each) for each in (hoist, *arguments, "--json")], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(ran.stderr)
    return json.loads(ran.stdout)


def fastest_configurations(folder, plan):
    """By stencil, what the restricted hybrid found to be the fastest with the records of a folder; without those of which it has none."""
    records = Records(folder)
    times, found = Times(records), {}
    for name in (each["name"] for each in plan["stencils"]):
        searched = [record for technique in TECHNIQUES if (record := records.of(name, cube(plan["size"]), RESTRICTED, technique))]
        ran = [times.ran(record) for record in searched]
        chosen = sorted(each for of_technique in ran for each in of_technique)[:FASTEST]
        chosen += [each for of_technique in ran for each in of_technique[:FASTEST_OF_EACH]]
        if chosen:
            found[name] = list(dict.fromkeys(values for _, values in chosen))
    return found


def own_searches(options):
    return [] if options.no_own else [OWN, OWN_FAMILY]


def make_transferred_plan(options, path):
    if not (options.fastest_of / "plan.json").exists():
        sys.exit(f"{options.fastest_of} has no plan.json; bench/stencil_folder.py makes a folder with what data/ has")
    plan = json.loads((options.fastest_of / "plan.json").read_text())
    facts(options.hoist, "stencils", "--write", options.folder / "programs", *(["--force"] if options.force else []))
    table = techniques_text(plan, Records(options.fastest_of), "another", [each["name"] for each in plan["stencils"]])
    choices = choices_of(judged(options, options.folder, table))
    fastest = fastest_configurations(options.fastest_of, plan)
    return write_plan(options, path, transferred_plan(plan, options.device, fastest, choices, own_searches(options)))


def make_followed_plan(options, path):
    if min(options.others) < 1:
        sys.exit("rounds are numbered from 1")
    stencils, sizes_of = [], {}
    for number in options.others:
        for name, program, sizes in written(number, options.folder / "programs"):
            sizes_of[name] = sizes
            given = [f"{size}={value}" for size, value in sizes.items()]
            stencils.append({"name": name, **facts(options.hoist, "features", program, *given, "--stencil")["stencil"]})
    return write_plan(options, path, followed_plan(options.device, stencils, sizes_of, options.bound))


def write_plan(options, path, plan):
    path.write_text(json.dumps(plan, indent=1) + "\n")
    (options.folder / "plan.md").write_text(plan_text(plan))
    print(plan_text(plan))
    return 0


def make_plan(options):
    options.folder.mkdir(parents=True, exist_ok=True)
    path = options.folder / "plan.json"
    if options.bound and not options.others:
        sys.exit("--bound is of the searches of --others")
    if path.exists() and not options.force:
        sys.exit(f"{path} is there already; --force writes another")
    if options.others:
        return make_followed_plan(options, path)
    if options.fastest_of:
        return make_transferred_plan(options, path)
    stencils = facts(options.hoist, "stencils", "--list")["stencils"]
    intensities = facts(options.hoist, "stencils", "--list", "--intensities")["stencils"]
    for more in ([], ["--intensities"]):
        facts(options.hoist, "stencils", "--write", options.folder / "programs", *more, *(["--force"] if options.force else []))
    if options.only:
        stencils, intensities = ([each for each in group if each["name"] in options.only] for group in (stencils, intensities))
    return write_plan(options, path, plan_of(stencils, intensities, options.device, options.size, options.seed, options.every,
                                             own_searches(options)))


def check_devices(options, plan):
    """That what gathers is what gathered before: which number a device has depends on the drivers that are found, so that a processor may
    have today what a GPU had. The plan keeps what the first records are of."""
    named = {each["id"]: f"{each['name']}, {each['language']}" for each in facts(options.hoist, "devices")}
    for device in options.device or [plan["device"]]:
        if device not in named:
            sys.exit(f"there is no device {device}; there are {', '.join(named)}")
        if plan.setdefault("measured_on", named[device]) != named[device]:
            sys.exit(f"the records of {options.folder} are of {plan['measured_on']}, and {device} is {named[device]}; --device names another")


def keep_plan(options, plan):
    """An interrupted run leaves the plan that was there."""
    path = options.folder / "plan.json.new"
    path.write_text(json.dumps(plan, indent=1) + "\n")
    path.replace(options.folder / "plan.json")


def make_records(options):
    plan = json.loads((options.folder / "plan.json").read_text())
    known = [part["name"] for part in plan["parts"]]
    for part in options.part:
        if part not in known:
            sys.exit(f"the plan has no part '{part}'; it has {', '.join(known)}")
    check_devices(options, plan)
    keep_plan(options, plan)
    left, failed, waiting = gather(options, plan, Records(options.folder), lambda text: print(text, flush=True))
    if failed:
        print(f"{failed} searches failed; --again runs them again")
    if waiting:
        print(f"{waiting} searches wait for what others find, which failed or are in another part")
    if left:
        print(f"{left} searches are left; the same command goes on")
        return LEFT
    return 1 if failed or waiting else 0


def cell(number):
    return "" if number is None else f"{number:.6g}"


def techniques_text(plan, records, device_class, names):
    """The table that classifiers learn from (docs/model.md). Of the hybrid it has what the restricted hybrid found, where that was
    measured; of a heuristic nothing, where not each technique was: none would be the best by default."""
    times = Times(records)
    rows = []
    stencils = {each["name"]: each for each in [*plan["intensities"], *plan["stencils"]]}
    for name in names:
        row = [name, stencils[name]["pattern"], *(stencils[name][trait] for trait in TRAITS)]
        has_any = False
        for heuristic in HEURISTICS:
            searches = [RESTRICTED, heuristic] if heuristic == "hybrid" else [heuristic]
            found = [next((record for search in searches if (record := records.of(name, cube(plan["size"]), search, technique))), None)
                     for technique in TECHNIQUES]
            is_whole = all(found)
            has_any = has_any or is_whole
            for record in found if is_whole else [None] * len(TECHNIQUES):
                best = times.best(record) if record else None
                row += [cell(best[0]) if best else ""]
                row += [cell(record[what]) if record else "" for what in ("asked", "build_seconds", "run_seconds")]
        if has_any:
            rows.append(row)
    return table_text(device_class, {"size": plan["size"], "gathered": datetime.date.today()}, rows)


def judged(options, folder, table):
    """What hoist evaluate says of a table; nothing where it has too little."""
    path = folder / "techniques.csv.gz"
    path.write_bytes(gzip.compress(table.encode(), mtime=0))
    ran = subprocess.run([options.hoist, "evaluate", "--technique", path, "--json"], capture_output=True, text=True)
    if ran.returncode != 0:
        print(ran.stderr, file=sys.stderr)
        return []
    return json.loads(ran.stdout)["evaluations"]


def choices_of(evaluations):
    """By heuristic, stencil and classifier: what was chosen with the stencil left out."""
    return {each["heuristic"]: {stencil["stencil"]: stencil["choices"] for stencil in each["stencils"]}
            for each in evaluations if each["left_out"] == "stencil"}


def device_of(options, folder, label, device_class):
    plan, records = json.loads((folder / "plan.json").read_text()), Records(folder)
    names = [each["name"] for each in plan["stencils"]]
    if "fastest" in plan:
        return Device(label, plan, records, plan["choices"], [])
    others = [each["name"] for each in plan["intensities"] if each["name"] not in names]
    with_others = judged(options, folder, techniques_text(plan, records, device_class, names + others)) if others else []
    evaluations = judged(options, folder, techniques_text(plan, records, device_class, names))
    choices = choices_of(with_others)
    for heuristic, of in choices_of(evaluations).items():
        choices.setdefault(heuristic, {}).update(of)
    return Device(label, plan, records, choices, evaluations)


def make_tables(options):
    labels = options.labels or [folder.name for folder in options.folders]
    classes = options.classes or labels
    if len(labels) != len(options.folders) or len(classes) != len(options.folders):
        sys.exit("--labels and --classes name each folder")
    devices = [device_of(options, folder, label, device_class)
               for folder, label, device_class in zip(options.folders, labels, classes)]
    tables = all_tables(devices) + [table for device in devices if "fastest" not in device.plan for table in all_experiments(device)]
    text = "# Stencils, as Garvey and Abdelrahman tuned them\n\n" + "".join(markdown(table) for table in tables)
    options.write.mkdir(parents=True, exist_ok=True)
    (options.write / "tables.md").write_text(text.rstrip() + "\n")
    (options.write / "tables.json").write_text(json.dumps(tables, indent=1) + "\n")
    print(text)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    plan = commands.add_parser("plan")
    plan.add_argument("--device", default="cuda:0")
    plan.add_argument("--size", type=int, default=256, help="elements of the result in each dimension")
    plan.add_argument("--seed", type=int, default=1, help="draws which stencils are searched in more ways")
    plan.add_argument("--every", type=int, default=4, help="how many stencils there are for each of those")
    plan.add_argument("--only", nargs="*", default=[], help="of these stencils alone, by their names")
    plan.add_argument("--no-own", action="store_true", help="without hoist tune by itself")
    plan.add_argument("--fastest-of", type=pathlib.Path, help="a folder with another device's plan and records: only Hoist's own searches, "
                      "beside what was the fastest there, of the same stencils and sizes")
    plan.add_argument("--others", type=int, nargs="+", help="rounds of other_stencils.py: only Hoist's own searches of these stencils, "
                      "which none of the 104 is among, for models of speed to learn from")
    plan.add_argument("--bound", nargs="+", default=[], metavar="NAME=LEAST:MOST", help="of the parameters in the searches of --others")
    plan.add_argument("--force", action="store_true", help="in place of a plan that is there")
    plan.set_defaults(action=make_plan)
    records = commands.add_parser("gather")
    records.add_argument("--device", nargs="+", help="another than the plan's; or several of one kind")
    records.add_argument("--parallel", type=int, default=1, help="searches at a time, of different stencils or sizes: they build side by "
                         "side, and take turns on a device")
    records.add_argument("--part", nargs="*", default=[], help="only these parts of the plan")
    records.add_argument("--search", nargs="*", default=[], help="only these searches of them: own, hybrid, ...")
    records.add_argument("--only", nargs="*", default=[], help="only these stencils, by their names")
    records.add_argument("--without", nargs="*", default=[], help="not these, as those whose kernels take seconds to build")
    records.add_argument("--until", type=float, default=math.inf, help="seconds after which it ends")
    records.add_argument("--longest", type=float, default=600, help="seconds of one search, at the most; the next call goes on with it")
    records.add_argument("--jobs", type=int, default=2, help="processes of each search that build")
    records.add_argument("--again", action="store_true", help="also what failed")
    records.add_argument("--own-model", help="a model of speed that has seen none of the stencils (hoist train); else what ships")
    records.add_argument("--own-techniques", type=pathlib.Path, help="a table of how other stencils load their input best "
                         "(other_techniques.py), which says what Hoist's own searches try first; else the model that ships does, which has "
                         "learned from the 104")
    records.add_argument("--family-model", help="one that has seen no relative of theirs either")
    records.set_defaults(action=make_records)
    tables = commands.add_parser("tables")
    for command in (plan, records, tables):
        command.add_argument("hoist", type=lambda text: pathlib.Path(text).resolve())
    for command in (plan, records):
        command.add_argument("--folder", type=lambda text: pathlib.Path(text).resolve(), required=True)
    tables.add_argument("folders", type=pathlib.Path, nargs="+")
    tables.add_argument("--labels", nargs="*", help="what the devices are called: CUDA OpenCL; else as the folders")
    tables.add_argument("--classes", nargs="*", help="their classes of devices: nvidia-h200-cuda; else the labels")
    tables.add_argument("--write", type=pathlib.Path, required=True, help="folder for tables.md and tables.json")
    tables.set_defaults(action=make_tables)
    options = parser.parse_args()
    return options.action(options)


if __name__ == "__main__":
    sys.exit(main())
