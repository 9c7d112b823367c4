#!/usr/bin/env python3
"""Four programs on PyTorch's tensors beside torch.compile, PyTorch and CuPy, in one run and in turns: a stencil, a softmax, a batched
product, a chain of elementwise operations. Run by tests/device/python.sh, which says what has to be there:

    bench/python_peers.py --device cuda:0 --seconds 250 --write bench/results/python-peers

Each program is tuned first, by step.tune on the tensors, with a share of the time. A time is that of a call as its caller sees it:
CUDA events on PyTorch's stream around several calls, over their number. Hoist's calls are on that stream and write to a tensor that is
there already; `kernels` is what their kernels alone took, in calls that wait for them. All results are held against PyTorch's. With
`--device host` NumPy stands for the others, on small arrays, as the test of this script does it.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

import numpy

import hoist

ROOT = pathlib.Path(__file__).resolve().parent.parent
KERNELS = ROOT / "kernels"
SOFTMAX = """def softmax(x: [R][C]f32): [R][C]f32 =
  x |> map(row =>
    let m = row |> reduce(max, -inf)
    let e = row |> map(v => exp(v - m))
    let s = e |> reduce(+, 0.0)
    in e |> map(v => v / s))
"""
RATE, VOLATILITY = 0.02, 0.3
TURN = 0.05  # seconds of a turn
KERNEL_CALLS = 5  # that are waited for, in each turn
HOIST, UNTUNED = "Hoist", "Hoist, untuned"


def cnd(d, exp, abs, where):
    """The cumulative normal distribution, as kernels/black_scholes.hoist has it."""
    k = 1.0 / (1.0 + 0.2316419 * abs(d))
    tail = 0.39894228 * exp(-0.5 * d * d) * (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))))
    return where(d > 0.0, 1.0 - tail, tail)


def black_scholes(prices, strikes, years, rate, volatility, of):
    """By the functions of a library."""
    root = volatility * of.sqrt(years)
    d1 = (of.log(prices / strikes) + (rate + 0.5 * volatility * volatility) * years) / root
    c1, c2 = cnd(d1, of.exp, of.abs, of.where), cnd(d1 - root, of.exp, of.abs, of.where)
    discounted = strikes * of.exp(-rate * years)
    return prices * c1 - discounted * c2, discounted * (1.0 - c2) - prices * (1.0 - c1)


def neighbours(p):
    return 0.2 * (p[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])


# ---- The libraries, and what their users write

class NumPy:
    """Stands for PyTorch where there is no GPU."""
    reference = "NumPy"

    def __init__(self, _):
        self.array = numpy.array

    def facts(self):
        return {"Python": sys.version.split()[0], "NumPy": numpy.__version__}

    def empty(self, shape):
        return numpy.empty(shape, numpy.float32)

    def contenders(self, name):
        """Functions by name."""
        def softmax(x):
            e = numpy.exp(x - x.max(-1, keepdims=True))
            return e / e.sum(-1, keepdims=True)
        return {"NumPy": {"stencil": lambda u: neighbours(numpy.pad(u, 1, mode="edge")), "softmax": softmax, "product": numpy.matmul,
                          "chain": lambda *inputs: black_scholes(*inputs, numpy)}[name]}

    def distance(self, got, expected):
        return max(float(numpy.linalg.norm((a - b).ravel()) / numpy.linalg.norm(b.ravel())) for a, b in zip(parts(got), parts(expected)))

    def seconds(self, call, count):
        start = time.perf_counter()
        for _ in range(count):
            call()
        return (time.perf_counter() - start) / count


class PyTorch:
    reference = "PyTorch"

    def __init__(self, device):
        import torch
        self.torch = torch
        self.device = torch.device(device)
        self.cupy = None
        if importlib.util.find_spec("cupy") is not None:
            import cupy
            self.cupy = cupy
        torch.cuda.set_device(self.device)
        self.begin, self.end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def facts(self):
        facts = {"GPU": self.torch.cuda.get_device_name(self.device), "Python": sys.version.split()[0], "PyTorch": self.torch.__version__,
                 "CuPy": self.cupy.__version__ if self.cupy else "none"}
        has_triton = importlib.util.find_spec("triton") is not None
        if has_triton:
            import triton
        facts["Triton"] = triton.__version__ if has_triton else "none"
        return facts

    def array(self, values):
        return self.torch.from_numpy(values).to(self.device)

    def empty(self, shape):
        return self.torch.empty(shape, dtype=self.torch.float32, device=self.device)

    def eager(self, name):
        torch = self.torch

        def stencil(u):
            return neighbours(torch.nn.functional.pad(u[None, None], (1, 1, 1, 1), mode="replicate")[0, 0])
        return {"stencil": stencil, "softmax": lambda x: torch.softmax(x, -1), "product": torch.bmm,
                "chain": lambda *inputs: black_scholes(*inputs, torch)}[name]

    def contenders(self, name):
        found = {"PyTorch": self.eager(name)}
        if importlib.util.find_spec("triton") is None:
            print("torch.compile needs Triton, which is not installed: PyTorch runs without it", flush=True)
        else:
            found["torch.compile"] = self.torch.compile(self.eager(name), dynamic=False)
        if self.cupy:
            found["CuPy"] = self.with_cupy(name)
        return found

    def with_cupy(self, name):
        """What users of CuPy write, on PyTorch's memory."""
        cupy = self.cupy
        if name == "stencil":
            kernel = cupy.ElementwiseKernel("raw float32 u, int32 h, int32 w", "float32 v", """
                const int y = i / w, x = i - y * w;
                const int above = max(y - 1, 0) * w + x, below = min(y + 1, h - 1) * w + x;
                const int left = y * w + max(x - 1, 0), right = y * w + min(x + 1, w - 1);
                v = 0.2f * (u[i] + u[above] + u[below] + u[left] + u[right]);""", "jacobi2d5")
            return lambda u: kernel(cupy.asarray(u), *u.shape, cupy.empty(u.shape, cupy.float32))
        if name == "chain":
            kernel = cupy.ElementwiseKernel("float32 s, float32 x, float32 t, float32 r, float32 v", "float32 call, float32 put", """
                const float root = v * sqrtf(t);
                const float d1 = (logf(s / x) + (r + 0.5f * v * v) * t) / root;
                const float c1 = cnd(d1), c2 = cnd(d1 - root), discounted = x * expf(-r * t);
                call = s * c1 - discounted * c2;
                put = discounted * (1.0f - c2) - s * (1.0f - c1);""", "black_scholes", preamble="""
                __device__ float cnd(float d) {
                  const float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
                  const float tail = 0.39894228f * expf(-0.5f * d * d) *
                    (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
                  return d > 0.0f ? 1.0f - tail : tail;
                }""")
            return lambda s, x, t, r, v: kernel(cupy.asarray(s), cupy.asarray(x), cupy.asarray(t), numpy.float32(r), numpy.float32(v))
        if name == "softmax":
            from cupyx.scipy.special import softmax
            return lambda x: softmax(cupy.asarray(x), axis=-1)
        return lambda a, b: cupy.matmul(cupy.asarray(a), cupy.asarray(b))

    def tensor(self, array):
        return array if isinstance(array, self.torch.Tensor) else self.torch.from_dlpack(array)

    def distance(self, got, expected):
        pairs = zip(map(self.tensor, parts(got)), parts(expected))
        return max(float(self.torch.linalg.vector_norm(a - b) / self.torch.linalg.vector_norm(b)) for a, b in pairs)

    def seconds(self, call, count):
        self.torch.cuda.synchronize()
        self.begin.record()
        for _ in range(count):
            call()
        self.end.record()
        self.end.synchronize()
        return self.begin.elapsed_time(self.end) * 1e-3 / count


# ---- The programs

class Case:
    """A program, its sizes by name of a choice, its inputs, and the shapes of its results."""

    def __init__(self, title, program, sizes, inputs, results):
        self.title, self.program, self.sizes, self.inputs, self.results = title, program, sizes, inputs, results


def uniform(generator, shape, low=0.0, high=1.0):
    return (generator.random(shape, dtype=numpy.float32) * numpy.float32(high - low) + numpy.float32(low)).astype(numpy.float32)


CASES = {
    "stencil": Case("5-point Jacobi step", KERNELS / "jacobi2d5.hoist",
                    {"test": {"H": 61, "W": 67}, "bench": {"H": 8192, "W": 8192}, "huge": {"H": 16384, "W": 16384}},
                    lambda g, s: [uniform(g, (s["H"], s["W"]))], lambda s: [(s["H"], s["W"])]),
    "softmax": Case("softmax of rows", SOFTMAX,
                    {"test": {"R": 31, "C": 67}, "bench": {"R": 8192, "C": 8192}, "huge": {"R": 16384, "C": 16384}},
                    lambda g, s: [uniform(g, (s["R"], s["C"]), -4, 4)], lambda s: [(s["R"], s["C"])]),
    "product": Case("batched matrix product", KERNELS / "matmul_batched.hoist",
                    {"test": {"P": 3, "M": 32, "N": 32, "K": 32}, "bench": {"P": 1024, "M": 128, "N": 128, "K": 128},
                     "huge": {"P": 4096, "M": 128, "N": 128, "K": 128}},
                    lambda g, s: [uniform(g, (s["P"], s["M"], s["K"]), -1, 1), uniform(g, (s["P"], s["K"], s["N"]), -1, 1)],
                    lambda s: [(s["P"], s["M"], s["N"])]),
    "chain": Case("Black and Scholes", KERNELS / "black_scholes.hoist", {"test": {"N": 1009}, "bench": {"N": 1 << 25}, "huge": {"N": 1 << 27}},
                  lambda g, s: [uniform(g, s["N"], 5, 30), uniform(g, s["N"], 1, 100), uniform(g, s["N"], 0.25, 10), RATE, VOLATILITY],
                  lambda s: [(s["N"],), (s["N"],)]),
}


def parts(result):
    return result if isinstance(result, tuple) else (result,)


def program_of(case, device):
    return hoist.load(case.program, device=device) if isinstance(case.program, pathlib.Path) else hoist.program(case.program, device=device)


def words_of(error):
    return f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error).strip() else ''}"[:300]


class Contender:
    """A function of the inputs that is timed, where it works."""

    def __init__(self, name, call, kernel_seconds=None):
        self.name, self.call, self.kernel_seconds = name, call, kernel_seconds
        self.times, self.kernels, self.outcome, self.count = [], [], "ok", 1

    def prepare(self, library, expected):
        """Calls it, holds its result against what is expected, and finds out how many calls a turn has."""
        try:
            start = time.perf_counter()
            distance = library.distance(self.call(), expected)
            print(f"    {self.name}: ready in {time.perf_counter() - start:.1f} s, differs by {distance:.1e}", flush=True)
            if not distance < 1e-4:
                self.outcome = f"differs by {distance:.1e}"
            self.count = max(1, min(1000, int(TURN / max(library.seconds(self.call, 3), 1e-6))))
        except Exception as error:
            self.outcome = words_of(error)
            print(f"    {self.name}: {self.outcome}", flush=True)

    def turn(self, library):
        if self.outcome != "ok":
            return
        try:
            self.times.append(library.seconds(self.call, self.count))
            if self.kernel_seconds:
                self.kernels += [self.kernel_seconds() for _ in range(KERNEL_CALLS)]
        except Exception as error:
            self.outcome = words_of(error)

    def row(self, name, sizes, facts, device):
        row = {"benchmark": name, "sizes": sizes, "backend": device, "device": facts.get("GPU", "the processor"), "variant": self.name,
               "outcome": self.outcome, "repetitions": len(self.times) * self.count, "commit": commit()}
        if self.times:
            quartiles = statistics.quantiles(self.times, n=4) if len(self.times) > 1 else 3 * self.times
            row.update(median_seconds=statistics.median(self.times), minimum_seconds=min(self.times),
                       spread=(quartiles[2] - quartiles[0]) / statistics.median(self.times))
        if self.kernels:
            row["kernel_seconds"] = statistics.median(self.kernels)
        return row


def commit():
    if os.environ.get("HOIST_COMMIT"):
        return os.environ["HOIST_COMMIT"]
    ran = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    return ran.stdout.strip() or "unknown"


def measured(name, options, library, facts, seconds):
    """The rows of a program, within so many seconds."""
    end = time.monotonic() + seconds
    case = CASES[name]
    sizes = case.sizes[options.sizes]
    generator = numpy.random.default_rng(1)
    values = case.inputs(generator, sizes)
    inputs = [library.array(each) if isinstance(each, numpy.ndarray) else each for each in values]
    results = tuple(library.empty(shape) for shape in case.results(sizes))
    out = results if len(results) > 1 else results[0]
    print(f"{name}: {' '.join(f'{size}={value}' for size, value in sizes.items())}", flush=True)
    untuned, tuned = program_of(case, options.device), program_of(case, options.device)
    contenders = [Contender(each, lambda call=call: call(*inputs)) for each, call in library.contenders(name).items()]
    expected = contenders[0].call()
    untuned(*inputs, out=out)  # compiled before anything is tuned

    def kernel_seconds(program):
        program(*inputs, out=out, wait=True)
        return program.kernel_seconds
    contenders.append(Contender(UNTUNED, lambda: untuned(*inputs, out=out), lambda: kernel_seconds(untuned)))
    for each in contenders:
        each.prepare(library, expected)
    budget = min(options.most_tuning, end - time.monotonic() - 20 * TURN * (len(contenders) + 1))
    if budget > 0:
        try:
            found = tuned.tune(*inputs, budget=budget, progress=False)
            print(f"    tuned: {found._words()}; {found.best[0]['derivation'] if found.best else 'nothing was found'}", flush=True)
        except hoist.Error as error:
            print(f"    not tuned: {words_of(error)}", flush=True)
    contenders.append(Contender(HOIST, lambda: tuned(*inputs, out=out), lambda: kernel_seconds(tuned)))
    contenders[-1].prepare(library, expected)
    for _ in range(options.rounds):
        for each in contenders:
            each.turn(library)
        if time.monotonic() > end:
            break
    rows = [each.row(name, sizes, facts, options.device) for each in contenders]
    peers = {row["variant"]: row["median_seconds"] for row in rows if "median_seconds" in row and not row["variant"].startswith(HOIST)}
    best = min(peers, key=peers.get) if peers else None
    for row in rows:
        if best and "median_seconds" in row:
            row.update(baseline=best, baseline_seconds=peers[best], ratio=peers[best] / row["median_seconds"])
        if best and "kernel_seconds" in row:
            row["kernel_ratio"] = peers[best] / row["kernel_seconds"]
    return rows


def table(rows, facts, options):
    names = list(dict.fromkeys(row["variant"] for row in rows if not row["variant"].startswith(HOIST)))
    milliseconds = lambda row, key="median_seconds": f"{1e3 * row[key]:.4g}" if row and key in row else (row["outcome"] if row else "")
    text = (f"| program | sizes | {' | '.join(f'{name}, ms' for name in names)} | Hoist untuned, ms | Hoist, ms | its kernels, ms "
            f"| best of the others | Hoist | its kernels |\n|---|---|{'---:|' * (len(names) + 3)}---|---:|---:|\n")
    for benchmark in dict.fromkeys(row["benchmark"] for row in rows):
        of = {row["variant"]: row for row in rows if row["benchmark"] == benchmark}
        own = of.get(HOIST, {"outcome": ""})
        sizes = " ".join(f"{name}={value}" for name, value in next(iter(of.values()))["sizes"].items())
        cells = [milliseconds(of.get(name)) for name in names] + [milliseconds(of.get(UNTUNED)), milliseconds(own), milliseconds(own, "kernel_seconds")]
        ratios = [f"{own[key]:.2f}" if key in own else "" for key in ("ratio", "kernel_ratio")]
        text += f"| {CASES[benchmark].title} | {sizes} | {' | '.join(cells)} | {own.get('baseline', '')} | {' | '.join(ratios)} |\n"
    return text + ("\nMedians of calls on the caller's stream, in turns in one run, on " + ", ".join(f"{name} {value}" for name, value in facts.items())
                   + f". `Hoist` and `its kernels` are speeds as shares of that of the best of the others (2 is twice as fast): of calls "
                   f"on the caller's stream, and of the kernels alone, in calls that wait. Commit {commit()}.\n\n"
                   f"    tests/device/python.sh run DIR --device {options.device} --seconds {options.seconds:g} --sizes {options.sizes}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(CASES)}; all when none is named")
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--seconds", type=float, default=250, help="for all of it")
    parser.add_argument("--most-tuning", type=float, default=40, help="seconds of each search, at the most")
    parser.add_argument("--sizes", choices=["test", "bench", "huge"], help="bench on a GPU, test on host, unless named")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--write", type=pathlib.Path, help="folder for python_peers.json and python_peers.md; $OUT unless named")
    options = parser.parse_args()
    options.sizes = options.sizes or ("test" if options.device == "host" else "bench")
    options.write = options.write or (pathlib.Path(os.environ["OUT"]) if os.environ.get("OUT") else None)
    end = time.monotonic() + options.seconds
    library = NumPy(options.device) if options.device == "host" else PyTorch(options.device)
    facts = library.facts()
    print(", ".join(f"{name} {value}" for name, value in facts.items()), flush=True)
    names = options.names or list(CASES)
    rows, failed = [], False
    for number, name in enumerate(names):
        try:
            rows += measured(name, options, library, facts, (end - time.monotonic()) / (len(names) - number))
        except Exception as error:
            failed = True
            print(f"{name}: failed: {words_of(error)}", flush=True)
        if rows:
            text = table(rows, facts, options)
            if options.write:
                options.write.mkdir(parents=True, exist_ok=True)
                (options.write / "python_peers.json").write_text(json.dumps(rows, indent=1) + "\n")
                (options.write / "python_peers.md").write_text(text)
    if rows:
        print("\n" + text, flush=True)
    failed = failed or any(row["outcome"] != "ok" for row in rows if row["variant"].startswith(HOIST))
    sys.stdout.flush()
    os._exit(failed)  # drivers of several libraries need not agree on who ends first


if __name__ == "__main__":
    main()
