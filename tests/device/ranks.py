#!/usr/bin/env python3
"""Four programs on one device, on two of one process (`hoist run --device A --device B`), and on two ranks of MPI. Run by
tests/device/ranks.sh, which says what has to be there:

    tests/device/ranks.py build/release/hoist --seconds 200 --write bench/results/h200-ranks

Each program is tuned first, at a smaller size, with a share of the time; all ways use what was found. A time is that of the steps alone:
of one device the time of its kernels, of two that from the end of the last upload of inputs to the end of the last kernel, or that of
one's kernels where it is longer. `whole` is that of the command, with the start, random inputs, transfers and all repetitions. How much
of what is exchanged is hidden, and how long devices have nothing to compute, is read off the traces. Results are compared at smaller
sizes.

What matters most is done first. At the end of the time the rest is left out, and said to be.
"""
import argparse
import array
import json
import os
import pathlib
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ONE, DEVICES, RANKS = "one device", "two devices", "two ranks"
# N-body as one step: a program of one input, to which its result can be fed.
NBODY_STEPS = """
def nbodyStep(state: ([N](f32, f32, f32, f32), [N](f32, f32, f32)), dt: f32, softening: f32)
    : ([N](f32, f32, f32, f32), [N](f32, f32, f32)) =
  let (bodies, velocities) = state
  in nbody(bodies, velocities, dt, softening)
"""


class Program:
    def __init__(self, name, file, sizes, small, tuned, equal, steps, given=(), leaves=1, is_exact=True):
        self.name, self.file, self.given, self.leaves, self.is_exact = name, file, list(given), leaves, is_exact
        self.sizes = {"large": sizes, "small": small, "tuned": tuned, "equal": equal}
        self.steps = steps  # None: it cannot be fed to itself

    def words(self, size, is_short=False):
        steps = [] if self.steps is None else ["--steps", str(9 if is_short else self.steps)]
        return [str(self.file), *(f"{key}={value}" for key, value in self.sizes[size].items()), *self.given, "--random", "1", *steps]

    def sizes_text(self, size):
        return " ".join(f"{key}={value}" for key, value in self.sizes[size].items())


def programs(folder, is_small):
    def square(names, size):
        return dict.fromkeys(names, size)

    def cubes(name):
        return ROOT / "kernels" / f"{name}.hoist"

    bodies = pathlib.Path(folder) / "nbody_step.hoist"
    bodies.write_text(cubes("nbody").read_text() + NBODY_STEPS)
    steps = 20 if is_small else 200
    return [
        Program("jacobi2d5", cubes("jacobi2d5"), square("HW", 32768), square("HW", 512), square("HW", 8192), {"H": 1001, "W": 1536}, steps),
        Program("jacobi3d7", cubes("jacobi3d7"), square("DHW", 1024), square("DHW", 64), square("DHW", 512), {"D": 131, "H": 96, "W": 256}, steps),
        Program("matmul_nn", cubes("matmul_nn"), square("MNK", 16384), square("MNK", 256), square("MNK", 4096), {"M": 1024, "N": 512, "K": 768},
                None, is_exact=False),
        Program("nbody", bodies, {"N": 524288}, {"N": 2048}, {"N": 262144}, {"N": 8192}, 2 if is_small else 5,
                ["dt=0.01", "softening=0.1"], leaves=7, is_exact=False),
    ]


# ---- Commands, within the time

class Clock:
    def __init__(self, seconds):
        self.start = time.monotonic()
        self.end = self.start + seconds

    def left(self):
        return self.end - time.monotonic()

    def say(self, text):
        print(f"{time.monotonic() - self.start:6.1f} s  {text}", flush=True)


class Failed(Exception):
    """A command that did not do what it should."""


def finished(clock, words, limit, environment=None):
    """What a command prints, and the seconds that it took. Its processes end with it, and with the time."""
    limit = min(limit, clock.left())
    if limit < 1:
        raise Failed("no time is left")
    start = time.monotonic()
    process = subprocess.Popen(list(map(str, words)), text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                               start_new_session=True, env=dict(os.environ, **(environment or {})))
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise Failed(f"not done in {limit:.0f} s: {' '.join(map(str, words))}") from None
    if process.returncode != 0:
        lines = err.strip().splitlines() or [""]
        raise Failed(f"exit status {process.returncode}: {' '.join(map(str, words))}\n" + "\n".join(lines[-8:]))
    return out, time.monotonic() - start


# ---- What a run was

def read_npy(path):
    data = pathlib.Path(path).read_bytes()
    length = struct.unpack("<H", data[8:10])[0]
    values = array.array("f")
    values.frombytes(data[10 + length:])
    return values


def difference(one, many):
    """The largest difference of two files of f32, over the largest element; 0 where they are equal to the bit."""
    if pathlib.Path(one).read_bytes() == pathlib.Path(many).read_bytes():
        return 0.0
    expected, got = read_npy(one), read_npy(many)
    if len(expected) != len(got):
        return float("inf")
    scale = max(map(abs, expected), default=1) or 1
    worst = max((abs(a - b) for a, b in zip(expected, got)), default=0) / scale
    return worst if worst == worst else float("inf")


def covered(interval, others):
    """How much of an interval lies in some of the others, which are in order and apart."""
    return sum(max(0, min(interval[1], end) - max(interval[0], start)) for start, end in others)


def joined(intervals):
    result = []
    for start, end in sorted(intervals):
        if result and start <= result[-1][1]:
            result[-1][1] = max(result[-1][1], end)
        else:
            result.append([start, end])
    return result


def exchange(path):
    """Of a trace: the seconds that places exchange, the share of these in which the place computes, and the share of the time from the
    second step's first kernel to the last one's end in which a place computes nothing."""
    events = [each for each in json.loads(pathlib.Path(path).read_text())["traceEvents"] if each["ph"] == "X"]
    seconds, hidden, idle, span = 0, 0, 0, 0
    for place in {each["pid"] for each in events}:
        own = [(each["cat"], each["ts"] * 1e-6, (each["ts"] + each["dur"]) * 1e-6, each["args"].get("step", 0)) for each in events
               if each["pid"] == place]
        launches = joined([(start, end) for kind, start, end, _ in own if kind == "launch"])
        copies = [(start, end) for kind, start, end, _ in own if kind == "copy"]
        seconds += sum(end - start for start, end in copies)
        hidden += sum(covered(each, launches) for each in copies)
        later = [(start, end) for kind, start, end, step in own if kind == "launch" and step >= 1]
        if later:
            whole = (min(start for start, _ in later), max(end for _, end in later))
            span += whole[1] - whole[0]
            idle += whole[1] - whole[0] - covered(whole, launches)
    return {"exchange_seconds": seconds, "hidden": hidden / seconds if seconds else None, "idle": idle / span if span else None}


# ---- The runs

class Runs:
    def __init__(self, options, scratch, clock):
        self.options, self.scratch, self.clock = options, pathlib.Path(scratch), clock
        self.programs = programs(scratch, options.small)
        self.size = "small" if options.small else "large"
        self.rows, self.equal, self.left_out = [], [], []
        self.launcher = None

    def store(self, program):
        return self.scratch / f"{program.name}.sqlite"

    def store_words(self, program):
        """None where nothing was tuned: then the default mapping is what runs."""
        return ["--store", self.store(program)] if self.store(program).exists() else ["--untuned"]

    def on(self, way):
        """The words before `hoist`, and those that name devices."""
        one, other = self.options.devices
        if way == ONE:
            return [], ["--device", one]
        # One that is named twice would be divided; of ranks each takes the whole.
        both = ["--device", one] + ([] if way == RANKS and one == other else ["--device", other])
        return (self.launcher if way == RANKS else []), both

    def run(self, way, words, limit=90):
        before, devices = self.on(way)
        return finished(self.clock, [*before, self.options.hoist, "run", *words, *devices], limit)

    def ways(self):
        return [ONE, DEVICES] + ([RANKS] if self.launcher else [])

    def attempt(self, what, body):
        """Whether it was done. What fails is said, and the rest goes on."""
        try:
            if self.clock.left() < 3:
                raise Failed("no time is left")
            body()
            return True
        except (Failed, ValueError, KeyError, OSError) as failure:
            self.left_out.append(f"{what}: {failure}")
            self.clock.say(f"{what}: {failure}")
            return False

    def find_launcher(self):
        """How ranks are started here, tried with messages that are longer than one piece: copies from process to process are refused in
        some containers."""
        start = [self.options.mpirun, "--allow-run-as-root", "--bind-to", "none", *(["--oversubscribe"] if os.cpu_count() < 4 else [])]
        plain = ["--mca", "btl_vader_single_copy_mechanism", "none"]
        program = self.programs[0]
        words = [program.file, "H=64", "W=65536", "--random", "1", "--steps", "5", "--untuned", "--elements", "1"]
        reason = ""
        for more in ([], plain):
            self.launcher = [*start, *more, "-n", "2"]
            try:
                self.run(RANKS, [*words, "--verify"], 30)
                self.clock.say(f"ranks are started by {' '.join(self.launcher)}")
                return
            except (Failed, OSError) as failure:
                reason = str(failure)
        self.launcher = None
        self.left_out.append(f"ranks: {reason}")
        self.clock.say(f"no ranks: {reason}")

    # -- Tuning

    def tune(self, program, device, seconds):
        size = "small" if self.options.small else "tuned"
        words = [self.options.hoist, "tune", program.file, *(f"{key}={value}" for key, value in program.sizes[size].items()),
                 *program.given, "--device", device, "--store", self.store(program), "--budget", f"{seconds:.0f}", "--json"]
        if self.options.small:
            words += ["--evaluations", "3"]
        out, took = finished(self.clock, words, seconds + 45)
        best = json.loads(out).get("best", {})
        self.clock.say(f"tuned {program.name} at {program.sizes_text(size)} on {device} in {took:.0f} s: {json.dumps(best)[:150]}")

    def tune_all(self):
        """Two programs at a time, each on a device of its own."""
        share = max(3, min(25, self.clock.left() / 12))

        def some(numbers, device):
            for number in numbers:
                program = self.programs[number]
                self.attempt(f"tuning of {program.name}", lambda program=program: self.tune(program, device, share))

        one, other = self.options.devices
        if one == other:
            return some([0, 1, 2, 3], one)
        threads = [threading.Thread(target=some, args=each) for each in (([0, 2], one), ([1, 3], other))]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        return None

    # -- Times

    def measure(self, program, way):
        words = [*program.words(self.size), *self.store_words(program), "--repeat", self.options.repeat, "--elements", "1", "--json"]
        trace = None
        if way != ONE and program.steps is not None:
            trace = self.scratch / f"{program.name}-{way.split()[1]}.json"
            words += ["--trace", trace]
        out, whole = self.run(way, words)
        facts = json.loads(out)
        row = {"program": program.name, "sizes": program.sizes[self.size], "steps": facts["steps"], "way": way,
               "devices": self.options.devices[:1] if way == ONE else self.options.devices, "kernel": facts["kernel"], "whole": whole}
        if way == ONE:
            row |= {"seconds": facts["all_seconds"], "wall_seconds": facts["all_wall_seconds"]}
        else:
            # Where one place computes while another still uploads, its kernels are the longer.
            kernels = max(each["kernel_seconds"] for each in facts["places"])
            row |= {"seconds": [max(each, kernels) for each in facts["computing_seconds"]], "wall_seconds": facts["wall_seconds"], "moved_bytes": facts["moved_bytes"],
                    "kernel_seconds": [each["kernel_seconds"] for each in facts["places"]], "notes": facts["notes"],
                    "shares": [each["share"] for each in facts["places"]]}
        if trace and trace.exists():
            row |= exchange(trace)
        self.rows.append(row)
        faster = self.faster(row)
        self.clock.say(f"{program.name} {program.sizes_text(self.size)}, {row['steps']} steps, {way}: {statistics.median(row['seconds']):.4f} s"
                       + (f", {faster:.3f} times one device" if faster else "")
                       + (f", hidden {row['hidden']:.3f}, idle {row['idle']:.4f}" if row.get("hidden") is not None else "")
                       + f", kernel {row['kernel']}, whole {whole:.1f} s")

    def faster(self, row):
        one = [each for each in self.rows if each["program"] == row["program"] and each["way"] == ONE]
        if not one or row["way"] == ONE:
            return None
        return statistics.median(one[0]["seconds"]) / statistics.median(row["seconds"])

    # -- Equality

    def compare(self, program):
        results = {}
        for way in self.ways():
            paths = [self.scratch / f"{program.name}-{way.split()[1]}-{leaf}.npy" for leaf in range(program.leaves)]
            self.run(way, [*program.words("equal", is_short=True), *self.store_words(program), "-o", ",".join(map(str, paths))], 40)
            results[way] = paths
        is_gpu = self.options.devices[0].startswith("cuda")
        for way in self.ways()[1:]:
            worst = max(difference(one, many) for one, many in zip(results[ONE], results[way]))
            # Compilers of the processor add up otherwise in parts.
            is_right = worst == 0 or (not (program.is_exact and is_gpu) and worst <= 1e-5)
            self.equal.append({"program": program.name, "sizes": program.sizes["equal"], "way": way, "difference": worst, "equal": is_right})
            self.clock.say(f"{program.name} {program.sizes_text('equal')}, {way}: " + (
                "equal to the bit" if worst == 0 else f"differs by {worst:.1e} of the largest element" + ("" if is_right else ": WRONG")))

    # -- All of it

    def run_all(self):
        self.tune_all()
        if self.options.mpirun:
            self.find_launcher()
        for way in (DEVICES, RANKS):
            if way not in self.ways():
                continue
            for program in self.programs:
                if way == DEVICES:
                    self.attempt(f"{program.name} on {ONE}", lambda: self.measure(program, ONE))
                self.attempt(f"{program.name} on {way}", lambda: self.measure(program, way))
            self.write()
        for program in self.programs:
            self.attempt(f"equality of {program.name}", lambda: self.compare(program))
        self.write()

    def table(self):
        lines = [f"# {self.options.devices[0]} and {self.options.devices[1]} beside {self.options.devices[0]} alone", "",
                 "Seconds of the steps, the median run; *hidden*: of the time in which places exchange, that in which they compute; *idle*: of the",
                 "steps' time, that in which they compute nothing.", "",
                 "| program | sizes | steps | way | kernel | seconds | times one device | hidden | idle | the whole command |",
                 "|---|---|--:|---|---|--:|--:|--:|--:|--:|"]
        for row in self.rows:
            sizes = " ".join(f"{key}={value}" for key, value in row["sizes"].items())
            faster = self.faster(row)
            lines.append(f"| {row['program']} | {sizes} | {row['steps']} | {row['way']} | {row['kernel']} | {statistics.median(row['seconds']):.4f} | "
                         + (f"{faster:.3f}" if faster else "") + " | " + (f"{row['hidden']:.3f}" if row.get("hidden") is not None else "")
                         + " | " + (f"{row['idle']:.4f}" if row.get("idle") is not None else "") + f" | {row['whole']:.1f} |")
        if self.equal:
            lines += ["", "Results beside one device's:", "", "| program | sizes | way | difference over the largest element |", "|---|---|---|--:|"]
            for each in self.equal:
                sizes = " ".join(f"{key}={value}" for key, value in each["sizes"].items())
                lines.append(f"| {each['program']} | {sizes} | {each['way']} | {'0, to the bit' if each['difference'] == 0 else each['difference']} |")
        lines += ["", *(f"- left out: {each.splitlines()[0]}" for each in self.left_out)] if self.left_out else []
        return "\n".join(lines) + "\n"

    def write(self):
        if not self.options.write:
            return
        folder = pathlib.Path(self.options.write)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "ranks.jsonl").write_text("".join(json.dumps(each) + "\n" for each in [*self.rows, *self.equal]))
        (folder / "ranks.md").write_text(self.table())
        for program in self.programs[:2]:
            for way in (DEVICES, RANKS):
                trace = self.scratch / f"{program.name}-{way.split()[1]}.json"
                if trace.exists():
                    (folder / f"trace-{trace.name}").write_bytes(trace.read_bytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist")
    parser.add_argument("--seconds", type=float, default=200, help="when all must have ended")
    parser.add_argument("--devices", nargs=2, help="otherwise the first two GPUs of CUDA")
    parser.add_argument("--mpirun", default="mpirun", help="how ranks are started; empty: not at all")
    parser.add_argument("--repeat", default="3")
    parser.add_argument("--small", action="store_true", help="small arrays, hardly tuned: to try this script")
    parser.add_argument("--write", help="a folder for rows, a table and traces")
    options = parser.parse_args()
    options.hoist = os.path.abspath(options.hoist)
    clock = Clock(options.seconds - 2)
    found = json.loads(finished(clock, [options.hoist, "devices", "--json"], 60)[0])
    for each in found:
        clock.say(f"{each['id']}  {each['name']}")
    if not options.devices:
        options.devices = [each["id"] for each in found if each["id"].startswith("cuda:") and each["type"] == "gpu"][:2]
    if len(options.devices) < 2:
        print("skipped: there are no two GPUs of CUDA")
        return 77
    with tempfile.TemporaryDirectory() as scratch:
        runs = Runs(options, scratch, clock)
        runs.run_all()
        print(runs.table())
        return 0 if all(each["equal"] for each in runs.equal) else 1


if __name__ == "__main__":
    sys.exit(main())
