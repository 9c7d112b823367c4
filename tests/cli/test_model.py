"""hoist train and hoist evaluate: learning from what was measured, and holding it against what was not learned from."""
import json
import sqlite3

from support import Case, ROOT

DATA = ROOT / "data" / "h200.csv.gz"
SEARCHES = ROOT / "data" / "h200-searches.csv.gz"
# Two programs through two languages, so that one is predicted by a model of the other.
FEW = ("--data", str(SEARCHES), "--program", "jacobi3d27", "jacobi3d7", "--effort", "0.1")


class Models(Case):
    def test_a_model_is_learned_and_evaluated(self):
        told = self.hoist("train", *FEW, "--model", "paper", "-o", "model.json.gz", "--write", "few.csv.gz")
        self.assertIn("learned from", told.stderr)
        self.assertTrue((self.directory / "model.json.gz").exists())
        self.assertIn("kept in", self.hoist("train", *FEW, "--model", "paper", "--keep", "--store", "s.sqlite").stderr)
        with sqlite3.connect(self.directory / "s.sqlite") as database:
            self.assertEqual(sorted(database.execute("SELECT name, device_class FROM models").fetchall()),
                             [("speed", "nvidia-h200-cuda"), ("speed", "nvidia-h200-opencl")])
        facts = json.loads(self.hoist("evaluate", "--data", "few.csv.gz", "--model", "paper", "roofline", "--json").stdout)
        self.assertEqual([each["kind"] for each in facts["models"]], ["paper", "roofline"])
        text = self.hoist("evaluate", *FEW, "--model", "roofline", "--write", "facts.json").stdout
        self.assertIn("jacobi3d27", text)
        self.assertIn("redundancy", text)
        self.assertGreater(len(json.loads((self.directory / "facts.json").read_text())["redundancies"]), 50)

    def test_the_papers_evaluation_without_a_gpu(self):
        """What is published of the models that need no training library can be repeated, to the last digit: each program is
        predicted by a model of all others; beside it stands what chance would take."""
        def rows(text):
            return [line.split() for line in text.splitlines() if line.startswith(("paper ", "roofline ", "at random "))]
        published = (ROOT / "bench" / "results" / "h200-predict" / "evaluation.md").read_text()
        section = published.split("\n## One program left out, all programs, with the usual effort of learning\n")[1].split("\n## ")[0]
        expected = rows(section)
        self.assertEqual(len(expected), 3)
        self.assertEqual(expected[0][1:4], ["51", "0.708", "0.756"])
        told = self.hoist("evaluate", "--data", str(DATA), "--model", "paper", "roofline", "--searches", "1").stdout
        self.assertEqual(rows(told), expected)

    def test_the_whole_way_without_a_gpu(self):
        """Measure at random, learn, predict a program never learned from, tune another in predicted order: on PoCL."""
        kernels = ROOT / "kernels"
        tasks = [{"program": str(kernels / name), "sizes": sizes, "candidates": 16}
                 for name, sizes in (("jacobi2d5.hoist", {"H": 48, "W": 64}), ("gaussian5x5.hoist", {"H": 48, "W": 64}),
                                     ("matmul_nn.hoist", {"M": 48, "N": 64, "K": 32}))]
        self.file("plan.json", json.dumps({"tasks": tasks}))
        on_pocl = ("--device", "opencl:0", "--store", "store.sqlite", "--budget", "600")
        self.assertIn("16 measured", self.hoist("train", "--plan", "plan.json", *on_pocl, "--keep").stderr)
        facts = json.loads(self.hoist("evaluate", "--store", "store.sqlite", "--model", "boosted", "paper", "roofline",
                                      "--effort", "0.1", "--json").stdout)
        for model in facts["models"]:
            self.assertEqual(model["summary"]["tasks"], 3)
            for task in model["tasks"]:
                self.assertTrue(1 <= task["predicted_90"]["runs"] <= 17, task)
            # How good it is depends on the machine, and is only told.
            print(f"{model['kind']}: correlation {model['summary']['correlation']:.2f}, "
                  f"{model['summary']['runs_90']:.1f} runs to 90%, {model['summary']['random_runs_90']:.1f} at random")
        tuned = json.loads(self.hoist("tune", str(kernels / "gradient.hoist"), "H=48", "W=64", *on_pocl,
                                      "--search", "predict", "--evaluations", "3", "--json").stdout)
        self.assertEqual(tuned["evaluated"], 3)
        self.assertGreaterEqual(tuned["ranked"], 3)

    def test_a_search_and_chance_are_what_models_must_beat(self):
        text = self.hoist("evaluate", *FEW, "--model", "roofline", "--searches", "30", "--write", "facts.json").stdout
        self.assertRegex(text, r"(?m)^genetic +3 ")
        self.assertRegex(text, r"(?m)^at random +3 ")
        facts = json.loads((self.directory / "facts.json").read_text())
        searched, = facts["searches"]
        self.assertEqual((searched["kind"], searched["searches"]), ("genetic", 30))
        model = facts["models"][0]
        self.assertEqual(searched["summary"]["random_runs_95"], model["summary"]["random_runs_95"])
        self.assertEqual({task["program"] for task in searched["tasks"]}, {"jacobi3d27", "jacobi3d7"})
        # Of a hundred candidates the first sixteen are drawn: it cannot be far from chance.
        self.assertLess(searched["summary"]["runs_90"], 2 * model["summary"]["random_runs_90"])

    def test_large_sizes_are_predicted_from_small_ones(self):
        facts = json.loads(self.hoist("evaluate", "--data", str(SEARCHES), "--program", "matmulNn", "--model", "paper", "--leave-out", "size",
                                      "--searches", "2", "--json").stdout)
        self.assertEqual({task["sizes"] for task in facts["models"][0]["tasks"]}, {"K=4096 M=4096 N=4096"})
        self.assertEqual(len(facts["searches"][0]["tasks"]), 2)

    def test_families_are_left_out_as_the_card_says_and_as_equal_features_say(self):
        few = ("evaluate", "--data", str(DATA), "--model", "roofline", "--searches", "1", "--leave-out", "family")
        def families(*more):
            facts = self.facts(*few, *more)
            return facts["families"], {task["program"]: task["split"] for task in facts["models"][0]["tasks"]}
        told, splits = families()
        self.assertEqual(len(told["stencil2d"]), 8)
        self.assertEqual(splits["gradient"], "stencil2d")
        self.assertEqual(splits["nbody"], "nbody")
        self.file("none.json", "{}")
        found, _ = families("--families", "none.json")
        self.assertEqual([found["gradient+jacobi2d5"], found["jacobi2d9+shocStencil2d"]],
                         [["gradient", "jacobi2d5"], ["jacobi2d9", "shocStencil2d"]])
        self.assertEqual(found["matmulNn"], ["matmulNn"])
        self.assertIn("family by family", self.hoist(*few).stdout)
        self.file("twice.json", '{"a": ["gemv"], "b": ["gemv"]}')
        self.refused(*few, "--families", "twice.json", says=["twice.json", "'gemv' in two families"])

    def test_what_a_model_thinks_of_a_candidate(self):
        where = (ROOT / "kernels" / "jacobi2d5.hoist", "H=8192", "W=8192")
        facts = json.loads(self.hoist("explain", *map(str, where), "--id", "2-1", "--json").stdout)
        self.assertEqual(facts["predicted"]["model"], "nvidia-h200-cuda")
        self.assertGreater(facts["predicted"]["speedup"], 1)
        self.assertIn("times the default mapping's speed", self.hoist("explain", *map(str, where), "--id", "2-1").stdout)

    def test_a_plan_is_measured_once(self):
        tasks = [{"program": str(ROOT / "kernels" / name), "sizes": sizes, "candidates": 3}
                 for name, sizes in (("gemv.hoist", {"M": 32, "N": 48}), ("scal.hoist", {"N": 512}))]
        self.file("plan.json", json.dumps({"tasks": tasks}))
        order = ("train", "--plan", "plan.json", "--device", "host", "--budget", "60", "--store", "store.sqlite")
        self.assertIn("3 measured", self.hoist(*order).stderr)
        self.assertNotIn("measured,", self.hoist(*order).stderr)
        # What another device measured is not known of this one.
        with sqlite3.connect(self.directory / "store.sqlite") as database:
            database.execute("UPDATE devices SET name = 'another'")
        self.assertIn("3 measured, 0 known from the store", self.hoist(*order).stderr)
        self.hoist(*order, "--write", "some.csv.gz")
        self.refused(*order, "-o", "m.json.gz", says=["too little to learn from", "30"])
        self.file("bad.json", '{"tasks": [{"program": 3}]}')
        self.refused("train", "--plan", "bad.json", "--store", "store.sqlite", says=["bad.json", "no plan"])
        self.refused("train", "--plan", "none.json", "--store", "store.sqlite", says=["none.json"])

    def test_the_host_has_a_model_of_its_own(self):
        told = self.hoist("tune", str(ROOT / "kernels" / "gemv.hoist"), "M=32", "N=48", "--device", "host", "--evaluations", "1",
                          "--budget", "300", "--json", "--store", "s.sqlite")
        self.assertNotIn("there is no model", told.stdout + told.stderr)
        self.assertGreater(json.loads(told.stdout)["ranked"], 0)

    def test_bad_input(self):
        self.refused("train", *FEW, says=["--output"])
        self.refused("train", "--data", "none.csv.gz", "-o", "m.json.gz", says=["none.csv.gz"])
        self.refused("train", "--data", str(DATA), "--program", "nothing", "-o", "m.json.gz", says=["no measurements of such programs and devices"])
        self.refused("train", *FEW, "--model", "crystal", "-o", "m.json.gz", says=["crystal"])
        self.refused("evaluate", *FEW, "--leave-out", "moon", says=["moon", "program, family, task, class or size"])
        self.refused("evaluate", *FEW, "--leave-out", "size", says=["no program was measured at several sizes"])
        self.refused("evaluate", *FEW, "--searches", "0", says=["--searches"])
        self.refused("evaluate", "--store", "/proc/none/store.sqlite", says=["/proc/none"])
        self.file("damaged.csv", "not, a, table\n")
        self.refused("evaluate", "--data", "damaged.csv", says=["damaged.csv"])
        gemv = str(ROOT / "kernels" / "gemv.hoist")
        self.refused("tune", gemv, "M=8", "N=8", "--device", "host", "--model", "none.json", "--store", "s.sqlite",
                     says=["none.json"])
