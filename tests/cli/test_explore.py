"""hoist explore: programs with holes, counted, listed, sampled."""
import unittest

from support import Case

TILED = ("def tiled(x: [N]f32): [N]f32 = x |> split(?t) |> mapWrg(0, tile => tile |> split(?u)\n"
         "  |> mapLcl(0, mapSeq(e => 2.0 * e)) |> toLocal |> mapLcl(0, mapSeq(id)) |> join) |> join\n")


class Explore(Case):
    def setUp(self):
        super().setUp()
        self.file("tiled.hoist", TILED)

    def test_the_space_is_counted(self):
        # Pairs of a divisor of 1024 and a divisor of that: 1 + 2 + ... + 11.
        self.assertEqual(self.facts("explore", "tiled.hoist", "N=1024")["funnel"]["points"], 66)
        self.assertIn("points of the space: 66", self.hoist("explore", "tiled.hoist", "N=1024").stdout)
        # A prime has two divisors.
        self.assertEqual(self.facts("explore", "tiled.hoist", "N=1021")["funnel"]["points"], 3)
        self.assertEqual(self.facts("explore", "tiled.hoist", "N=1024", "t=64")["funnel"]["points"], 7)
        self.assertEqual(self.facts("explore", "tiled.hoist", "N=1024", "--bound", "t=8:32", "--bound", "u=2:4")
                         ["funnel"]["points"], 6)

    def test_candidates_are_what_the_constraints_allow(self):
        facts = self.facts("explore", "tiled.hoist", "N=96", "--list")
        found = {(row["values"]["t"], row["values"]["u"]) for row in facts["candidates"]}
        self.assertEqual(found, {(t, u) for t in range(1, 97) if 96 % t == 0 for u in range(1, t + 1) if t % u == 0})
        self.assertEqual([row["id"] for row in facts["candidates"]], list(range(len(found))))
        for row in facts["candidates"]:
            self.assertEqual(row["local_memory"], 4 * row["values"]["t"])
            self.hoist("compile", "tiled.hoist", "N=96", *[f"{n}={v}" for n, v in row["values"].items()])

    def test_what_does_not_fit_is_counted_by_its_reason(self):
        funnel = self.facts("explore", "tiled.hoist", "N=65536", "--list")["funnel"]
        # 64 KiB and more of a tile are too much: ?t from 16384 on, with 15, 16 and 17 divisors.
        self.assertEqual(funnel, {"points": 153, "looked_at": 153, "fitting": 105, "discarded": {"local memory": 48}})

    def test_samples_repeat_and_differ(self):
        def ids(seed):
            return [row["id"] for row in self.facts("explore", "tiled.hoist", "N=4096", "--sample", 10, "--seed",
                                                    seed)["candidates"]]
        self.assertEqual(ids(7), ids(7))
        self.assertNotEqual(ids(7), ids(8))
        self.assertEqual(len(set(ids(7))), 10)

    def test_bad_input(self):
        self.file("plain.hoist", "def f(x: [N]f32): [N]f32 = x |> map(e => e)\n")
        self.refused("explore", "plain.hoist", "N=4", says=["no tuning parameters", "split(?t)"])
        self.refused("explore", "tiled.hoist", says=["N", "N=1024"])
        self.refused("explore", "tiled.hoist", "N=1021", "--bound", "t=2:64", says=["satisfies all constraints", "?t"])
        self.refused("explore", "tiled.hoist", "N=64", "--bound", "s=2:64", says="?s")
        for bound in ("t", "t=4", "t=a:b", "t=0:4", "t=4:5x", "=1:2"):
            self.refused("explore", "tiled.hoist", "N=64", "--bound", bound, says="tuning parameter" if bound == "=1:2" else "--bound t=8:64")
        self.refused("explore", "tiled.hoist", "N=64", "--device", "opencl:99", "--sample", 1, status=2, says="opencl:99")
        self.file("large.hoist", "def f(x: [N]f32): [N]f32 = x |> split(?a) |> split(?b) |> split(?c) |> split(?d) |> join |> join |> join |> join\n")
        points = self.facts("explore", "large.hoist", "N=6227020800")["funnel"]["points"]
        self.assertGreater(points, 100000)
        self.refused("explore", "large.hoist", "N=6227020800", "--list", says=["--sample 1000", str(points)])


if __name__ == "__main__":
    unittest.main()
