#!/usr/bin/env python3
"""How well learners choose a variant by the assembly of its hot loop: the tables of K. Stock, L.-N. Pouchet and P. Sadayappan
(Using machine learning to improve automatic vectorization, ACM TACO 8(4), 2012), from variants that simd_variants.py measured.

    bench/cpu_simd.py build/release/hoist data/cpu-simd-*.csv.gz --choices bench/results/cpu-simd/choices.csv.gz --table III
    bench/cpu_simd.py build/release/hoist data/cpu-simd-*.csv.gz --choices ... --write bench/results/cpu-simd      all tables

Tables I, II, III, IV, VI and VII are the paper's; `ranks` has Kendall's correlation and what three and ten runs find, `least` the
worst programs. What the file --choices has is not learned anew; the rest is added to it.

A choice is the variant that a learner predicts the most GFLOP/s for; of variants that it holds for equal, the mean counts.
Its efficiency is its speed as a share of the fastest variant's, of those that were measured. With --sets part the choice is among the
variants of each part (simd_variants.py), which were timed one after the other on one processor, and a program's figures are
means over its parts: for times of a machine whose processors are not always as fast. Training contractions are judged
by what is learned from the others, without renamings of the one that is judged; those of CCSD and the stencils by what is
learned from all training contractions of the same configuration. The paper's learners see the feature set fs3 and are those of
`hoist dev learn`; WeightedRank is there by all features of the assembly, too. So is ours, which sees what simd_inputs.py makes of a
variant. Beside them stand a choice at random (the mean
of all variants), the compiler (plain loops, of stencils Hoist's untuned kernel), a static model of the nest of loops
(simd_nests.py), the throughput that llvm-mca tells of the hot loop, and that of our feature operations_per_cycle ("Ports").

To read: read_programs() has the data, judged() lets all learners choose, TABLES prints. Needs NumPy (exit status 77 without it).
"""
import argparse
import collections
import concurrent.futures
import csv
import gzip
import io
import json
import os
import pathlib
import random
import statistics
import subprocess
import sys

import simd_inputs
from turns import np

FEATURES = ["arithmetic_intensity", "additions", "multiplications", "loads", "stores", "miscellaneous", "vector_operations",
            "sufficient_distance_ratio"]  # fs3
PAPERS = {"ibk": "IBk", "kstar": "KStar", "lr": "LR", "m5p": "M5P", "mlp": "MLP", "smoreg": "SVM", "weighted-rank": "Weighted Rank"}
WITH_ALL = "weighted-rank-35"  # the paper's, but by all features of the assembly
OURS = "priced-trees"
OTHERS = {"compiler": "Compiler", "random": "Random", "static": "St-m", "mca": "llvm-mca", "ports": "Ports"}
TITLES = {**OTHERS, **PAPERS, WITH_ALL: "Weighted Rank, 35 features", OURS: "Ours"}
LEARNERS_OF = {"training": ["ibk", "kstar", "m5p", OURS], "CCSD": [*PAPERS, WITH_ALL, OURS],
               "stencils": [*PAPERS, WITH_ALL, OURS]}
COMPILERS_OWN = {"contraction": "loops", "stencil": "untuned"}
SEED = 1
RUNS = {"first": 1, "three": 3, "ten": 10}
MOSTLY = 0.8  # of a program's variants, which llvm-mca must have looked at
FEWEST = 8  # variants of a part that one is chosen from
CHOICE = ["compiler", "isa", "type", "group", "program", "part", "variants", "points", "best", "learner", *RUNS, "kendall"]
Configuration = collections.namedtuple("Configuration", "compiler isa type")


class Program:
    """What was measured of a program by one configuration."""

    def __init__(self, name, group, flops, points):
        self.name, self.group, self.flops, self.points = name, group, flops, points
        self.speeds, self.features, self.cycles, self.operations, self.inputs, self.static = [], [], [], [], [], []
        self.ports, self.assembly = [], []
        self.parts, self.others = [], {}

    def add(self, row, terms):
        speed = self.flops / float(row["seconds"]) / 1e9
        if not row["step"]:
            self.others[row["variant"]] = speed
            return
        self.speeds.append(speed)
        self.parts.append(row.get("part", ""))
        self.features.append([float(row[each]) for each in FEATURES])
        names = list(row)
        self.assembly.append([float(row[each]) for each in names[names.index(FEATURES[0]):]])
        self.cycles.append(float(row["mca"]) if row.get("mca") else None)
        self.operations.append(float(row["element_operations"]))
        self.ports.append(float(row["operations_per_cycle"]))
        if terms:
            numbers, cost = simd_inputs.inputs_of(row, terms, self.flops)
            self.inputs.append(numbers)
            self.static.append(-cost)

    def sets(self, by_part):
        """Places of the variants that one is chosen from, by the name of the part; those of a small rest are left out."""
        if not by_part:
            return {"": list(range(len(self.speeds)))}
        found = collections.defaultdict(list)
        for place, part in enumerate(self.parts):
            found[part].append(place)
        return {part: places for part, places in found.items() if len(places) >= FEWEST}

    def compiler(self):
        return self.others.get(COMPILERS_OWN["contraction" if "-" in self.name else "stencil"])

    def mca(self):
        """Operations for each of llvm-mca's cycles, 0 where it was not asked; nothing where it was asked of few."""
        known = [each for each in self.cycles if each is not None]
        if len(known) < MOSTLY * len(self.cycles):
            return None
        return [operations / max(cycles, 1e-9) if cycles is not None else 0.0
                for operations, cycles in zip(self.operations, self.cycles)]


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


def rows_in(paths):
    for path in paths:
        with gzip.open(path, "rt") as file:
            yield from csv.DictReader(file)


def programs_of(rows, terms):
    """By configuration. `terms` has the rows of what no compiler is asked for, by instruction set, type, program, variant."""
    found = collections.defaultdict(dict)
    for row in rows:
        configuration = Configuration(row["compiler"].split()[0], row["isa"], row["type"])
        programs = found[configuration]
        if row["program"] not in programs:
            programs[row["program"]] = Program(row["program"], row["group"], float(row["flops"]), int(row.get("points") or 0))
        programs[row["program"]].add(row, terms.get((row["isa"], row["type"], row["program"], row["variant"])))
    several = {configuration: [each for each in programs.values() if len(each.speeds) > 1]
               for configuration, programs in sorted(found.items())}
    return {configuration: programs for configuration, programs in several.items() if programs}


def terms_and_tables(paths):
    """The rows of what no compiler is asked for, by instruction set, type, program, variant; and the paths of the other tables."""
    are_terms = lambda path: "-terms-" in path.name
    terms = {(row["isa"], row["type"], row["program"], row["variant"]): row for row in rows_in(filter(are_terms, paths))}
    return terms, [path for path in paths if not are_terms(path)]


def read_programs(paths):
    terms, tables = terms_and_tables(paths)
    return programs_of(rows_in(tables), terms)


def kendall(scores, speeds):
    """Kendall's rank correlation, with equal numbers (tau-b)."""
    left, right = (np.sign(np.subtract.outer(each, each)) for each in (np.asarray(scores), np.asarray(speeds)))
    pairs = np.sqrt(float((left ** 2).sum()) * float((right ** 2).sum()))
    return float((left * right).sum() / pairs) if pairs else 0.0


def figures_of(scores, speeds):
    """What is chosen by scores: the speed of what has the highest, of several the mean; the best of the first runs; and how
    the scores order all."""
    highest = max(scores)
    first = statistics.fmean(speed for speed, score in zip(speeds, scores) if score == highest)
    places = list(range(len(scores)))
    random.Random(SEED).shuffle(places)
    places.sort(key=lambda place: -scores[place])
    in_order = [speeds[place] for place in places]
    return {"first": first, "three": max(in_order[:3]), "ten": max(in_order[:10]), "kendall": kendall(scores, speeds)}


def expected_at_random(speeds):
    """The same where the order is drawn."""
    return {**{name: expected_greatest(sorted(speeds), min(runs, len(speeds))) for name, runs in RUNS.items()}, "kendall": 0.0}


def expected_greatest(ordered, runs):
    """The expectation of the greatest of so many numbers that are drawn."""
    count, total, at_most = len(ordered), 0.0, 1.0
    for place in range(count, runs - 1, -1):
        below = at_most * (place - runs) / place
        total += ordered[place - 1] * (at_most - below)
        at_most = below
    return total


def scores_of(hoist, learner, learned, judged, by_part):
    """For each judged program the learner's scores of its variants."""
    is_ours = learner == OURS
    rows = lambda program: program.inputs if is_ours else program.assembly if learner == WITH_ALL else program.features
    examples = {"rows": [], "targets": [], "groups": [], "tests": [rows(program) for program in judged]}
    for number, program in enumerate(learned):
        # Only times of the same part compare; WeightedRank leaves whole programs out.
        for places in program.sets(by_part and is_ours).values():
            number = examples["groups"][-1] + 1 if is_ours and examples["groups"] else number
            examples["rows"] += [rows(program)[place] for place in places]
            examples["targets"] += [program.speeds[place] for place in places]
            examples["groups"] += [number] * len(places)
    if is_ours:
        examples["costs"] = len(simd_inputs.COSTS)
    name = learner.replace("-35", "")
    ran = subprocess.run([hoist, "dev", "learn", name, "-"], input=json.dumps(examples), capture_output=True, text=True)
    if ran.returncode != 0:
        raise RuntimeError(ran.stderr)
    return json.loads(ran.stdout)


def lessons_of(programs, groups):
    """Programs of the groups by what they are judged by: all training contractions but their renamings."""
    training = [each for each in programs if each.group == "training"]
    forms = {each.name: canonical(each.name) for each in programs if "-" in each.name}
    lessons = {}
    for program in (each for each in programs if each.group in groups):
        learned = [each for each in training if forms[each.name] != forms.get(program.name)]
        lessons.setdefault(tuple(each.name for each in learned), (learned, []))[1].append(program)
    return list(lessons.values())


def rows_of(configuration, program, by_part, figures):
    """A row of CHOICE for each set; `figures` gives those of places."""
    for part, places in program.sets(by_part).items():
        speeds = [program.speeds[place] for place in places]
        yield {**configuration._asdict(), "group": program.group, "program": program.name, "part": part, "variants": len(places),
               "points": program.points, "best": max(speeds), **figures(places, speeds)}


def rows_without_learning(configuration, program, by_part):
    """Rows of CHOICE of those who learn nothing."""
    def rows(learner, figures):
        return [{**row, "learner": learner} for row in rows_of(configuration, program, by_part, figures)]

    found = rows("random", lambda _, speeds: expected_at_random(speeds))
    if program.compiler():
        found += rows("compiler", lambda _, __: {"first": program.compiler()})
    for learner, scores in (("static", program.static), ("mca", program.mca()), ("ports", program.ports)):
        if scores:
            found += rows(learner, lambda places, speeds, scores=scores: figures_of([scores[place] for place in places], speeds))
    return found


def judged(hoist, programs_by_configuration, groups, jobs, by_part=False, learners=None):
    """Rows of CHOICE."""
    rows, tasks = [], []

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for configuration, programs in programs_by_configuration.items():
            for program in (each for each in programs if each.group in groups):
                rows.extend(rows_without_learning(configuration, program, by_part))
            for learned, of_lesson in lessons_of(programs, groups):
                for learner in learners or LEARNERS_OF[of_lesson[0].group]:
                    if learned and (learner != OURS or all(each.inputs for each in learned + of_lesson)):
                        task = pool.submit(scores_of, hoist, learner, learned, of_lesson, by_part)
                        tasks.append((configuration, of_lesson, learner, task))
        for configuration, programs, learner, task in tasks:
            for program, scores in zip(programs, task.result()):
                figures = lambda places, speeds, scores=scores: figures_of([scores[place] for place in places], speeds)
                rows += [{**row, "learner": learner} for row in rows_of(configuration, program, by_part, figures)]
    return rows


def write_choices(path, rows):
    text = io.StringIO()
    writer = csv.DictWriter(text, CHOICE, lineterminator="\n", restval="")
    writer.writeheader()
    for row in sorted(rows, key=lambda row: [str(row[each]) for each in ("compiler", "isa", "type", "group", "program", "learner", "part")]):
        writer.writerow({key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()})
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(path, "wb", mtime=0) as file:
        file.write(text.getvalue().encode())


def read_choices(path):
    numbers = ["best", *RUNS, "kendall"]
    return [{**row, **{key: float(row[key]) for key in numbers if row[key]}} for row in rows_in([path])]


class Choices:
    """What a learner chose for each program: means over its sets of the GFLOP/s and of the efficiencies."""

    def __init__(self, rows):
        sets = collections.defaultdict(list)
        for row in rows:
            sets[(Configuration(row["compiler"], row["isa"], row["type"]), row["group"], row["learner"]), row["program"]].append(row)
        self.found = collections.defaultdict(dict)
        for (key, program), of_program in sets.items():
            mean = lambda number: statistics.fmean(map(number, of_program))
            figures = [figure for figure in RUNS if of_program[0].get(figure, "") != ""]
            self.found[key][program] = {
                "program": program, "points": int(of_program[0]["points"]),
                "variants": sum(int(row["variants"]) for row in of_program), "speed": mean(lambda row: row["first"]),
                **{figure: mean(lambda row, figure=figure: row[figure] / row["best"]) for figure in figures},
                **({"kendall": mean(lambda row: row["kendall"])} if of_program[0].get("kendall", "") != "" else {})}
        self.configurations = sorted({key[0] for key in self.found})

    def rows(self, configuration, group, learner):
        return list(self.found.get((configuration, group, learner), {}).values())

    def efficiencies(self, configuration, group, learner, figure="first"):
        return [row[figure] for row in self.rows(configuration, group, learner) if figure in row]

    def mean(self, configuration, group, learner, figure="first"):
        found = self.efficiencies(configuration, group, learner, figure)
        return statistics.fmean(found) if found else None


def cell(value, digits=2):
    return "" if value is None else f"{value:.{digits}f}"


def lines_of(header, rows):
    text = f"| {' | '.join(header)} |\n|---|{'---:|' * (len(header) - 1)}\n"
    return text + "".join(f"| {' | '.join(row)} |\n" for row in rows)


def averaged(rows):
    """Of columns of numbers; nothing where a column has none."""
    columns = [[each for each in column if each is not None] for column in zip(*rows)]
    return [statistics.fmean(column) if column else None for column in columns]


def table_one(choices, _):
    models = [OURS, "ibk", "kstar", "m5p"]
    rows = [[" ".join(each), *(choices.mean(each, "training", model) for model in models)] for each in choices.configurations]
    return lines_of(["Configuration", *(TITLES[model] for model in models)],
                    [[name, *map(cell, numbers)] for name, *numbers in rows + [["Average", *averaged([row[1:] for row in rows])]]])


def table_two(choices, configuration):
    programs = [row["program"] for row in choices.rows(configuration, "CCSD", "random")]
    rows = []
    for program in programs:
        found = [choices.found.get((configuration, "CCSD", learner), {}).get(program) for learner in TITLES]
        rows.append([program, *(row and row["first"] for row in found)])
    rows.append(["Average", *averaged([row[1:] for row in rows])])
    return lines_of(["Tensor contraction", *TITLES.values()], [[name, *map(cell, numbers)] for name, *numbers in rows])


def table_of_means(group):
    def table(choices, _):
        rows = [[" ".join(each), *(choices.mean(each, group, learner) for learner in TITLES)] for each in choices.configurations]
        rows.append(["Average", *averaged([row[1:] for row in rows])])
        return lines_of(["Configuration", *TITLES.values()], [[name, *map(cell, numbers)] for name, *numbers in rows])
    return table


def table_of_speeds(group):
    def table(choices, _):
        lines = []
        for configuration in choices.configurations:
            by_learner = [{row["program"]: row["speed"] for row in choices.rows(configuration, group, learner)}
                          for learner in ("compiler", "weighted-rank", OURS)]
            programs = [each for each in by_learner[0] if all(each in speeds for speeds in by_learner)]
            if not programs:
                continue
            sides = [[speeds[each] for each in programs] for speeds in by_learner]
            line = [" ".join(configuration)]
            for side in sides:
                line += [cell(min(side)), cell(statistics.fmean(side)), cell(max(side))]
                if side is not sides[0]:
                    line.append(f"{statistics.fmean(side) / statistics.fmean(sides[0]):.2f}×")
            lines.append(line)
        return lines_of(["Configuration", *(f"Compiler {each}" for each in ("min", "avg", "max")),
                         *(f"{side} {each}" for side in ("Weighted Rank", "Ours") for each in ("min", "avg", "max", "improvement"))], lines)
    return table


def table_of_ranks(choices, _):
    text = ""
    for group in ("CCSD", "stencils"):
        lines = []
        for learner, title in TITLES.items():
            numbers = [averaged([[choices.mean(each, group, learner, figure)] for each in choices.configurations])[0]
                       for figure in (*RUNS, "kendall")]
            lines.append([title, *map(cell, numbers)])
        text += f"{group}, mean over all configurations:\n\n" + lines_of(["", "1 run", "3 runs", "10 runs", "Kendall"], lines) + "\n"
    return text


def table_of_least(choices, _):
    text = ""
    for group in ("CCSD", "stencils"):
        lines = []
        for configuration in choices.configurations:
            line = [" ".join(configuration)]
            for learner in ("random", "weighted-rank", WITH_ALL, OURS):
                rows = choices.rows(configuration, group, learner)
                if rows:
                    least = min(rows, key=lambda row: row["first"])
                    line += [f"{least['first']:.2f} ({least['program']})", str(sum(row["first"] < 0.8 for row in rows))]
            lines.append(line + [""] * (9 - len(line)))
        header = ["Configuration", *(each for title in ("Random", "Weighted Rank", "35 features", "Ours") for each in (f"{title}, least", "under 0.80"))]
        text += f"{group}:\n\n" + lines_of(header, lines) + "\n"
    return text


def table_of_variants(choices, configuration):
    """How many variants each contraction has, and how many were measured."""
    lines = [[row["program"], group, str(row["points"]), str(row["variants"])] for group in ("training", "CCSD", "stencils")
             for row in choices.rows(configuration, group, "random")]
    return lines_of(["Program", "of", "variants", "measured"], lines)


TABLES = {
    "I": ("Training contractions, each judged by what is learned from the others", ["training"], table_one),
    "II": ("Contractions of CCSD by one configuration", ["CCSD"], table_two),
    "III": ("Contractions of CCSD", ["CCSD"], table_of_means("CCSD")),
    "IV": ("GFLOP/s on contractions of CCSD", ["CCSD"], table_of_speeds("CCSD")),
    "VI": ("Stencils, by what contractions taught", ["stencils"], table_of_means("stencils")),
    "VII": ("GFLOP/s on stencils", ["stencils"], table_of_speeds("stencils")),
    "ranks": ("The best of the first runs, and Kendall's rank correlation", ["CCSD", "stencils"], table_of_ranks),
    "variants": ("Variants of each program by one configuration", ["training", "CCSD", "stencils"], table_of_variants),
    "least": ("The worst program of each configuration, and how many are under 0.80", ["CCSD", "stencils"], table_of_least),
}


ABOUT = {
    "program": "A choice's efficiency is its speed as a share of the fastest variant's that was measured.\n",
    "part": """A choice is among twenty variants, drawn at random, that one processor timed one after the other, and its efficiency its speed as a
share of the fastest of these; figures of a program are means over its four to six such parts, and a minimum is that of these means. Times of
different parts do not compare, since threads of a core got in each other's way (data/README.md): the paper's learners learn GFLOP/s, ours
differences within parts (scaling what the former learn part by part to a program's median changes their means by 0.03 at most). Plain loops (Compiler) were timed at other moments: their columns are
rough. llvm-mca was asked of one configuration.
"""}


def completed(options, groups):
    """The rows of --choices, and those of the groups that it lacks; written configuration by configuration."""
    rows = read_choices(options.choices) if options.choices and options.choices.exists() else []
    known = {(row["compiler"], row["isa"], row["type"], row["group"]) for row in rows}
    for configuration, programs in read_programs(options.data).items():
        for together in (["CCSD", "stencils"], ["training"]):
            missing = [group for group in together if group in groups and (*configuration, group) not in known]
            if missing:
                rows += judged(options.hoist.resolve(), {configuration: programs}, missing, options.jobs, options.sets == "part")
                if options.choices:
                    write_choices(options.choices, rows)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path, nargs="+", help="tables of simd_variants.py, those of terms too")
    parser.add_argument("--table", choices=list(TABLES), nargs="+", help="otherwise all")
    parser.add_argument("--configuration", default="gcc avx2 f32", help="of tables II and variants")
    parser.add_argument("--sets", choices=["program", "part"], default="program", help="what one is chosen from")
    parser.add_argument("--choices", type=pathlib.Path, help="what was chosen; written where it is not there")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--write", type=pathlib.Path, help="folder for tables.md")
    options = parser.parse_intermixed_args()
    names = options.table or list(TABLES)
    choices = Choices(completed(options, {group for name in names for group in TABLES[name][1]}))
    text = "".join(f"## Table {name}: {TABLES[name][0]}\n\n{TABLES[name][2](choices, Configuration(*options.configuration.split()))}\n"
                   for name in names)
    print(text)
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        (options.write / "tables.md").write_text(f"# Choosing variants by their assembly\n\n{ABOUT[options.sets]}\n{text}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
