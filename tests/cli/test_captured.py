"""hoist tune DIR: what an application ran with HOIST_CAPTURE=DIR, tuned case by case."""
import json
import os
import unittest

from support import Case, ROOT, npy_bytes

GEMV = (ROOT / "kernels" / "gemv.hoist").read_text()
# Threads that wait for each other take long where other tests keep the processors busy.
os.environ.setdefault("OMP_NUM_THREADS", "1")
GATHER = "def pick(x: [N]f32, i: [N]i32): [N]f32 = i |> map(e => x[e])\n"


class Captured(Case):
    def setUp(self):
        super().setUp()
        self.device = next(each for each in self.facts("devices") if each["id"] == "host")
        (self.directory / "captured").mkdir()

    def case(self, name, text, sizes, inputs, runs=1, seconds=0.1, **changes):
        """A case as an application leaves it; `inputs`: (name, code, shape, values)."""
        place = self.directory / "captured" / name
        place.mkdir()
        facts = {"format": "hoist capture", "version": 1, "program": text.partition("def ")[2].partition("(")[0],
                 "file": "program.hoist", "entry": "", "sizes": sizes,
                 "device": {"id": "host", "language": "host", "name": self.device["name"]},
                 "inputs": [{"name": each[0], "file": each[0] + ".npy"} for each in inputs], **changes}
        (place / "case.json").write_text(json.dumps(facts))
        (place / "program.hoist").write_text(text)
        (place / "runs.jsonl").write_text(f'\n{{"runs": {runs}, "seconds": {seconds}}}\n')
        for each, code, shape, values in inputs:
            (place / f"{each}.npy").write_bytes(npy_bytes(code, shape, values))
        return place

    def gather(self, n=64, **options):
        # Random numbers would be no indices: what is measured are these.
        return self.case("pick-1", GATHER, {"N": n}, [("x", "f4", [n], range(n)), ("i", "i4", [n], range(n - 1, -1, -1))],
                         **options)

    def gemv(self, m=32, n=48, **options):
        inputs = [("alpha", "f4", [], [2.0]), ("A", "f4", [m, n], [1.5] * (m * n)), ("x", "f4", [n], range(n)),
                  ("beta", "f4", [], [0.5]), ("y", "f4", [m], range(m))]
        return self.case("gemv-1", GEMV, {"M": m, "N": n}, inputs, **options)

    def tune(self, *arguments, **options):
        return self.hoist("tune", "captured", "--store", "store.sqlite", "--search", "random", *arguments, **options)

    def refuse(self, *arguments, **options):
        return self.refused("tune", "captured", "--store", "store.sqlite", *arguments, **options)


class Tunes(Captured):
    def test_each_case_is_tuned_with_its_inputs_and_stored(self):
        self.gather(seconds=1.0)
        self.gemv(runs=7, seconds=2.0)
        facts = json.loads(self.tune("--evaluations", "3", "--budget", "60", "--json").stdout)
        # What took longest comes first.
        self.assertEqual([(each["program"], each["runs"]) for each in facts["cases"]], [("gemv", 7), ("pick", 1)])
        for each in facts["cases"]:
            self.assertGreater(each["evaluated"], 0)
            self.assertEqual(each["devices"], ["host"])
            self.assertIn("default", [best["id"] for best in each["best"]])
        run = self.hoist("run", str(ROOT / "kernels" / "gemv.hoist"), "M=32", "N=48", "--random", "1", "--device", "host",
                         "--store", "store.sqlite", "--verify")
        self.assertIn("tuned for M = 32, N = 48 on this device", run.stderr)
        self.assertIn("verified", run.stdout)

    def test_a_table_for_each_case(self):
        self.gather()
        self.gemv()
        told = self.tune("--evaluations", "1", "--budget", "60")
        for text in ("1 of 2: ", "2 of 2: ", "pick, N = 64, 1 run in 100 ms on host", "gemv, M = 32, N = 48", "default",
                     "stored in "):
            self.assertIn(text, told.stdout)

    def test_the_directory_of_one_case(self):
        place = self.gather()
        facts = json.loads(self.hoist("tune", place, "--store", "store.sqlite", "--evaluations", "1", "--budget", "60",
                                      "--json").stdout)
        self.assertEqual([each["program"] for each in facts["cases"]], ["pick"])

    def test_a_budget_too_small_leaves_the_defaults(self):
        self.gather()
        self.gemv()
        facts = json.loads(self.tune("--budget", "0.001", "--json").stdout)
        self.assertEqual([[best["id"] for best in each["best"]] for each in facts["cases"]], [["default"]] * 2)

    def test_one_that_fails_leaves_the_others(self):
        self.gemv(seconds=0.5)
        self.gather(device={"id": "cuda:9", "language": "cuda", "name": "a card that was sold"}, seconds=1.0)
        done = self.tune("--evaluations", "1", "--budget", "60", "--json", status=2)
        self.assertIn("the case ran on cuda:9 (a card that was sold), and this machine has no such device", done.stderr)
        self.assertIn("--device", done.stderr)
        self.assertEqual([each["program"] for each in json.loads(done.stdout)["cases"]], ["gemv"])
        facts = json.loads(self.tune("--device", "host", "--evaluations", "1", "--budget", "60", "--json").stdout)
        self.assertEqual(len(facts["cases"]), 2)


class BadInput(Captured):
    def test_directories(self):
        self.refuse(says=["captured holds no captured cases", "HOIST_CAPTURE=DIR"])
        self.refused("tune", "nowhere", "--store", "store.sqlite", says=["nowhere"])

    def test_options_of_one_program(self):
        self.gather()
        self.refuse("N=3", says=["take no sizes or inputs: N=3"])
        self.refuse("--random", "1", says=["take no --random"])
        self.refuse("--entry", "f", says=["take no --entry"])
        self.refuse("--by-hand", str(ROOT / "kernels" / "gemv.hoist"), says=["take no --by-hand"])
        self.refuse("--report", "page.html", says=["take no --report", "hoist report"])
        self.refuse("--search", "rand", says=["take no specification", "names the parameters of one program"])

    def test_damaged_files_are_named_before_anything_is_measured(self):
        self.gemv()
        place = self.gather()
        name = "captured/pick-1/"
        (place / "i.npy").write_bytes(npy_bytes("i4", [63], range(63)))
        self.refuse(says=[name + "i.npy holds int32 of shape (63,)", "shape (64,)"])
        (place / "i.npy").unlink()
        self.refuse(says=[name + "i.npy cannot be opened"])
        (place / "case.json").write_text("{")
        self.refuse(says=[name + "case.json is damaged"])
        self.assertNotIn("store.sqlite", self.leftovers())

    def test_what_is_no_file_no_size_and_no_time(self):
        place = self.gather()
        facts = json.loads((place / "case.json").read_text())
        for size in (100.7, "64", None):
            (place / "case.json").write_text(json.dumps({**facts, "sizes": {"N": size}}))
            self.refuse(says=[f"captured/pick-1/case.json is damaged: it says that N is {json.dumps(size)}", "a natural number"])
        (place / "case.json").write_text(json.dumps(facts))
        for name in ("runs.jsonl", "x.npy", "program.hoist", "case.json"):
            whole = (place / name).read_bytes()
            (place / name).unlink()
            os.mkfifo(place / name)
            self.refuse(says=[f"captured/pick-1/{name} is not a regular file"])
            (place / name).unlink()
            (place / name).write_bytes(whole)
        # Times that are none do not make shares of the budget that are none.
        (place / "runs.jsonl").write_text('\n{"runs": 1, "seconds": -5}\n{"runs": 1, "seconds": 1e308}\n{"runs": 1, "seconds": 1e308}\n')
        told = self.tune("--evaluations", "1", "--budget", "30")
        self.assertNotIn("nan", told.stdout + told.stderr)
        self.assertIn("0 runs", told.stdout)

    def test_a_truncated_input_is_named(self):
        place = self.gather()
        whole = (place / "x.npy").read_bytes()
        (place / "x.npy").write_bytes(whole[:-4])
        done = self.tune(status=1)
        self.assertIn("captured/pick-1/x.npy is truncated", done.stderr)


if __name__ == "__main__":
    unittest.main()
