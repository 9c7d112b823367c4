#!/usr/bin/env python3
"""Draws what reference_bench measured, as the thesis's Figure 4.13: the speed of generated kernels as a share of the
hand-written ones', with every pass, with none, and with each alone. Needs gnuplot.

    bench/plot_reference.py ROWS.json PICTURE.svg [--sizes large]
"""
import argparse
import json
import pathlib
import subprocess

VARIANTS = ["none", "only index-simplification", "only control-flow-simplification", "only barrier-elimination",
            "only private-array-unrolling", "only loop-unrolling", "all"]
SCRIPT = """set terminal svg size 1100,420 font 'sans,11' background 'white'
set output '{output}'
set style data histograms
set style histogram clustered gap 1.5
set style fill solid 0.9 noborder
set ylabel 'speed, hand-written kernel = 1'
set title '{title}'
set yrange [0:1.25]
set ytics 0.2
set grid ytics lc rgb '#dddddd'
set xtics rotate by -35 scale 0
set key outside bottom center horizontal
set arrow from graph 0, first 1 to graph 1, first 1 nohead lc rgb '#444444' lw 1.5 front
plot {series}
"""
COLOURS = ["#bbbbbb", "#c6dbef", "#9ecae1", "#6baed6", "#4292c6", "#2171b5", "#d94801"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--sizes", default="large")
    options = parser.parse_args()
    rows = [row for row in json.loads(options.rows.read_text()) if row.get("size_set") == options.sizes]
    names = list(dict.fromkeys(row["benchmark"] for row in rows))
    present = [variant for variant in VARIANTS if any(row["variant"] == variant for row in rows)]
    ratios = {(row["benchmark"], row["variant"]): row["ratio"] for row in rows if row["outcome"] == "ok"}
    data = "\n".join(" ".join([name.replace("_", "-")] + [f"{ratios.get((name, variant), 0):.3f}" for variant in present])
                     for name in names)
    series = ", ".join(f"$data using {at + 2}:xtic(1) title '{variant.replace('only ', '')}' "
                       f"lc rgb '{COLOURS[VARIANTS.index(variant)]}'" for at, variant in enumerate(present))
    device = f"{rows[0]['device']}, {rows[0]['backend']}, {options.sizes} sizes"
    script = "$data << EOD\n" + data + "\nEOD\n" + SCRIPT.format(output=options.picture, title=device, series=series)
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


if __name__ == "__main__":
    main()
