#!/usr/bin/env python3
"""Makes tables and a picture of what product_shapes.py measured: how fast the best kernel for each shape of the matrix
product is on the others (Table 5.1 of Remmelg's thesis, with shapes in place of devices), and what was found beside
CLBlast and cuBLAS (its Figure 5.13). Needs gnuplot.

    bench/plot_product_shapes.py FOLDER      product_shapes.md and product_shapes.svg beside its product_shapes.json
"""
import argparse
import json
import math
import pathlib
import subprocess

SCRIPT = """set terminal svg size 900,420 font 'sans,11' background 'white' noenhanced
set output '{output}'
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.9 noborder
set ylabel 'TFLOP/s'
set yrange [0:]
set title 'Single-precision matrix product, {device}'
set grid ytics lc rgb '#dddddd'
set xtics scale 0
set key outside bottom center horizontal
plot {series}
"""
COLOURS = {"clblast as shipped": "#9ecae1", "clblast tuned": "#4292c6", "cublas pedantic": "#bbbbbb", "hoist": "#d94801"}


def tera_flops(shape, seconds):
    return 2 * math.prod(map(int, shape.split("x"))) / seconds * 1e-12


def fastest(rows, shape):
    return min((row["seconds"] for row in rows if row["shape"] == shape and "seconds" in row), default=None)


def share_table(facts):
    """The shares of the fastest kernel's speed, and below what is no share."""
    times, shapes = facts["times"], facts["shapes"]
    best = {shape: fastest(times, shape) for shape in shapes}
    rows, reasons, has_guarded = [], [], False
    for tuned_for in (found["shape"] for found in facts["found"]):
        cells = []
        for shape in shapes:
            row = next(row for row in times if row["tuned_for"] == tuned_for and row["shape"] == shape)
            if "seconds" in row:
                cells.append(f"{100 * best[shape] / row['seconds']:.1f}%{'*' if row['is_guarded'] else ''}")
                has_guarded |= row["is_guarded"]
            else:
                cells.append("N/A")
                reasons.append(f"- {tuned_for} on {shape}: {row['reason']}")
        rows.append(f"| {tuned_for} | " + " | ".join(cells) + " |")
    text = "| tuned for, run on | " + " | ".join(shapes) + " |\n|---|" + "--:|" * len(shapes) + "\n"
    text += "\n".join(rows) + "\n"
    if has_guarded:
        text += "\n\\* Tiles do not divide the shape: the guarded form of the derivation.\n"
    return text + ("\nN/A:\n\n" + "\n".join(reasons) + "\n" if reasons else "")


def contenders(facts):
    """For each contender its seconds by shape: the libraries, and what Hoist found for that very shape."""
    seconds = {}
    for row in facts["libraries"]:
        if "seconds" in row:
            seconds.setdefault(f"{row['library']} {row['variant']}", {})[row["shape"]] = row["seconds"]
    seconds["hoist"] = {row["shape"]: row["seconds"] for row in facts["times"]
                        if row["tuned_for"] == row["shape"] and "seconds" in row}
    return seconds


def speed_table(facts):
    seconds = contenders(facts)
    text = "| shape | " + " | ".join(f"{name}, ms" for name in seconds) + " | "
    text += " | ".join(f"{name}, TFLOP/s" for name in seconds) + " |\n|---|" + "--:|" * 2 * len(seconds) + "\n"
    for shape in facts["shapes"]:
        cells = [f"{1e3 * times[shape]:.4f}" if shape in times else "" for times in seconds.values()]
        cells += [f"{tera_flops(shape, times[shape]):.2f}" if shape in times else "" for times in seconds.values()]
        text += f"| {shape} | " + " | ".join(cells) + " |\n"
    tuners = ", ".join(f"`clblast_tuner_{tuner['tuner']}` tried {tuner['tried']} configurations"
                       f"{'' if tuner['is_done'] else ' and was cut off'}"
                       for tuner in facts["tuners"] if tuner["tried"])
    return text + (f"\nCLBlast's tuners: {tuners}.\n" if tuners else "")


def found_table(facts):
    text = "| shape | tried | seconds | id | derivation | sizes |\n|---|--:|--:|---|---|---|\n"
    for found in facts["found"]:
        values = " ".join(f"{name}={value}" for name, value in found["values"].items())
        text += (f"| {found['shape']} | {found['evaluated']} | {found['seconds']:.0f} | {found['id']} | "
                 f"{found['derivation']} | {values} |\n")
    return text


def picture(facts, output):
    seconds = contenders(facts)
    lines = [" ".join([shape, *(f"{tera_flops(shape, times[shape]):.3f}" if shape in times else "0"
                                for times in seconds.values())]) for shape in facts["shapes"]]
    series = ", ".join(f"$data using {at + 2}:xtic(1) title '{name}' lc rgb '{COLOURS[name]}'"
                       for at, name in enumerate(seconds))
    script = "$data << EOD\n" + "\n".join(lines) + "\nEOD\n"
    script += SCRIPT.format(output=output, device=facts["device_name"], series=series)
    subprocess.run(["gnuplot"], input=script, text=True, check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    folder = parser.parse_args().folder
    facts = json.loads((folder / "product_shapes.json").read_text())
    (folder / "product_shapes.md").write_text(
        f"# The matrix product at several shapes\n\nShapes are MxNxK; medians of the device's time; Hoist on "
        f"{facts['device_name']} ({facts['device']}), {facts['budget']} seconds of tuning each.\n\n"
        "## Each shape's best kernel on the others\n\n"
        "Share of the speed of the fastest of these kernels on a shape.\n\n"
        + share_table(facts) + "\n## Beside libraries\n\n" + speed_table(facts) + "\n## What was found\n\n"
        + found_table(facts))
    picture(facts, folder / "product_shapes.svg")


if __name__ == "__main__":
    main()
