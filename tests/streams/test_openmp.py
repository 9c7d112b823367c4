#!/usr/bin/env python3
"""The programs of the paper on streams: C with and without OpenMP, and the same in Hoist's language.

    python3 tests/streams/test_openmp.py build/release/hoist                      all of examples/streams/programs.json
    python3 tests/streams/test_openmp.py build/release/hoist lbm mri-q            some, by the paper's short names
    python3 tests/streams/test_openmp.py build/release/hoist --device opencl:0    also `hoist run` on that device

Each C program is built twice by gcc, with and without -fopenmp, without a warning; at the sizes `check` both print the
same results, up to rounding in another order. The Hoist program, given the arrays that the C program has written, has
the same results: by `hoist eval`, and on the devices that are asked for. Sizes for measurements (`sizes`, `large`) grow
from what a second-level cache holds to more than what any cache does, and none is too large for 32-bit indices. Exit status 77 without gcc or a device.
"""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "kernels"))
import definitions  # noqa: E402

SOURCES, LIST = ROOT / "examples" / "openmp", ROOT / "examples" / "streams" / "programs.json"
FLAGS = ["-std=c99", "-O2", "-Wall", "-Wextra", "-Werror"]
BUILDS = {"serial": ["-Wno-unknown-pragmas"], "parallel": ["-fopenmp"]}
THREADS = 3  # does not divide most sizes
# How far numbers may be apart, as a share of the sum of absolute values, or of the largest; integers are equal.
BETWEEN_BUILDS = {"f32": 1e-5, "f64": 1e-12}
BETWEEN_LANGUAGES = {"f32": 2e-5, "f64": 1e-11}
BYTES = {"f32": 4, "f64": 8, "i32": 4, "u8": 1, "u16": 2}
MIB = 1 << 20
LEAST_SIZES = 10
# Each option is four bytes up and four down: what is computed for it takes much longer, however many there are.
SMALL_ARRAYS = {"binomial"}


class Failed(Exception):
    """What is wrong with a program."""


def called(command, **options):
    ran = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False, **options)
    if ran.returncode != 0:
        raise Failed(f"{' '.join(map(str, command))}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def bindings(sizes, excluded=()):
    return [f"{name}={value}" for name, value in sizes.items() if name not in excluded]


def built(source, folder):
    """The program by each of the builds."""
    compiler = os.environ.get("CC", "gcc")
    for build, flags in BUILDS.items():
        called([compiler, *FLAGS, *flags, SOURCES / f"{source}.c", "-o", folder / f"{source}_{build}", "-lm"])
    return {build: folder / f"{source}_{build}" for build in BUILDS}


def results(text):
    """The printed results by name: (type, shape, values by name)."""
    found = {}
    for line in text.splitlines():
        if line.startswith("result "):
            _, name, kind, shape, *values = line.split()
            found[name] = kind, shape, dict(value.split("=") for value in values)
    return found


def compare_builds(serial, parallel):
    if serial.keys() != parallel.keys():
        raise Failed("the builds print different results")
    for name, (kind, shape, values) in serial.items():
        _, other_shape, others = parallel[name]
        if shape != other_shape:
            raise Failed(f"{name} has different shapes")
        if kind not in BETWEEN_BUILDS:
            if values != others:
                raise Failed(f"{name} differs: {values}, {others}")
            continue
        numbers, other_numbers = ({key: float(value) for key, value in each.items()} for each in (values, others))
        largest = max(abs(numbers["least"]), abs(numbers["most"]))
        for key, number in numbers.items():
            scale = largest if key in ("least", "most") else numbers["magnitude"]
            if not abs(number - other_numbers[key]) <= BETWEEN_BUILDS[kind] * scale:
                raise Failed(f"{name} differs: {key} is {values[key]} and {others[key]}")


def components(name, kind):
    """The names of an array's parts: of [N](f32, f32) .0 and .1."""
    parts = kind.split("]")[-1].split(",")
    return [name] if len(parts) == 1 else [f"{name}.{k}" for k in range(len(parts))]


def compare_hoist(command, what, program, sizes, written, kinds):
    """The Hoist program's results, of the arrays in `written`, against the C program's there."""
    text = ROOT / program["program"]
    given = bindings(sizes, program.get("only_source", []))
    facts = json.loads(called([command[0], "check", text, "--json"]))
    for parameter in facts["parameters"]:
        for component in components(parameter["name"], parameter["type"]):
            given.append(f"{component}={written / component}.npy")
    outputs = [written / f"hoist_{name}.npy" for name in program["results"]]
    called([*command[:2], text, *given, *command[2:], "-o", ",".join(map(str, outputs))])
    for name, output in zip(program["results"], outputs):
        expected = definitions.read_npy(written / f"{name}.npy")
        difference = definitions.difference(expected, definitions.read_npy(output))
        if not difference <= BETWEEN_LANGUAGES.get(kinds[name], 0):
            raise Failed(f"{name} of {program['program']} by {what} is {difference:.1e} of the largest element apart")


def check_sizes(hoist, key, program):
    """Whether the sizes for measurements are many, grow, and begin and end where they should."""
    def moved(sizes):
        """Bytes of the inputs and results."""
        given = bindings(sizes, program.get("only_source", []))
        facts = json.loads(called([hoist, "check", ROOT / program["program"], *given, "--json"]))
        total = 0
        for kind in [parameter["type"] for parameter in facts["parameters"]] + [facts["result"]]:
            for _, shape, scalar in definitions.leaves(kind):
                count = 1
                for length in shape:
                    count *= length
                total += count * BYTES[scalar]
                if count >= 1 << 31:
                    raise Failed(f"an array of {sizes} has too many elements")
        return total

    if len(program["sizes"]) < LEAST_SIZES:
        raise Failed(f"{len(program['sizes'])} sizes are too few")
    first, last, largest = (moved(sizes) for sizes in (program["sizes"][0], program["sizes"][-1], program["large"][-1]))
    if key in SMALL_ARRAYS:
        return
    if first > MIB // 2:
        raise Failed(f"the first of the sizes is of {first / MIB:.1f} MiB, more than half of a second-level cache")
    if last < 250 * MIB:
        raise Failed(f"the last of the sizes is of {last / MIB:.0f} MiB only")
    if not 1024 * MIB <= largest <= 8192 * MIB:
        raise Failed(f"the last of the large sizes is of {largest / MIB:.0f} MiB")


def check(hoist, key, program, devices, folder):
    executables = built(program["source"], folder)
    check_sizes(hoist, key, program)
    for number, sizes in enumerate(program["check"]):
        written = folder / f"{key}_{number}"
        written.mkdir()
        given = bindings(sizes, program.get("only_program", []))
        serial = results(called([executables["serial"], *given, "--write", written]))
        parallel = results(called([executables["parallel"], *given], env={**os.environ, "OMP_NUM_THREADS": str(THREADS)}))
        compare_builds(serial, parallel)
        kinds = {name: kind for name, (kind, _, _) in serial.items()}
        compare_hoist([hoist, "eval"], "hoist eval", program, sizes, written, kinds)
        for device in devices:
            compare_hoist([hoist, "run", "--device", device], device, program, sizes, written, kinds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hoist", help="the program to check with")
    parser.add_argument("names", nargs="*", help="only these")
    parser.add_argument("--device", action="append", default=[], help="run on this device, too")
    options = parser.parse_args()
    programs = json.loads(LIST.read_text())
    failures = 0
    present = called([options.hoist, "devices"]).split()
    if not shutil.which(os.environ.get("CC", "gcc")) or any(device not in present for device in options.device):
        sys.exit(77)
    missing = {path.stem for path in SOURCES.glob("*.c")} ^ {program["source"] for program in programs.values()}
    if missing:
        print(f"not both in {SOURCES} and in {LIST}: {' '.join(sorted(missing))}")
        failures += 1
    with tempfile.TemporaryDirectory(prefix="hoist-openmp-") as folder:
        for key in options.names or programs:
            place = pathlib.Path(folder) / key
            place.mkdir()
            try:
                check(options.hoist, key, programs[key], options.device, place)
                print(f"ok     {key}", flush=True)
            except Failed as failure:
                print(f"FAILED {key}: {failure}", flush=True)
                failures += 1
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
