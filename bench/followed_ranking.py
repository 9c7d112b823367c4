#!/usr/bin/env python3
"""How good the order is in which a model of speed puts what searches of programs measured, each program left out of what it learns from.

    bench/followed_ranking.py build/release/hoist --judged data/h200-followed.csv.gz data/h200-followed-2.csv.gz \\
        --data data/h200.csv.gz data/h200-more.csv.gz data/h200-merged.csv.gz data/h200-merged-2.csv.gz \\
        --without jacobi3d7 jacobi3d13 jacobi3d19 jacobi3d27 heat3d --models ranking --effort 8

A fifth of the judged programs is left out at a time, drawn with a seed: their measurements get a class of devices of their own, and
`hoist evaluate --leave-out class` predicts them from all others. Told is, of the first and the best of the first three in the order of the
model, the speed as a share of that of the best that was measured (geometric means), and for how many programs the first has at least 0.9 of it.

What is judged was chosen by a search: candidates that a model likes and nobody measured have no part in it, so a model is better here than in
a search of its own.
"""
import argparse
import gzip
import pathlib
import random
import statistics
import sys
import tempfile

from stencil_ranking import best_of_first, predicted_tasks, programs_of

LEFT_OUT = "left-out"
FOLDS = 5


def marked(table, programs, path):
    """The table with the class of devices of these programs' rows changed."""
    with gzip.open(table, "rt") as lines, gzip.open(path, "wt", compresslevel=1) as file:
        for line in lines:
            cells = line.split(",", 3)  # program, sizes, class of devices
            is_left_out = not line.startswith(("#", "program,")) and cells[0] in programs
            file.write(",".join([*cells[:2], LEFT_OUT, cells[3]]) if is_left_out else line)
    return path


def judged(options, folder, programs):
    """By kind of model, (share of the first, of the best of three, rank correlation) of each task of these programs."""
    tables = [marked(table, programs, folder / f"{number}.csv.gz") for number, table in enumerate(options.judged)]
    learned = set().union(*(programs_of(table) for table in [*options.data, *options.judged])) - set(options.without)
    found = predicted_tasks(options.hoist, [*options.data, *tables], learned, options.models, LEFT_OUT, options.effort)
    return {kind: [(best_of_first(task["curve"], 1), best_of_first(task["curve"], 3), task["rank_correlation"]) for task in tasks]
            for kind, tasks in found.items()}


def geometric_mean(shares):
    return statistics.geometric_mean(max(each, 0.01) for each in shares)  # a first that did not run has none


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--judged", type=pathlib.Path, nargs="+", required=True, help="tables of searches (hoist train --write)")
    parser.add_argument("--data", type=pathlib.Path, nargs="*", default=[], help="tables that are learned from besides")
    parser.add_argument("--without", nargs="*", default=[], help="programs that nothing is learned from")
    parser.add_argument("--models", nargs="+", default=["boosted"])
    parser.add_argument("--effort", type=float, default=1, help="trees, as a multiple of the usual")
    parser.add_argument("--seed", type=int, default=7, help="deals the programs into fifths")
    options = parser.parse_args()
    programs = sorted(set().union(*(programs_of(table) for table in options.judged)) - set(options.without))
    if len(programs) < FOLDS:
        sys.exit(f"the tables have {len(programs)} programs to judge; {FOLDS} are needed")
    random.Random(options.seed).shuffle(programs)
    found = {kind: [] for kind in options.models}
    with tempfile.TemporaryDirectory() as folder:
        for fold in range(FOLDS):
            for kind, tasks in judged(options, pathlib.Path(folder), set(programs[fold::FOLDS])).items():
                found[kind] += tasks
            print(f"{fold + 1} of {FOLDS} are judged", file=sys.stderr)
    print("| model | trees | tasks | first | at least 0.9 | first 3 | rank correlation |\n|---|--:|--:|--:|--:|--:|--:|")
    for kind, tasks in found.items():
        first, three, ranks = zip(*tasks)
        print(f"| `{kind}` | {options.effort:g} | {len(tasks)} | {geometric_mean(first):.3f} | {sum(each >= 0.9 for each in first)} | "
              f"{geometric_mean(three):.3f} | {statistics.fmean(ranks):.2f} |")


if __name__ == "__main__":
    main()
