"""hoist features: numbers read off a plan, and off the assembly of a host kernel."""
import unittest

from support import ROOT, Case

CONTRACTION = ROOT / "kernels" / "contraction_ijk_ilk_jl.hoist"
SIZES = ("I=8", "J=8", "K=16", "L=8")


class Features(Case):
    def test_of_a_plan(self):
        text = self.hoist("features", CONTRACTION, *SIZES).stdout
        self.assertIn("global_loads", text)
        facts = self.facts("features", CONTRACTION, *SIZES, "--device", "host")
        self.assertIn("roofline_seconds", facts["features"])
        id = self.facts("explore", CONTRACTION, *SIZES, "--sample", "1", "--seed", "3")["candidates"][0]["id"]
        other = self.facts("features", CONTRACTION, *SIZES, "--id", id)
        self.assertNotEqual(other["features"], facts["features"])

    def test_of_several_candidates(self):
        given = ("features", CONTRACTION, *SIZES, "--device", "host", "--isa", "avx2")
        ids = ["0-0", *(row["id"] for row in self.facts("explore", *given[1:], "--sample", "2", "--seed", "3")["candidates"][:2])]
        words = [word for id in ids for word in ("--id", id)]
        candidates = self.facts(*given, *words)["candidates"]
        self.assertEqual([each["id"] for each in candidates], ids)
        for each in candidates:
            if "features" in each:
                self.assertEqual(each["features"], self.facts(*given, "--id", each["id"])["features"])
            else:
                self.assertTrue(each["discarded"])
        self.refused(*given, *words, says="--json")
        self.refused(*given, *words, "--assembly", says="dev assembly")

    def test_of_assembly(self):
        facts = self.facts("features", CONTRACTION, *SIZES, "--device", "host", "--assembly")
        (kernel,) = facts["kernels"]
        self.assertEqual(kernel["kernel"], "contraction_ijk_ilk_jl")
        features = kernel["loop"]["features"]
        self.assertEqual(features["total_operations"], len(kernel["loop"]["instructions"]))
        self.assertGreater(features["additions"] + features["scalar_arithmetic"], 0)
        text = self.hoist("features", CONTRACTION, *SIZES, "--device", "host", "--assembly").stdout
        for instruction in kernel["loop"]["instructions"]:
            self.assertIn(instruction["text"], text)
        self.assertIn("arithmetic_intensity", text)

    def test_of_a_candidate(self):
        id = self.facts("explore", CONTRACTION, *SIZES, "--device", "host", "--sample", "1")["candidates"][0]["id"]
        facts = self.facts("features", CONTRACTION, *SIZES, "--device", "host", "--assembly", "--id", id)
        self.assertIn("kernels", facts)

    def test_of_a_kernel_without_a_loop(self):
        self.file("one.hoist", "def one(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n")
        facts = self.facts("features", "one.hoist", "N=4", "--device", "host", "--assembly")
        self.assertEqual([kernel["loop"] for kernel in facts["kernels"]], [None])
        self.assertIn("There is no loop", self.hoist("features", "one.hoist", "N=4", "--device", "host", "--assembly").stdout)

    def test_bad_input(self):
        self.refused("features", CONTRACTION, "I=8", "J=8", "K=16", says="L=1024")
        self.refused("features", CONTRACTION, *SIZES, "--assembly", says="--device host")
        self.refused("features", CONTRACTION, *SIZES, "--device", "host", "--id", "99999-0", says="99999-0")
        self.refused("features", CONTRACTION, *SIZES, "--device", "host", "--id", "abc", says="abc")


if __name__ == "__main__":
    unittest.main()
