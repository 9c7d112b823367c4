#!/usr/bin/env python3
"""documentation.py HOIST [--write]: the commands of README.md and docs/*.md do what the pages say.

In a block of code, a line that begins with `$ hoist` is a command, and what follows it up to the next one, or to the end of
the block, is what it prints: the test runs the command and compares; --write puts what it prints in place. A line that begins
with `hoist` is a command in a list: it is run, too, in a folder that has the files that the pages speak of, with budgets of a
second (SHORTER says what else becomes less, ELSEWHERE which commands are about other machines). A block that begins with
"```hoist NAME" is a program of that name in the folder, formatted as `hoist format` does it. Commands between backticks,
`hoist run --verify`, name commands and options that there are. Exit status 1, with what is wrong, else.
"""
import os
import pathlib
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# What takes minutes or needs what is not here, and what shows as much.
SHORTER = [(r"--budget \S+", "--budget 1s"), (r"--repeat 10\b", "--repeat 2"), (r"--steps 1000\b", "--steps 3"),
           (r"M=4096 N=4096 K=4096", "M=64 N=64 K=64"), (r"N=4096\b", "N=64"), (r"\bFILE\b", "mine.hoist N=64 --random 1"),
           (r"M=512 N=512 K=512", "M=64 N=64 K=64"), (r"\bstore show 3\b", "store show 1"), (r" --candidate \S+", ""),
           (r"hoist evaluate --data \S+", "hoist evaluate --help"), (r"\ba\.json\.gz b\.json\.gz\b", "--help"),
           (r"hoist demo\b.*", "hoist demo --help"), (r"hoist tune captured\b.*", "hoist tune --help"), (r"hoist report kernels/matmul_nn.hoist\b", "hoist report kernels/matmul_nn.hoist M=64 N=64 K=64")]
ELSEWHERE = ("--device cuda", "# NVIDIA")
OF_SANITIZERS = {name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}


def blocks(text):
    """Start and end of the lines inside each block of code."""
    fences = [number for number, line in enumerate(text) if line.startswith("```")]
    return [(first + 1, last) for first, last in zip(fences[::2], fences[1::2])]


class Scratch:
    """A folder with what the pages' commands name."""

    def __init__(self, hoist):
        self.hoist = hoist
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hoist-documentation-"))
        for name in ("kernels", "data", "docs", "bench", "examples"):
            (self.folder / name).symlink_to(ROOT / name)
        (self.folder / "mine.hoist").write_text("def mine(x: [N]f32): [N]f32 = x |> map(e => e * e)\n")
        (self.folder / "mine.spec").write_text("sample(2);\n")
        for name, shape in (("a", (4, 4)), ("A", (4, 4)), ("x", (4,)), ("y", (4,))):
            self.array(name, shape)
        (self.folder / "results.jsonl").write_text("")

    def array(self, name, shape):
        header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape!r}, }}"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        count = 1
        for length in shape:
            count *= length
        data = struct.pack(f"<{count}f", *range(count))
        (self.folder / f"{name}.npy").write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)

    def run(self, command):
        arguments = shlex.split(command, comments=True)
        ran = subprocess.run([self.hoist, *arguments[1:]], cwd=self.folder, capture_output=True, text=True, timeout=300,
                             env={"HOME": str(self.folder), "PATH": "/usr/local/bin:/usr/bin:/bin", **OF_SANITIZERS})
        return ran.returncode, ran.stdout, ran.stderr

    def close(self):
        shutil.rmtree(self.folder)


def shorter(command):
    for pattern, replacement in SHORTER:
        command = re.sub(pattern, replacement, command)
    return command


def shown(text, first, last):
    """Commands with what they print, of a block: the line of each, and where its output ends."""
    starts = [number for number in range(first, last) if text[number].startswith("$ hoist ")]
    return [(start, end) for start, end in zip(starts, [*starts[1:], last])]


def check_page(page, scratch, write):
    """What is wrong with a page; with `write` its printed parts are renewed."""
    text = page.read_text().splitlines()
    name, wrong, printed = page.relative_to(ROOT), [], []
    for first, last in blocks(text):
        _, _, program = text[first - 1].partition("```hoist ")
        if program:
            (scratch.folder / program).write_text("".join(line + "\n" for line in text[first:last]))
            status, _, errors = scratch.run(f"hoist format --check {program}")
            if status != 0:
                wrong.append(f"{name}:{first}: {errors}")
        for number in range(first, last):
            if not text[number].startswith("hoist ") or any(each in text[number] for each in ELSEWHERE):
                continue
            status, _, errors = scratch.run(shorter(text[number]))
            if status != 0:
                wrong.append(f"{name}:{number + 1}: {text[number]}\nexit status {status}: {errors}")
        for start, end in shown(text, first, last):
            command = text[start].removeprefix("$ ")
            if any(each in command for each in ELSEWHERE):
                continue
            status, output, errors = scratch.run(command)
            output = output.rstrip("\n").splitlines()
            if status != 0:
                wrong.append(f"{name}:{start + 1}: {command}\n{errors}")
            elif text[start + 1:end] != output:
                printed.append((start + 1, end, output))
    if write:
        for start, end, output in reversed(printed):
            text[start:end] = output
        if printed:
            page.write_text("\n".join(text) + "\n")
    else:
        wrong += [f"{name}:{start}: {text[start - 1]} prints something else now; tools/documentation.py HOIST --write renews it"
                  for start, _, _ in printed]
    return wrong


def check_spans(page, scratch, help_of):
    """Names of commands and options between backticks that there are none of."""
    wrong = []
    for span in re.findall(r"(?<!`)`hoist ([^`]+)`", page.read_text()):
        words = span.split()
        commands = [word for word in words[:2] if re.fullmatch(r"[a-z][a-z-]*", word)]
        command = " ".join(commands[:2 if words[0] in ("store", "dev") else 1])
        if command not in help_of:
            status, output, _ = scratch.run(f"hoist {command} --help")
            help_of[command] = output if status == 0 else None
        if help_of[command] is None:
            wrong.append(f"{page.relative_to(ROOT)}: `hoist {span}`: there is no such command")
            continue
        for option in re.findall(r"--[a-z-]+", span):
            if option not in help_of[command]:
                wrong.append(f"{page.relative_to(ROOT)}: `hoist {span}`: {command} has no {option}")
    return wrong


def main():
    global ELSEWHERE
    arguments = [each for each in sys.argv[1:] if each != "--write"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    # A program of its own, which is not built everywhere.
    if not pathlib.Path(arguments[0]).resolve().with_name("hoist-openmp").exists():
        ELSEWHERE += ("hoist openmp ",)
    scratch = Scratch(pathlib.Path(arguments[0]).resolve())
    try:
        wrong, help_of = [], {}
        for page in PAGES:
            wrong += check_page(page, scratch, "--write" in sys.argv) + check_spans(page, scratch, help_of)
    finally:
        scratch.close()
    print("\n".join(wrong) or "documentation: every command does what its page says")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
