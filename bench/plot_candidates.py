#!/usr/bin/env python3
"""Draws what random searches measured (recorded_candidates.py), as the thesis's Figure 5.14: how the speeds of random
candidates are distributed, as shares of the best. Writes a table beside it. Needs gnuplot.

    bench/plot_candidates.py FOLDER      every *.json in it: candidates.svg and candidates.md
"""
import argparse
import json
import pathlib
import subprocess

SCRIPT = """set terminal svg size 900,420 font 'sans,11' background 'white'
set output '{output}'
set xlabel 'share of the candidates, the fastest first'
set ylabel 'speed, best = 1'
set logscale y 10
set format x '%g %%'
set grid lc rgb '#dddddd'
set key outside right
plot {series}
"""


def times(rows, names):
    return sorted(row["median_seconds"] for row in rows if (row["name"] in names) and "median_seconds" in row)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    series, data, table = [], "", []
    for path in sorted(folder.glob("*.json")):
        measured = json.loads(path.read_text())
        facts, rows = measured["facts"], measured["rows"]
        others = {"default", "by hand"}
        seconds = times(rows, {row["name"] for row in rows} - others)
        hand, default = times(rows, {"by hand"}), times(rows, {"default"})
        wrong = sum(row["outcome"].startswith("wrong") for row in rows)
        sizes = " ".join(f"{name}={value}" for name, value in facts["sizes"].items())
        best = next(row for row in rows if row.get("median_seconds") == seconds[0] and row["name"] not in others)
        values = " ".join(f"{name}={value}" for name, value in best.get("values", {}).items())
        milliseconds = lambda part: f"{1e3 * part:.3f}"
        table.append([path.stem, sizes, f"{facts['points']:,}", len(seconds), wrong, milliseconds(seconds[0]),
                      milliseconds(seconds[len(seconds) // 2]), milliseconds(default[0]) if default else "",
                      milliseconds(hand[0]) if hand else "", f"{hand[0] / seconds[0]:.2f}" if hand else "",
                      f"{best['derivation'].rstrip('; ')} ({values})"])
        if len(seconds) < 20:
            continue
        points = "\n".join(f"{100 * i / (len(seconds) - 1)} {seconds[0] / each}" for i, each in enumerate(seconds))
        data += f"${path.stem} << EOD\n{points}\nEOD\n"
        series.append(f"${path.stem} with lines lw 2 title '{path.stem.replace('_', ' ')}'")
    head = ["program", "sizes", "points", "timed", "wrong", "best, ms", "median, ms", "default mapping, ms", "by hand, ms",
            "by hand / best", "the best's derivation"]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in table]
    (folder / "candidates.md").write_text("\n".join(lines) + "\n")
    script = data + SCRIPT.format(output=folder / "candidates.svg", series=", ".join(series))
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


if __name__ == "__main__":
    main()
