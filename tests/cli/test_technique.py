"""hoist train --technique and hoist evaluate --technique: how stencils load their input, learned from what was measured, which is
invented here."""
import gzip
import json
import sqlite3

from support import Case

TECHNIQUES = ["global", "vector", "local", "image"]
HEURISTICS = ["dimensions", "optimisations", "hybrid"]
COLUMNS = ["stencil", "pattern", "dimensionality", "size", "density", "unique_dimension", "additions", "multiplications"]
MEASURED = ["seconds", "configurations", "build_seconds", "run_seconds"]


def row(name, pattern, dimensionality, size, density, unique, times, heuristics=("hybrid",)):
    cells = [name, pattern, dimensionality, size, density, unique, 1, 1]
    for heuristic in HEURISTICS:
        for technique in TECHNIQUES:
            seconds = times.get(technique) if heuristic in heuristics else None
            cells += ["" if seconds is None else seconds, 100, 30, 2]
    return ",".join(map(str, cells))


def stencils():
    """Large ones are fastest from local memory, small ones from images; nothing ran as vectors."""
    for radius in range(1, 6):
        side = 2 * radius + 1
        for pattern, size in (("dense", side ** 3), ("star", 6 * radius + 1)):
            large = size > 24
            yield row(f"{pattern}_{radius}", pattern, 3, size, size / side ** 3, "none",
                      {"global": 3e-4, "local": 1e-4 if large else 4e-4, "image": 2e-4}, ("hybrid", "dimensions"))
        for axis in "xyz":
            yield row(f"line_{axis}_{radius}", "dense", 1, side, 1, axis, {"global": 3e-4, "local": 4e-4, "image": 2e-4})


def table(rows, title="#hoist-techniques,1", device="nvidia-h200-cuda"):
    names = COLUMNS + [f"{heuristic}_{technique}_{what}" for heuristic in HEURISTICS for technique in TECHNIQUES for what in MEASURED]
    return "\n".join([title, f"#device_class,{device}", "#provenance,by,a test", ",".join(names), *rows]) + "\n"


class Techniques(Case):
    def setUp(self):
        super().setUp()
        (self.directory / "t.csv.gz").write_bytes(gzip.compress(table(stencils()).encode()))

    def test_a_model_is_learned(self):
        told = self.hoist("train", "--technique", "t.csv.gz", "-o", "m.json.gz", "--keep", "--store", "s.sqlite").stderr
        self.assertIn("techniques learned from stencils on nvidia-h200-cuda: 10 of 'dimensions', 0 of 'optimisations', 25 of 'hybrid'",
                      told)
        model = json.loads(gzip.decompress((self.directory / "m.json.gz").read_bytes()))
        self.assertEqual((model["format"], model["version"], len(model["learned"]["hybrid"])), ("hoist technique model", 1, 25))
        self.assertEqual(model["provenance"]["by"], "a test")
        with sqlite3.connect(self.directory / "s.sqlite") as database:
            (name, device, content), = database.execute("SELECT name, device_class, content FROM models")
        self.assertEqual((name, device), ("technique", "nvidia-h200-cuda"))
        self.assertEqual(json.loads(content), model)

    def test_it_is_judged_by_what_was_left_out(self):
        facts = self.facts("evaluate", "--technique", "t.csv.gz")
        self.assertEqual([(each["left_out"], each["heuristic"]) for each in facts["evaluations"]],
                         [(left_out, heuristic) for left_out in ("stencil", "pattern", "dimensionality")
                          for heuristic in ("dimensions", "hybrid") if (left_out, heuristic) != ("dimensionality", "dimensions")])
        hybrid = facts["evaluations"][1]
        self.assertEqual(len(hybrid["stencils"]), 25)
        accuracies = {each["classifier"]: each for each in hybrid["judgements"]}
        self.assertEqual(list(accuracies), ["ours", "weka", "most frequent", "chance"])
        self.assertGreaterEqual(accuracies["ours"]["accuracy"], 0.9)
        self.assertGreaterEqual(accuracies["weka"]["accuracy"], 0.85)
        self.assertAlmostEqual(accuracies["chance"]["accuracy"], 0.25)
        chosen = {each["stencil"]: each for each in hybrid["stencils"]}
        self.assertEqual(chosen["dense_3"]["best"], "local")
        self.assertEqual(chosen["dense_3"]["choices"]["ours"], "local")
        self.assertEqual([round(share, 3) for share in chosen["dense_3"]["shares"]], [0.333, 0, 1, 0.5])
        text = self.hoist("evaluate", "--technique", "t.csv.gz", "--leave-out", "pattern", "--write", "facts.json").stdout
        self.assertRegex(text, r"pattern left out, hybrid: 25 stencils\nclassifier +accuracy +penalty-weighted +least\nours +\d")
        self.assertEqual(len(json.loads((self.directory / "facts.json").read_text())["evaluations"]), 2)

    def test_tables_together(self):
        rows = list(stencils())
        self.file("one.csv", table(rows[:9]))
        self.file("other.csv", table(rows[9:]))
        self.assertEqual(self.facts("evaluate", "--technique", "one.csv", "other.csv")["evaluations"],
                         self.facts("evaluate", "--technique", "t.csv.gz")["evaluations"])

    def test_tuning_tries_first_what_is_predicted(self):
        self.file("host.csv", table(stencils(), device="cpu-host"))
        self.hoist("train", "--technique", "host.csv", "--keep", "--store", "s.sqlite")
        self.file("cube.hoist", "def cube(u: [D + 2][H + 2][W + 2]f32): [D][H][W]f32 =\n"
                                "  u |> slide3(3, 1) |> map3(n => n |> join |> join |> map(e => 0.5 * e) |> reduce(+, 0.0))\n")
        tune = ("tune", "cube.hoist", "D=12", "H=12", "W=12", "--device", "host", "--store", "s.sqlite", "--budget", "60",
                "--evaluations", "1", "--space", "stencil")
        for search in ("predict", "model"):
            with self.subTest(search):
                done = self.hoist(*tune, "--search", search, "--fresh", "--json")
                self.assertIn("note: the input is loaded from local memory: 27 points of 27 in the box around them, in three "
                              "dimensions; such stencils are", done.stderr)
                facts = json.loads(done.stdout)
                self.assertEqual((facts["technique"]["name"], facts["technique"]["origin"]), ("local", "from the store"))
                self.assertGreater(facts["technique"]["expected_shares"]["local"], 0.8)
                if search == "predict":
                    # Whatever came of it, on a machine that may be busy.
                    with sqlite3.connect(self.directory / "s.sqlite") as database:
                        # One candidate, which is measured again at the end where it is fast.
                        (parameters,), = database.execute("SELECT DISTINCT c.parameters FROM evaluations e JOIN candidates c ON "
                                                          "c.id = e.candidate WHERE e.origin = 'explored'")
                    self.assertEqual(json.loads(parameters)["LOCAL"], 1)
        done = self.hoist(*tune[:-2], "--space", "stencil-all", "--fresh")
        self.assertIn("note: of equals those are first that load from local memory: 27 points", done.stderr)
        done = self.hoist(*tune, "--no-technique", "--json")
        self.assertNotIn("the input is loaded from", done.stderr)
        self.assertNotIn("technique", json.loads(done.stdout))
        # A specification that leaves it open is searched with it, and with another where that is asked for.
        short = "set TECHNIQUE = global | local;\nLOCAL=TECHNIQUE == local, IMAGE=0, VX=1, BX=1, BY=1, BZ=1, WX=4, WY=1:2:*2, WZ=1, CX=1, CY=1, CZ=1;\n"
        self.file("hybrid-short.spec", short)
        for extra, local in ((), 1), (("--set", "TECHNIQUE=global"), 0):
            facts = self.facts(*tune[:-4], "--space", "stencil", "--search", "hybrid-short.spec", *extra)
            self.assertEqual("technique" in facts, local == 1)
            self.assertEqual(facts["specification"]["configurations"], 2)
            tried = facts["specification"]["tried"]
            self.assertEqual([each["values"]["LOCAL"] for each in tried], [local, local])
            self.assertEqual(sorted(each["values"]["WY"] for each in tried), [1, 2])
            self.assertTrue(all((each["outcome"] == "ok") == ("seconds" in each) for each in tried), tried)
        # Without a model it is told, and in other spaces nothing is.
        done = self.hoist(*tune[:7], "--store", "empty.sqlite", *tune[9:], "--search", "random", "--json")
        self.assertIn("no loading technique is predicted: there is no model of loading techniques", done.stderr)
        self.assertNotIn("technique", json.loads(done.stdout))
        done = self.hoist(*tune[:-2], "--search", "random", "--json")
        self.assertNotIn("technique", done.stderr)

    def test_bad_input(self):
        rows = list(stencils())
        self.refused("train", "--technique", "t.csv.gz", says=["no option says what to write"])
        self.refused("train", "--technique", "none.csv", "-o", "m.json", says=["there is no file 'none.csv'"])
        self.refused("train", "--technique", "t.csv.gz", "--data", "t.csv.gz", "-o", "m.json", says=["--technique"])
        self.refused("evaluate", "--technique", "t.csv.gz", "--leave-out", "family", says=["stencil, pattern or dimensionality"])
        self.file("one.csv", table(rows[:2]))
        self.refused("train", "--technique", "one.csv", "t.csv.gz", "-o", "m.json", says=["in two tables"])
        self.file("other.csv", table(rows[:2], device="pocl-cpu-opencl"))
        self.refused("train", "--technique", "one.csv", "other.csv", "-o", "m.json", says=["devices of one class"])
        self.file("wrong.csv", table([rows[0].replace("0.0001", "fast"), rows[1]]))
        self.refused("evaluate", "--technique", "wrong.csv", says=["wrong.csv:5", "'fast'", "dimensions_local_seconds"])
        self.file("measurements.csv", table(rows, title="#hoist-measurements,2"))
        self.refused("evaluate", "--technique", "measurements.csv", says=["measurements.csv:1", "#hoist-techniques,1"])
        self.file("none.csv", table([row("a", "star", 3, 7, 0.26, "none", {})]))
        self.refused("train", "--technique", "none.csv", "-o", "m.json", says=["nothing to learn from"])
        self.file("one.csv", table([row("a", "star", 3, 7, 0.26, "none", {"global": 1})]))
        self.refused("evaluate", "--technique", "one.csv", says=["nothing to learn from"])
