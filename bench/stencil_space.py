"""What a space of configurations is like: the four experiments of section 5 of Garvey and Abdelrahman (2018), in figures, from records
(stencil_records.py) of random samples. A speed is that of a configuration over the fastest of its stencil's sample.

    1. distribution(device)   how speeds are distributed: those that are fast are few
    2. best_values(device)    which values the best configurations have: they vary
    3. alone(device)          each parameter chosen by itself, all together: they interact
    4. elsewhere(device)      the best of each stencil on the others: it does not carry over
"""
import collections
import statistics

from stencil_plan import ALONE, COMBINED, ELSEWHERE, RANDOM
from stencil_records import NAMES, technique_of

BINS = 10
FAST, SLOW = 0.9, 0.1
SHOWN = ["WX", "WY", "WZ", "CX", "CY", "CZ"]


def samples(device):
    """(stencil, record, seconds of the best, its values) of each stencil of which a random sample ran."""
    for stencil in device.plan["subset"]:
        record = device.records.of(stencil, device.whole, RANDOM)
        best = device.times.best(record) if record else None
        if best:
            yield stencil, record, *best


def histogram(speeds, failed):
    """How many there are in each tenth; those beyond 1 are in the last."""
    counts = [0] * BINS
    for speed in speeds:
        counts[min(int(speed * BINS), BINS - 1)] += 1
    return [str(failed)] + [str(each) for each in counts]


def histogram_columns():
    return ["not executable"] + [f"{i / BINS:.1f} to {(i + 1) / BINS:.1f}" for i in range(BINS)]


def distribution(device):
    speeds, failed, stencils = [], 0, 0
    for _, record, best, _ in samples(device):
        stencils += 1
        for *values, _, _ in record["configurations"]:
            seconds = device.times.of(record, values)
            failed += seconds is None
            speeds += [best / seconds] if seconds else []
    notes = [f"Of {stencils} stencils."]
    if speeds:
        notes.append(f"Of {len(speeds)} that ran {sum(each >= FAST for each in speeds) / len(speeds):.1%} are within 10% of the best, "
                     f"{sum(each < SLOW for each in speeds) / len(speeds):.1%} more than 10 times slower (the paper: 1.3% and 34.2% on its "
                     "GTX Titan).")
    return {"title": f"Speeds of random configurations ({device.label})", "columns": ["", *histogram_columns()],
            "rows": [["configurations", *histogram(speeds, failed)]] if speeds else [], "notes": notes}


def best_values(device):
    counts = collections.defaultdict(collections.Counter)
    count = 0
    for _, _, _, values in samples(device):
        count += 1
        named = dict(zip(NAMES, values))
        for name in SHOWN:
            counts[name][named[name]] += 1
        counts["BX/VX"][named["VX"]] += 1
        counts["technique"][technique_of(values)] += 1
    rows = [[name, str(len(each)), ", ".join(f"{value} ({times})" for value, times in sorted(each.items(), key=lambda of: str(of[0]).zfill(6))),
             f"{max(each.values()) / count:.0%}"] for name, each in counts.items()]
    return {"title": f"Values of the best configurations ({device.label})",
            "columns": ["parameter", "different values", "values (stencils)", "the most frequent"], "rows": rows,
            "notes": [f"Of {count} stencils."]}


def speeds_of(device, search):
    """Speeds of what a search tried, of each stencil, over the best of the sample; and how many did not run."""
    speeds, failed, stencils = [], 0, 0
    for stencil, _, best, _ in samples(device):
        record = device.records.of(stencil, device.whole, search)
        if not record:
            continue
        stencils += 1
        # What the space does not contain was not asked for.
        failed += record["outside"]
        for *values, _, _ in record["configurations"]:
            seconds = device.times.of(record, values)
            failed += seconds is None
            speeds += [best / seconds] if seconds else []
    return speeds, failed, stencils


def table_of(device, search, title, paper):
    speeds, failed, stencils = speeds_of(device, search)
    notes = [f"Of {stencils} stencils."]
    if speeds:
        with_failed = sum(speeds) / (len(speeds) + failed)
        notes.append(f"In the mean {statistics.fmean(speeds):.2f} of those that ran, {with_failed:.2f} where others count as 0 ({paper}).")
    return {"title": f"{title} ({device.label})", "columns": ["", *histogram_columns()],
            "rows": [["configurations", *histogram(speeds, failed)]] if speeds else [], "notes": notes}


def alone(device):
    return table_of(device, COMBINED, "Each parameter chosen by itself, all together", "the paper: 0.97 on its GTX Titan, 0.81 on its R9 390")


def elsewhere(device):
    return table_of(device, ELSEWHERE, "The best configuration of each stencil on all of them",
                    "the paper: 0.69 on its GTX Titan, 0.63 on its R9 390")


def all_experiments(device):
    return [distribution(device), best_values(device), alone(device), elsewhere(device)]
