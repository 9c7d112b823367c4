#!/usr/bin/env python3
"""What a call from Python takes beside one through the C++ interface, and beside the kernels alone: small arrays, each program
in turns with call_bench.

    bench/python_calls.py build/release                                         prints the table
    bench/python_calls.py build/release --write bench/results/python-calls      writes it, too

Run it on quiet processors: `taskset -c 0,1 bench/python_calls.py ...`. Exit status 1 where a call takes more than is asked.
`--check` takes little time and asks nothing, as the test of this script does.
"""
import argparse
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time

import turns

KERNELS = turns.ROOT / "kernels"
CASES = [("axpy", {"N": 16}), ("axpy", {"N": 1024}), ("dot", {"N": 1024}), ("gemv", {"M": 32, "N": 32}),
         ("jacobi2d5", {"H": 32, "W": 32}), ("black_scholes", {"N": 64})]
ASKED = {"over_cpp": 10e-6, "over_kernels": 30e-6}


def arguments(compiled_for, sizes):
    """Arrays of ones, as call_bench has them. All numbers of these programs are f32."""
    import numpy
    values = []
    for _, type in compiled_for.parameters:
        extents = [sizes[name] for name in type.replace("]", "[").split("[")[1:-1:2]]
        values.append(numpy.ones(extents, numpy.float32) if extents else 1.0)
    return values


def of_python(step, values, calls):
    """Medians of a call, of its kernels, and of what is neither."""
    times, kernels = [], []
    for _ in range(calls // 10):
        step(*values)
    for _ in range(calls):
        start = time.perf_counter()
        step(*values)
        times.append(time.perf_counter() - start)
        kernels.append(step.kernel_seconds)
    return {"call": statistics.median(times), "kernels": statistics.median(kernels),
            "rest": statistics.median(a - b for a, b in zip(times, kernels))}


def measured(options, device, name, sizes):
    """The row of a program: least of the rounds' medians, which other processes disturb less."""
    import hoist
    path = KERNELS / f"{name}.hoist"
    step = hoist.load(path, device=device.id)
    values = arguments(step, sizes)
    words = [f"{size}={value}" for size, value in sizes.items()]
    rounds = {"python": [], "cpp": []}
    for _ in range(options.rounds):
        rounds["cpp"].append(json.loads(turns.called([options.build / "call_bench", device.id, options.calls, path, *words])))
        rounds["python"].append(of_python(step, values, options.calls))
    best = {who: {what: min(each[what] for each in rounds[who]) for what in ("call", "kernels", "rest")} for who in rounds}
    over = {"over_cpp": best["python"]["call"] - best["cpp"]["call"], "over_kernels": best["python"]["rest"]}
    return {"benchmark": name, "sizes": sizes, "backend": device.id, "device": device.name, "calls": options.calls,
            "rounds": options.rounds, "python_seconds": best["python"]["call"], "cpp_seconds": best["cpp"]["call"],
            "kernel_seconds": best["python"]["kernels"], **over, "load": os.getloadavg()[0], "commit": turns.commit()}


def table(rows):
    micro = lambda row, name: f"{row[name] * 1e6:.1f}"
    text = ("| program | sizes | device | from Python, µs | from C++, µs | kernels, µs | over C++, µs | over the kernels, µs |\n"
            "|---|---|---|---:|---:|---:|---:|---:|\n")
    for row in rows:
        sizes = " ".join(f"{name}={value}" for name, value in row["sizes"].items())
        cells = [micro(row, name) for name in ("python_seconds", "cpp_seconds", "kernel_seconds", "over_cpp", "over_kernels")]
        text += f"| {row['benchmark']} | {sizes} | {row['backend']} | {' | '.join(cells)} |\n"
    worst = {name: max(row[name] for row in rows) * 1e6 for name in ASKED}
    loads = [row["load"] for row in rows]
    return text + (f"\nMedians of {rows[0]['calls']} calls, the least of {rows[0]['rounds']} rounds, in turns with call_bench; "
                   f"{turns.processor()}; load of the machine {min(loads):.1f} to {max(loads):.1f}. At the most "
                   f"{worst['over_cpp']:.1f} µs over C++ (asked {ASKED['over_cpp'] * 1e6:.0f}) and {worst['over_kernels']:.1f} µs over "
                   f"the kernels (asked {ASKED['over_kernels'] * 1e6:.0f}).\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, help="the folder of call_bench and of the module for Python")
    parser.add_argument("--device", action="append", help="an id; all processors when none is named")
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--check", action="store_true", help="few calls, and nothing asked of their time")
    parser.add_argument("--write", type=pathlib.Path, help="folder for python_calls.json and python_calls.md")
    options = parser.parse_args()
    options.build = options.build.resolve()
    if options.check:
        options.calls, options.rounds = 20, 1
    sys.path.insert(0, str(options.build / "python"))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder  # nothing is tuned there
        import hoist
        devices = [each for each in hoist.devices() if (each.id in options.device if options.device else each.type == "cpu")]
        rows = [measured(options, device, name, sizes) for device in devices for name, sizes in CASES]
    text = table(rows)
    print(text)
    if options.write:
        turns.write(options.write, "python_calls", [rows], text)
    if not options.check and any(row[name] > most for row in rows for name, most in ASKED.items()):
        sys.exit(1)


if __name__ == "__main__":
    main()
