#!/usr/bin/env python3
"""How well the learners of K. Stock, L.-N. Pouchet and P. Sadayappan (Using machine learning to improve automatic
vectorization, ACM TACO 8(4), 2012) choose a variant by the assembly of its hot loop: their tables from variants that
simd_variants.py measured.

    bench/cpu_simd.py build/release/hoist cpu-simd.csv.gz --write results

A choice is the variant that a learner predicts the most GFLOP/s for, by the feature set fs3; of variants that it holds for
equal, the mean counts. Its efficiency is its speed as a share of the fastest variant's, of those that were measured.
Training contractions are judged by what is learned from the others, without renamings of the one that is judged; those of
CCSD and the stencils by what is learned from all training contractions. Beside the learners stand a choice at random (the
mean of all variants) and the compiler: plain loops, of stencils Hoist's untuned kernel. Learners are those of `hoist dev
learn`.
"""
import argparse
import collections
import csv
import gzip
import json
import pathlib
import statistics
import subprocess
import sys

FEATURES = ["arithmetic_intensity", "additions", "multiplications", "loads", "stores", "miscellaneous", "vector_operations",
            "sufficient_distance_ratio"]  # fs3
LEARNERS = ["ibk", "kstar", "m5p", "lr", "mlp", "smoreg", "weighted-rank"]
COMPILERS_OWN = {"contraction": "loops", "stencil": "untuned"}
Configuration = collections.namedtuple("Configuration", "compiler isa type")


class Program:
    """What was measured of a program by one configuration."""

    def __init__(self, name, group):
        self.name, self.group, self.variants, self.others = name, group, [], {}

    def add(self, row):
        speed = float(row["gflops"])
        if row["step"]:
            self.variants.append(([float(row[each]) for each in FEATURES], speed))
        else:
            self.others[row["variant"]] = speed

    @property
    def best(self):
        return max(speed for _, speed in self.variants)

    def random(self):
        return statistics.fmean(speed for _, speed in self.variants)

    def compiler(self):
        return self.others.get(COMPILERS_OWN["contraction" if "-" in self.name else "stencil"])


def canonical(name):
    """The same for contractions that differ in the names of indices, or in which operand is which."""
    result, left, right = name.split("-")
    forms = []
    for parts in ((result, left, right), (result, right, left)):
        letters = {}
        for letter in "".join(parts):
            letters.setdefault(letter, chr(ord("a") + len(letters)))
        forms.append("-".join("".join(letters[letter] for letter in part) for part in parts))
    return min(forms)


def programs_of(rows):
    """By configuration, then by name."""
    found = collections.defaultdict(dict)
    for row in rows:
        configuration = Configuration(row["compiler"], row["isa"], row["type"])
        found[configuration].setdefault(row["program"], Program(row["program"], row["group"])).add(row)
    return {configuration: [each for each in programs.values() if len(each.variants) > 1]
            for configuration, programs in found.items()}


def chosen(variants, scores):
    """The speed of what has the highest score; of several the mean."""
    highest = max(scores)
    return statistics.fmean(speed for (_, speed), score in zip(variants, scores) if score == highest)


def scores_of(hoist, learner, learned, judged):
    examples = {"rows": [], "targets": [], "groups": [], "test": [features for features, _ in judged.variants]}
    for number, program in enumerate(learned):
        for features, speed in program.variants:
            examples["rows"].append(features)
            examples["targets"].append(speed)
            examples["groups"].append(number)
    ran = subprocess.run([hoist, "dev", "learn", learner, "-"], input=json.dumps(examples), capture_output=True, text=True)
    if ran.returncode != 0:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout)


def judged_speeds(hoist, programs, group):
    """For each program of the group the speed of every learner's choice."""
    training = [each for each in programs if each.group == "training"]
    rows = []
    for judged in (each for each in programs if each.group == group):
        learned = [each for each in training
                   if "-" not in judged.name or canonical(each.name) != canonical(judged.name)]
        speeds = {learner: chosen(judged.variants, scores_of(hoist, learner, learned, judged)) for learner in LEARNERS}
        rows.append((judged, speeds))
    return rows


def efficiency_line(configuration, rows):
    """Means over the programs."""
    cells = [statistics.fmean(speeds[learner] / program.best for program, speeds in rows) for learner in LEARNERS]
    cells.append(statistics.fmean(program.random() / program.best for program, _ in rows))
    compilers = [program.compiler() / program.best for program, _ in rows if program.compiler()]
    cells.append(statistics.fmean(compilers) if compilers else float("nan"))
    return f"| {' '.join(configuration)} | {len(rows)} | {' | '.join(f'{cell:.2f}' for cell in cells)} |\n"


def speed_line(configuration, rows):
    """The compiler beside WeightedRank: the least, mean and greatest GFLOP/s, and the mean's improvement."""
    rows = [row for row in rows if row[0].compiler()]
    sides = [[program.compiler() for program, _ in rows], [speeds["weighted-rank"] for _, speeds in rows],
             [program.best for program, _ in rows]]
    cells = [f"{value:.1f}" for side in sides for value in (min(side), statistics.fmean(side), max(side))]
    ratio = statistics.geometric_mean(ours / theirs for ours, theirs in zip(sides[1], sides[0]))
    return f"| {' '.join(configuration)} | {len(rows)} | {' | '.join(cells)} | {ratio:.2f} |\n"


def tables(hoist, programs):
    sections = {"training": "Training contractions, each judged by what is learned from the others (Table I)",
                "CCSD": "Contractions of CCSD (Tables II, III)", "stencils": "Stencils, by what contractions taught (Table VI)"}
    speed_sections = {"CCSD": "GFLOP/s on contractions of CCSD (Table IV)", "stencils": "GFLOP/s on stencils (Table VII)"}
    lines, speeds, rows_of_all = collections.defaultdict(str), collections.defaultdict(str), []
    for configuration, measured in sorted(programs.items()):
        for group in sections:
            rows = judged_speeds(hoist, measured, group)
            if not rows:
                continue
            lines[group] += efficiency_line(configuration, rows)
            if group in speed_sections:
                speeds[group] += speed_line(configuration, rows)
            rows_of_all += [{**configuration._asdict(), "group": group, "program": program.name,
                             "variants": len(program.variants), "best": program.best, "random": program.random(),
                             "compiler": program.compiler(), **speeds_of} for program, speeds_of in rows]
    text = "# Choosing variants by their assembly\n"
    for group, title in sections.items():
        text += (f"\n## {title}\n\n| configuration | programs | {' | '.join(LEARNERS)} | random | compiler |\n"
                 f"|---|---:|{'---:|' * (len(LEARNERS) + 2)}\n{lines[group]}")
        if group in speed_sections:
            text += (f"\n### {speed_sections[group]}\n\n| configuration | programs | compiler min | avg | max | weighted-rank "
                     f"min | avg | max | best min | avg | max | improvement |\n|---|---:|{'---:|' * 10}\n{speeds[group]}")
    return text, rows_of_all


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path, nargs="+")
    parser.add_argument("--write", type=pathlib.Path, help="folder for tables.md and choices.json")
    options = parser.parse_args()
    rows = [row for path in options.data for row in csv.DictReader(gzip.open(path, "rt"))]
    text, choices = tables(options.hoist.resolve(), programs_of(rows))
    print(text)
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        (options.write / "tables.md").write_text(text)
        (options.write / "choices.json").write_text(json.dumps(choices, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
