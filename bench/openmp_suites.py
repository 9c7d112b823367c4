#!/usr/bin/env python3
"""openmp_suites.py HOIST FOLDER [--suite NAME] [--defines TEXT] [--markdown FILE]: what `hoist openmp` makes of OpenMP C that is not ours.

FOLDER holds a suite as it is published; nothing of it is kept. For each of its programs: whether gcc builds it with OpenMP,
and that build gives by four threads, each of three times, what the serial one gives; then whether it is translated, builds with gcc
and no OpenMP, and gives what the serial one gives, on the OpenCL device. A row names for every program how many of its loops
go to the device and why the others do not. Numbers are compared to five digits.

Suites: polybench-acc (its folder OpenMP, with utilities beside the programs), polybench (PolyBench/C 3 or 4: folders of
programs and utilities), files (each .c is a program by itself, and prints its results), parboil (its benchmarks/*/src/omp_base
in C, beside common/) and rodinia (its folder openmp/, in C), of which bench/openmp_listed.py has the programs and makes inputs.
"""
import argparse
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import openmp_listed

LOADER = next((path for path in ("/usr/lib/x86_64-linux-gnu/libOpenCL.so", "/usr/lib/x86_64-linux-gnu/libOpenCL.so.1")
               if os.path.exists(path)), "-lOpenCL")
SKIPPED = ("utilities", "template")


def run(command, seconds=20, folder=None, **environment):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds, errors="replace", cwd=folder,
                              env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return 124, "", f"not done after {seconds} s"
    return done.returncode, done.stdout, done.stderr


def same(expected, got):
    """Whether two outputs have the same words, and numbers that agree to five digits."""
    if expected == got:
        return True
    a, b = expected.split(), got.split()
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):
        if x == y:
            continue
        try:
            u, v = float(x), float(y)
        except ValueError:
            return False
        if u != u and v != v:
            continue
        # What is printed with two digits behind the point is not told more exactly than that.
        if not abs(u - v) <= max(1e-5 * max(abs(u), abs(v)), 0.011):
            return False
    return True


class Suite:
    def __init__(self, folder, name, defines):
        self.folder, self.name = folder, name
        utilities = next(iter(sorted(folder.rglob("polybench.c"))), None)
        self.flags = defines.split()
        self.extra = []
        if name != "files":
            if utilities is None:
                sys.exit(f"there is no polybench.c in {folder}")
            self.flags += ["-DPOLYBENCH_DUMP_ARRAYS", f"-I{utilities.parent}"]
            self.extra = [str(utilities)]

    def programs(self):
        for path in sorted(self.folder.rglob("*.c")):
            if any(part in str(path.relative_to(self.folder)) for part in SKIPPED):
                continue
            if "#pragma omp" in path.read_text(errors="replace"):
                yield path

    def flags_of(self, path):
        return [*self.flags, f"-I{path.parent}"]


def row(suite, hoist, path, folder):
    """What becomes of one program: a dictionary of the table's columns."""
    name = str(path.relative_to(suite.folder).parent.name if suite.name != "files" else path.stem)
    result = {"program": name, "gcc": "", "agrees": "", "translated": "", "builds": "", "equal": "", "why": ""}
    flags = suite.flags_of(path)
    build = ["gcc", "-O2", "-w", *flags]
    status, _, errors = run([*build, "-fopenmp", str(path), *suite.extra, "-o", str(folder / "parallel"), "-lm"])
    result["gcc"] = "yes" if status == 0 else "no"
    if status != 0:
        first = re.search(r"error: (.*)", errors)
        result["why"] = "gcc: " + (first.group(1) if first else errors.strip()[:80])
        return result
    status, _, errors = run([*build, str(path), *suite.extra, "-o", str(folder / "serial"), "-lm"])
    status, expected_out, expected_err = run([str(folder / "serial")])
    if status != 0:
        result["agrees"], result["why"] = "no", "its serial form fails" if status != 124 else "its serial form does not end within 20 s"
        return result
    expected = expected_out + expected_err
    agrees = all(same(expected, "".join(run([str(folder / "parallel")], OMP_NUM_THREADS="4")[1:])) for _ in range(3))
    result["agrees"] = "yes" if agrees else "no"
    made = folder / "made"
    status, told, errors = run([hoist, "openmp", str(path), "-o", str(made), "--force", *[f for f in flags if f[:2] in ("-D", "-I")]])
    reasons = [line.split("stays on the host: ", 1)[1] for line in errors.splitlines() if "stays on the host" in line]
    if status != 0:
        first = re.search(r"error: (.*)", errors)
        result["translated"], result["why"] = "no", "Clang: " + (first.group(1) if first else errors.strip()[:80])
        return result
    result["translated"] = re.match(r"(\d+ of \d+) loops", told).group(1)
    result["why"] = "; ".join(dict.fromkeys(reasons))
    status, _, errors = run([*build, str(made / path.name), str(made / "hoist_openmp.c"), *suite.extra, "-o", str(folder / "device"),
                             LOADER, "-lm"])
    result["builds"] = "yes" if status == 0 else "no"
    if status != 0:
        result["why"] += " gcc: " + errors.strip()[:200]
        return result
    status, out, errors = run([str(folder / "device")], 120)
    result["equal"] = "yes" if status == 0 and same(expected, out + errors) else "no"
    return result


def listed_results(program, folder, out):
    """What a run has given, as text that `same` compares: its file of results, or what it has printed, without times."""
    if program.results is None:
        return "\n".join(line for line in out.splitlines() if not re.search(r"time|took|sec", line, re.IGNORECASE))
    path = folder / program.writes
    if not path.exists():
        return "nothing was written"
    if program.results == "text":
        return path.read_text(errors="replace")
    content = path.read_bytes()
    if program.results == "f":
        return " ".join(f"{value:.9g}" for (value,) in struct.iter_unpack("<f", content[:len(content) // 4 * 4]))
    return content.hex(" ", int(program.results[-1]))


def listed_row(program, suite_folder, hoist, folder):
    """The same for a program of several files."""
    result = {"program": program.name, "gcc": "", "agrees": "", "translated": "", "builds": "", "equal": "", "why": ""}
    flags = [f"-I{suite_folder / flag[2:]}" if flag.startswith("-I") else flag for flag in program.flags]
    flags += [f"-I{suite_folder / 'common' / 'include'}"]
    sources = [suite_folder / source for source in program.sources]
    if lacking := [source for source in program.sources if not (suite_folder / source).exists()]:
        result["why"] = f"the folder has no {lacking[0]}"
        return result
    folders = sorted({f"-I{source.parent}" for source in sources})
    build = ["gcc", "-O2", "-w", "-fcommon", *flags, *folders]
    extra = []
    if "-Wl,--wrap=time" in flags:
        (folder / "clock.c").write_text("long __wrap_time(long *to) { if (to) *to = 1000; return 1000; }\n")
        extra = [str(folder / "clock.c")]
    if program.make_input:
        program.make_input(folder / "IN")

    def ran(name, seconds=60, **environment):
        if (folder / program.writes).exists():
            (folder / program.writes).unlink()
        status, out, errors = run([str(folder / name), *program.arguments], seconds, folder, **environment)
        return status, listed_results(program, folder, out), errors

    if program.arguments is not None:
        status, _, errors = run([*build, "-fopenmp", *map(str, sources), *extra, "-o", str(folder / "parallel"), "-lm"], 60)
        result["gcc"] = "yes" if status == 0 else "no"
        if status != 0:
            first = re.search(r"error: (.*)|undefined reference.*", errors)
            result["why"] = "gcc: " + (first.group(0) if first else errors.strip()[:80])
            return result
        status, _, errors = run([*build, *map(str, sources), *extra, "-o", str(folder / "serial"), "-lm", "-lgomp"], 60)
        expected_status, expected, _ = ran("serial")
        if expected_status < 0 or expected_status == 124:
            result["agrees"], result["why"] = "no", f"its serial form fails with status {expected_status}"
            return result
        result["agrees"] = "yes" if all(same(expected, ran("parallel", OMP_NUM_THREADS="4")[1]) for _ in range(3)) else "no"
    made, loops, translated, reasons = folder / "made", 0, 0, []
    parts = []
    for source in sources:
        if "#pragma omp" not in source.read_text(errors="replace") and source.name not in program.translate:
            parts.append(str(source))
            continue
        options = [flag for flag in [*flags, *folders] if flag[:2] in ("-D", "-I") and flag != "-D_OPENMP"]
        further = [flag for flag in flags if flag.startswith("-std=")]
        status, told, errors = run([hoist, "openmp", str(source), "-o", str(made), "--force", *options, *(["--", *further] if further else [])], 120)
        if status != 0:
            first = re.search(r"error: (.*)", errors)
            result["translated"], result["why"] = "no", "Clang: " + (first.group(1) if first else errors.strip()[:80])
            return result
        done, there = map(int, re.match(r"(\d+) of (\d+) loops", told).groups())
        translated, loops = translated + done, loops + there
        reasons += [line.split("stays on the host: ", 1)[1] for line in errors.splitlines() if "stays on the host" in line]
        parts.append(str(made / source.name))
    result["translated"] = f"{translated} of {loops}"
    result["why"] = "; ".join(dict.fromkeys([*reasons, *([program.why] if program.why else [])]))
    if program.arguments is None:
        compiled = [run([*build, "-c", part, "-o", str(folder / "part.o")], 60) for part in parts]
        result["builds"] = "yes" if all(status == 0 for status, _, _ in compiled) else "no"
        return result
    # Arrays that other files allocate are known where these include the run time's header.
    # The run time is C99, whatever the program is.
    run(["gcc", "-O2", "-c", str(made / "hoist_openmp.c"), "-o", str(folder / "run_time.o")], 60)
    status, _, errors = run([*build, "-include", str(made / "hoist_openmp.h"), *parts, str(folder / "run_time.o"), *extra, "-o", str(folder / "device"),
                             LOADER, "-lm", "-lgomp"], 60)
    result["builds"] = "yes" if status == 0 else "no"
    if status != 0:
        first = re.search(r"error: (.*)|undefined reference.*", errors)
        result["why"] += " gcc: " + (first.group(0) if first else " ".join(errors.split())[:200])
        return result
    status, got, errors = ran("device", 120)
    result["equal"] = "yes" if status == expected_status and same(expected, got) else "no"
    return result


def table(rows):
    columns = [("program", "program"), ("gcc", "gcc builds it"), ("agrees", "OpenMP agrees with serial"), ("translated", "loops on the device"),
               ("builds", "builds"), ("equal", "equal to serial"), ("why", "why loops stay, or what failed")]
    lines = ["| " + " | ".join(title for _, title in columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(each[key].replace("|", "\\|") for key, _ in columns) + " |" for each in rows]
    asked = [each for each in rows if each["gcc"] == "yes" and each["agrees"] == "yes"]
    good = [each for each in asked if each["equal"] == "yes"]
    device = [each for each in good if not each["translated"].startswith("0")]
    lines += ["", f"{len(rows)} programs; {len(asked)} build with gcc and agree with their serial form; of these {len(good)} are translated, build and "
              f"are equal ({100 * len(good) / max(1, len(asked)):.0f}%), {len(device)} with loops on the device."]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hoist")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--suite", default="polybench-acc", choices=("polybench-acc", "polybench", "files", "parboil", "rodinia"))
    parser.add_argument("--defines", default="-DSMALL_DATASET", help="options of gcc and Clang for all programs")
    parser.add_argument("--only", default="", help="programs whose path has this in it")
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()
    hoist, rows = shutil.which(options.hoist) or str(pathlib.Path(options.hoist).resolve()), []
    listed = {"parboil": openmp_listed.PARBOIL, "rodinia": openmp_listed.RODINIA}.get(options.suite)
    suite = None if listed else Suite(options.folder.resolve(), options.suite, options.defines)
    for program in listed or suite.programs():
        if options.only not in (program.name if listed else str(program)):
            continue
        folder = pathlib.Path(tempfile.mkdtemp(prefix="openmp-suite-"))
        rows.append(listed_row(program, options.folder.resolve(), hoist, folder) if listed else row(suite, hoist, program, folder))
        shutil.rmtree(folder)
        print(" ".join(f"{value}," for value in rows[-1].values()), file=sys.stderr, flush=True)
    text = table(rows)
    print(text)
    if options.markdown:
        options.markdown.write_text(text + "\n")


if __name__ == "__main__":
    main()
