"""Jobs of a plan (stencil_plan.py) are run by `hoist tune` one after the other, and what each found is kept as a line of JSON:

    {"key", "stencil", "sizes", "search", "technique", "configurations": [[values..., outcome, seconds], ...], "asked", ...}

    Records(folder)                 reads and adds lines; a line that was cut is read over
    gather(options, plan, records)  runs what is not there yet, until its time is over
    Times(records)                  the time of each configuration: one cache for all searches
"""
import collections
import json
import math
import sqlite3
import subprocess
import time

from stencil_plan import ALONE, COMBINED, ELSEWHERE, OWN, OWN_FAMILY, RANDOM, all_jobs, key_of

NAMES = ["WX", "WY", "WZ", "BX", "BY", "BZ", "CX", "CY", "CZ", "VX", "LOCAL", "IMAGE"]
LEFT = 4  # the exit status of a gather that has not done all
LEAST = 20  # seconds that a job is begun with
MARGIN = 10  # seconds that hoist tune may take longer than its budget
OWN_EVALUATIONS = 30


class Records:
    def __init__(self, folder):
        self.path = folder / "records.jsonl"
        self.by_key = {}
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    record = json.loads(line)
                except json.JSONDecodeError:
                    continue  # it was being written when something ended
                self.by_key[record["key"]] = record

    def add(self, record):
        self.by_key[record["key"]] = record
        is_cut = self.path.exists() and not self.path.read_bytes().endswith(b"\n") and self.path.stat().st_size > 0
        with self.path.open("a") as file:
            file.write(("\n" if is_cut else "") + json.dumps(record) + "\n")

    def of(self, stencil, sizes, search, technique=None):
        """Nothing where it was not measured, or failed."""
        job = {"stencil": stencil, "sizes": sizes, "search": search, "technique": technique}
        record = self.by_key.get(key_of(job))
        return record if record and "error" not in record else None


class Times:
    """A configuration may be timed by several searches: the least of its times counts for all."""

    def __init__(self, records):
        self.seconds = collections.defaultdict(dict)
        for record in records.by_key.values():
            known = self.seconds[self.place(record)]
            for *values, _, seconds in record.get("configurations", []):
                if seconds:  # also of one that was stopped early, being much slower than others
                    known[tuple(values)] = min(seconds, known.get(tuple(values), math.inf))

    @staticmethod
    def place(record):
        return record["stencil"], tuple(record["sizes"].values())

    def of(self, record, values):
        return self.seconds[self.place(record)].get(tuple(values))

    def best(self, record):
        """(seconds, values) of the fastest that the record's search asked for; nothing where none ran."""
        ran = [(self.of(record, values), tuple(values)) for *values, outcome, _ in record["configurations"]
               if self.of(record, values)]
        return min(ran, default=None)

    def best_known(self, stencil, sizes):
        return min(self.seconds[stencil, tuple(sizes.values())].values(), default=None)


def assignments(values):
    return ", ".join(f"{name}={value}" for name, value in zip(NAMES, values))


def technique_of(values):
    named = dict(zip(NAMES, values))
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
    """The configurations that an experiment tries, each once. Nothing where it waits for another job."""
    times = Times(records)

    def best_of(stencil):
        record = records.of(stencil, job["sizes"], RANDOM)
        return times.best(record) if record else None

    own = best_of(job["stencil"])
    if job["search"] == ELSEWHERE:
        others = [best_of(stencil) for stencil in plan["subset"]]
        if not all(others):
            return None
        wanted = [values for _, values in others]
    elif not own:
        return None
    elif job["search"] == ALONE:
        wanted = [own[1], *(values for each in alternatives(own[1], job["sizes"]).values() for values in each)]
    else:
        alone = records.of(job["stencil"], job["sizes"], ALONE)
        if not alone:
            return None
        wanted = [combination(own[1], job["sizes"], times, alone)]
    return list(dict.fromkeys(wanted))


def own_record(told, store):
    """What hoist tune found by itself, and how fast the first was that it tried."""
    best = min((each["median_seconds"] for each in told["best"] if each["id"] != "default"), default=None)
    return {"best_seconds": best, "evaluated": told["evaluated"], "default_seconds": told["baseline_seconds"]}


def first_choice(store):
    """Of the last run: the median of what was measured first, of what it explored."""
    with sqlite3.connect(store) as database:
        row = database.execute("SELECT median FROM evaluations WHERE origin = 'explored' AND run = (SELECT max(id) FROM runs) "
                               "ORDER BY id LIMIT 1").fetchone()
    return row[0] if row else None


def record_of(job, told):
    """A record from what `hoist tune --json` tells of a search by a specification."""
    search = told["specification"]
    rows = []
    for each in search["tried"]:
        values = each["values"]
        rows.append([*(int(values[name]) for name in NAMES), each["outcome"], each.get("seconds")])
    best = told["best"][0] if told["best"] else None
    record = {"key": key_of(job), **job, "configurations": rows, "seconds": told["seconds"]}
    record |= {"asked": search["configurations"]}
    record |= {name: search[name] for name in ("ran", "failed", "outside", "build_seconds", "run_seconds", "one_run_seconds")}
    if best:
        record |= {"bytes": best["gb_s"] * best["median_seconds"] * 1e9, "flops": best["gflop_s"] * best["median_seconds"] * 1e9}
    if "ceilings" in told:
        record["ceilings"] = told["ceilings"]
    return record


def command_of(options, job, budget, store, specification):
    command = [options.hoist, "tune", options.folder / "programs" / f"{job['stencil']}.hoist",
               *(f"{name}={value}" for name, value in job["sizes"].items()), "--device", options.device, "--jobs", str(options.jobs),
               "--budget", f"{budget:.0f}", "--store", store, "--json"]
    if job["search"] in (OWN, OWN_FAMILY):
        command += ["--fresh"]
        model = options.family_model if job["search"] == OWN_FAMILY else options.own_model
        return command + (["--model", model] if model else [])
    command += ["--space", "stencil", "--search", specification]
    if job.get("technique"):
        command += ["--set", f"TECHNIQUE={job['technique']}"]
    return command


def called(command, seconds):
    """What it printed; a RuntimeError with its message where it failed, nothing where it took too long."""
    try:
        ran = subprocess.run([str(each) for each in command], capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        return None
    if ran.returncode != 0:
        raise RuntimeError((ran.stderr.strip().splitlines() or ["it said nothing"])[0])
    return json.loads(ran.stdout)


def run_own(options, job, left):
    """Two searches that know nothing of each other: all of it, and the first choice alone."""
    store = options.folder / "own.sqlite"
    told = called(command_of(options, job, left / 2, store, None) + ["--evaluations", str(OWN_EVALUATIONS)], left)
    if told is None:
        return None
    record = {"key": key_of(job), **job, **own_record(told, store), "seconds": told["seconds"]}
    left -= told["seconds"]
    if called(command_of(options, job, max(left, LEAST), store, None) + ["--evaluations", "1"], max(left, LEAST) + MARGIN) is None:
        return None
    return record | {"first_seconds": first_choice(store)}


def run(options, job, plan, records, left):
    """A record; nothing where the time was over before the search was."""
    if job["search"] in (OWN, OWN_FAMILY):
        return run_own(options, job, left)
    specification = job["search"]
    if specification in (ALONE, COMBINED, ELSEWHERE):
        wanted = wanted_by(job, plan, records)
        inside = [values for values in wanted if is_inside(values, job["sizes"])]
        if not inside:
            return {"key": key_of(job), **job, "configurations": [], "asked": 0, "ran": 0, "failed": 0, "outside": len(wanted),
                    "build_seconds": 0, "run_seconds": 0, "one_run_seconds": 0, "seconds": 0}
        specification = options.folder / "specifications" / (key_of(job).replace("/", "-") + ".spec")
        specification.parent.mkdir(exist_ok=True)
        specification.write_text("".join(f"{assignments(values)};\n" for values in inside))
    told = called(command_of(options, job, left - MARGIN, options.folder / "store.sqlite", specification), left + MARGIN)
    if told is None or told["ended_by"] != "the specification came to its end":
        return None
    return record_of(job, told)


def is_waiting(job, plan, records):
    return job["search"] in (ALONE, COMBINED, ELSEWHERE) and wanted_by(job, plan, records) is None


def gather(options, plan, records, tell=print):
    """Runs jobs that have no record, in their order. Gives how many are left, how many of all failed, and how many wait for what
    others find."""
    began = time.monotonic()
    left = failed = waiting = 0
    for part, job in all_jobs(plan, options.part):
        known = records.by_key.get(key_of(job))
        if known and "error" in known and not options.again:
            failed += 1
        if known and not ("error" in known and options.again):
            continue
        if is_waiting(job, plan, records):
            waiting += 1
            continue
        seconds = options.until - (time.monotonic() - began)
        if seconds < LEAST + MARGIN or left:
            left += 1
            continue
        try:
            record = run(options, job, plan, records, min(seconds, options.longest))
        except RuntimeError as error:
            record = {"key": key_of(job), **job, "error": str(error)}
            failed += 1
        if record is None:
            left += 1
            tell(f"{key_of(job)}: goes on at the next call")
            continue
        records.add(record)
        tell(f"{part}: {key_of(job)}: {record.get('error') or told_in_short(record)}")
    return left, failed, waiting


def told_in_short(record):
    if "asked" not in record:
        return f"{record['evaluated']} measured in {record['seconds']:.0f} s"
    return f"{record['asked']} configurations, {record['ran']} ran, in {record['seconds']:.0f} s"
