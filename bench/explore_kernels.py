#!/usr/bin/env python3
"""How long hoist explore takes to derive and count what each kernel that ships may become, and how much memory: a table.
   bench/explore_kernels.py build/release/hoist bench/results/explore-growth/kernels.md [KERNEL ...]
Each size is 64, then 1024; a radius R is 4. Needs GNU time. Seconds are the processor's, which other work disturbs less."""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_SECONDS = 100


def measure(hoist, kernel, sizes):
    given = [f"{name}={4 if name == 'R' else size}" for name, size in sizes]
    command = [hoist, "explore", f"kernels/{kernel}.hoist", *given, "--json"]
    limited = f"ulimit -t {MOST_SECONDS}; exec /usr/bin/time -f '%U %S %M' \"$@\""
    ran = subprocess.run(["bash", "-c", limited, "bash", *command], cwd=ROOT, capture_output=True, text=True)
    user, system, kib = re.findall(r"^(\S+) (\S+) (\d+)$", ran.stderr, re.M)[-1]
    cost = f"{float(user) + float(system):.2f} | {int(kib) // 1024}"
    if ran.returncode != 0:
        return f"- | - | - | {cost}"
    funnel = json.loads(ran.stdout)["funnel"]
    return f"{funnel['algorithms']} | {funnel['derivations']} | {funnel['points']} | {cost}"


def main():
    hoist, path, *wanted = sys.argv[1:]
    hoist = str(pathlib.Path(hoist).resolve())
    with open(path, "w") as table:
        print("| kernel | sizes | programs after macro rules | derivations | points | seconds | MiB |", file=table)
        print("|---|--:|--:|--:|--:|--:|--:|", file=table)
        for kernel, entry in json.loads((ROOT / "kernels" / "sizes.json").read_text()).items():
            for size in (64, 1024):
                if wanted and kernel not in wanted:
                    continue
                row = measure(hoist, kernel, [(name, size) for name in entry["dividing"]])
                print(f"| {kernel} | {size} | {row} |", file=table, flush=True)


main()
