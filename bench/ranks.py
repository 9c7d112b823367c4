#!/usr/bin/env python3
"""How a stencil scales over ranks, beside what `hoist run --ranks N --dry-run` says before it runs, and what it says of up to 1,024.

    bench/ranks.py build/release/hoist --write build/ranks                         up to four ranks on each core of this machine
    bench/ranks.py build/release/hoist --device cuda:0 cuda:1 --large --write ...  a GPU for each rank

Weak scaling gives each rank the same number of rows, strong scaling divides one array. A rank is a process that MPI has started where
there is mpirun, and otherwise a part of one process (--device named as often as there are ranks, which divides the host's cores); on
`host` each has one thread and a core, which ranks share where there are fewer cores. A step's time is that of a run over its steps: of
ranks from the last upload of inputs to the end of the last kernel. It is that of the fastest of --rounds processes of two runs, in turns
with those that it is compared with.

The forecast needs the time of one device. It is taken from as many processes as there are ranks, or cores if these are fewer, which run a
rank's rows at once and send nothing: on one machine cores share caches, memory and clocks, which the model knows nothing of, as a
cluster's do not. That more ranks than cores take turns is told to the model (--at-once). "Alone" is the forecast from a device that runs by
itself; what separates the two is the machine, not the plan. Arrays of a rank are larger than the caches, in which its neighbours would
otherwise leave it less and less. An error is the forecast's step over the measured one, less one.

--write FOLDER leaves ranks.md, ranks.json and ranks.svg there. Needs nothing but Python.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# A program, the size that is cut, its rows of a rank in weak scaling, the other sizes; and for GPUs (--large).
# Memory bounds the first, which other machines of a shared host disturb; arithmetic the second.
CASES = [("jacobi2d5", "H", 1024, {"W": 4096}), ("convolution2d", "H", 1024, {"W": 1024, "R": 3})]
LARGE = [("jacobi2d5", "H", 16384, {"W": 32768}), ("jacobi3d7", "D", 512, {"H": 1024, "W": 1024})]
# What a link carries in one direction (GB/s), and how long a short message takes (µs), as makers and measurements published say:
# 100 Gbit/s Ethernet with RDMA; HDR InfiniBand, 200 Gbit/s; NVLink of the fourth generation, 900 GB/s in both directions.
NETWORKS = {"100 Gbit/s Ethernet": (12.5, 5.0), "InfiniBand HDR": (25.0, 1.0), "NVLink 4": (450.0, 2.0)}
COUNTS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024]
COLOURS = ["#d94801", "#4292c6", "#555555"]
LEAST_SECONDS = 0.5  # that a run takes


def cores():
    """One processor of each core that this process may use."""
    found = {}
    for processor in sorted(os.sched_getaffinity(0)):
        siblings = pathlib.Path(f"/sys/devices/system/cpu/cpu{processor}/topology/thread_siblings_list")
        found.setdefault(siblings.read_text() if siblings.exists() else str(processor), processor)
    return list(found.values())


class Machine:
    def __init__(self, options):
        self.hoist, self.rounds, self.devices = str(options.hoist.resolve()), options.rounds, options.device
        self.on_host = self.devices == ["host"]
        self.cores = cores()
        self.at_once = len(self.cores) if self.on_host else len(self.devices)
        self.launch = None if options.parts or not shutil.which("mpirun") else ["mpirun", "--bind-to", "none"]
        if self.launch and os.geteuid() == 0:
            self.launch.append("--allow-run-as-root")
        if self.launch and self.on_host:
            self.launch.append("--oversubscribe")
        if self.launch and not self.ranks_run():
            print("mpirun starts no ranks of hoist here: parts of one process stand in", file=sys.stderr)
            self.launch = None
        self.how = "ranks" if self.launch else "parts of one process"
        # Ranks share cores; parts of a process and GPUs are not shared.
        self.most = 4 * self.at_once if self.on_host and self.launch else self.at_once

    def ranks_run(self):
        command = [*self.launch, "-n", "1", self.hoist, "devices", "--ids"]
        return subprocess.run(command, capture_output=True).returncode == 0 and (
            pathlib.Path(self.hoist).parent / "libhoist-mpi.so").exists()

    def words(self, case, rows, steps, devices):
        program, cut, _, others = case
        sizes = [f"{cut}={rows}", *(f"{name}={value}" for name, value in others.items())]
        return [self.hoist, "run", str(ROOT / f"kernels/{program}.hoist"), *sizes, "--random", "1", "--untuned", "--steps", str(steps),
                "--repeat", "2", "--json", "--elements", "1", *(word for each in devices for word in ("--device", each))]

    def environment(self, threads):
        return {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "false"}

    def walls(self, out):
        facts = json.loads(out)
        return min(facts["all_wall_seconds"] if "all_wall_seconds" in facts else facts["computing_seconds"])

    def of_ranks(self, case, rows, steps, count):
        """Seconds of a run of so many ranks."""
        if count == 1 or not self.launch:
            devices = self.devices * count if self.on_host else self.devices[:count]
            return self.ended([self.started(self.words(case, rows, steps, devices), self.cores[:count], count)])[0]
        command = list(self.launch)
        for rank in range(count):
            device = self.devices[0 if self.on_host else rank]
            pin = ["taskset", "-c", str(self.cores[rank % len(self.cores)])] if self.on_host else []
            command += [*([":"] if rank else []), "-n", "1", *pin, *self.words(case, rows, steps, [device])]
        return self.ended([self.started(command, None, 1)])[0]

    def side_by_side(self, case, rows, steps, count):
        """Seconds of one of so many processes, or of as many as compute at the same time, each by itself."""
        processes = []
        for number in range(min(count, self.at_once)):
            device = self.devices[0 if self.on_host else number]
            processes.append(self.started(self.words(case, rows, steps, [device]), self.cores[number:number + 1], 1))
        seconds = self.ended(processes)
        return sum(seconds) / len(seconds)

    def started(self, words, processors, threads):
        pinned = self.on_host and processors
        return subprocess.Popen(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                env=self.environment(threads) if self.on_host else None,
                                preexec_fn=(lambda: os.sched_setaffinity(0, processors)) if pinned else None)

    def ended(self, processes):
        outs = [process.communicate() for process in processes]
        for process, (_, err) in zip(processes, outs):
            if process.returncode != 0:
                sys.exit(f"{' '.join(process.args)}\n{err}")
        return [self.walls(out) for out, _ in outs]

    def steps(self, *runs):
        """Seconds of a step of each of these: a function, a program, rows, a count."""
        numbers = []
        for run, *arguments, count in runs:
            steps = 200  # ranks may begin so many steps apart as there are ranks
            while (short := run(*arguments, steps, count)) < LEAST_SECONDS:
                steps = int(steps * min(8, max(2, 1.2 * LEAST_SECONDS / short)))
            numbers.append(steps)
        fastest = [float("inf")] * len(runs)
        for _ in range(self.rounds):
            for at, (run, *arguments, count) in enumerate(runs):
                fastest[at] = min(fastest[at], run(*arguments, numbers[at], count))
        return [fastest[at] / numbers[at] for at in range(len(runs))]

    def forecast(self, case, rows, count, step_seconds, network, at_once=None):
        words = self.words(case, rows, 4, self.devices[:1])
        gigabytes, microseconds = network
        done = subprocess.run([*words[:words.index("--repeat")], "--json", "--device", self.devices[0], "--ranks", str(count), "--dry-run",
                               "--step-seconds", repr(step_seconds), "--bandwidth", str(gigabytes), "--latency", str(microseconds),
                               *(["--at-once", str(at_once)] if at_once else [])],
                              text=True, capture_output=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(done.args)}\n{done.stderr}")
        return json.loads(done.stdout)


def measured(machine, case, counts, kinds, network):
    """A row for each kind of scaling and count."""
    rows_of_rank = case[2]
    total = max(counts) * rows_of_rank
    alone, alone_total = machine.steps((machine.of_ranks, case, rows_of_rank, 1), (machine.of_ranks, case, total, 1))
    found = []
    for kind in kinds:
        for count in counts:
            rows = count * rows_of_rank if kind == "weak" else total
            beside, step = machine.steps((machine.side_by_side, case, rows // count, count), (machine.of_ranks, case, rows, count))
            forecast = machine.forecast(case, rows, count, beside * count, network, machine.at_once)["step_seconds"]
            of_one = alone * count if kind == "weak" else alone_total
            by_itself = machine.forecast(case, rows, count, of_one, network, machine.at_once)["step_seconds"]
            found.append({"program": case[0], "kind": kind, "ranks": count, "rows": rows, "step_seconds": step, "forecast": forecast,
                          "forecast_alone": by_itself, "error": forecast / step - 1, "error_alone": by_itself / step - 1})
            print(f"{case[0]}, {kind}, {count}: {step * 1e6:.1f} us, forecast {forecast * 1e6:.1f} us "
                  f"({100 * (forecast / step - 1):+.1f}%), alone {by_itself * 1e6:.1f} us", file=sys.stderr)
    return found, alone, alone_total, total


def predicted(machine, case, alone, alone_total, total):
    """The efficiencies that the forecast says of each network, as far as there are rows."""
    curves = []
    for kind in ("weak", "strong"):
        for name, network in NETWORKS.items():
            points = []
            for count in COUNTS:
                rows = count * case[2] if kind == "weak" else total
                if rows < count:
                    break
                seconds = alone * count if kind == "weak" else alone_total
                forecast = machine.forecast(case, rows, count, seconds, network)
                points.append({"ranks": count, "step_seconds": forecast["step_seconds"], "efficiency": forecast["efficiency"]})
            curves.append({"program": case[0], "kind": kind, "network": name, "points": points})
    return curves


def time_text(seconds):
    return f"{seconds * 1e3:.3f} ms" if seconds >= 1e-3 else f"{seconds * 1e6:.1f} µs"


def tables(facts):
    text = f"# Ranks: measured, and said before\n\n{facts['machine']}; {facts['how']}; Hoist {facts['hoist']}.\n"
    text += "\n| program | scaling | ranks | step | forecast | error | forecast, a device alone | error |\n|---|---|--:|--:|--:|--:|--:|--:|\n"
    for row in facts["measured"]:
        text += (f"| {row['program']} | {row['kind']} | {row['ranks']} | {time_text(row['step_seconds'])} | {time_text(row['forecast'])} | "
                 f"{100 * row['error']:+.1f}% | {time_text(row['forecast_alone'])} | {100 * row['error_alone']:+.1f}% |\n")
    errors = [abs(row["error"]) for row in facts["measured"] if row["ranks"] > 1]
    if errors:
        text += f"\nThe largest error at two ranks and more: {100 * max(errors):.1f}%.\n"
    text += "\nEfficiency that the forecast says, a device being as fast as one alone here:\n\n| program | scaling | network | "
    text += " | ".join(map(str, COUNTS)) + " |\n|---|---|---|" + "--:|" * len(COUNTS) + "\n"
    for curve in facts["predicted"]:
        cells = [f"{100 * point['efficiency']:.1f}%" for point in curve["points"]]
        cells += ["too few rows"] * (len(COUNTS) - len(cells))
        text += f"| {curve['program']} | {curve['kind']} | {curve['network']} | " + " | ".join(cells) + " |\n"
    return text


def picture(facts):
    """The efficiencies over the ranks, a panel for each program and kind: what is predicted as lines, what was measured as points."""
    panels = sorted({(curve["program"], curve["kind"]) for curve in facts["predicted"]}, reverse=True)
    wide, high, left, top = 420, 250, 60, 46
    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{2 * wide + 40}' height='{(len(panels) + 1) // 2 * high + 60}' "
             "font-family='sans-serif' font-size='11'>", "<rect width='100%' height='100%' fill='white'/>"]

    def at(origin, ranks, efficiency):
        x = origin[0] + (ranks.bit_length() - 1 + (ranks / (1 << (ranks.bit_length() - 1)) - 1)) * (wide - 90) / 10
        return x, origin[1] + (1 - efficiency) * (high - 90)

    for number, (program, kind) in enumerate(panels):
        origin = (left + number % 2 * wide, top + number // 2 * high)
        parts.append(f"<text x='{origin[0]}' y='{origin[1] - 10}' font-weight='bold'>{program}, {kind} scaling</text>")
        for share in (0, 0.25, 0.5, 0.75, 1):
            (x0, y), (x1, _) = at(origin, 1, share), at(origin, 1024, share)
            parts.append(f"<line x1='{x0}' x2='{x1}' y1='{y:.1f}' y2='{y:.1f}' stroke='#ddd'/>"
                         f"<text x='{x0 - 6}' y='{y + 4:.1f}' text-anchor='end'>{100 * share:.0f}%</text>")
        for count in COUNTS[::2]:
            x, y = at(origin, count, 0)
            parts.append(f"<text x='{x:.1f}' y='{y + 15:.1f}' text-anchor='middle'>{count}</text>")
        for colour, name in zip(COLOURS, NETWORKS):
            points = [point for curve in facts["predicted"] if (curve["program"], curve["kind"], curve["network"]) == (program, kind, name)
                      for point in curve["points"]]
            path = " ".join("{:.1f},{:.1f}".format(*at(origin, point["ranks"], point["efficiency"])) for point in points)
            parts.append(f"<polyline points='{path}' fill='none' stroke='{colour}' stroke-width='2'/>")
        rows = [row for row in facts["measured"] if (row["program"], row["kind"]) == (program, kind)]
        one = next((row for row in rows if row["ranks"] == 1), None)
        for row in rows if one else []:
            devices = min(row["ranks"], facts["at_once"])  # what more ranks share takes longer
            ideal = one["step_seconds"] * (row["ranks"] / devices if kind == "weak" else 1 / devices)
            x, y = at(origin, row["ranks"], min(1.1, ideal / row["step_seconds"]))
            parts.append(f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4' fill='none' stroke='black' stroke-width='1.5'/>")
    y = top + (len(panels) + 1) // 2 * high - 5
    x = left
    for colour, name in [*zip(COLOURS, NETWORKS), ("black", "measured here")]:
        parts.append(f"<rect x='{x}' y='{y - 8}' width='14' height='8' fill='{colour}'/><text x='{x + 19}' y='{y}'>{name}</text>")
        x += 165
    return "\n".join([*parts, "</svg>"]) + "\n"


def processor_name():
    info = pathlib.Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "a processor")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hoist", type=pathlib.Path)
    parser.add_argument("--device", nargs="+", default=["host"], help="host, or a GPU for each rank")
    parser.add_argument("--ranks", type=int, nargs="+",
                        help="how many (1 2 4 8; on the host at most four on each core, else as many as there are devices)")
    parser.add_argument("--parts", action="store_true", help="parts of one process, also where there is mpirun")
    parser.add_argument("--large", action="store_true", help="arrays for GPUs")
    parser.add_argument("--only", nargs="+", help="of the programs")
    parser.add_argument("--kind", nargs="+", choices=["weak", "strong"], default=["weak", "strong"], help="of scaling, to measure (both)")
    parser.add_argument("--rows", type=int, help="rows of a rank in weak scaling, in place of the program's own")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each kind (3)")
    parser.add_argument("--network", type=float, nargs=2, default=[10.0, 3.0], metavar=("GB/S", "US"),
                        help="between ranks here, for the forecast (10 3)")
    parser.add_argument("--write", type=pathlib.Path, help="the folder for table, picture and facts")
    options = parser.parse_args()
    machine = Machine(options)
    counts = options.ranks or [count for count in (1, 2, 4, 8) if count <= machine.most]
    if max(counts) > machine.most:
        sys.exit(f"{max(counts)} ranks are too many: at most {machine.most} run here")
    version = subprocess.run([machine.hoist, "--version"], text=True, capture_output=True).stdout.strip()
    facts = {"machine": f"{processor_name()}, {len(machine.cores)} cores" if machine.on_host else ", ".join(machine.devices),
             "how": machine.how, "at_once": machine.at_once, "hoist": version.rpartition(" ")[2], "network": options.network,
             "measured": [], "predicted": []}
    for name, cut, rows, others in LARGE if options.large else CASES:
        if options.only and name not in options.only:
            continue
        case = (name, cut, options.rows or rows, others)
        found, alone, alone_total, total = measured(machine, case, counts, options.kind, options.network)
        facts["measured"] += found
        facts["predicted"] += predicted(machine, case, alone, alone_total, total)
    print(tables(facts))
    if options.write:
        options.write.mkdir(parents=True, exist_ok=True)
        (options.write / "ranks.md").write_text(tables(facts))
        (options.write / "ranks.json").write_text(json.dumps(facts, indent=1) + "\n")
        (options.write / "ranks.svg").write_text(picture(facts))


if __name__ == "__main__":
    main()
