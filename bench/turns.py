"""What benchmarks share that time Hoist beside other programs in turns: the same inputs in memory of the same kind,
short turns of several runs each, and a row of numbers for everyone. Needs NumPy (exit status 77 without it)."""
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

try:
    import numpy as np
except ImportError:
    # Debian's NumPy belongs to Debian's Python, which need not be the first on PATH.
    system_python = pathlib.Path("/usr/bin/python3")
    if not system_python.exists() or system_python.samefile(sys.executable):
        sys.exit(77)
    os.execv(system_python, [str(system_python), "-B", *sys.argv])

ROOT = pathlib.Path(__file__).resolve().parent.parent
THREADS = 2
SEED = 20261123
HUGE_PAGE = 2 << 20
SECONDS_OF_TURN = 0.4  # what the timed runs of one turn may take
MOST_RUNS = 20  # of one turn
LONG_RUN = 4.0  # seconds; what takes longer is timed in the first round only, and in one run
THREADS_SLEEP = 0.25  # seconds after which threads of a run have stopped to spin


def called(command, **options):
    ran = subprocess.run([str(each) for each in command], cwd=ROOT, capture_output=True, text=True, **options)
    if ran.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{ran.stderr}")
    return ran.stdout


def aligned(shape, kind):
    """An array that begins where the device `host` has them begin: at a huge page."""
    count = int(np.prod(shape)) * np.dtype(kind).itemsize
    memory = np.zeros(count + HUGE_PAGE, np.uint8)
    start = -memory.ctypes.data % HUGE_PAGE
    return memory[start:start + count].view(kind).reshape(shape)


def random_input(shape, kind, given, sizes, generator):
    """From -1 to 1, or as sizes.json says, where a bound may be the name of a size."""
    low, high, diagonal = (sizes.get(value, value) for value in
                           (given.get("low", -1), given.get("high", 1), given.get("diagonal", 0)))
    array = generator.uniform(low, high, shape)
    if diagonal:
        array += diagonal * np.eye(shape[0])
    return np.floor(array).astype(kind) if kind is np.int32 else array.astype(kind)


def runs_of_turn(estimate):
    return max(1, min(MOST_RUNS, int(SECONDS_OF_TURN / max(estimate, 1e-6))))


class InProcess:
    """A function that is called in this process: `seconds()` runs it once, `first` is what that took at first."""

    def turn(self):
        if self.first < LONG_RUN:
            self.seconds()
        times = [self.seconds() for _ in range(runs_of_turn(self.first))]
        time.sleep(THREADS_SLEEP)
        return times


class Hoist:
    """A program on one of Hoist's devices, in a process for each turn. The time is that of whole runs."""

    def __init__(self, command, outputs):
        self.command = [*command, "--json"]
        self.first = self.run(2, outputs)[1]

    def run(self, repetitions, outputs=()):
        # Where no file is named the result is printed, of which one element is enough.
        shown = ["-o", ",".join(map(str, outputs))] if outputs else ["--elements", 1]
        return json.loads(called([*self.command, "--repeat", repetitions, *shown]))["all_wall_seconds"]

    def turn(self):
        """As in this process, the run that first touches all memory is not timed."""
        return self.run(1 + runs_of_turn(self.first))[1:]


def times_in_turns(contenders, rounds):
    """The times of everyone, by name."""
    times = {name: [] for name in contenders}
    for number in range(rounds):
        for name, contender in contenders.items():
            if number == 0 or contender.first < LONG_RUN:
                times[name] += contender.turn()
    return times


def rows_of(name, sizes, times, baselines, wrong, commit):
    """A row for everyone; the baseline is the one of `baselines` with the best median."""
    best = {key: min(key(times[each]) for each in baselines) for key in (statistics.median, min)}
    rows = []
    for variant, each in times.items():
        quartiles = statistics.quantiles(each, n=4) if len(each) > 1 else 2 * each + each
        median = statistics.median(each)
        rows.append({
            "benchmark": name, "sizes": sizes, "backend": "host", "device": processor(), "variant": variant,
            "outcome": "; ".join(wrong) or "ok", "repetitions": len(each), "median_seconds": median,
            "minimum_seconds": min(each), "spread": (quartiles[2] - quartiles[0]) / median,
            "baseline": min(baselines, key=lambda other: statistics.median(times[other])),
            "baseline_seconds": best[statistics.median], "ratio": best[statistics.median] / median,
            "ratio_of_minima": best[min] / min(each), "load": os.getloadavg()[0], "commit": commit})
    return rows


def processor():
    return re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]


def commit():
    return called(["git", "rev-parse", "--short", "HEAD"]).strip()


def load_of(kernels):
    """A sentence about the machine's load while these rows were measured."""
    loads = [rows[0]["load"] for rows in kernels]
    return (f"Load of the machine, whose {os.cpu_count()} processors were all used: "
            f"{min(loads):.1f} to {max(loads):.1f}.\n")


def write(folder, name, kernels, table):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps([row for rows in kernels for row in rows], indent=1) + "\n")
    (folder / f"{name}.md").write_text(table)
