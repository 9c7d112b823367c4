#!/usr/bin/env python3
"""test_numpy.py CASES DEVICE COUNT: random programs by NumPy, the interpreter and a device; all must give the same.

NumPy knows nothing of Hoist: oracle.py says what its patterns mean, and the generator writes each program in both
languages. Exit status 77 where NumPy or the device is missing.
"""
import json
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)

import oracle

BATCH = 25


def leaf(name, shape, digits):
    kind = np.bool_ if name == "bool" else getattr(oracle, name)
    return np.frombuffer(bytes.fromhex(digits), kind).reshape(shape)


def value(structure, leaves):
    """The leaves, in order, in the places of a structure of tuples; scalars as NumPy's."""
    if structure == "x":
        array = leaf(*next(leaves))
        return array[()] if array.ndim == 0 else array
    return tuple(value(part, leaves) for part in structure)


def leaves_of(result):
    return [each for part in result for each in leaves_of(part)] if isinstance(result, tuple) else [result]


def is_equal(result, expected):
    got = leaves_of(result)
    wanted = [leaf(*each) for each in expected]
    return len(got) == len(wanted) and all(
        a.dtype == b.dtype and np.array_equal(a, b) for a, b in zip(map(np.asarray, got), wanted)
    )


def main():
    cases, device, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    wrong = []
    for first in range(1, count + 1, BATCH):
        size = min(BATCH, count + 1 - first)
        made = subprocess.run([cases, device, str(first), str(size)], stdout=subprocess.PIPE, text=True)
        if made.returncode != 0:
            sys.exit(made.returncode)
        for line in made.stdout.splitlines():
            case = json.loads(line)
            names = dict(vars(oracle))
            exec(case["numpy"], names)
            inputs = [value(structure, iter(leaves)) for structure, leaves in case["inputs"]]
            with np.errstate(all="ignore"):
                result = names[f"p{case['seed']}"](*inputs)
            if not is_equal(result, case["interpreter"]):
                wrong.append((case["seed"], "the interpreter"))
                print(f"seed {case['seed']}: NumPy and the interpreter differ\n{case['hoist']}{case['numpy']}")
            if case["device"] is None:
                wrong.append((case["seed"], device))
                print(f"seed {case['seed']} on {device}: {case['error']}\n{case['hoist']}")
            elif not is_equal(result, case["device"]):
                wrong.append((case["seed"], device))
                print(f"seed {case['seed']}: NumPy and {device} differ\n{case['hoist']}{case['numpy']}")
    print(f"{count} programs, {len(wrong)} wrong: {wrong}")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
