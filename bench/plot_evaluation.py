#!/usr/bin/env python3
"""Draws what `hoist evaluate --write FILE.json` found: the best found so far by the number of runs, in the order that each
model predicts, by a search that learns as it goes, and at random, as the mean over tasks; and what single features say of speed. Needs gnuplot.

    bench/plot_evaluation.py FILE.json      evaluation.svg and redundancy.svg beside it
"""
import argparse
import json
import pathlib
import subprocess

MOST_RUNS = 50
MOST_FEATURES = 20


IN_ORDER, AT_RANDOM = 1, 2  # of a point, behind the runs


def at(curve, runs, which):
    """The last point that is not after so many runs."""
    value = 0.0
    for point in curve:
        if point[0] > runs:
            break
        value = point[which]
    return value


def mean_curve(tasks, which):
    return [(runs, sum(at(task["curve"], runs, which) for task in tasks) / len(tasks)) for runs in range(1, MOST_RUNS + 1)]


def block(name, rows):
    return f"${name} << EOD\n" + "\n".join(" ".join(map(str, row)) for row in rows) + "\nEOD\n"


def draw_curves(facts, output):
    data, series = block("random", mean_curve(facts["models"][0]["tasks"], AT_RANDOM)), []
    for model in facts["models"]:
        data += block(model["kind"], mean_curve(model["tasks"], IN_ORDER))
        series.append(f"${model['kind']} with lines lw 2 title '{model['kind']}'")
    for search in facts["searches"]:
        data += block(search["kind"], mean_curve(search["tasks"], IN_ORDER))
        series.append(f"${search['kind']} with lines lw 2 dt 2 lc rgb '#000000' title '{search['kind']}'")
    series.append("$random with lines lw 2 dt 2 lc rgb '#888888' title 'at random'")
    return data + f"""set terminal svg size 800,420 font 'sans,11' background 'white'
set output '{output}'
set xlabel 'candidates run'
set ylabel 'speed of the best so far, mean over tasks; best = 1'
set logscale x
set yrange [0.2:1]
set grid lc rgb '#dddddd'
set key bottom right
plot {", ".join(series)}
"""


def draw_redundancies(facts, output):
    rows = facts["redundancies"][:MOST_FEATURES]
    bars = [(place, f'"{row["feature"]} "', row["redundancy"]) for place, row in enumerate(reversed(rows))]
    return block("bars", bars) + f"""set terminal svg size 700,480 font 'sans,11' background 'white' noenhanced
set output '{output}'
set xlabel 'redundancy with speed, 0 to 0.5'
set grid x lc rgb '#dddddd'
set style fill solid
unset key
plot $bars using ($3/2):1:($3/2):(0.4):ytic(2) with boxxyerror lc rgb '#4878a8'
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=pathlib.Path)
    path = parser.parse_args().file
    facts = json.loads(path.read_text())
    for name, draw in (("evaluation", draw_curves), ("redundancy", draw_redundancies)):
        subprocess.run(["gnuplot"], input=draw(facts, path.with_name(name + ".svg")), text=True, check=True)


main()
