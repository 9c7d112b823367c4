"""The tables of Garvey and Abdelrahman (2018), 3 to 11, and what Hoist's own search finds, from records (stencil_records.py).

A table is {"title", "columns", "rows", "notes"}. Every function makes one from devices: a Device is a plan with its records, the
times of all configurations, and what classifiers chose for each stencil that they had not learned from. A speed is that of a search's
best configuration over random sampling's; means of speeds are geometric. What a search costs is counted from its own configurations,
whoever measured them; the runtime is that of one run of each kernel, as the paper counts it. Its configurations are those that ran: the
paper's random sampling has 321 of the 1,000 that it draws. How many were tried stands beside them.

To read: Device.found() gives what a search found and what that costs; table_3() and those behind it put that into rows.
"""
import itertools
import math
import statistics

from stencil_plan import (DEPTHS, EXPERT, HEURISTICS, OWN, OWN_FAMILY, RANDOM, RESTRICTED, SIDE, SIZES, TECHNIQUES, TRANSFERRED, VARIABLE,
                          cube)
from stencil_records import Times

CLASSIFIERS = ["ours", "weka"]
EXPS, RAND = ((EXPERT, None), "ExpS"), ((RANDOM, None), "Rand")
TITLES = {"dimensions": "Dimensions", "optimisations": "Optimisations", "hybrid": "Hybrid", RESTRICTED: "Hybrid restricted",
          VARIABLE: "Hybrid, variable size"}
SPOKEN = {"global": "Global without vectorization", "vector": "Global with vectorization", "image": "Image", "local": "Local"}
AS_IN_THE_PAPER = ["global", "vector", "image", "local"]
# What the paper's card does, an NVIDIA GTX Titan: bytes/s and FLOP/s of single precision.
TITAN_BYTES, TITAN_FLOPS = 288.4e9, 4.5e12
MEMORY_BOUND_LEAST = 0.80
FEW = "Of fewer than half of the stencils, or none"
COPY = "dense_r0"  # one point: its kernels copy the array, times a weight


def geometric_mean(numbers):
    return math.exp(statistics.fmean(map(math.log, numbers))) if numbers else None


class Found:
    """What searches found together and what they cost: one of them, or the four of an oracle."""

    def __init__(self, device, records):
        bests = [best for best in map(device.times.best, records) if best]
        self.seconds, self.values = min(bests, default=(None, None))
        self.costs = {name: sum(record[name] for record in records) for name in ("ran", "asked", "build_seconds", "one_run_seconds")}


class Device:
    def __init__(self, label, plan, records, choices, accuracies):
        """`choices` by heuristic, stencil and classifier; `accuracies` are the evaluations of hoist evaluate."""
        self.label, self.plan, self.records = label, plan, records
        self.choices, self.accuracies = choices, accuracies
        self.times = Times(records)
        self.whole = cube(plan["size"])

    def choice(self, search, stencil, classifier):
        """The technique that was chosen; of a heuristic that was measured with few stencils, what was chosen for the hybrid."""
        heuristic = search if search in HEURISTICS and self.choices.get(search, {}).keys() >= set(self.names()) else "hybrid"
        return self.choices.get(heuristic, {}).get(stencil, {}).get(classifier)

    def names(self):
        return [each["name"] for each in self.plan["stencils"]]

    def found(self, stencil, search, who=None, sizes=None):
        """`who` chooses the technique: a classifier, "oracle", or it is the technique. Nothing where that was not measured."""
        sizes = sizes or self.whole
        if who is None:
            techniques = [None]
        elif who == "oracle":
            techniques = TECHNIQUES
        else:
            techniques = [who if who in TECHNIQUES else self.choice(search, stencil, who)]
            if techniques == [None]:
                return None
        records = [self.records.of(stencil, sizes, search, technique) for technique in techniques]
        return Found(self, records) if all(records) else None


def row_of(device, stencils, searches, name, sizes_of=None, labels=True):
    """The figures of one row: mean speed over random sampling, costs, and how often it found the best of all rows."""
    speeds, costs, best, nothing = [], [], 0, 0
    for stencil in stencils:
        all_found = {each: device.found(stencil, *each) for each in searches}
        found, rand = all_found[name], all_found[(RANDOM, None)]
        costs.append(found.costs)
        if found.seconds is None or rand.seconds is None:
            nothing += 1
            continue
        speeds.append(rand.seconds / found.seconds)
        best += found.seconds <= min(each.seconds for each in all_found.values() if each.seconds)
    mean = {cost: statistics.fmean(each[cost] for each in costs) for cost in costs[0]} if costs else {}
    return {"speedup": geometric_mean(speeds), "best": best, "nothing": nothing, **mean}


def complete(device, stencils, searches):
    return [stencil for stencil in stencils if all(device.found(stencil, *each) for each in searches)]


def spoken(search, name):
    who = {"ours": "chosen by our classifier", "weka": "chosen by Weka's", "oracle": "oracle"}.get(search[1])
    return f"{name} ({who})" if who else name


def number(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def is_usual(device, stencils, search):
    """Whether at least half of the stencils were searched so: a row of a few would leave out all others' stencils."""
    return 2 * len(complete(device, stencils, [search])) >= len(stencils)


def of_stencils(device, stencils):
    return f"{device.label}: of {len(stencils)} stencils{': ' if stencils else ''}{', '.join(stencils)}."


def performance(title, devices, groups, stencils_of):
    """A row for each search, and for each device its speed, configurations, compile time, run time and best count. What
    fewer than half of the stencils were searched by is left out, and told."""
    left_out = [member for _, members in groups for member in members
                if not any(is_usual(device, stencils_of(device), member[0]) for device in devices)]
    groups = [(group, kept) for group, members in groups if (kept := [each for each in members if each not in left_out])]
    searches = [each for _, members in groups for each, _ in members]
    columns = [""] + [f"{what}, {device.label}" for what in ("speedup", "configs", "of so many tried", "compile time, s", "runtime, s",
                                                             "best count") for device in devices]
    stencils = {device.label: complete(device, stencils_of(device), searches) for device in devices}
    rows, notes = [], []
    if len(searches) < 2 or (RANDOM, None) not in searches or not any(stencils.values()):
        return {"title": title, "columns": columns, "rows": [], "notes": []}
    if left_out:
        notes.append(f"{FEW}: {', '.join(spoken(*member) for member in left_out)}.")
    for group, members in groups:
        if group:
            rows.append([f"*{group}*"] + [""] * (len(columns) - 1))
        for search, name in members:
            told = [row_of(device, stencils[device.label], searches, search) for device in devices]
            rows.append([name] + [number(each["speedup"]) for each in told] +
                        [number(each.get(what), 0) for what in ("ran", "asked") for each in told] +
                        [number(each.get("build_seconds")) for each in told] + [number(each.get("one_run_seconds")) for each in told] +
                        [str(each["best"]) for each in told])
            notes += [f"{name}, {device.label}: of {each['nothing']} stencils no configuration ran."
                      for device, each in zip(devices, told) if each["nothing"]]
    notes += [of_stencils(device, stencils[device.label]) for device in devices]
    return {"title": title, "columns": columns, "rows": rows, "notes": notes}


def table_3(devices):
    groups = [("Baselines", [EXPS, RAND]),
              ("Oracles", [((each, "oracle"), TITLES[each]) for each in HEURISTICS])]
    groups += [(f"Heuristics, techniques chosen by {'our classifier' if who == 'ours' else 'the random forest of Weka'}",
                [((each, who), TITLES[each]) for each in HEURISTICS]) for who in CLASSIFIERS]
    return performance("Table 3: performance of heuristics and reference approaches", devices, groups,
                       lambda device: device.plan["subset"])


def table_4(device, figure):
    """Of each technique alone; the best count is among all searches of the table. A heuristic that fewer than half of the stencils
    were searched by is left out, and told."""
    heuristics = [each for each in HEURISTICS if is_usual(device, device.plan["subset"], (each, "oracle"))]
    searches = [(RANDOM, None)] + [(each, technique) for each in heuristics for technique in TECHNIQUES]
    stencils = complete(device, device.plan["subset"], searches) if heuristics else []
    rows, notes = [], [of_stencils(device, stencils)]
    for technique in AS_IN_THE_PAPER if stencils else []:
        told = [row_of(device, stencils, searches, (each, technique)) for each in heuristics]
        rows.append([SPOKEN[technique], *(number(each["speedup"]) for each in told), *(str(each["best"]) for each in told)])
    if left_out := [TITLES[each] for each in HEURISTICS if each not in heuristics]:
        notes.insert(0, f"{FEW}: {', '.join(left_out)}.")
    return {"title": f"Table {figure}: breakdown by data loading technique ({device.label})",
            "columns": ["data loading technique", *(f"{what}, {TITLES[each]}" for what in ("speedup", "best count") for each in heuristics)],
            "rows": rows, "notes": notes}


def table_6(devices):
    rows = []
    for device in devices:
        for evaluation in device.accuracies:
            for each in evaluation["judgements"]:
                rows.append([device.label, evaluation["left_out"], TITLES[evaluation["heuristic"]], str(len(evaluation["stencils"])),
                             each["classifier"], number(each["accuracy"]), number(each["penalty_weighted"]), number(each["least"])])
    return {"title": "Table 6: machine learning model accuracies",
            "columns": ["device", "left out", "heuristic", "stencils", "classifier", "absolute accuracy", "penalty-weighted accuracy",
                        "least"], "rows": rows,
            "notes": ["Of the hybrid the labels are those of the restricted hybrid, which was measured with all stencils."]}


def two_searches(title, devices, searches, baselines):
    groups = [("Techniques chosen by our classifier", [((each, "ours"), TITLES[each]) for each in searches]),
              ("Oracles", [((each, "oracle"), TITLES[each]) for each in searches]), ("Baselines", baselines)]
    return performance(title, devices, groups, lambda device: device.plan["subset"])


def table_7(devices):
    return two_searches("Table 7: results for the restricted heuristics", devices, ["hybrid", RESTRICTED], [EXPS, RAND])


def table_8(devices):
    measured = any(complete(device, device.plan["subset"], [(VARIABLE, "oracle")]) for device in devices)
    table = two_searches("Table 8: results for variable work-group size kernels", devices, ["hybrid", VARIABLE] if measured else [], [RAND])
    if measured:
        table["notes"].append("Configurations of variable size are kernels that were compiled: those that differ in the size of work-groups alone "
                              "are one.")
    return table


def by_sizes(title, devices, all_sizes, name):
    """Tables 9 and 10: the seven, the technique chosen by what learned at the whole size."""
    columns = [""] + [f"{name(sizes)}, {device.label}" for device in devices for sizes in all_sizes]
    rows, notes = [["Hybrid oracle"], ["Hybrid"], ["Random sample"], ["Correct predictions"]], []
    for device in devices:
        searched = set()
        for sizes in all_sizes:
            speeds, oracles, correct = [], [], 0
            for stencil in device.plan["seven"]:
                found = [device.found(stencil, *each, sizes=sizes) for each in (("hybrid", "oracle"), ("hybrid", "ours"), (RANDOM, None))]
                if not all(found) or any(each.seconds is None for each in found):
                    continue
                oracle, chosen, rand = (each.seconds for each in found)
                searched.add(stencil)
                oracles.append(rand / oracle)
                speeds.append(rand / chosen)
                correct += chosen <= oracle
            rows[0].append(number(geometric_mean(oracles)))
            rows[1].append(number(geometric_mean(speeds)))
            rows[2].append("1.00" if speeds else "")
            rows[3].append(f"{correct} of {len(speeds)}" if speeds else "")
        notes.append(of_stencils(device, [each for each in device.plan["seven"] if each in searched]))
    return {"title": title, "columns": columns, "rows": rows, "notes": notes}


def table_9(devices):
    return by_sizes("Table 9: heuristic performance on various input sizes", devices, [cube(each) for each in SIZES],
                    lambda sizes: str(sizes["D"]))


def table_10(devices):
    return by_sizes(f"Table 10: heuristic performance on various input shapes, {SIDE} x {SIDE} in x and y", devices,
                    [{"D": each, "H": SIDE, "W": SIDE} for each in DEPTHS], lambda sizes: f"z {sizes['D']}")


def told_accuracy(device, stencils):
    """Of a classifier that has learned from all other kernels, those of the same points with other operations among them, as the
    paper's."""
    pairs = [(device.found(stencil, "hybrid", "oracle"), device.found(stencil, "hybrid", "ours")) for stencil in stencils]
    shares = [best.seconds / chosen.seconds if chosen.seconds else 0 for best, chosen in pairs if best.seconds]
    return (f"{device.label}: the technique that is chosen is the best of {sum(share == 1 for share in shares)} of {len(shares)}, and "
            f"penalty-weighted {statistics.fmean(shares):.2f}." if shares else None)


def table_11(devices):
    searches = [((EXPERT, None), "ExpS"), ((RANDOM, None), "Rand"), (("hybrid", "oracle"), "Hybrid oracle"),
                (("hybrid", "ours"), "Hybrid heuristic")]

    def kernels(device):
        return list(dict.fromkeys(job["stencil"] for part in device.plan["parts"] if part["name"] == "intensities" for job in part["jobs"]))

    table = performance("Table 11: performance for varying computational intensity", devices, [("", searches)], kernels)
    accuracies = [told_accuracy(device, complete(device, kernels(device), [search for search, _ in searches])) for device in devices]
    table["notes"] += [each for each in accuracies if each]
    return table


def own_table(device):
    """Hoist's own search beside the hybrid, of all stencils of which both are there. Where the search had what the hybrid found timed
    beside it, these are the hybrid's times. On a device without the hybrid's searches its oracle is the best of what was transferred, and no
    classifier chooses."""
    rows, notes = [], []
    if "fastest" in device.plan:
        count = sum(map(len, device.plan["fastest"].values())) / len(device.plan["fastest"])
        notes.append(f"The hybrid's oracle is, of each stencil, the best of {count:.0f} configurations (in the mean) that were its fastest on "
                     "another device, all timed on this one.")
    for search, candidates, together in itertools.product((OWN, OWN_FAMILY), ("derived", "both"), (False, True)):
        over, over_oracle, first, evaluated, worse = [], [], [], [], []
        for stencil in device.names():
            record = device.records.of(stencil, device.whole, search)
            hybrid, oracle = (device.found(stencil, RESTRICTED, who) for who in ("ours", "oracle"))
            transferred = device.found(stencil, TRANSFERRED)
            hybrid, oracle = hybrid or transferred, oracle or transferred
            if not record or not record["best_seconds"] or not hybrid or not hybrid.seconds or record.get("space", "derived") != candidates:
                continue
            beside = record.get("beside", {})
            if bool(beside) != together:
                continue
            together_with = min(beside.values(), default=None) if hybrid is transferred else beside.get(device.choice(RESTRICTED, stencil, "ours"))
            over.append((together_with or hybrid.seconds) / record["best_seconds"])
            if oracle:
                over_oracle.append(min(beside.values(), default=oracle.seconds) / record["best_seconds"])
            evaluated.append(record["evaluated"])
            first.append(record["best_seconds"] / record["first_seconds"] if record.get("first_seconds") else 0)
            if over[-1] < 0.98:
                worse.append(stencil)
        if over:
            rows.append([search, candidates, "together" if together else "before", str(len(over)), number(geometric_mean(over)), number(geometric_mean(over_oracle)), str(len(worse)),
                         number(statistics.fmean(evaluated), 1), f"{sum(each >= 0.9 for each in first)} of {len(first)}"])
            if worse:
                notes.append(f"{search} among {candidates}, the hybrid's best timed {rows[-1][2]}, is worse by more than 2%: {', '.join(worse)}.")
    return {"title": f"Hoist's own search ({device.label})",
            "columns": ["search", "candidates (--space)", "the hybrid's best was timed", "stencils", "over the restricted hybrid", "over its oracle", "worse by more than 2%",
                        "configurations, mean", "first choice at least 0.9 of its best"], "rows": rows, "notes": notes}


def of_a_copy(speeds):
    """What bytes a second, by stencil, are of those of radius 0, which copies arrays of this size: the roof is of larger ones, whose
    kernels take so long that their beginning and end do not count."""
    if COPY not in speeds:
        return []
    shares = {stencil: speed / speeds[COPY] for stencil, speed in speeds.items()}
    least = min(shares, key=shares.get)
    return [f"Of those bound by memory, beside {COPY}, which copies arrays of this size: median {statistics.median(shares.values()):.2f}, "
            f"least {shares[least]:.2f} ({least})."]


def roof_table(device):
    """The best of any search as a share of the roof: each byte of input and result once at the speed of a copy, or every operation."""
    ceilings = [record["ceilings"] for record in device.records.by_key.values() if "ceilings" in record]
    if not ceilings:
        return {"title": f"Share of the roof ({device.label})", "columns": [], "rows": [],
                "notes": ["The device's ceilings were not measured."]}
    copy = statistics.median(each["copy_gb_s"] for each in ceilings) * 1e9
    peak = statistics.median(each["flops_f32"] for each in ceilings)
    rows, shares, speeds = [], [], {}
    for stencil in device.names():
        searched = [*((RESTRICTED, technique) for technique in TECHNIQUES), (TRANSFERRED, None)]
        record = next((each for search in searched if (each := device.records.of(stencil, device.whole, *search)) and "bytes" in each), None)
        own = device.records.of(stencil, device.whole, OWN)
        seconds = device.times.best_known(stencil, device.whole)
        candidates = [each for each in (seconds, own and own["best_seconds"]) if each]
        if not record or not candidates:
            continue
        best = min(candidates)
        by_memory, by_operations = record["bytes"] / copy, record["flops"] / peak
        share = max(by_memory, by_operations) / best
        shares.append(share)
        bound = "memory" if by_memory >= by_operations else "operations"
        if bound == "memory":
            speeds[stencil] = record["bytes"] / best
        rows.append([stencil, bound, number(record["flops"] / best * 1e-9, 0), number(record["bytes"] / best * 1e-9, 0),
                     number(share)])
    notes = [f"Copies {copy * 1e-9:.0f} GB/s, {peak * 1e-9:.0f} GFLOP/s in single precision, both as measured."]
    if rows:
        slow = [row[0] for row in rows if row[1] == "memory" and float(row[-1]) < MEMORY_BOUND_LEAST]
        notes += [f"Median {statistics.median(shares):.2f}; below {MEMORY_BOUND_LEAST} of those bound by memory: {', '.join(slow) or 'none'}.",
                  *of_a_copy(speeds),
                  f"The paper's 30 to 646 GFLOP/s on a GTX Titan ({TITAN_BYTES * 1e-9:.0f} GB/s, {TITAN_FLOPS * 1e-12:.1f} TFLOP/s by its "
                  f"maker): its slowest, radius 0, is {30e9 / (TITAN_BYTES / 8 * 2):.2f} of its roof, its fastest "
                  f"{646e9 / TITAN_FLOPS:.2f} of the peak."]
    return {"title": f"Share of the roof ({device.label})", "columns": ["stencil", "bound by", "GFLOP/s", "GB/s", "share"], "rows": rows,
            "notes": notes}


def all_tables(devices):
    if all("fastest" in device.plan for device in devices):
        return [table_9(devices), table_10(devices), *(table for device in devices for table in (own_table(device), roof_table(device)))]
    tables = [table_3(devices)]
    tables += [table_4(device, figure) for figure, device in zip((4, 5), devices)]
    tables += [table_6(devices), table_7(devices), table_8(devices), table_9(devices), table_10(devices), table_11(devices)]
    for device in devices:
        tables += [own_table(device), roof_table(device)]
    return tables


def markdown(table):
    text = f"## {table['title']}\n\n"
    if table["rows"] and any(any(row[1:]) for row in table["rows"]):
        text += "| " + " | ".join(table["columns"]) + " |\n|" + "|".join(["---"] + ["--:"] * (len(table["columns"]) - 1)) + "|\n"
        text += "".join("| " + " | ".join(row) + " |\n" for row in table["rows"])
    else:
        text += "Nothing of it was measured.\n"
    return text + ("\n" + "\n".join(f"- {note}" for note in table["notes"]) + "\n" if table["notes"] else "") + "\n"
