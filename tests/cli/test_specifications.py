"""Searches by specification files: hoist tune --search FILE.spec, hoist bench-search --spec FILE.spec."""
import json
import os
import signal
import sqlite3
import subprocess
import unittest

from support import Case, HOIST
from test_bench_search import recorded
from test_tune import Tune

TILED = ("def tiled(x: [N]f32): [N]f32 = x |> split(?t) |> mapWrg(0, tile => tile |> split(?u)\n"
         "  |> mapLcl(0, mapSeq(e => 2.0 * e)) |> join) |> join\n")
STEPS = "t=16:N:*2, u=1;   // tiles\nrepeat 2 { u=1:t:*2; }\n"


class Searches(Tune):
    def setUp(self):
        super().setUp()
        self.file("tiled.hoist", TILED)
        self.file("steps.spec", STEPS)

    def specified(self, *arguments, **options):
        return self.hoist("tune", "tiled.hoist", "N=256", "--device", "host", "--store", self.store, *arguments, **options)

    def refused_search(self, *arguments, says):
        self.refused("tune", "tiled.hoist", "N=256", "--device", "host", "--store", self.store, *arguments, says=says)

    def test_a_file_is_searched_to_its_end_and_what_is_stored_is_not_measured_again(self):
        first = json.loads(self.specified("--search", "steps.spec", "--json").stdout)
        told = first["specification"]
        self.assertEqual(first["ended_by"], "the specification came to its end")
        self.assertEqual(told["configurations"], told["ran"] + told["failed"])
        self.assertLessEqual(first["evaluated"], told["configurations"])
        # Five tiles; then what the best one's work-items may be.
        best = told["best"]["values"]
        self.assertEqual(told["configurations"], 5 + best["t"].bit_length() - 1)
        self.assertGreater(told["build_seconds"], 0)
        self.assertGreater(told["run_seconds"], told["one_run_seconds"])
        again = json.loads(self.specified("--search", "./steps.spec", "--json").stdout)
        self.assertEqual(again["evaluated"], 0)
        for name in ("configurations", "ran", "failed", "steps", "best"):
            self.assertEqual(again["specification"][name], told[name], name)
        self.assertAlmostEqual(again["specification"]["build_seconds"], told["build_seconds"], places=6)
        self.assertAlmostEqual(again["specification"]["run_seconds"], told["run_seconds"], places=6)
        with sqlite3.connect(self.store) as database:
            runs = [(strategy, json.loads(budget), json.loads(funnel)) for strategy, budget, funnel in
                    database.execute("SELECT strategy, budget, funnel FROM runs ORDER BY id")]
        for strategy, budget, funnel in runs:
            self.assertEqual(strategy, "steps.spec")
            self.assertIn("repeat 2 {", budget["specification"])
            self.assertEqual(funnel["specification"]["configurations"], told["configurations"])
        text = self.specified("--search", "steps.spec").stdout
        self.assertIn(f"the specification asked for {told['configurations']} configurations in ", text)
        self.hoist("report", "tiled.hoist", "N=256", "--store", self.store)

    def test_those_that_ship_settings_and_budgets(self):
        facts = json.loads(self.specified("--search", "rand", "--set", "samples=4", "--json").stdout)
        self.assertEqual(facts["specification"]["configurations"], 4)
        self.file("two.spec", "set least = 16; set how = narrow | wide;\nt=least:N:*2, u=1 + (how == wide);\n")
        told = json.loads(self.specified("--search", "two.spec", "--set", "least=128,how=wide", "--json").stdout)
        self.assertEqual(told["specification"]["configurations"], 2)
        self.assertEqual(told["specification"]["best"]["values"]["u"], 2)
        few = json.loads(self.specified("--search", "steps.spec", "--fresh", "--evaluations", "2", "--json").stdout)
        self.assertEqual(few["ended_by"], "the number of evaluations is reached")

    def test_candidates_of_one_term_are_measured_once(self):
        self.file("same.hoist", "def same(x: [N]f32): [N]f32 = x |> split(min(?t, 16)) |> mapWrg(0, mapLcl(0, e => 2.0 * e)) |> join\n")
        self.file("all.spec", "t=16:128:*2;\n")
        facts = json.loads(self.hoist("tune", "same.hoist", "N=64", "--device", "host", "--store", self.store, "--search", "all.spec", "--json").stdout)
        # All are 16.
        self.assertEqual((facts["specification"]["configurations"], facts["specification"]["ran"]), (4, 4))
        self.assertEqual((facts["evaluated"], facts["of_known_terms"]), (1, 3))

    def test_what_the_space_does_not_have_is_counted(self):
        self.file("some.spec", "t=16:N:+24, u=2;\n")
        told = json.loads(self.specified("--search", "some.spec", "--json").stdout)["specification"]
        # 16, 40, ... 256: 16, 64 and 256 divide 256, and so do others not.
        self.assertEqual(told["configurations"] + told["outside"], 11)
        self.assertGreater(told["outside"], 5)

    def test_any_search_takes_programs_that_leave_parameters_open(self):
        facts = json.loads(self.specified("--search", "random", "--evaluations", "2", "--json").stdout)
        self.assertEqual(facts["evaluated"], 2)
        self.assertTrue(all(set(each["values"]) == {"t", "u"} for each in facts["best"] if each["id"] != "default"))
        chosen = json.loads(self.specified("t=32", "--search", "random", "--evaluations", "2", "--json").stdout)
        self.assertTrue(all(set(each["values"]) == {"u"} for each in chosen["best"] if each["id"] != "default"))
        self.refused("tune", "tiled.hoist", "--device", "host", "--store", self.store, says=["the size N has no value", "give it one: N=1024"])
        self.refused("tune", "tiled.hoist", "N=1021", "--bound", "t=2:64", "--device", "host", "--store", self.store,
                     says=["no values of the tuning parameters satisfy all constraints", "?t"])

    def test_the_report_compares_programs_of_the_same_parameters(self):
        self.file("thrice.hoist", TILED.replace("2.0", "3.0").replace("tiled", "thrice"))
        self.file("few.spec", "t=64:256:*4, u=1:4:*4;\n")
        self.specified("--search", "few.spec")
        alone = json.loads(self.hoist("report", "tiled.hoist", "N=256", "--store", self.store, "--json").stdout)
        self.assertNotIn("others", alone)
        self.hoist("tune", "thrice.hoist", "N=256", "--device", "host", "--store", self.store, "--search", "few.spec")
        data = json.loads(self.hoist("report", "tiled.hoist", "N=256", "--store", self.store, "--json").stdout)
        (other,) = data["others"]
        self.assertEqual((other["program"], other["sizes"]), ("thrice", {"N": 256}))
        for share in ("their_best_here", "best_there"):
            self.assertGreater(other[share], 0)
            self.assertLessEqual(other[share], 1)

    def test_interrupted_it_keeps_what_was_found_and_goes_on_from_there(self):
        self.file("all.spec", "t=1:N:*2, u=1:t:*2, t*u > 64;\n")
        tuner = subprocess.Popen([HOIST, "tune", "tiled.hoist", "N=4096", "--device", "host", "--store", self.store, "--search", "all.spec"],
                                 cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 env={**os.environ, "HOIST_TEST_MARK": self.mark})
        self.wait_for_more_than(3)
        tuner.send_signal(signal.SIGINT)
        out, err = tuner.communicate(timeout=60)
        self.assertEqual(tuner.returncode, 0, err)
        self.assertIn("it was interrupted", out)
        self.assertIn("the specification asked for", out)
        self.assert_none_left()
        after = self.hoist("tune", "tiled.hoist", "N=4096", "--device", "host", "--store", self.store, "--search", "all.spec", "--json")
        self.assertGreater(json.loads(after.stdout)["known"], 0)

    def test_mistakes_have_their_places(self):
        self.file("bad.spec", "t=1:NN:*2,\n  v=1;\n")
        self.refused_search("--search", "bad.spec", says=["bad.spec:1:5: error: nothing has the name 'NN'", "did you mean 'N", "bad.spec:2:3: error: the space has no parameter 'v'"])
        self.file("syntax.spec", "t=1 u=2;\n")
        self.refused_search("--search", "syntax.spec", says="syntax.spec:1:5: error: ',' or ';' is expected, not 'u'")
        self.file("never.spec", "t=1:N:*1, u=1;\n")
        self.refused_search("--search", "never.spec", says="never.spec:1:8: error: a step of *1 never comes to the range's end")
        self.file("none.spec", "t=17, u=1;\n")
        self.refused_search("--search", "none.spec", says=["none.spec:1:1: error: the space does not have the step's configuration", "t is 17 here, and elsewhere"])
        self.refused_search("--search", "hybrid", says=["hybrid.spec:", "the space has no parameter 'LOCAL'"])
        self.refused_search("--search", "missing.spec", says="missing.spec cannot be read")
        self.refused_search("--search", "hybird", says=["there is no search 'hybird'; did you mean 'hybrid'?", "a file that ends in .spec"])
        self.refused_search("--search", "rand", "--set", "sample=4", says="no setting 'sample'; did you mean 'samples'?")
        self.refused_search("--search", "rand", "--set", "samples", says="--set samples is no NAME=VALUE")
        self.refused_search("--search", "random", "--set", "samples=4", says="--set is for specifications")
        error = json.loads(self.hoist("tune", "tiled.hoist", "N=256", "--device", "host", "--store", self.store, "--search", "syntax.spec",
                                      "--json", status=1).stdout)["error"]
        self.assertEqual((error["messages"][0]["file"], error["messages"][0]["line"], error["messages"][0]["column"]), ("syntax.spec", 1, 5))


class Replays(Case):
    def test_a_specification_on_a_recorded_space(self):
        self.file("a.json", recorded(fails=lambda block, unroll: block == 12))
        self.file("steps.spec", "block=1:NX:+1, unroll=0;\nunroll=0:9:+1;\n")
        command = ("bench-search", "a.json", "--spec", "steps.spec", "--size", "NX=12", "--seeds", 2)
        space = self.facts(*command)["spaces"][0]
        by_name = {each["name"]: each for each in space["strategies"]}
        self.assertEqual(set(by_name), {"random", "steps.spec"})
        told = by_name["steps.spec"]["specification"]
        # Twelve blocks, of which the last fails; then the other five ways to unroll, and four that are not there.
        self.assertEqual({name: told[name] for name in ("steps", "configurations", "ran", "failed", "outside")},
                         {"steps": 2, "configurations": 17, "ran": 16, "failed": 1, "outside": 4})
        self.assertEqual(told["best"], {"values": "8,3", "over_optimum": 1.0})
        self.assertAlmostEqual(told["build_seconds"], 1.7)
        text = self.hoist(*command).stdout
        self.assertIn("the specification asked for 17 configurations in 2 steps: 16 ran, 1 did not; 4 more are none of the space", text)
        self.assertIn("its best, 8,3, takes 1.000 times as long as the optimum", text)
        drawn = self.facts("bench-search", "a.json", "--spec", "rand", "--set", "samples=10", "--search", "genetic", "--seeds", 2)
        self.assertEqual([each["name"] for each in drawn["spaces"][0]["strategies"]], ["rand", "random", "genetic"])

    def test_mistakes(self):
        self.file("a.json", recorded())
        self.file("bad.spec", "block=1:NX:+1;\n")
        self.refused("bench-search", "a.json", "--spec", "bad.spec", "--size", "NX=12", says="bad.spec:1:1: error: the first step gives no value to unroll")
        self.refused("bench-search", "a.json", "--spec", "bad.spec", says="bad.spec:1:9: error: nothing has the name 'NX'")
        self.refused("bench-search", "a.json", "--spec", "bad.spec", "--size", "NX=big", says="--size NX=big is no size")
        self.refused("bench-search", "a.json", "--spec", "random", says="there is no specification 'random'; did you mean 'rand'?")
        self.refused("bench-search", "a.json", "--size", "NX=3", says="--size and --set are for specifications")


if __name__ == "__main__":
    unittest.main()
