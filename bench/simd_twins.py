#!/usr/bin/env python3
"""How much of what learners miss is noise: how far times of the same code are apart, and what that lets a perfect order choose.

    bench/simd_twins.py data/cpu-simd-*.csv.gz

Twins are variants of a program by one configuration (simd_variants.py) whose bodies and loops are the same: they differ in the place of
a loop that has one iteration and no jam. Their hot loops have the same features, too. Where their code lies, and what the machine did
meanwhile, is all that tells their times apart.

The first table has the quotient of the slower and the faster time of each pair of twins. The second has what somebody chooses who knows
all times but for such noise: each measured time of a contraction of CCSD is taken for the truth, and half of the variants are
slowed down by the quotient of a pair, drawn at random. The choice is the truly fastest variant; its efficiency is a share of the
one that is fastest after that. What is under 0.80 then, no learner could avoid. Needs NumPy (exit status 77 without it).
"""
import argparse
import collections
import itertools
import pathlib

import cpu_simd
import simd_nests
from turns import SEED, np

BOUNDS = [1.1, 1.2, 1.4]
DRAWS = 20
LEAST_EFFICIENCY = 0.8


def quotients_and_times(rows, terms):
    """Quotients of the times of pairs of twins by configuration; and the times of each contraction, by configuration, group, name."""
    twins, seconds = collections.defaultdict(list), collections.defaultdict(list)
    for row in rows:
        term = terms.get((row["isa"], row["type"], row["program"], row["variant"]))
        if not row["step"] or not term or row["group"] == "stencils":
            continue
        configuration = cpu_simd.Configuration(row["compiler"].split()[0], row["isa"], row["type"])
        order, trips, jams, _, lane, width, _ = simd_nests.nest_of(row["program"], row["step"], term["values"])
        loops = tuple((letter, trips[letter], jams[letter]) for letter in order if trips[letter] * jams[letter] > 1)
        names = list(row)
        features = tuple(row[name] for name in names[names.index(cpu_simd.FEATURES[0]):])
        twins[configuration, row["program"], loops, lane, width, features].append(float(row["seconds"]))
        seconds[configuration, row["group"], row["program"]].append(float(row["seconds"]))
    quotients = collections.defaultdict(list)
    for (configuration, *_), times in twins.items():
        quotients[configuration] += [max(pair) / min(pair) for pair in itertools.combinations(times, 2)]
    return {configuration: found for configuration, found in sorted(quotients.items()) if found}, seconds


def chosen_by_the_truth(times, quotients, random):
    """The efficiency of the fastest variant where half of all are slowed down by a quotient each."""
    times = np.asarray(times)
    slowed = times * np.where(random.random(len(times)) < 0.5, random.choice(quotients, len(times)), 1)
    return float(slowed.min() / slowed[times.argmin()])


def table_of_quotients(quotients):
    def line(name, found):
        return [name, str(len(found)), f"{np.median(found):.3f}", *(f"{np.mean(np.array(found) > above):.3f}" for above in BOUNDS)]

    lines = [line(" ".join(configuration), found) for configuration, found in quotients.items()]
    lines.append(line("all", list(itertools.chain(*quotients.values()))))
    return cpu_simd.lines_of(["Configuration", "pairs", "median", *(f"over {above}" for above in BOUNDS)], lines)


def table_of_choices(quotients, seconds):
    """By the quotients of all configurations, of some of which there are few."""
    random, every = np.random.default_rng(SEED), np.array(list(itertools.chain(*quotients.values())))
    line = lambda name, found: [name, f"{found.mean():.3f}", f"{np.median(found.min(axis=1)):.2f}", f"{np.mean(found < LEAST_EFFICIENCY):.3f}"]
    lines, together = [], []
    for configuration in sorted({key[0] for key in seconds}):
        programs = [times for key, times in seconds.items() if key[:2] == (configuration, "CCSD")]
        if programs:
            together.append(np.array([[chosen_by_the_truth(times, every, random) for times in programs] for _ in range(DRAWS)]))
            lines.append(line(" ".join(configuration), together[-1]))
    if together:
        lines.append(line("all", np.concatenate(together, axis=1)))
    return cpu_simd.lines_of(["Configuration", "mean efficiency", "least, median of draws", f"share under {LEAST_EFFICIENCY:.2f}"], lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path, nargs="+", help="tables of simd_variants.py, those of terms too")
    options = parser.parse_args()
    terms, paths = cpu_simd.terms_and_tables(options.data)
    quotients, seconds = quotients_and_times(cpu_simd.rows_in(paths), terms)
    if not quotients:
        parser.error("no two variants are twins, or the table of terms is missing")
    print(table_of_quotients(quotients))
    print(table_of_choices(quotients, seconds))


if __name__ == "__main__":
    main()
