#!/usr/bin/env python3
"""candidate_hashes.py HOIST: a line for each program of the suite and each target, with hashes of what it becomes.

    kernels/gemv.hoist gpu explored 3f1c... sources 9ab0... compiled 77de...

`explored` is of a sample of candidates with all that `hoist explore --json` tells of them, `sources` of the kernels of some of
these, `compiled` of the default mapping's kernels. A change that is to change nothing leaves all lines as they are:

    tools/candidate_hashes.py OLD >old.txt; tools/candidate_hashes.py build/release/hoist >new.txt; diff old.txt new.txt
"""
import hashlib
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LANGUAGES = {"gpu": ("opencl", "cuda"), "cpu": ("host",)}
SAMPLE, SHOWN = 24, 3


def output(*command):
    """What it prints, or the message with which it ends; without times."""
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    return run.stdout if run.returncode == 0 else run.stderr


def digest(texts):
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]


def ids_in(explored):
    try:
        return [each["id"] for each in json.loads(explored)["candidates"] if not each.get("discarded")]
    except (ValueError, KeyError):
        return []


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    hoist = str(pathlib.Path(sys.argv[1]).resolve())
    for folder in ("kernels", "kernels/polybench"):
        for name, sets in json.loads((ROOT / folder / "sizes.json").read_text()).items():
            file = f"{folder}/{name}.hoist"
            chosen = sets.get("dividing") or next(iter(sets.values()))
            sizes = [f"{key}={value}" for key, value in chosen.items()]
            for profile, languages in LANGUAGES.items():
                explored = output(hoist, "explore", file, *sizes, "--profile", profile, "--sample", str(SAMPLE), "--jobs", "2",
                                  "--json")
                sources = [output(hoist, "explore", file, *sizes, "--profile", profile, "--id", each, "--show", language)
                           for each in ids_in(explored)[:SHOWN] for language in languages]
                compiled = [output(hoist, "compile", file, *sizes, "--target", language) for language in languages]
                print(file, profile, "explored", digest([explored]), "sources", len(sources), digest(sources), "compiled",
                      digest(compiled), flush=True)


if __name__ == "__main__":
    main()
