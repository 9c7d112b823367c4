#!/usr/bin/env python3
"""Tunes the matrix product for several shapes, then times each shape's best kernel on all the others, as Table 5.1 of
Remmelg's thesis does for devices, and the libraries on each shape, as its Figure 5.13 does.

    bench/product_shapes.py build/release/hoist --device cuda:0 --clblast FOLDER --write RESULTS
    bench/plot_product_shapes.py RESULTS        tables and the picture of what the first command measured

A kernel is replayed on another shape: the same derivation with the same sizes of tiles. Where tiles do not divide, it
is the guarded form of that derivation; where there is none, or the device does not run it, the reason is told instead
of a time. Every result is compared with NumPy's in double precision, 64 rows of it.

FOLDER is what `dpkg -x` makes of Debian's libclblast1 and clblast-utils. CLBlast is timed as it ships and with what its
own tuners find in --tuner-seconds, on the OpenCL device that has the name of --device. The tuners' fixed set and their
random samples are thinned by --tuner-fraction, so that what there is no time for is left out at random; a tuner that is
not done in time counts with what it printed. On CUDA cuBLAS is timed, too, where it is. clblast_bench and cublas_bench
are looked for beside hoist. RESULTS/product_shapes.json is written after each step. Exit status 1 where a product could
not be tuned.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from turns import ROOT, SEED, called, np

PROGRAM = ROOT / "kernels" / "matmul_nn.hoist"
# The four shapes of the thesis, and one that fills a large device: M, N, K.
SHAPES = ["512x512x512", "1024x1024x1024", "2048x2048x512", "512x512x2048", "4096x4096x4096"]
CHECKED_ROWS = 64
UNKNOWN_SIZE = "no candidate has a tuning parameter"  # of what `hoist explore` says
ROUNDING = 8 * 2.0 ** -24  # of each term of a sum, of numbers from -1 to 1
# The tuners in their order, the families of kernels that each goes through, and its share of the time. The last one
# reads what the others left, and finds from which size on the first's kernels are the better ones.
TUNERS = [("xgemm", ["xgemm_1", "xgemm_2", "xgemm_11", "xgemm_12"], 0.7),
          ("xgemm_direct", ["xgemm_direct_1", "xgemm_direct_2"], 0.15), ("routine_xgemm", [], 0.15)]


def lengths_of(shape):
    return dict(zip("MNK", map(int, shape.split("x"))))


def assignments(values):
    return [f"{name}={value}" for name, value in values.items()]


def tune(options, shape):
    """The fastest kernel that the search found: its id, derivation and sizes; None where there is none."""
    command = [options.hoist, "tune", PROGRAM, *assignments(lengths_of(shape)), "--device", options.device, "--budget",
               options.budget, "--store", options.write / "product_shapes.db", "--json"]
    if options.evaluations:
        command += ["--evaluations", options.evaluations]
    result = json.loads(called(command))
    found = [each for each in result["best"] if each["id"] != "default"]
    if not found:
        return None
    return {"shape": shape, "seconds": result["seconds"], "evaluated": result["evaluated"], **found[0]}


def unguarded(derivation):
    return derivation.replace("Guarded", "")


def replayed(options, found, shape):
    """The text that a kernel's derivation gives for a shape, and how it was derived; or why there is none."""
    explore = [options.hoist, "explore", PROGRAM, *assignments(lengths_of(shape)), "--device", options.device]
    for name, value in found["values"].items():
        explore += ["--bound", f"{name}={value}:{value}"]
    try:
        derivations = json.loads(called([*explore, "--derivations", "--json"]))
    except RuntimeError as error:
        # A size that the derivations of another shape choose may be chosen by none of this one.
        if UNKNOWN_SIZE not in str(error):
            raise
        return {"reason": "no such candidate"}
    same = [each for each in derivations
            if each["points"] and unguarded(each["steps"]) == unguarded(found["derivation"])]
    if not same:
        return {"reason": "no such candidate"}
    is_guarded = lambda each: each["steps"] != unguarded(each["steps"])
    plainest = min(same, key=is_guarded)
    text = called([*explore, "--id", f"{plainest['derivation']}-0", "--show", "program"])
    return {"text": text, "is_guarded": is_guarded(plainest)}


class Operands:
    """A product's operands as files, and the truth of some rows of the product."""

    def __init__(self, shape, folder):
        lengths = lengths_of(shape)
        generator = np.random.default_rng(SEED)
        a, b = (generator.uniform(-1, 1, each).astype(np.float32)
                for each in ((lengths["M"], lengths["K"]), (lengths["K"], lengths["N"])))
        self.files = {"A": folder / "A.npy", "B": folder / "B.npy"}
        for file, array in zip(self.files.values(), (a, b)):
            np.save(file, array)
        self.rows = generator.integers(0, lengths["M"], CHECKED_ROWS)
        self.truth = a[self.rows].astype(np.float64) @ b.astype(np.float64)
        self.bound = ROUNDING * lengths["K"]

    def is_product(self, path):
        return bool(np.all(np.abs(np.load(path)[self.rows] - self.truth) <= self.bound))


def time_kernel(options, found, text, operands, folder):
    """The median of its kernels' seconds; or the reason why there is none."""
    program, product = folder / "kernel.hoist", folder / "C.npy"
    program.write_text(text)
    try:
        ran = json.loads(called([options.hoist, "run", program, *assignments(found["values"]),
                                 *assignments(operands.files), "--device", options.device, "--repeat",
                                 options.repetitions, "-o", product, "--json"]))
    except RuntimeError as error:
        return {"reason": str(error).strip().splitlines()[-1]}
    return {"seconds": ran["seconds"]["median"]} if operands.is_product(product) else {"reason": "wrong result"}


def cross_times(options, all_found, shapes):
    """A row for each kernel on each shape."""
    pairs = [(found, shape) for shape in shapes for found in all_found]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        replays = list(pool.map(lambda pair: replayed(options, *pair), pairs))
    rows = []
    with tempfile.TemporaryDirectory() as name:
        folder, operands = pathlib.Path(name), None
        for (found, shape), replay in zip(pairs, replays):
            if not rows or rows[-1]["shape"] != shape:
                operands = Operands(shape, folder)
            row = {"tuned_for": found["shape"], "shape": shape}
            if "text" in replay:
                row["is_guarded"] = replay["is_guarded"]
                row |= time_kernel(options, found, replay["text"], operands, folder)
            else:
                row["reason"] = replay["reason"]
            rows.append(row)
            print(row, flush=True)
    return rows


def devices_of(options):
    return json.loads(called([options.hoist, "devices", "--json"]))


def opencl_device(options, name):
    """The OpenCL device of a name: its id, the number of its platform, and that of the device there."""
    devices = [each for each in devices_of(options) if each["language"] == "opencl"]
    platforms = list(dict.fromkeys(each["platform"] for each in devices))
    device = next((each for each in devices if each["name"] == name), None)
    if device is None:
        raise RuntimeError(f"there is no OpenCL device called {name}, where CLBlast could run")
    on_platform = [each for each in devices if each["platform"] == device["platform"]]
    return {"id": device["id"], "platform": platforms.index(device["platform"]), "number": on_platform.index(device)}


def tables_of(text, families, flops):
    """What a tuner printed: for each family the time in milliseconds and the parameters of all right results."""
    tables, names = {}, None
    for line in re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines():
        if line.startswith("* Parameters explored:"):
            names = line.split(":")[1].split()
            tables[families[len(tables)]] = []
        cells = [cell.strip() for cell in line.split("|")]
        is_result = names and len(cells) > 9 and cells[1].isdigit() and cells[9] == "results match"
        if is_result and float(cells[8]) > 0:
            parameters = dict(zip(names, map(int, cells[3].split())))
            # The time is printed in hundredths of a millisecond; the rate has more digits.
            tables[families[len(tables) - 1]].append((flops / float(cells[8]) * 1e-6, parameters))
    return tables


def run_tuner(options, device, folder, tuner, families, seconds):
    """Runs a tuner for so long, and leaves a file for each family that it has results of."""
    library = options.clblast / "usr" / "lib" / "x86_64-linux-gnu"
    size = options.tuner_size
    command = ["stdbuf", "-oL", options.clblast / "usr" / "bin" / f"clblast_tuner_{tuner}",
               "-platform", device["platform"], "-device", device["number"]]
    if families:
        command += ["-m", size, "-n", size, "-k", size, "-fraction", options.tuner_fraction]
    log = folder / f"{tuner}.log"
    with log.open("w") as output:
        process = subprocess.Popen(list(map(str, command)), cwd=folder, stdout=output, stderr=subprocess.STDOUT,
                                   env=os.environ | {"LD_LIBRARY_PATH": str(library)})
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    tables = tables_of(log.read_text(errors="replace"), families, 2 * size ** 3)
    for family, results in tables.items():
        file = folder / f"clblast_{family}_32.json"
        if results and not file.exists():
            milliseconds, parameters = min(results, key=lambda result: result[0])
            file.write_text(json.dumps({"kernel_family": family, "precision": "32",
                                        "best_parameters": " ".join(assignments(parameters)),
                                        "results": [{"time": milliseconds}]}))
    return {"tuner": tuner, "tried": sum(map(len, tables.values())), "is_done": process.returncode == 0}


def library_row(row):
    """A row of a library's bench, as product_shapes.json has it."""
    shape = "x".join(str(row["sizes"][length]) for length in "MNK")
    outcome = {"seconds": row["median_seconds"]} if row["outcome"] == "ok" else {"reason": row["outcome"]}
    return {"library": row["backend"], "variant": row["variant"], "shape": shape, **outcome}


def library_rows(command, shapes):
    """The rows of a library's bench; none where the library or the bench is not here."""
    if not command[0].exists():
        print(f"there is no {command[0]}")
        return []
    with tempfile.TemporaryDirectory() as name:
        file = pathlib.Path(name) / "rows.json"
        command = [str(each) for each in [*command, "--json", file, *shapes]]
        ran = subprocess.run(command, capture_output=True, text=True)
        if not file.exists():
            print((ran.stdout + ran.stderr).strip())
            return []
        return [library_row(row) for row in json.loads(file.read_text())]


def tune_clblast(options, device):
    """What became of each tuner, and the files that they left."""
    folder = options.write / "clblast"
    folder.mkdir(exist_ok=True)
    for file in folder.glob("clblast_*_32.json"):
        file.unlink()
    tuners = []
    for tuner, families, share in TUNERS:
        tuners.append(run_tuner(options, device, folder, tuner, families, share * options.tuner_seconds))
        print(tuners[-1], flush=True)
    return tuners, sorted(folder.glob("clblast_*_32.json"))


def time_clblast(options, device, tuned):
    command = [options.hoist.parent / "clblast_bench", "--device", device["id"], "--library",
               options.clblast / "usr" / "lib" / "x86_64-linux-gnu" / "libclblast.so.1"]
    # All that follows --tuned is a file, up to the next option.
    return library_rows([*command, *(["--tuned", *tuned] if tuned else [])], options.shapes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    resolved = lambda text: pathlib.Path(text).resolve()
    parser.add_argument("hoist", type=resolved)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--shapes", nargs="+", default=SHAPES, help="MxNxK")
    parser.add_argument("--budget", default="15", help="seconds for tuning a shape")
    parser.add_argument("--evaluations", help="candidates for tuning a shape")
    parser.add_argument("--repetitions", default=21, type=int)
    parser.add_argument("--clblast", type=resolved, help="folder with CLBlast and its tuners")
    parser.add_argument("--tuner-seconds", type=float, default=70)
    parser.add_argument("--tuner-fraction", type=float, default=6)
    parser.add_argument("--tuner-size", type=int, default=2048, help="of the square matrices that CLBlast is tuned for")
    parser.add_argument("--write", type=pathlib.Path, required=True)
    options = parser.parse_args()
    options.write.mkdir(parents=True, exist_ok=True)
    options.write = options.write.resolve()
    device = next(each for each in devices_of(options) if each["id"] == options.device)
    results = {"device": options.device, "device_name": device["name"], "shapes": options.shapes,
               "budget": options.budget, "found": [], "times": [], "libraries": [], "tuners": []}

    clblast_device = opencl_device(options, device["name"]) if options.clblast else None

    def save():
        (options.write / "product_shapes.json").write_text(json.dumps(results, indent=1) + "\n")

    for shape in options.shapes:
        found = tune(options, shape)
        print(shape, found and f"{found['derivation']} {found['values']}", flush=True)
        if found:
            results["found"].append(found)
        save()
    results["times"] = cross_times(options, results["found"], options.shapes)
    save()
    if options.device.startswith("cuda"):
        results["libraries"] += library_rows([options.hoist.parent / "cublas_bench"], options.shapes)
    if clblast_device:
        results["libraries"] += time_clblast(options, clblast_device, [])
        save()
        results["tuners"], tuned = tune_clblast(options, clblast_device)
        results["libraries"] += time_clblast(options, clblast_device, tuned) if tuned else []
    save()
    return 0 if len(results["found"]) == len(options.shapes) else 1


if __name__ == "__main__":
    sys.exit(main())
