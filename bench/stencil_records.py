"""Jobs of a plan (stencil_plan.py) are run by `hoist tune`, and what each found is kept as a line of JSON:

    {"key", "stencil", "sizes", "search", "technique", "configurations": [[values..., outcome, seconds], ...], "asked", ...}

Values are those of stencil_ids.NAMES; behind them is a 0 where the size of work-groups is not compiled in (FIXED=0 in the space
`stencil-launched`). Configurations that differ in that size alone are then one kernel, which is compiled once: "asked", "ran" and
"build_seconds" are of kernels.

    Records(folder)                 reads and adds lines; a line that was cut is read over
    gather(options, plan, records)  runs what is not there yet, until its time is over
    Times(records)                  the time of each configuration: one cache for all searches
"""
import argparse
import collections
import json
import math
import re
import subprocess
import sys
import threading
import time

import json_lines
from stencil_ids import NAMES, Ids
from stencil_plan import (ALONE, COMBINED, ELSEWHERE, OWN, OWN_FAMILY, RANDOM, RESTRICTED, TECHNIQUES, TRANSFERRED, VARIABLE, all_jobs,
                          key_of, place_of)

LEFT = 4  # the exit status of a gather that has not done all
LEAST = 20  # seconds that a job is begun with
MARGIN = 10  # seconds that hoist tune may take longer than its budget
OWN_EVALUATIONS = 30
OWN_SECONDS = 60  # of each of Hoist's own searches, at the most
OWN_SPACE = "both"  # what it searches: what rules derive, and all merged work-items
BESIDE = 1.1  # of the hybrid's best: what another technique found is timed beside our own search, where it is not slower by more


class Records:
    def __init__(self, folder):
        self.path = folder / "records.jsonl"
        self.by_key = {record["key"]: record for record in json_lines.read(self.path)}

    def add(self, record):
        self.by_key[record["key"]] = record
        json_lines.add(self.path, record)

    def of(self, stencil, sizes, search, technique=None):
        """Nothing where it was not measured, or failed."""
        job = {"stencil": stencil, "sizes": sizes, "search": search, "technique": technique}
        record = self.by_key.get(key_of(job))
        return record if record and "error" not in record else None


class Times:
    """A configuration may be timed by several searches: the least of its times counts for all. Of one stencil, or of all."""

    def __init__(self, records, stencil=None):
        self.seconds = collections.defaultdict(dict)
        for record in list(records.by_key.values()):  # others may add to them
            if stencil and record["stencil"] != stencil:
                continue
            known = self.seconds[self.place(record)]
            for *values, _, seconds in record.get("configurations", []):
                if seconds:  # also of one that was stopped early, being much slower than others
                    known[tuple(values)] = min(seconds, known.get(tuple(values), math.inf))

    @staticmethod
    def place(record):
        return record["stencil"], tuple(record["sizes"].values())

    def of(self, record, values):
        return self.seconds[self.place(record)].get(tuple(values))

    def ran(self, record):
        """(seconds, values) of those that ran of what the record's search asked for, the fastest first, each once."""
        return sorted({(self.of(record, values), tuple(values)) for *values, _, _ in record["configurations"] if self.of(record, values)})

    def best(self, record):
        """The fastest of them; nothing where none ran."""
        return next(iter(self.ran(record)), None)

    def best_known(self, stencil, sizes):
        return min(self.seconds[stencil, tuple(sizes.values())].values(), default=None)


def assignments(values):
    return ", ".join(f"{name}={value}" for name, value in zip(NAMES, values))


def technique_of(values):
    return technique_of_named(dict(zip(NAMES, values)))


def technique_of_named(named):
    return "local" if named["LOCAL"] else "image" if named["IMAGE"] else "vector" if named["VX"] > 1 else "global"


def with_technique(values, technique):
    """The same but for how data are loaded; vectors are of four, where they were none."""
    named = dict(zip(NAMES, values))
    named |= {"LOCAL": int(technique == "local"), "IMAGE": int(technique == "image")}
    if technique != "vector":
        named |= {"BX": 1, "VX": 1}
    elif named["VX"] == 1:
        named |= {"BX": 4, "VX": 4}
    return tuple(named[name] for name in NAMES)


def alternatives(values, sizes):
    """For each parameter the configurations that differ from this one by it alone; a vector is what is merged in x."""
    powers = lambda limit: [2 ** k for k in range(int(limit).bit_length())]
    limit = {"X": sizes["W"], "Y": sizes["H"], "Z": sizes["D"]}
    named = dict(zip(NAMES, values))
    found = {"technique": [with_technique(values, each) for each in ("global", "vector", "local", "image")]}
    if named["VX"] > 1:
        found["BX/VX"] = [tuple({**named, "BX": width, "VX": width}[name] for name in NAMES) for width in (2, 4, 8, 16)]
    for name in ["WX", "WY", "WZ", "CX", "CY", "CZ"]:
        others = math.prod(named[kind + name[1]] for kind in "WBC" if kind != name[0])
        found[name] = [tuple({**named, name: value}[each] for each in NAMES) for value in powers(limit[name[1]] // others)]
    return found


def combination(values, sizes, times, record):
    """The best value of each parameter, the others being those of `values`, all together."""
    chosen = dict(zip(NAMES, values))
    # The technique comes first: what a vector's width is says nothing where there are no vectors.
    for parameter, each in alternatives(values, sizes).items():
        if parameter == "BX/VX" and chosen["VX"] == 1:
            continue
        ran = [(times.of(record, other), other) for other in each if times.of(record, other)]
        if ran:
            best = min(ran)[1]
            chosen |= {name: value for name, value, old in zip(NAMES, best, values) if value != old}
    return tuple(chosen[name] for name in NAMES)


def is_inside(values, sizes):
    """Whether the restricted space has it: merged work-items fit the array, and data are loaded in one way."""
    named = dict(zip(NAMES, values))
    fits = all(math.prod(named[kind + axis] for kind in "WBC") <= sizes[size] for axis, size in zip("XYZ", "WHD"))
    return fits and named["VX"] == named["BX"] and (named["VX"] > 1) + named["LOCAL"] + named["IMAGE"] <= 1


def wanted_by(job, plan, records):
    """The configurations that an experiment tries, each once. What it needs (needed_by) is there."""
    if job["search"] == TRANSFERRED:
        return [tuple(values) for values in plan["fastest"][job["stencil"]]]
    times = Times(records)

    def best_of(stencil):
        best = times.best(records.of(stencil, job["sizes"], RANDOM))
        if best is None:
            raise RuntimeError(f"no configuration that was drawn ran for {stencil}")
        return best[1]

    if job["search"] == ELSEWHERE:
        wanted = [best_of(stencil) for stencil in plan["subset"]]
    elif job["search"] == ALONE:
        own = best_of(job["stencil"])
        wanted = [own, *(values for each in alternatives(own, job["sizes"]).values() for values in each)]
    else:
        wanted = [combination(best_of(job["stencil"]), job["sizes"], times, records.of(job["stencil"], job["sizes"], ALONE))]
    return list(dict.fromkeys(wanted))


def spent(told):
    """How long a search took: by its own clock, in its phases, and from the start of its process to the end."""
    return {"seconds": told["seconds"], "phases": told.get("phases", {}), "wall": told["wall"]}


def own_record(told, beside):
    """What hoist tune found by itself, how fast the first was that it tried, which candidates these are, and, by technique, the times of the
    kernels by hand beside it: theirs and that of our best were taken at the end, in turns."""
    times = {each["id"]: each["median_seconds"] for each in told["best"]}
    best = min((each for each in told["best"] if each["id"] != "default" and each["id"] not in beside),
               key=lambda each: each["median_seconds"], default=None)
    candidates = {"best": best, "first": told.get("first")}
    return {"best_seconds": best and best["median_seconds"], "first_seconds": told["first"]["median_seconds"] if "first" in told else None,
            "candidates": {name: {"id": each["id"], "values": each["values"]} for name, each in candidates.items() if each},
            "evaluated": told["evaluated"], "ranked": told["ranked"], "default_seconds": told["baseline_seconds"], "space": OWN_SPACE,
            "beside": {technique: times[name] for name, technique in beside.items() if name in times}}


def is_outdated(record):
    """Hoist's own searches of another set of candidates, or without kernels beside them, are told in tables until they are run again."""
    is_own = record["search"] in (OWN, OWN_FAMILY) and "error" not in record
    return is_own and (record.get("space") != OWN_SPACE or "beside" not in record)


def fastest_of(records, stencil, sizes):
    """By technique, (seconds, values) of the fastest that the restricted hybrid found: here, or where it was not searched elsewhere."""
    times = Times(records, stencil)
    found = {technique: times.best(record) for technique in TECHNIQUES if (record := records.of(stencil, sizes, RESTRICTED, technique))}
    found = {technique: best for technique, best in found.items() if best}
    if transferred := records.of(stencil, sizes, TRANSFERRED):
        for each in times.ran(transferred):
            found.setdefault(technique_of(each[1]), each)
    return found


def beside_of(options, job, records):
    """By file, the technique of kernels that the restricted hybrid found. The least of hundreds of times is low by luck: a fair comparison
    times its best again, together with ours."""
    found = fastest_of(records, job["stencil"], job["sizes"])
    fastest = min((seconds for seconds, _ in found.values()), default=0)
    folder = options.folder / "beside"
    folder.mkdir(exist_ok=True)
    files = {}
    for technique, (seconds, values) in found.items():
        if seconds > BESIDE * fastest:
            continue
        program = [options.folder / "programs" / f"{job['stencil']}.hoist", *(f"{name}={value}" for name, value in job["sizes"].items())]
        ran = subprocess.run([str(each) for each in (options.hoist, "explore", *program, "--space", "stencil", "--id",
                                                     Ids(job["sizes"]).of(values))], capture_output=True, text=True)
        if ran.returncode != 0:
            raise RuntimeError(ran.stderr.strip().splitlines()[0])
        path = folder / f"{job['stencil']}-{technique}.hoist"
        path.write_text(ran.stdout)
        files[str(path)] = technique
    return files


def values_of(told):
    """A configuration's, as records have them."""
    return tuple(int(told[name]) for name in NAMES) + ((0,) if told.get("FIXED", 1) == 0 else ())


def kernel_of(values):
    """The same for configurations that are one kernel: those without a size of their work-group compiled in."""
    return values if len(values) == len(NAMES) else tuple(value for name, value in zip(NAMES, values) if name[0] != "W")


def costs_of(search):
    """What the kernels took that a search tried, each compiled once, and how many ran."""
    seconds, ran = {}, set()
    for each in search["tried"]:
        kernel = kernel_of(values_of(each["values"]))
        seconds[kernel] = max(seconds.get(kernel, 0), each["build_seconds"])
        if each["outcome"] == "ok":
            ran.add(kernel)
    return {"asked": len(seconds), "ran": len(ran), "failed": len(seconds) - len(ran), "build_seconds": sum(seconds.values())}


def record_of(job, told):
    """A record from what `hoist tune --json` tells of a search by a specification."""
    search = told["specification"]
    rows = [[*values_of(each["values"]), each["outcome"], each.get("seconds")] for each in search["tried"]]
    best = told["best"][0] if told["best"] else None
    record = {"key": key_of(job), **job, "configurations": rows, **spent(told), **costs_of(search)}
    record |= {name: search[name] for name in ("outside", "run_seconds", "one_run_seconds")}
    if best:
        record |= {"bytes": best["gb_s"] * best["median_seconds"] * 1e9, "flops": best["gflop_s"] * best["median_seconds"] * 1e9}
    if "ceilings" in told:
        record["ceilings"] = told["ceilings"]
    return record


def store_of(options, name):
    folder = options.folder / "stores"
    folder.mkdir(exist_ok=True)
    return folder / f"{name}.sqlite"


def command_of(options, job, budget, store, specification):
    command = [options.hoist, "tune", options.folder / "programs" / f"{job['stencil']}.hoist",
               *(f"{name}={value}" for name, value in job["sizes"].items()), "--device", options.device,
               "--jobs", str(options.jobs), "--budget", f"{budget:.0f}", "--store", store, "--json"]
    if job["search"] in (OWN, OWN_FAMILY):
        command += ["--fresh", "--space", OWN_SPACE, *(word for bound in job.get("bounds", []) for word in ("--bound", bound))]
        if job["search"] == OWN_FAMILY:  # no model that has seen stencils has a say
            command.append("--no-technique")
        model = options.family_model if job["search"] == OWN_FAMILY else options.own_model
        return command + (["--model", model] if model else [])
    command += ["--space", "stencil-launched" if job["search"] == VARIABLE else "stencil", "--search", specification]
    if job.get("technique"):
        command += ["--set", f"TECHNIQUE={job['technique']}"]
    return command


def called(command, seconds):
    """What it printed, with the seconds from its start to its end as "wall"; a RuntimeError with its message where it failed, nothing where
    it took too long."""
    began = time.monotonic()
    try:
        ran = subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    if ran.returncode != 0:
        said = ran.stderr.strip().splitlines() or ["it said nothing"]  # its progress, and then what is wrong
        wrong = next((at for at, line in enumerate(said) if re.match(r"(\w+ )?error\b", line)), len(said) - 1)
        raise RuntimeError(" / ".join(line.strip() for line in said[wrong:]))
    return {**json.loads(ran.stdout), "wall": time.monotonic() - began}


def run_own(options, job, records, left):
    """A search that knows nothing of others. Nothing where there is no time for it, or the device was so busy that not even the
    default mapping was timed: it goes on at the next call."""
    if left < OWN_SECONDS + MARGIN:
        return None
    # One store for all, which has the model of loading techniques.
    command = command_of(options, job, OWN_SECONDS, store_of(options, "own"), None)
    beside = beside_of(options, job, records)
    by_hand = [word for path in beside for word in ("--by-hand", path)]
    told = called(command + ["--evaluations", str(OWN_EVALUATIONS), *by_hand], OWN_SECONDS + MARGIN)
    if told is None or not told["evaluated"]:
        return None
    return {"key": key_of(job), **job, **own_record(told, beside), **spent(told)}


def run(options, job, plan, records, left):
    """A record; nothing where the time was over before the search was."""
    if job["search"] in (OWN, OWN_FAMILY):
        return run_own(options, job, records, left)
    specification = job["search"]
    if specification in (ALONE, COMBINED, ELSEWHERE, TRANSFERRED):
        wanted = wanted_by(job, plan, records)
        inside = [values for values in wanted if is_inside(values, job["sizes"])]
        if not inside:
            return {"key": key_of(job), **job, "configurations": [], "asked": 0, "ran": 0, "failed": 0, "outside": len(wanted),
                    "build_seconds": 0, "run_seconds": 0, "one_run_seconds": 0, "seconds": 0}
        specification = options.folder / "specifications" / (key_of(job).replace("/", "-") + ".spec")
        specification.parent.mkdir(exist_ok=True)
        specification.write_text("".join(f"{assignments(values)};\n" for values in inside))
    told = called(command_of(options, job, left - MARGIN, store_of(options, place_of(job)), specification), left + MARGIN)
    if told is None or told["ended_by"] != "the specification came to its end":
        return None
    return record_of(job, told)


def needed_by(job, plan):
    """The keys of the jobs whose records it waits for."""
    def others(search, stencils):
        return [key_of({"stencil": stencil, "sizes": job["sizes"], "search": search}) for stencil in stencils]

    if job["search"] == ELSEWHERE:
        return others(RANDOM, plan["subset"])
    if job["search"] == ALONE:
        return others(RANDOM, [job["stencil"]])
    if job["search"] == COMBINED:
        return others(RANDOM, [job["stencil"]]) + others(ALONE, [job["stencil"]])
    return []


class Schedule:
    """What is to be run, by several threads: parts in the order of the plan, of a part what has the most points first, since that takes
    the longest. A stencil at its sizes is searched by one at a time, so that what a search has measured is known to the next."""

    def __init__(self, options, plan, records):
        self.options, self.plan, self.records = options, plan, records
        self.began = time.monotonic()
        self.changed = threading.Condition()
        self.busy = set()
        self.pending, self.failed, self.left = [], 0, 0
        points = {each["name"]: each["size"] for each in [*plan["intensities"], *plan["stencils"]]}
        parts = [part["name"] for part in plan["parts"]]
        jobs = sorted(all_jobs(plan, options.part), key=lambda each: (parts.index(each[0]), -points[each[1]["stencil"]]))
        for part, job in jobs:
            is_asked_for = job["search"] in (options.search or [job["search"]]) and job["stencil"] in (options.only or points)
            if not is_asked_for or job["stencil"] in options.without:
                continue
            known = records.by_key.get(key_of(job))
            if known and "error" in known and not options.again:
                self.failed += 1
            elif not known or "error" in known or is_outdated(known):
                self.pending.append((part, job))

    def seconds_left(self):
        return self.options.until - (time.monotonic() - self.began)

    def is_waiting(self, job):
        return any("error" in self.records.by_key.get(key, {"error": "not there"}) for key in needed_by(job, self.plan))

    def take(self):
        """A job with its part; nothing where none can be begun any more."""
        with self.changed:
            while self.seconds_left() >= LEAST + MARGIN:
                ready = next((each for each in self.pending
                              if place_of(each[1]) not in self.busy and not self.is_waiting(each[1])), None)
                if ready:
                    self.pending.remove(ready)
                    self.busy.add(place_of(ready[1]))
                    return ready
                if not self.busy:
                    return None
                self.changed.wait(1)
            return None

    def done(self, part, job, record):
        """Keeps what became of it, and says it in words."""
        with self.changed:
            self.busy.remove(place_of(job))
            if record is None:
                self.left += 1
            else:
                self.records.add(record)
                self.failed += "error" in record
            self.changed.notify_all()
        if record is None:
            return f"{key_of(job)}: goes on at the next call"
        return f"{part}: {key_of(job)}: {record.get('error') or told_in_short(record)}"


def run_jobs(options, schedule, tell):
    while taken := schedule.take():
        part, job = taken
        try:
            record = run(options, job, schedule.plan, schedule.records, min(schedule.seconds_left(), options.longest))
        except (RuntimeError, OSError, ValueError, KeyError) as error:
            record = {"key": key_of(job), **job, "error": str(error)}
        tell(schedule.done(part, job, record))


def keep_techniques(options):
    """In the store of Hoist's own searches, so that they take this model of loading techniques and not the one that ships."""
    command = [options.hoist, "train", "--technique", options.own_techniques, "--keep", "--store", store_of(options, "own")]
    ran = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(ran.stderr)


def gather(options, plan, records, tell=print):
    """Runs jobs that have no record, in their order, so many at a time as `parallel` says, in turns on the devices. Gives how many
    are left, how many of all failed, and how many wait for what others find."""
    # The best of what is left out is not tried on the others either.
    plan = {**plan, "subset": [each for each in plan["subset"] if each not in options.without]}
    schedule = Schedule(options, plan, records)
    if options.own_techniques:
        keep_techniques(options)
    devices = options.device or [plan["device"]]
    threads = [threading.Thread(target=run_jobs, args=(argparse.Namespace(**{**vars(options), "device": devices[i % len(devices)]}),
                                                       schedule, tell), daemon=True) for i in range(options.parallel)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    waiting = sum(schedule.is_waiting(job) for _, job in schedule.pending)
    return schedule.left + len(schedule.pending) - waiting, schedule.failed, waiting


def told_in_short(record):
    if "asked" not in record:
        return f"{record['evaluated']} measured in {record['seconds']:.0f} s"
    return f"{record['asked']} configurations, {record['ran']} ran, in {record['seconds']:.0f} s"
