"""--space stencil: the merging space of stencils, counted, sampled, explained, tuned."""
import unittest

from support import Case

STAR = ("def star(u: [D + 2][H + 2][W + 2]f32): [D][H][W]f32 = u |> slide3(3, 1) |> map3(n =>\n"
        "  0.5 * n[1][1][1] + 0.1 * n[0][1][1] + 0.1 * n[2][1][1] + 0.2 * n[1][0][1] + 0.3 * n[1][1][2])\n")
NAMES = ["WX", "WY", "WZ", "BX", "BY", "BZ", "CX", "CY", "CZ", "VX", "LOCAL", "IMAGE"]


class Merging(Case):
    def setUp(self):
        super().setUp()
        self.file("star.hoist", STAR)

    def test_the_space_is_counted(self):
        cube = ["explore", "star.hoist", "D=256", "H=256", "W=256"]
        self.assertEqual(self.facts(*cube, "--space", "stencil")["funnel"]["points"], 475875)
        self.assertEqual(self.facts(*cube, "--space", "stencil-all")["funnel"]["points"], 50094000)
        self.refused(*cube, "--space", "all", says="--space")

    def test_candidates_have_all_coordinates(self):
        sizes = ["star.hoist", "D=20", "H=21", "W=22", "--space", "stencil-all"]
        facts = self.facts("explore", *sizes, "--sample", 12)
        self.assertEqual(facts["funnel"]["looked_at"], 12)
        for row in facts["candidates"]:
            values = row["values"]
            self.assertLessEqual(set(NAMES), set(values))
            for axis, length in zip("XYZ", (22, 21, 20)):
                self.assertLessEqual(values["W" + axis] * values["B" + axis] * values["C" + axis], length)
        one = facts["candidates"][0]["id"]
        text = self.hoist("explain", *sizes, "--id", one).stdout
        self.assertIn("mergeItems(", text)
        facts = self.facts("features", *sizes, "--id", one)
        self.assertIn("features", facts)

    def test_one_candidate_runs(self):
        sizes = ["star.hoist", "D=5", "H=6", "W=7", "--space", "stencil", "--bound", "VX=2:2", "--bound", "WY=2:2"]
        row = self.facts("explore", *sizes, "--sample", 1)["candidates"][0]
        self.file("shown.hoist", self.hoist("explore", *sizes, "--id", row["id"], "--show", "term").stdout)
        self.hoist("run", "shown.hoist", "--random", 1, "--verify", "--device", "host")

    def test_both_sets_are_one(self):
        sizes = ["star.hoist", "D=20", "H=21", "W=22"]
        counts = {space: self.facts("explore", *sizes, "--space", space)["funnel"]["points"]
                  for space in ("derived", "stencil-all", "both")}
        # Images are left out.
        self.assertEqual(counts["both"], counts["derived"] + counts["stencil-all"] // 2)
        ways = {row["way"] for row in self.facts("explore", *sizes, "--space", "both", "--derivations")}
        self.assertEqual(ways, {0, 1})
        # An id says which set it is of, so no option has to.
        self.assertIn("mergeItems(", self.hoist("explain", *sizes, "--id", "1:0-5").stdout)
        self.assertIn("features", self.facts("features", *sizes, "--id", "1:0-5"))
        text = self.hoist("explore", *sizes, "--id", "1:0-5", "--show", "cuda").stdout
        self.assertEqual(text, self.hoist("explore", *sizes, "--space", "stencil-all", "--id", "0-5", "--show", "cuda").stdout)
        bounded = self.facts("explore", *sizes, "--space", "both", "--bound", "WX=4:4", "--sample", 20)
        for row in bounded["candidates"]:
            if row["id"].startswith("1:"):
                self.assertEqual(row["values"]["WX"], 4)
        self.refused("explore", *sizes, "--space", "both", "--bound", "nothing=1:2", says="?nothing")

    def test_kernels_that_learn_their_groups_are_searched(self):
        sizes = ["star.hoist", "D=12", "H=13", "W=14", "--space", "stencil-launched"]
        self.assertEqual(self.facts("explore", *sizes)["funnel"]["points"],
                         2 * self.facts("explore", *sizes[:-1], "stencil")["funnel"]["points"])
        found = self.facts("tune", *sizes, "--device", "host", "--store", "s.db", "--budget", 120, "--search", "hybrid-variable",
                           "--set", "TECHNIQUE=local", "--set", "n=0")
        self.assertEqual(found["ended_by"], "the specification came to its end")
        tried = found["specification"]["tried"]
        self.assertEqual({each["outcome"] for each in tried}, {"ok"})
        learned = [each for each in tried if each["values"]["FIXED"] == 0]
        # The best is compiled for its size at the end.
        self.assertEqual(len(tried) - len(learned), 1)
        kernels = {tuple(value for name, value in sorted(each["values"].items()) if name[0] != "W") for each in learned}
        self.assertLess(len(kernels), len(learned))

    def test_both_sets_are_one_where_there_is_one(self):
        self.file("product.hoist", "def f(A: [N][N]f32, B: [N][N]f32): [N][N]f32 = A |> map(row => B |> transpose\n"
                                   "  |> map(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))\n")
        for sizes in (["product.hoist", "N=64"], ["star.hoist", "D=20", "H=21", "W=22", "--profile", "cpu"]):
            both, derived = (self.facts("explore", *sizes, "--space", space)["funnel"]["points"] for space in ("both", "derived"))
            self.assertEqual(both, derived)

    def test_bad_input(self):
        self.file("product.hoist", "def f(A: [N][N]f32, B: [N][N]f32): [N][N]f32 = A |> map(row => B |> transpose\n"
                                   "  |> map(column => zip(row, column) |> map(*) |> reduce(+, 0.0)))\n")
        for command in ("explore", "tune"):
            self.refused(command, "product.hoist", "N=8", "--space", "stencil", says=["is no stencil", "leave --space out"])
        self.refused("explore", "star.hoist", "D=8", "H=8", "W=8", "--space", "stencil", "--bound", "t=1:2", says="?t")

    def test_it_is_tuned(self):
        sizes = ["star.hoist", "D=12", "H=13", "W=14"]
        tune = ["tune", *sizes, "--device", "host", "--store", "s.db", "--evaluations", 4, "--search", "random",
                "--budget", 60]
        found = self.facts(*tune, "--space", "stencil")
        self.assertGreaterEqual(found["evaluated"], 3)
        # What another set has measured is of other terms.
        self.assertEqual(self.facts(*tune)["known"], 0)
        self.assertGreaterEqual(self.facts(*tune, "--space", "stencil")["known"], 3)


if __name__ == "__main__":
    unittest.main()
