#!/usr/bin/env python3
"""Counts the lines of code of the twelve benchmarks of Table 4.2 of Remmelg's thesis: the kernel by hand in OpenCL C,
Hoist's program and its low-level text, beside the thesis's own figures.

    bench/code_sizes.py --write bench/results/code-sizes     code_sizes.json and code_sizes.md in this folder
    bench/code_sizes.py --check bench/results/code-sizes     exit status 1 where they are not what is counted now

A line of code is a line that holds more than blanks and comment. The text of a benchmark is its whole file, with the
definitions of its own that it calls. What all of a language's texts share is not counted on either side:
bench/reference/prefix.h, and Hoist's prelude (`dotProduct`).
"""
import argparse
import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
REFERENCE, HIGH, LOW = ROOT / "bench" / "reference", ROOT / "kernels", ROOT / "kernels" / "low-level"
# The thesis's name; the reference and the low-level text; the program; the thesis's lines of OpenCL, of high-level and
# of low-level LIFT.
BENCHMARKS = [
    ("N-Body, NVIDIA SDK", "nbody_nvidia", "nbody", 139, 34, 49),
    ("N-Body, AMD SDK", "nbody_amd", "nbody", 54, 34, 34),
    ("MD, SHOC", "md", "md", 50, 34, 34),
    ("K-Means, Rodinia", "kmeans", "kmeans", 32, 25, 25),
    ("NN, Rodinia", "nn", "nearest_neighbour", 18, 7, 7),
    ("MRI-Q, Parboil", "mriq", "mriq", 41, 43, 43),
    ("Convolution, NVIDIA SDK", "convolution", "convolution2d_separable", 92, 48, 48),
    ("ATAX, CLBlast", "atax", "atax", 426, 30, 64),
    ("GEMV, CLBlast", "gemv", "gemv", 213, 15, 32),
    ("GESUMMV, CLBlast", "gesummv", "gesummv", 426, 30, 64),
    ("MM, CLBlast for AMD", "mm_amd", "matmul_tn", 768, 17, 38),
    ("MM, CLBlast for NVIDIA", "mm_nvidia", "matmul_tn", 768, 17, 65),
]


def lines_of_code(path):
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)
    return sum(bool(line.split("//")[0].strip()) for line in text.splitlines())


def rows():
    return [{"benchmark": name, "by_hand": lines_of_code(REFERENCE / f"{text}.cl"),
             "high_level": lines_of_code(HIGH / f"{program}.hoist"),
             "low_level": lines_of_code(LOW / f"{text}.hoist"), "thesis_by_hand": by_hand, "thesis_high_level": high,
             "thesis_low_level": low, "texts": [f"bench/reference/{text}.cl", f"kernels/{program}.hoist",
                                                f"kernels/low-level/{text}.hoist"]}
            for name, text, program, by_hand, high, low in BENCHMARKS]


def mean_ratio(counted, longer, shorter):
    """The geometric mean of how many times as long one text is as the other."""
    return math.exp(sum(math.log(row[longer] / row[shorter]) for row in counted) / len(counted))


def table(counted):
    columns = ["by_hand", "high_level", "low_level", "thesis_by_hand", "thesis_high_level", "thesis_low_level"]
    text = ("# Code sizes\n\nLines of code, without blank lines and comments, of the benchmarks of Table 4.2 of "
            "Remmelg's thesis.\n\n"
            "| benchmark | by hand | program | low-level | thesis: OpenCL | thesis: high-level | thesis: low-level |\n"
            "|---|--:|--:|--:|--:|--:|--:|\n")
    for row in counted:
        text += f"| {row['benchmark']} | " + " | ".join(str(row[column]) for column in columns) + " |\n"
    text += "| sum | " + " | ".join(str(sum(row[column] for row in counted)) for column in columns) + " |\n"
    return text + f"""
The kernel by hand is {mean_ratio(counted, "by_hand", "high_level"):.1f} times as long as the program and \
{mean_ratio(counted, "by_hand", "low_level"):.1f} times as long as the low-level text (geometric means); in the thesis \
{mean_ratio(counted, "thesis_by_hand", "thesis_high_level"):.1f} and \
{mean_ratio(counted, "thesis_by_hand", "thesis_low_level"):.1f} times.

The thesis does not say whether blank lines and comments are in its counts. Its OpenCL kernels are the suites' own
files: CLBlast's hold every variant that its macros can choose (ATAX and GESUMMV count GEMV's file twice, once a
kernel). The kernels of `bench/reference` are written for the one variant that is measured, with sizes as constants, so
the two columns "by hand" are not of the same texts. The thesis's LIFT texts are Scala, with a function's types on lines
of their own.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--write", type=pathlib.Path, help="folder")
    what.add_argument("--check", type=pathlib.Path, help="folder")
    options = parser.parse_args()
    counted = rows()
    files = {"code_sizes.json": json.dumps(counted, indent=1) + "\n", "code_sizes.md": table(counted)}
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (options.write / name).write_text(text)
        return 0
    stale = [name for name, text in files.items() if (options.check / name).read_text() != text]
    for name in stale:
        print(f"{options.check / name} is not what is counted now: bench/code_sizes.py --write {options.check}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
