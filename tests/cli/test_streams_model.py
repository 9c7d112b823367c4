"""hoist train --streams and hoist evaluate --streams: how many partitions and tasks a program streams on, learned from times that
are invented here, and bench/streams.py, which gathers them."""
import gzip
import json
import math
import os
import pathlib
import re
import sqlite3
import subprocess
import sys

from support import HOIST, ROOT, Case

sys.path.insert(0, str(ROOT / "bench"))

import streams

PAIRS = [(p, t) for p in (1, 2, 4) for t in (1, 2, 4, 8, 16, 32, 64) if p <= t]


def seconds(up, kernel, down, partitions, tasks):
    """A pipeline with 10 us of latency for each task and transfer."""
    u, k, d = (each / tasks for each in (up, kernel, down))
    rounds = math.ceil(tasks / partitions)
    first = u + k * partitions + d + 3e-5
    return first + max((tasks - 1) * (u + 1e-5), (tasks - 1) * (d + 1e-5), (rounds - 1) * (k * partitions + 1e-5)) + 2e-6 * tasks


def rows(programs=8):
    for i in range(programs):
        for size in (1, 8, 64):
            up, kernel, down = 2e-4 * size * (1 + i % 3), 1e-4 * size * (1 + i % 5), 1e-4 * size * (i % 4)
            features = [size * 1000, up * 1e10, down * 1e10, up, kernel, down]
            for partitions, tasks in PAIRS:
                yield [f"program{i}", "", f"N={size * 1000}", *features, partitions, tasks, seconds(up, kernel, down, partitions, tasks)]


COLUMNS = ["program", "group", "size", "loop_count", "upload_bytes", "download_bytes", "upload_seconds", "kernel_seconds",
           "download_seconds", "partitions", "tasks", "seconds"]


def table(lines, device="nvidia-h200-cuda", title="#hoist-streams,1", columns=COLUMNS):
    return "\n".join([title, f"#device_class,{device}", "#provenance,by,a test", ",".join(columns),
                      *(",".join(map(str, line)) for line in lines)]) + "\n"


class Streams(Case):
    def setUp(self):
        super().setUp()
        (self.directory / "t.csv.gz").write_bytes(gzip.compress(table(rows()).encode()))

    def test_a_model_is_learned(self):
        told = self.hoist("train", "--streams", "t.csv.gz", "-o", "m.json.gz", "--keep", "--store", "s.sqlite").stderr
        self.assertIn("streams learned from 24 programs at sizes on nvidia-h200-cuda", told)
        model = json.loads(gzip.decompress((self.directory / "m.json.gz").read_bytes()))
        self.assertEqual((model["format"], model["version"], model["learned_from"]), ("hoist stream model", 2, 24))
        self.assertEqual((model["partitions"], model["tasks"]), ([1, 2, 4], [1, 2, 4, 8, 16, 32, 64]))
        self.assertEqual(model["provenance"]["by"], "a test")
        with sqlite3.connect(self.directory / "s.sqlite") as database:
            (name, device, content), = database.execute("SELECT name, device_class, content FROM models")
        self.assertEqual((name, device), ("streams", "nvidia-h200-cuda"))
        self.assertEqual(json.loads(content), model)

    def test_it_is_judged_by_programs_that_were_left_out(self):
        facts = self.facts("evaluate", "--streams", "t.csv.gz", "--model", "ours", "svm", "liu", "best-fixed", "single",
                           "--write", "facts.json")
        self.assertEqual(json.loads((self.directory / "facts.json").read_text()), facts)
        judged = {each["chooser"]: each for each in facts["judgements"]}
        self.assertEqual(list(judged), ["ours", "svm", "liu", "best-fixed", "single", "oracle"])
        self.assertGreater(judged["ours"]["mean_share"], 0.97)
        self.assertEqual(judged["oracle"]["least_share"], 1)
        self.assertEqual((judged["single"]["mean_speedup"], judged["single"]["slower_than_single"]), (1, 0))
        self.assertEqual(len(facts["programs"]), 24)
        one = facts["programs"][0]
        self.assertEqual((one["program"], one["group"], one["size"], one["configurations"]), ("program0", "program0", "N=1000", len(PAIRS)))
        self.assertLessEqual(one["choices"]["ours"]["share"], 1)
        self.assertAlmostEqual(one["limit_of_overlap"], 1.5)
        text = self.hoist("evaluate", "--streams", "t.csv.gz", "--model", "analytic", "single").stdout
        self.assertRegex(text, r"chosen by +of the best +least +over one stream +least +slower than it\nanalytic +0\.\d+")
        self.assertIn("analytic, program by program", text)
        self.assertIn("Features that tell programs apart", text)

    def test_a_program_streams_as_its_model_says(self):
        self.file("host.csv", table(rows(), device="cpu-host"))
        own = {"env": os.environ | {"XDG_DATA_HOME": str(self.directory)}}
        run = ("run", ROOT / "examples/streams/vector_add.hoist", "N=1000000", "--random", 1, "--device", "host", "--elements", 1)
        self.hoist("train", "--streams", "host.csv", "--keep", **own)
        done = self.hoist(*run, "--streams", "auto", "--json", **own)
        streams = json.loads(done.stdout)["streams"]
        self.assertIn(f"streams: P = {streams['partitions']}, T = {streams['tasks']}, chosen in ", done.stderr)
        self.assertIn("by the model from the store", done.stderr)
        # Repeated, it may be told another choice after the first runs, and the last one is what runs.
        repeated = self.hoist(*run, "--streams", "auto", "--repeat", 3, "--json", **own)
        choices = re.findall(r"streams: P = (\d+), T = (\d+), (chosen in|since a run has told)", repeated.stderr)
        self.assertIn([each[2] for each in choices], (["chosen in"], ["chosen in", "since a run has told"]))
        streams = json.loads(repeated.stdout)["streams"]
        self.assertEqual((str(streams["partitions"]), str(streams["tasks"])), choices[-1][:2])

    def test_bad_input(self):
        self.refused("train", "--streams", "t.csv.gz", says=["no option says what to write"])
        self.refused("train", "--streams", "none.csv", "-o", "m.json", says=["there is no file 'none.csv'"])
        self.refused("train", "--streams", "t.csv.gz", "--data", "t.csv.gz", "-o", "m.json", says=["--streams"])
        self.refused("evaluate", "--streams", "t.csv.gz", "--technique", "t.csv.gz", says=["--streams"])
        self.refused("evaluate", "--streams", "t.csv.gz", "--model", "boosted", says=["'boosted'", "ours, ours-static, analytic"])
        self.file("one.csv", table(line for line in rows(1)))
        self.refused("evaluate", "--streams", "one.csv", says=["of one program"])
        self.refused("train", "--streams", "one.csv", "t.csv.gz", "-o", "m.json", says=["is in two tables"])
        self.file("other.csv", table(rows(1), device="pocl-cpu-opencl"))
        self.refused("train", "--streams", "one.csv", "other.csv", "-o", "m.json", says=["devices of one class"])
        self.file("wrong.csv", table(line for line in rows(1) if line[9:11] != [1, 1]))
        self.refused("evaluate", "--streams", "wrong.csv", says=["has no time with one partition and one task"])
        self.file("measurements.csv", table(rows(1), title="#hoist-measurements,2"))
        self.refused("evaluate", "--streams", "measurements.csv", says=["measurements.csv:1", "#hoist-streams,1"])


FAKE = """#!{python}
import json, os, sys
sys.path.insert(0, {tests!r})
from test_streams_model import seconds

def features(size):
    return {{"loop_count": size, "upload_bytes": 8 * size, "transfer_bytes": 16 * size, "max_tasks": 16, "instructions": None}}

def tell(**line):
    print(json.dumps(line), flush=True)

if sys.argv[1] == "features":
    sys.exit(print(json.dumps({{"features": {{name: value or 0 for name, value in features(int(sys.argv[3].split("=")[1])).items()}}}})))
assert sys.argv[1:3] == ["dev", "streams"], sys.argv
for line in sys.stdin:
    job = json.loads(line)
    size = int(job["values"][0].split("=")[1])
    if size == 13:
        tell(ended=True, failed="it does not compile")
        continue
    tell(features=features(size))
    pairs = [pair for pair in job["pairs"] if pair[1] <= 16]
    for round in (1, 2):
        for p, t in list(pairs):
            tell(measuring=[p, t])
            more = dict(upload_seconds=size, kernel_seconds=size, download_seconds=size) if (p, t, round) == (1, 1, 1) else {{}}
            if job["program"] == "b.hoist" and (p, t) == (1, 4):
                tell(partitions=p, tasks=t, failed="it fails")
                pairs.remove([p, t])
            elif job["program"] == "b.hoist" and (p, t, round) == (2, 16, 2):
                sys.exit("device error: it is lost")
            else:
                tell(partitions=p, tasks=t, seconds=[seconds(size, size, size, p, t)], stop="narrow", round=round, is_last=round == 2,
                     **more)
    tell(ended=True)
"""


class Gathering(Case):
    """With a hoist that invents times, since what is tested is what the script makes of them."""

    def script(self, *arguments, status=0):
        done = subprocess.run([sys.executable, ROOT / "bench/streams.py", *map(str, arguments)], cwd=self.directory, text=True,
                              capture_output=True, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def fake(self):
        self.file("fake", FAKE.format(python=sys.executable, tests=str(pathlib.Path(__file__).parent)))
        os.chmod(self.directory / "fake", 0o755)
        self.file("programs.json", json.dumps({
            "a": {"name": "a", "program": "a.hoist", "sizes": [{"N": 64, "B": 1}, {"N": 128, "B": 2}], "only_source": ["B"]},
            "b": {"name": "g", "program": "b.hoist", "sizes": [{"N": 32}], "large": [{"N": 1024}]},
            "c": {"name": "c", "program": None, "sizes": []}}))

    def lines(self, name):
        return [json.loads(line) for line in (self.directory / name).read_text().splitlines()]

    def test_a_table_is_gathered_in_parts(self):
        self.fake()
        for devices in (["cuda:0"], ["cuda:0", "cuda:1"]):
            with self.subTest(devices):
                self.gathered(devices)

    def gathered(self, devices):
        folder = f"f{len(devices)}"
        plan = ("plan", "fake", "--folder", folder, "--device", "cuda:0", "--programs", "programs.json", "--partitions", "1,2",
                "--tasks", "1,4,16,64")
        told = self.script(*plan)
        self.assertIn("c is no program of Hoist's", told)
        self.assertIn("2 programs, 3 sizes, 21 pairs", told)
        self.script(*plan, status=1)
        self.assertIn("are left", self.script("gather", "fake", "--folder", folder, "--until", 0, status=4))
        told = self.script("gather", "fake", "--folder", folder, "--until", 200, "--device", *devices)
        self.assertIn("b N=32 1,4: it fails", told)
        self.assertIn("b N=32 2,16: device error: it is lost", told)
        self.assertIn("nothing is left; 2 failed", told)
        self.assertIn("0 pairs done, nothing is left", self.script("gather", "fake", "--folder", folder))
        self.script("table", "fake", "--folder", folder, "--class", "nvidia-h200-cuda", "-o", "t.csv.gz")
        lines = gzip.decompress((self.directory / "t.csv.gz").read_bytes()).decode().splitlines()
        self.assertEqual(lines[3].split(",")[:3], ["program", "group", "size"])
        # Of 64 tasks a program that has 16 at most is not asked; of each pair there are two runs, one in each round, and what failed
        # in either has none.
        rows = [dict(zip(lines[3].split(","), line.split(","))) for line in lines[4:]]
        self.assertEqual(len(rows), 2 * (2 * 5 + 3))
        self.assertEqual([row["round"] for row in rows], ["1", "2"] * 13)
        self.assertEqual({row["kernel_seconds"] for row in rows if row["program"] == "a"}, {"64", "128"})
        facts = self.facts("evaluate", "--streams", "t.csv.gz", "--model", "ours", "single")
        self.assertEqual([each["group"] for each in facts["programs"]], ["a", "a", "g"])

    def test_a_size_that_cannot_be_measured(self):
        self.fake()
        self.file("programs.json", json.dumps({"a": {"name": "a", "program": "a.hoist", "sizes": [{"N": 13}, {"N": 64}]}}))
        self.script("plan", "fake", "--folder", "f", "--device", "cuda:0", "--programs", "programs.json", "--tasks", "1,2")
        told = self.script("gather", "fake", "--folder", "f")
        self.assertIn("a N=13: it does not compile", told)
        self.assertIn("nothing is left; 1 failed", told)

    def test_a_plan_for_a_told_time(self):
        self.fake()
        sizes = [{"N": 1 << i} for i in range(4, 28, 2)]
        self.file("programs.json", json.dumps({name: {"name": name, "program": f"{name}.hoist", "sizes": sizes} for name in "ab"}))
        for seconds, count in ((1e6, 12), (1, 10)):
            told = self.script("plan", "fake", "--folder", "f", "--device", "cuda:0", "--programs", "programs.json", "--force",
                               "--seconds", seconds)
            self.assertEqual("more than the" in told, seconds == 1)
            for program in json.loads((self.directory / "f/plan.json").read_text())["programs"]:
                self.assertEqual(len(program["sizes"]), count)
                self.assertEqual(program["sizes"][0], sizes[0])
                self.assertEqual(program["sizes"][-1], sizes[-1] if seconds > 1 else sizes[-3])
        # Both programs take turns, first with the smallest and the largest size.
        self.script("gather", "fake", "--folder", "f", "--until", 100)
        order = list(dict.fromkeys((each["program"], each["size"]) for each in self.lines("f/features.jsonl")))
        self.assertEqual(order[:5], [("a", "N=16"), ("b", "N=16"), ("a", f"N={1 << 22}"), ("b", f"N={1 << 22}"), ("a", "N=4096")])

    def test_figures_as_tables(self):
        self.file("t.csv", table(rows(3)))
        text = self.script("tables", HOIST, "t.csv", "--write", "out")
        self.assertEqual((self.directory / "out/tables.md").read_text() + "\n", text)
        for each in ("Figure 9", "Figure 10", "Figure 11", "Figure 13", "3 programs at 9 sizes", "| program0 |", "| werkhoven |",
                     "| 1.5 to 2 | 9 |"):
            self.assertIn(each, text)
        self.assertNotIn("other rounds", text)

    def test_choices_against_the_best_of_other_rounds(self):
        chosen = lambda p, t: {"partitions": p, "tasks": t}
        evaluation = {"programs": [{"program": "a", "size": "N=1", "choices": {"ours": chosen(1, 2), "single": chosen(1, 1)}},
                                   {"program": "b", "size": "N=1", "choices": {"ours": chosen(1, 1), "single": chosen(1, 1)}}]}
        # What is chosen is the best in two rounds, another pair by luck in the third one; a pair that was given up after a round is
        # never the best.
        runs = {("a", "N=1"): {(1, 1): {1: 4.0, 2: 4.0, 3: 4.0}, (1, 2): {1: 2.0, 2: 2.0, 3: 2.0}, (1, 4): {1: 3.0, 2: 3.0, 3: 1.0},
                               (1, 8): {1: 0.5}},
                ("b", "N=1"): {(1, 1): {1: 1.0}, (1, 2): {1: 0.5}}}
        shares = streams.left_out_shares(evaluation, runs)
        self.assertEqual(shares["ours"], [3 / 2, 3 / 2, 1])
        self.assertEqual(shares["single"], [3 / 4, 3 / 4, 2 / 4])
        in_rounds = [[*row[:-1], number, row[-1]] for row in rows(3) for number in (1, 2)]
        self.file("t.csv", table(in_rounds, columns=[*COLUMNS[:-1], "round", "seconds"]))
        text = self.script("tables", HOIST, "t.csv")
        self.assertIn("| oracle | 1.000 | 1.000 | 1.000 |", text)
