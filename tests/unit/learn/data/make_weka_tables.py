#!/usr/bin/env python3
"""Writes the tables that hold the learners of src/learn/weka to Weka 3.6.14's own predictions: weka_*.csv beside this file.

    tests/unit/learn/data/make_weka_tables.py             # anew
    tests/unit/learn/data/make_weka_tables.py --check     # whether Weka predicts what the tables say

It needs Debian's packages weka (3.6.14-3) and default-jdk-headless, and ends with status 77 where they are not. What reads
the tables needs neither. In each table the rows to learn from come first, then those that are only predicted; the last six
columns are what Weka predicts for each.
"""
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WEKA = "/usr/share/java/weka.jar"
LEARNERS = ["ibk", "k_star", "linear_regression", "m5p", "multilayer_perceptron", "smo_reg"]


def features_of_a_loop(numbers):
    """Counts of instructions and what follows from them, as the features of loops are: small, with equal ones among them,
    and one that is the sum of others. The fifth is constant."""
    adds, multiplications, loads = numbers.randint(0, 12), numbers.randint(0, 12), numbers.randint(1, 16)
    return [adds, multiplications, loads, adds + multiplications + loads, 3, (adds + multiplications) / loads,
            round(numbers.random(), 3), round(numbers.gauss(0, 1), 6)]


def speed_of_a_loop(row, numbers):
    is_fast = row[6] > 0.6 and row[0] > 4
    slope = 0.3 if row[2] < 8 else -0.3
    return round(3 + 0.4 * min(row[5], 4) + (2.5 if is_fast else 0) - 0.05 * row[2] + slope * row[7]
                 + numbers.gauss(0, 0.1), 4)


def wide(numbers):
    """60 rows to learn from and 25 others, of 8 numbers."""
    rows = [features_of_a_loop(numbers) for _ in range(85)]
    targets = [speed_of_a_loop(row, numbers) for row in rows]
    rows[10], targets[10] = rows[3], targets[3]  # a row that is there twice
    rows[11] = rows[4]  # and one with two targets
    rows[60] = rows[4]  # one that was learned from
    rows[61] = [4 * number for number in rows[61]]  # one outside of the ranges, the constant number's too
    rows[62] = [-number for number in rows[62]]
    return rows, targets, 60


def small(numbers):
    """15 rows to learn from and 5 others, of 3 numbers."""
    rows = [[numbers.randint(0, 3), round(numbers.random(), 2), round(numbers.gauss(5, 2), 4)] for _ in range(20)]
    return rows, [round(2 * a - b * c + numbers.gauss(0, 0.05), 3) for a, b, c in rows], 15


def deep(numbers):
    """300 rows to learn from and 100 others, of 4 numbers: parts of a plane with a slope of each, a tree of some depth."""
    rows = [[round(numbers.uniform(-1, 1), 4) for _ in range(2)] + [numbers.randint(1, 8), numbers.choice([1, 2, 4, 8])]
            for _ in range(400)]
    targets = [round((a if a * b > 0 else 2 - b) * c + (5 * a if d == 8 else 0) + numbers.gauss(0, 0.02), 4)
               for a, b, c, d in rows]
    return rows, targets, 300


def many(numbers):
    """20 rows to learn from and 5 others, of 60 numbers: more columns than rows, and a perceptron so large that it diverges
    at its first rate."""
    rows = [[numbers.randint(0, 5) for _ in range(60)] for _ in range(25)]
    return rows, [round(sum(row[:5]) + numbers.gauss(0, 3), 3) for row in rows], 20


def write_attribute_relations(path, rows, targets):
    width = len(rows[0])
    lines = ["@relation rows"] + [f"@attribute x{i} numeric" for i in range(width)] + ["@attribute y numeric", "@data"]
    lines += [",".join(map(repr, [*row, target])) for row, target in zip(rows, targets)]
    path.write_text("\n".join(lines) + "\n")


def table(make, seed):
    rows, targets, training = make(random.Random(seed))
    with tempfile.TemporaryDirectory() as folder:
        seen, all_rows = pathlib.Path(folder) / "seen.arff", pathlib.Path(folder) / "all.arff"
        write_attribute_relations(seen, rows[:training], targets[:training])
        write_attribute_relations(all_rows, rows, targets)
        predictions = subprocess.run(["java", "-cp", WEKA, HERE / "WekaPredictions.java", seen, all_rows], check=True,
                                     capture_output=True, text=True).stdout.splitlines()
    lines = [f"# Predictions of Weka 3.6.14; make_weka_tables.py wrote this (seed {seed}).",
             f"# {training} rows to learn from, then {len(rows) - training} others.",
             ",".join([f"x{i}" for i in range(len(rows[0]))] + ["y"] + LEARNERS)]
    for row, target, predicted in zip(rows, targets, predictions, strict=True):
        lines.append(",".join(map(repr, [*row, target])) + "," + predicted)
    return "\n".join(lines) + "\n"


def is_same(one, other):
    """Numbers may differ in their last digits, since versions of Java print and compute them differently."""
    lines, other_lines = one.splitlines(), other.splitlines()
    return lines[:3] == other_lines[:3] and len(lines) == len(other_lines) and all(
        math.isclose(float(a), float(b), rel_tol=1e-11, abs_tol=1e-11)
        for line, other_line in zip(lines[3:], other_lines[3:])
        for a, b in zip(line.split(","), other_line.split(","), strict=True))


if not shutil.which("javac") or not pathlib.Path(WEKA).exists():
    print("Weka or a JDK is not installed")
    sys.exit(77)
# Seeds that matter: with that of "wide", the order of equal numbers decides by its rounding which column M5P leaves out, and
# with that of "many" the perceptron does diverge.
for name, make, seed in [("wide", wide, 50168), ("small", small, 2), ("deep", deep, 3), ("many", many, 5)]:
    path, text = HERE / f"weka_{name}.csv", table(make, seed)
    if "--check" not in sys.argv:
        path.write_text(text)
    elif not is_same(path.read_text(), text):
        sys.exit(f"{path.name} is not what Weka predicts")
