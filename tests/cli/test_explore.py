"""hoist explore and hoist explain: what a program may become, counted, listed, sampled and shown."""
import subprocess
import unittest

from support import HOIST, ROOT, Case

TILED = ("def tiled(x: [N]f32): [N]f32 = x |> split(?t) |> mapWrg(0, tile => tile |> split(?u)\n"
         "  |> mapLcl(0, mapSeq(e => 2.0 * e)) |> toLocal |> mapLcl(0, mapSeq(id)) |> join) |> join\n")
AXPY = ROOT / "kernels" / "axpy.hoist"


class Holes(Case):
    """A program that says how it is computed: its holes are explored."""

    def setUp(self):
        super().setUp()
        self.file("tiled.hoist", TILED)

    def points(self, *arguments):
        return self.facts("explore", "tiled.hoist", *arguments)["funnel"]["points"]

    def test_the_space_is_counted(self):
        # Groups have 32 work-items and more: pairs of a divisor of 1024 and a divisor of that with t / u >= 32.
        self.assertEqual(self.points("N=1024"), 1 + 2 + 3 + 4 + 5 + 6)
        self.assertIn("candidates, one for each choice of sizes: 21", self.hoist("explore", "tiled.hoist", "N=1024").stdout)
        # Without groups that small ones would waste: 1 + 2 + ... + 11.
        self.assertEqual(self.points("N=1024", "--profile", "cpu"), 66)
        # A prime has two divisors; 1021 work-items at once or one at a time.
        self.assertEqual(self.points("N=1021"), 1)
        self.assertEqual(self.points("N=1021", "--profile", "cpu"), 3)
        self.assertEqual(self.points("N=1024", "t=64"), 2)
        self.assertEqual(self.points("N=1024", "--bound", "t=64:256", "--bound", "u=2:4"), 5)

    def test_messages_have_no_names_of_our_own(self):
        self.file("p.hoist", "def p(a: [M][N]f32) = a |> map(r => r |> iterate(4, map(e => 0.5 * e)))\n")
        done = subprocess.run([HOIST, "explore", "p.hoist", "M=64", "N=64"], cwd=self.directory, text=True,
                              capture_output=True, timeout=600)
        self.assertNotIn("$", done.stdout + done.stderr)

    def test_a_program_that_no_rule_covers(self):
        self.file("p.hoist", "def p(x: [N]f32) = x |> scan((a, b) => a - b, 0.0)\n")
        self.assertIn("no macro rule covers the program", self.hoist("explore", "p.hoist", "N=4096").stderr)

    def test_candidates_are_what_the_constraints_allow(self):
        facts = self.facts("explore", "tiled.hoist", "N=96", "--list", "--profile", "cpu")
        found = {(row["values"]["t"], row["values"]["u"]) for row in facts["candidates"]}
        self.assertEqual(found, {(t, u) for t in range(1, 97) if 96 % t == 0 for u in range(1, t + 1) if t % u == 0})
        self.assertEqual({row["id"] for row in facts["candidates"]}, {f"0-{i}" for i in range(len(found))})
        self.assertEqual(len(facts["candidates"]), len(found))
        for row in facts["candidates"]:
            self.assertEqual(row["local_memory"], 4 * row["values"]["t"])
            self.assertEqual(row["group_size"], row["values"]["t"] // row["values"]["u"])
            self.hoist("compile", "tiled.hoist", "N=96", *[f"{n}={v}" for n, v in row["values"].items()])

    def test_what_does_not_fit_is_counted_by_its_reason(self):
        facts = self.facts("explore", "tiled.hoist", "N=65536", "--list")
        funnel = facts["funnel"]
        self.assertEqual(funnel["looked_at"], funnel["points"])
        self.assertEqual(funnel["fitting"] + sum(funnel["discarded"].values()), funnel["looked_at"])
        self.assertEqual(sum("discarded" in row for row in facts["candidates"]), sum(funnel["discarded"].values()))
        for row in facts["candidates"]:
            self.assertLessEqual(row["local_memory"], 48 * 1024)

    def test_only_some_are_listed(self):
        self.file("large.hoist", "def f(x: [N]f32): [N]f32 = x |> split(?a) |> split(?b) |> split(?c) |> split(?d) |> join |> join |> join |> join\n")
        points = self.facts("explore", "large.hoist", "N=6227020800")["funnel"]["points"]
        self.assertGreater(points, 100000)
        self.refused("explore", "large.hoist", "N=6227020800", "--list", says=["--sample 1000", str(points)])

    def test_bad_input(self):
        self.refused("explore", "tiled.hoist", says=["N", "N=1024"])
        self.refused("explore", "tiled.hoist", "N=1021", "--bound", "t=2:64", says=["satisfy all constraints", "?t"])
        self.refused("explore", "tiled.hoist", "N=64", "--bound", "s=2:64", says="?s")
        for bound in ("t", "t=4", "t=a:b", "t=0:4", "t=4:5x"):
            self.refused("explore", "tiled.hoist", "N=64", "--bound", bound, says="--bound t=8:64")
        self.refused("explore", "tiled.hoist", "N=64", "--device", "opencl:99", "--sample", 1, status=2, says="opencl:99")
        self.file("closed.hoist", "def f(x: [N]f32): [N]f32 = x |> mapGlb(0, e => e)\n")
        self.refused("explore", "closed.hoist", "N=4", says=["nothing to explore", "split(?t)"])


class Derivations(Case):
    """A program in high-level patterns: macro rules, the hierarchy and memory."""

    def test_the_funnel_counts_every_stage(self):
        facts = self.facts("explore", AXPY, "N=1024", "--sample", 12)
        funnel = facts["funnel"]
        self.assertEqual(set(funnel), {"algorithms", "mapped", "placed", "programs_discarded", "derivations", "points",
                                       "looked_at", "fitting", "discarded"})
        self.assertGreaterEqual(funnel["algorithms"], funnel["mapped"])
        self.assertGreaterEqual(funnel["placed"], funnel["derivations"])
        self.assertGreaterEqual(funnel["points"], funnel["derivations"])
        self.assertEqual(funnel["looked_at"], 12)
        self.assertEqual(funnel["fitting"] + sum(funnel["discarded"].values()), 12)
        listed = self.facts("explore", AXPY, "N=1024", "--derivations")
        self.assertEqual([row["derivation"] for row in listed], list(range(funnel["derivations"])))
        self.assertEqual(sum(row["points"] for row in listed), funnel["points"])
        steps = {row["derivation"]: row["steps"] for row in listed}
        for row in facts["candidates"]:
            derivation, point = map(int, row["id"].split("-"))
            self.assertLess(point, listed[derivation]["points"])
            self.assertEqual("; ".join(row["derivation"]), steps[derivation])
            self.assertGreaterEqual(row["group_size"], 1)
        text = self.hoist("explore", AXPY, "N=1024", "--derivations").stdout
        self.assertIn(steps[len(listed) - 1], text)

    def test_samples_repeat_and_differ(self):
        def ids(seed):
            rows = self.facts("explore", AXPY, "N=4096", "--sample", 10, "--seed", seed)["candidates"]
            return [row["id"] for row in rows]
        self.assertEqual(ids(7), ids(7))
        self.assertNotEqual(ids(7), ids(8))
        self.assertEqual(len(set(ids(7))), 10)

    def test_threads_change_nothing(self):
        one, three = (self.hoist("explore", AXPY, "N=4096", "--sample", 25, "--jobs", jobs).stdout for jobs in (1, 3))
        self.assertEqual(one, three)
        self.refused("explore", AXPY, "N=4096", "--sample", 1, "--jobs", 0, says="--jobs")

    def test_one_candidate_is_shown(self):
        row = self.facts("explore", AXPY, "N=1024", "--sample", 1, "--seed", 3)["candidates"][0]
        one = ["explore", AXPY, "N=1024", "--id", row["id"]]
        self.assertEqual(self.hoist(*one, "--show", "derivation").stdout.strip(), "; ".join(row["derivation"]))
        program = self.hoist(*one, "--show", "program").stdout
        for name in row["values"]:
            self.assertIn("?" + name, program)
        term = self.hoist(*one, "--show", "term").stdout
        self.assertNotIn("?", term)
        self.assertEqual(self.hoist(*one).stdout, term)
        self.assertIn("kernel ", self.hoist(*one, "--show", "opencl").stdout)
        self.assertIn("__global__", self.hoist(*one, "--show", "cuda").stdout)
        self.assertIn("omp", self.hoist(*one, "--show", "host").stdout)
        shown = self.facts(*one)
        self.assertEqual(shown.pop("term").strip(), term.strip())
        self.assertEqual(shown, row)
        # What is shown is a program, and means the same.
        self.file("shown.hoist", term)
        self.hoist("run", "shown.hoist", "--random", 1, "--verify", "--device", "host")
        self.refused(*one, "--show", "assembly", says="assembly")

    def test_a_derivation_is_explained(self):
        row = self.facts("explore", AXPY, "N=1024", "--sample", 1, "--seed", 3)["candidates"][0]
        facts = self.facts("explain", AXPY, "N=1024", "--id", row["id"])
        self.assertEqual([step["rule"] for step in facts["steps"]], row["derivation"])
        self.assertEqual(facts["id"], row["id"])
        self.assertIn("def axpy", facts["program"])
        text = self.hoist("explain", AXPY, "N=1024", "--id", row["id"]).stdout
        for number, step in enumerate(facts["steps"], 1):
            self.assertIn(f"{number}. {step['rule']} at {step['at']}", text)
        for name, value in row["values"].items():
            self.assertIn(f"{name} = {value}", text)

    def test_ids_of_other_spaces_are_refused(self):
        for command in ("explore", "explain"):
            self.refused(command, AXPY, "N=1024", "--id", "9999-0", says=["no candidate 9999-0", "hoist explore --sample"])
            self.refused(command, AXPY, "N=1024", "--id", "0-99999999", says="no candidate 0-99999999")
            self.refused(command, AXPY, "N=1024", "--id", "first", says=["'first' is no candidate's id", "12-345"])
        self.refused("explain", AXPY, "N=1024", says="--id")

    def test_profiles(self):
        steps = {}
        for profile in ("gpu", "gpu-without-local-memory", "cpu"):
            rows = self.facts("explore", AXPY, "N=1024", "--derivations", "--profile", profile)
            steps[profile] = " ".join(row["steps"] for row in rows)
        self.assertIn("toLocal", steps["gpu"])
        self.assertNotIn("toLocal", steps["gpu-without-local-memory"])
        self.assertIn("tileGroups", steps["gpu-without-local-memory"])
        self.assertNotIn("tileGroups", steps["cpu"])
        self.refused("explore", AXPY, "N=1024", "--profile", "tpu", says=["no profile 'tpu'", "gpu-without-local-memory"])

    def test_bad_input(self):
        self.refused("explore", AXPY, says=["the size N has no value", "N=1024"])
        told = self.hoist("explore", ROOT / "kernels" / "prefix_sum.hoist", "N=1024", "--id", "0-0")
        self.assertIn("no macro rule", told.stderr)
        self.assertIn("mapGlb", told.stdout)


if __name__ == "__main__":
    unittest.main()
