#!/usr/bin/env python3
"""Draws the features of the fastest candidate of each program in measured data, as Figure 3 of the GPGPU 2020 paper on
predicting speed: the paper's fifteen features around a circle, a program a panel. Needs gnuplot.

    bench/plot_best_features.py data/h200.csv.gz FOLDER      best_features.md and best_features.svg in it

A program is shown at 4096 x 4096, as in the paper, or, where it was not measured there, at its largest size. On a
panel the middle is the least that a candidate of any panel has of a feature, the rim the most, on a logarithmic scale:
log(1 + x). The table has the numbers, and what share of the task's candidates have less of a feature and more.
"""
import argparse
import csv
import gzip
import math
import pathlib
import subprocess

SIZES_OF_PAPER = "H=4096 W=4096"
COLUMNS = 5  # panels in a row
WIDTH, HEIGHT = 290, 225  # of a panel, in pixels
SCRIPT = """set terminal svg size {width},{height} font 'sans,8' background 'white' noenhanced
set output '{output}'
unset border
unset tics
unset key
set size ratio -1
set xrange [-1.85:1.85]
set yrange [-1.3:1.3]
set style fill transparent solid 0.35 border lc rgb '#2171b5'
set multiplot layout {rows},{columns} margins 0.005,0.995,0.005,0.97 spacing 0.005,0.03
{panels}
"""


def read(path):
    """The names of the paper's features, and every measured candidate as a dictionary of its columns."""
    with gzip.open(path, "rt") as file:
        lines = file.read().splitlines()
    facts = list(csv.reader(line[1:] for line in lines if line.startswith("#")))
    derivations = [fact[1] for fact in facts if fact[0] == "derivation"]
    features = [fact[1] for fact in facts if fact[0] == "feature" and fact[3] == "paper"]
    rows = [row for row in csv.DictReader(line for line in lines if not line.startswith("#")) if row["seconds"]]
    for row in rows:
        row["how"] = derivations[int(row["derivation"])]
    return features, rows


def tasks_of(rows):
    """The candidates of the one task of each program that is shown."""
    tasks = {}
    for row in rows:
        tasks.setdefault(row["program"], {}).setdefault(row["sizes"], []).append(row)
    largest = lambda task: float(task[0]["input_bytes"]) + float(task[0]["output_bytes"])
    return {program: sizes[SIZES_OF_PAPER] if SIZES_OF_PAPER in sizes else max(sizes.values(), key=largest)
            for program, sizes in tasks.items()}


def fastest(task):
    return min(task, key=lambda row: float(row["seconds"]))


def ends_of(features, tasks):
    """The least and the most of each feature, on the logarithmic scale."""
    values = {feature: [math.log1p(float(row[feature])) for task in tasks.values() for row in task]
              for feature in features}
    return {feature: (min(each), max(each)) for feature, each in values.items()}


def point(place, count, radius):
    angle = math.pi / 2 - 2 * math.pi * place / count
    return radius * math.cos(angle), radius * math.sin(angle)


def panel(program, best, features, ends):
    corners = []
    for place, feature in enumerate(features):
        low, high = ends[feature]
        radius = (math.log1p(float(best[feature])) - low) / (high - low) if high > low else 0
        corners.append(point(place, len(features), radius))
    block = "\n".join(f"{x:.4f} {y:.4f}" for x, y in corners + corners[:1])
    text = f"${program} << EOD\n{block}\nEOD\nunset arrow\nunset label\n"
    text += f"set title '{program}, {best['sizes']}' offset 0,-0.7\n"
    for place, feature in enumerate(features):
        x, y = point(place, len(features), 1)
        text += f"set arrow from 0,0 to {x:.4f},{y:.4f} nohead lc rgb '#cccccc'\n"
        side = "center" if abs(x) < 0.1 else "left" if x > 0 else "right"
        text += f"set label '{feature.replace('_', ' ')}' at {1.07 * x:.4f},{1.07 * y:.4f} {side} font ',6'\n"
    return text + f"plot ${program} using 1:2 with filledcurves closed lc rgb '#6baed6'\n"


def number(text):
    return f"{float(text):,.4g}" if float(text) < 1e4 else f"{float(text):,.0f}"


def share(task, feature, is_counted):
    return f"{100 * sum(is_counted(float(row[feature])) for row in task) / len(task):.0f}"


def table(name, features, tasks):
    text = (f"# Features of the fastest kernels\n\nOf each program in `{name}` the fastest of the measured candidates "
            "of one task. In brackets: the percentages of the task's candidates that have less of the feature and that "
            "have more.\n\n| program | sizes | candidates | ms | " + " | ".join(features)
            + " | derivation |\n|---|---|--:|--:|" + "--:|" * len(features) + "---|\n")
    for program, task in tasks.items():
        best = fastest(task)
        cells = []
        for feature in features:
            value = float(best[feature])
            less = share(task, feature, lambda other: other < value)
            more = share(task, feature, lambda other: other > value)
            cells.append(f"{number(best[feature])} ({less}, {more})")
        milliseconds = f"{1e3 * float(best['seconds']):.4f}"
        cells = [program, best["sizes"], str(len(task)), milliseconds, *cells, best["how"]]
        text += "| " + " | ".join(cells) + " |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    features, rows = read(options.data)
    tasks = tasks_of(rows)
    ends = ends_of(features, tasks)
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "best_features.md").write_text(table(options.data.name, features, tasks))
    panels = [panel(program, fastest(task), features, ends) for program, task in tasks.items()]
    count = math.ceil(len(panels) / COLUMNS)
    script = SCRIPT.format(output=options.folder / "best_features.svg", width=COLUMNS * WIDTH, height=count * HEIGHT,
                           rows=count, columns=COLUMNS, panels="".join(panels))
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


if __name__ == "__main__":
    main()
