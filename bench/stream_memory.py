#!/usr/bin/env python3
"""Data larger than a device's memory pass through it: how a run compares to the slowest of upload, kernel and download alone.

    bench/stream_memory.py build/release/hoist --device cuda:0 --leave 8 -o bench/results/h200-streams/memory-held.md
    POCL_MEMORY_LIMIT=1 bench/stream_memory.py build/release/hoist --device opencl:0 --scale 1 -o bench/results/pocl-streams/memory.md

Each program runs with arrays of four times the memory that there is: `hoist run --streams auto`, which finds out by itself that they do
not fit, and a few fixed choices. What each of the three takes alone is measured first, on arrays of half the memory and in one task, so
that nothing overlaps, and counts four or eight times as much as that, by bytes. Shares are the slowest alone over the whole run.

--leave G holds all but G GiB of a GPU's memory in this process (CUDA), as another program would. PoCL's devices have so many GiB as
POCL_MEMORY_LIMIT says. --scale N divides the sizes, which are those of 8 GiB, by N/8, the GiB that there are.
"""
import argparse
import contextlib
import ctypes
import json
import pathlib
import subprocess
import sys

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "kernels"
GIB = 1 << 30
RUNS = 3
# File, sizes, and the size that grows: so many for each GiB of all arrays together.
PROGRAMS = {"jacobi2d5": ({"W": 32768}, "H", 4096),  # few operations for an element
            "black_scholes": ({}, "N", 51 << 20),  # a hundred
            "mandelbrot": ({"W": 32768}, "H", 8192)}  # several hundreds, and hardly any input
CHOICES = ["auto", "1,64", "1,128"]


class Cuda:
    """Memory of a GPU, held until this is closed."""

    def __init__(self, device, leave):
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxSetCurrent", context)
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        held = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(held), ctypes.c_size_t(free.value - leave))
        self.held = free.value - leave

    def call(self, name, *arguments):
        status = getattr(self.driver, name)(*arguments)
        if status:
            sys.exit(f"{name} failed: error {status} of CUDA")

    def close(self):
        pass  # the process has it to its end


def run(options, program, sizes, *more):
    command = [options.hoist, "run", KERNELS / f"{program}.hoist", *(f"{name}={size}" for name, size in sizes.items()),
               "--device", options.device, "--random", "1", "--repeat", str(RUNS), "--json", *more]
    ran = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    if ran.returncode != 0:
        return None, ran.stderr.strip().splitlines()[-1]
    facts = json.loads(ran.stdout)
    return facts.get("streams", facts), " ".join(["hoist run", *map(str, command[2:])]).replace(str(KERNELS), "kernels")


def median(values):
    return sorted(values)[len(values) // 2]


def measured(options):
    rows, commands = [], []
    gib = options.scale
    for program in options.programs:
        fixed, size, for_gib = PROGRAMS[program]
        small = {**fixed, size: for_gib * gib // 2}
        large = {**fixed, size: for_gib * gib * 4}
        alone, command = run(options, program, small, "--streams", "1")
        if alone is None:
            sys.exit(f"{program}: {command}")
        commands.append(command)
        factor = 8
        each = {name: factor * alone[f"{name}_seconds"] for name in ("upload", "kernel", "download")}
        slowest = max(each, key=each.get)
        rows.append([program, "alone", 1, "", *(each[name] for name in each), "", slowest])
        for choice in options.choices:
            facts, command = run(options, program, large, "--streams", choice)
            commands.append(command)
            if facts is None:
                rows.append([program, choice, "", "", "", "", "", "", command])
                continue
            seconds = median(facts["seconds"])
            rows.append([program, choice, facts["tasks"], facts["memory_bytes"] / GIB, facts["upload_seconds"], facts["kernel_seconds"],
                         facts["download_seconds"], seconds, each[slowest] / seconds])
            print(*rows[-1], flush=True)
    return rows, commands


def text_of(options, rows, commands, held):
    cells = lambda row: " | ".join(f"{each:.4g}" if isinstance(each, float) else str(each) for each in row)
    head = ["program", "--streams", "tasks", "GiB on the device", "uploads, s", "kernels, s", "downloads, s", "a run, s", "share of the slowest alone"]
    lines = [f"# Data four times a device's memory ({options.device})", "",
             f"{options.scale} GiB are free{f', {held / GIB:.1f} GiB are held by another process' if held else ''}. "
             "Seconds of uploads, kernels and downloads are those during which at least one ran; in lines of what is alone they are those of an "
             "eighth of the data in one task, times eight.", "", f"| {' | '.join(head)} |", "|---|---|--:|--:|--:|--:|--:|--:|--:|",
             *(f"| {cells(row)} |" for row in rows), "", *(f"    {each}" for each in commands)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--device", required=True)
    parser.add_argument("--leave", type=float, help="GiB of a GPU's memory that are not held")
    parser.add_argument("--scale", type=int, default=8, help="GiB of memory that there are")
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--choices", nargs="+", default=CHOICES, help="values of --streams")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    held = 0
    with contextlib.ExitStack() as stack:
        if options.leave:
            cuda = stack.enter_context(contextlib.closing(Cuda(int(options.device.partition(":")[2] or 0), int(options.leave * GIB))))
            held = cuda.held
            options.scale = int(options.leave)
        rows, commands = measured(options)
    text = text_of(options, rows, commands, held)
    if options.output:
        options.output.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
