#!/usr/bin/env python3
"""Writes the tables that hold the random forest of src/learn/weka to that of Weka 3.6.14: weka_forests.json beside this file.

    tests/unit/learn/data/make_weka_forests.py                         # anew
    tests/unit/learn/data/make_weka_forests.py --check                 # whether Weka predicts what the tables say
    tests/unit/learn/data/make_weka_forests.py --compare HOIST COUNT   # whether Hoist predicts what Weka does, on so many tables

It needs Debian's packages weka (3.6.14-3) and default-jdk-headless, and ends with status 77 where they are not. Tables are
drawn by their seeds: 1 to 40 rows to learn from and some others, with columns of numbers and of names, equal numbers, equal
rows with different classes, and missing values; two to four classes. Every third forest has 10 trees, others 100, the default.
"""
import json
import math
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
WEKA = "/usr/share/java/weka.jar"
KEPT = range(12)  # the seeds of the tables that are kept
NAMES = ["none", "x", "y", "z", "a name", "{brace}", "?", ""]
CLASSES = ["global", "vector", "local", "image memory"]


def number(numbers, kind):
    if kind == 0:
        return numbers.randint(0, 4)
    if kind == 1:
        return round(numbers.gauss(0, 3), numbers.randint(0, 9))
    if kind == 2:
        return numbers.random() * 10 ** numbers.randint(-9, 12)
    return numbers.choice([0.1, 0.2, 0.30000000000000004, 0.3, -7])


def stencil_like(numbers):
    """The paper's features, and a technique that follows from them but for a few."""
    columns = [[], [], [], ["none", "x", "y", "z"]]
    rows, labels = [], []
    for _ in range(numbers.randint(20, 60)):
        dimensions, radius = numbers.randint(1, 3), numbers.randint(1, 5)
        size = numbers.choice([(2 * radius + 1) ** dimensions, 2 * radius * dimensions + 1])
        rows.append([size, dimensions, size / (2 * radius + 1) ** dimensions, 0 if dimensions == 3 else numbers.randint(1, 3)])
        labels.append(numbers.randrange(4) if numbers.random() < 0.1 else 2 if size > 40 else 3 if size > 6 else 0)
    return columns, CLASSES, rows, labels


def any_table(numbers):
    width = numbers.randint(1, 9)
    columns = [NAMES[:numbers.randint(1, len(NAMES))] if numbers.random() < 0.35 else [] for _ in range(width)]
    kinds = [numbers.randint(0, 3) for _ in range(width)]
    missing = numbers.choice([0, 0, 0.1, 0.4])
    classes = CLASSES[:numbers.randint(2, 4)]
    rows, labels = [], []
    for _ in range(numbers.choice([1, 2, 3, 5, 8, 15, 25, 40, 49]) + numbers.randint(1, 8)):
        rows.append([None if numbers.random() < missing else numbers.randrange(len(names)) if names else number(numbers, kind)
                     for names, kind in zip(columns, kinds)])
        first = rows[-1][0] or 0
        labels.append(numbers.randrange(len(classes)) if numbers.random() < 0.3 else int(abs(first)) % len(classes))
    if len(rows) > 6:
        rows[1] = rows[0]
    return columns, classes, rows, labels


def table(seed):
    numbers = random.Random(seed)
    columns, classes, rows, labels = (stencil_like if seed % 4 == 0 else any_table)(numbers)
    learned = max(1, len(rows) - numbers.randint(1, 8))
    return {"seed": seed, "trees": 10 if seed % 3 == 0 else 100, "columns": columns, "classes": classes, "learned": learned, "rows": rows, "labels": labels}


def in_quotes(names):
    return "{" + ",".join(f"'{name}'" for name in names) + "}"


def write_attribute_relations(path, made, count):
    lines = ["@relation rows"]
    for i, names in enumerate(made["columns"]):
        lines.append(f"@attribute x{i} {in_quotes(names) if names else 'numeric'}")
    lines += [f"@attribute technique {in_quotes(made['classes'])}", "@data"]
    for row, label in list(zip(made["rows"], made["labels"]))[:count]:
        cells = ["?" if cell is None else f"'{names[cell]}'" if names else repr(cell)
                 for cell, names in zip(row, made["columns"])]
        lines.append(",".join(cells + [f"'{made['classes'][label]}'"]))
    path.write_text("\n".join(lines) + "\n")


def with_distributions(tables):
    with tempfile.TemporaryDirectory() as folder:
        for i, made in enumerate(tables):
            write_attribute_relations(pathlib.Path(folder) / f"seen{i}.arff", made, made["learned"])
            write_attribute_relations(pathlib.Path(folder) / f"all{i}.arff", made, len(made["rows"]))
            (pathlib.Path(folder) / f"trees{i}").write_text(str(made["trees"]))
        lines = subprocess.run(["java", "-cp", WEKA, HERE / "WekaForests.java", folder], check=True, capture_output=True,
                               text=True).stdout.splitlines()
    told = iter(lines)
    for made in tables:
        made["distributions"] = [list(map(float, next(told).split(","))) for _ in made["rows"]]
    return tables


def is_close(one, other, bound):
    return len(one) == len(other) and all(math.isclose(a, b, rel_tol=0, abs_tol=bound) for a, b in zip(one, other))


def differs(told, expected, bound):
    return next((i for i, (one, other) in enumerate(zip(told, expected, strict=True)) if not is_close(one, other, bound)), None)


def by_hoist(hoist, made):
    count = made["learned"]
    given = {"rows": made["rows"][:count], "targets": made["labels"][:count], "columns": made["columns"],
             "classes": made["classes"], "trees": made["trees"], "test": made["rows"]}
    return json.loads(subprocess.run([hoist, "dev", "learn", "random-forest", "-"], input=json.dumps(given), check=True,
                                     capture_output=True, text=True).stdout)


def text_of(tables):
    return "[\n" + ",\n".join(json.dumps(made) for made in tables) + "\n]\n"


def main(arguments):
    if not shutil.which("javac") or not pathlib.Path(WEKA).exists():
        print("Weka or a JDK is not installed")
        return 77
    path = HERE / "weka_forests.json"
    if arguments[:1] == ["--compare"]:
        hoist, count = arguments[1], int(arguments[2])
        for made in with_distributions([table(seed) for seed in range(count)]):
            told = by_hoist(hoist, made)
            row = differs(told, made["distributions"], 1e-9)
            if row is not None:
                return f"table {made['seed']}, row {row}: {told[row]}, and by Weka {made['distributions'][row]}"
        print(f"{count} tables as Weka predicts them")
        return 0
    tables = with_distributions([table(seed) for seed in KEPT])
    if "--check" not in arguments:
        path.write_text(text_of(tables))
        return 0
    for kept, made in zip(json.loads(path.read_text()), tables, strict=True):
        if {**kept, "distributions": 0} != {**made, "distributions": 0} or differs(
                kept["distributions"], made["distributions"], 1e-11) is not None:
            return f"table {made['seed']} of {path.name} is not what Weka predicts"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
