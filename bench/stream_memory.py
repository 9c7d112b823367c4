#!/usr/bin/env python3
"""Data larger than a device's memory pass through it: how a run compares to the slowest of upload, kernel and download alone.

    bench/stream_memory.py build/release/hoist --device cuda:0 --leave 8 -o bench/results/h200-streams/memory-held.md
    POCL_MEMORY_LIMIT=1 bench/stream_memory.py build/release/hoist --device opencl:0 --scale 1 -o bench/results/pocl-streams/memory.md

Each program runs with arrays of four times the memory that there is: `hoist run --streams auto`, which finds out by itself that they do
not fit, and a few fixed choices. What each of the three takes alone is measured first, on arrays of a quarter of the memory and in one
task, so that nothing overlaps, and counts sixteen times as much. Shares are the slowest alone over the whole run.

--leave G holds all but G GiB of a GPU's memory in this process (CUDA), as another program would. Of other devices --scale says how many GiB
they have; PoCL's as many as POCL_MEMORY_LIMIT says.
"""
import argparse
import ctypes
import json
import os
import pathlib
import statistics
import subprocess
import sys

KERNELS = pathlib.Path(__file__).resolve().parent.parent / "kernels"
GIB = 1 << 30
RUNS = 3  # of each command
# File, sizes, and the size that grows: so many for each GiB of all arrays together.
PROGRAMS = {"jacobi2d5": ({"W": 32768}, "H", 4096),  # few operations for an element
            "black_scholes": ({}, "N", 51 << 20),  # a hundred
            "mandelbrot": ({"W": 32768}, "H", 8192)}  # several hundreds, and hardly any input
CHOICES = ["auto", "1,64", "1,128"]


def hold_all_but(device, leave):
    """Holds memory of a GPU to the end of this process; gives how many bytes."""
    driver = ctypes.CDLL(os.environ.get("HOIST_CUDA_LIBRARY", "libcuda.so.1"))

    def call(name, *arguments):
        status = getattr(driver, name)(*arguments)
        if status:
            sys.exit(f"{name} failed: error {status} of CUDA")

    context, memory, free, total = ctypes.c_void_p(), ctypes.c_uint64(), ctypes.c_size_t(), ctypes.c_size_t()
    call("cuInit", 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
    if free.value <= leave:
        sys.exit(f"the device has {free.value / GIB:.3g} GiB free, no more than --leave says")
    call("cuMemAlloc_v2", ctypes.byref(memory), ctypes.c_size_t(free.value - leave))
    return free.value - leave


def run(options, program, sizes, *more):
    command = [options.hoist, "run", KERNELS / f"{program}.hoist", *(f"{name}={size}" for name, size in sizes.items()),
               "--device", options.device, "--random", "1", "--repeat", str(RUNS), "--json", *more]
    ran = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    if ran.returncode != 0:
        return None, ran.stderr.strip().splitlines()[-1]
    facts = json.loads(ran.stdout)
    return facts["streams"], " ".join(["hoist run", *map(str, command[2:])]).replace(str(KERNELS), "kernels")


STAGES = ["upload", "kernel", "download"]


def medians(of_rounds):
    """Of each number of several runs."""
    return {name: statistics.median(each[name] for each in of_rounds) for name in of_rounds[0]}


def measured(options):
    rows, commands = [], []
    for program in options.programs:
        fixed, size, for_gib = PROGRAMS[program]
        sizes = {"alone": int(for_gib * options.scale / 4), **{choice: int(for_gib * options.scale * 4) for choice in options.choices}}
        times, failed = {each: [] for each in sizes}, {}
        # In rounds, so that what else a machine does is shared by all.
        for _ in range(options.rounds):
            for each, elements in sizes.items():
                facts, command = run(options, program, {**fixed, size: elements}, "--streams", "1" if each == "alone" else each)
                if facts is None:
                    failed[each] = command
                    continue
                commands.append(command)
                kept = {f"{stage}_seconds": facts[f"{stage}_seconds"] for stage in STAGES}
                kept |= {"seconds": statistics.median(facts["seconds"]), "tasks": facts["tasks"], "memory": facts["memory_bytes"] / GIB}
                times[each].append(kept)
        if "alone" in failed:
            sys.exit(f"{program}: {failed['alone']}")
        alone = medians(times["alone"])
        each_alone = [16 * alone[f"{stage}_seconds"] for stage in STAGES]
        rows.append([program, "alone", 1, "", *each_alone, "", ""])
        for choice in options.choices:
            if choice in failed:
                rows.append([program, choice, "", "", "", "", "", "", failed[choice]])
                continue
            ran = medians(times[choice])
            rows.append([program, choice, int(ran["tasks"]), ran["memory"], *(ran[f"{stage}_seconds"] for stage in STAGES), ran["seconds"],
                         max(each_alone) / ran["seconds"]])
            print(*rows[-1], flush=True)
    return rows, list(dict.fromkeys(commands))


def text_of(options, rows, commands, held):
    cells = lambda row: " | ".join(f"{each:.4g}" if isinstance(each, float) else str(each) for each in row)
    head = ["program", "--streams", "tasks", "GiB on the device", "uploads, s", "kernels, s", "downloads, s", "a run, s", "share of the slowest alone"]
    lines = [f"# Data four times a device's memory ({options.device})", "",
             f"{options.scale:.3g} GiB are free{f', {held / GIB:.1f} GiB are held by another process' if held else ''}. Medians of {options.rounds} rounds. "
             "Seconds of uploads, kernels and downloads are those during which at least one ran; in lines of what is alone they are those of a "
             "sixteenth of the data in one task, times sixteen.", "", f"| {' | '.join(head)} |", "|---|---|--:|--:|--:|--:|--:|--:|--:|",
             *(f"| {cells(row)} |" for row in rows), "", *(f"    {each}" for each in commands)]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--device", required=True)
    parser.add_argument("--leave", type=float, help="GiB of a GPU's memory that are not held")
    parser.add_argument("--scale", type=float, default=8, help="GiB of memory that there are (8)")
    parser.add_argument("--programs", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--rounds", type=int, default=3, help="how often each command is run (3)")
    parser.add_argument("--choices", nargs="+", default=CHOICES, help="values of --streams")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    options = parser.parse_args()
    held = 0
    if options.leave:
        held = hold_all_but(int(options.device.partition(":")[2] or 0), int(options.leave * GIB))
        options.scale = options.leave
    rows, commands = measured(options)
    text = text_of(options, rows, commands, held)
    if options.output:
        options.output.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
