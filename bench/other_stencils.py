#!/usr/bin/env python3
"""Stencils that are none of the 104 of Garvey and Abdelrahman, for models of speed to learn from, and the plan by which they are measured.

    bench/other_stencils.py --write data/stencils --plan data/h200-merged-plan.json
    hoist train --plan data/h200-merged-plan.json --device cuda:0 --budget 5m --store merged.sqlite
    bench/other_stencils.py --round 2 --write data/stencils --plan data/h200-merged-2-plan.json     # as many others

Each is a weighted sum of points drawn at random, without the symmetry that the 104 have, in a box of random sides of one, two or three
dimensions of an array of three. Sides, points and weights follow from the round's number. In the first round most are sparse; from the second
on every other one fills at least half of its box, from the fourth on boxes are as wide as 11 in each dimension, and from the eighteenth on
no wider than 5, as most stencils in use are.
"""
import argparse
import json
import pathlib
import random
import re

# How many stencils there are of so many dimensions, and arrays that they take turns on: of other shapes than the 104's, too.
COUNTS = {1: 2, 2: 6, 3: 8}
SIZES = [{"D": 256, "H": 256, "W": 256}, {"D": 64, "H": 512, "W": 512}, {"D": 320, "H": 192, "W": 384}]
CANDIDATES = 100  # measured of each


def drawn(numbers, dimensions, of):
    """The box's sides (z, y, x) and the points in it, of (round, number): both of its ends in each dimension, and one corner less than
    symmetry asks for."""
    is_dense, is_small = of[0] > 1 and of[1] % 2 == 0, of[0] > 17
    is_wide = of[0] > 3 and not is_small
    widest = 11 if is_wide else 5 if is_small else 8 if dimensions < 3 else 6
    while True:
        along = sorted(numbers.sample(range(3), dimensions))
        sides = [numbers.randint(2, widest) if axis in along else 1 for axis in range(3)]
        box = [(z, y, x) for z in range(sides[0]) for y in range(sides[1]) for x in range(sides[2])]
        most = min(len(box) - 1, 300 if is_wide else 120)
        share = numbers.random()
        count = round(most * (1 + share) / 2 if is_dense else 2 * (most / 2) ** share) if most > 2 else 2
        points = sorted(numbers.sample(box, count))
        reaches = all({0, side - 1} <= {point[axis] for point in points} for axis, side in enumerate(sides))
        mirrored = {tuple(side - 1 - at for side, at in zip(sides, point)) for point in points}
        if reaches and mirrored != set(points):
            return sides, points


def text(name, sides, points, numbers):
    def longer(size, side):
        return f"[{size}]" if side == 1 else f"[{size} + {side - 1}]"

    lengths = "".join(longer(size, side) for size, side in zip("DHW", sides))
    terms = "\n    + ".join(f"{numbers.randint(1, 999) / 1000} * n[{z}][{y}][{x}]" for z, y, x in points)
    z, y, x = sides
    return (f"// {len(points)} points of a box of {z} x {y} x {x}\n"
            f"def {name}(u: {lengths}f32): [D][H][W]f32 =\n"
            f"  u |> map(map(slide({x}, 1)) >> slide({y}, 1) >> map(transpose))\n"
            f"    |> slide({z}, 1) |> map(transpose >> map(transpose)) |> map3(n =>\n    {terms})\n")


def stencils_of(round_number):
    """Names and programs of a round."""
    numbers = random.Random(round_number)
    for dimensions, count in COUNTS.items():
        for number in range(count):
            name = f"points{dimensions}d{(round_number - 1) * count + number + 1}"
            yield name, text(name, *drawn(numbers, dimensions, (round_number, number)), numbers)


def written(round_number, folder):
    """Writes the programs of a round; gives the name, file and sizes of each."""
    folder.mkdir(parents=True, exist_ok=True)
    for place, (name, program) in enumerate(stencils_of(round_number)):
        path = folder / f"{name}.hoist"
        path.write_text(program)
        yield name, path, SIZES[place % len(SIZES)]


def round_of(name):
    """Of a stencil; nothing where it is none of these."""
    parts = re.fullmatch(r"points(\d)d(\d+)", name)
    return parts and (int(parts[2]) - 1) // COUNTS[int(parts[1])] + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=pathlib.Path, required=True, help="folder for the programs")
    parser.add_argument("--plan", type=pathlib.Path, required=True)
    parser.add_argument("--round", type=int, default=1)
    options = parser.parse_args()
    if options.round < 1:
        parser.error("rounds are numbered from 1")
    tasks = [{"program": path.as_posix(), "sizes": sizes, "candidates": CANDIDATES, "space": "both"}
             for _, path, sizes in written(options.round, options.write)]
    options.plan.write_text('{"tasks": [\n  ' + ",\n  ".join(map(json.dumps, tasks)) + "\n]}\n")


if __name__ == "__main__":
    main()
