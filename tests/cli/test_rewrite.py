"""hoist rules and hoist rewrite."""
import unittest

from support import ROOT, Case

NEST = "def plus(x: [M][N]f32): [M][N]f32 = x |> map(map(e => e + 1.0))\n"
CHAIN = "def chain(x: [N]f32): [N]f32 = x |> map(e => e + 1.0) |> map(e => 2.0 * e)\n"


class Rules(Case):
    def test_lists_rules_with_equations_and_counts(self):
        text = self.hoist("rules").stdout
        self.assertIn("split_join\n    x |> map(f) ==> x |> split(?t) |> map(map(f)) |> join", text)
        self.assertIn("split_reduce  (reassociates floats)", text)
        self.assertRegex(text, r"\d+ rules: \d+ patterns, \d+ functions")
        self.assertIn("tile(dimensions, [sizes])", text)

    def test_json(self):
        facts = self.facts("rules")
        rules = {rule["name"]: rule for rule in facts["rules"]}
        self.assertEqual(facts["pattern_rules"] + facts["function_rules"], len(facts["rules"]))
        self.assertGreaterEqual(facts["pattern_rules"], 100)
        self.assertEqual(rules["split_join"]["chooses"], ["t"])
        self.assertEqual(rules["split_join"]["floats"], "exact")
        self.assertEqual(rules["split_reduce"]["floats"], "reassociates")
        self.assertEqual(rules["map_fission"]["kind"], "function")

    def test_the_page_of_laws_is_complete(self):
        page = (ROOT / "src/rewrite/rules/README.md").read_text()
        for rule in self.facts("rules")["rules"]:
            self.assertIn(f"\n{rule['name']}\n    {rule['equation']}\n", page)

    def test_subjects(self):
        text = self.hoist("rules", "--subject", "stencil").stdout
        self.assertIn("slide_tile", text)
        self.assertNotIn("map_fusion", text)
        self.refused("rules", "--subject", "stencils", says=["did you mean 'stencil'?", "the subjects are"])


class Rewrite(Case):
    def setUp(self):
        super().setUp()
        self.file("nest.hoist", NEST)
        self.file("chain.hoist", CHAIN)

    def rewritten(self, *arguments):
        """The program that is printed, which must be one that hoist accepts."""
        text = self.hoist("rewrite", *arguments).stdout
        self.hoist("check", "-", stdin=text)
        return text

    def test_a_rule(self):
        self.assertIn("x |> map(e => 2.0 * (e + 1.0))", self.rewritten("chain.hoist", "--rule", "map_fusion"))

    def test_places(self):
        self.refused("rewrite", "nest.hoist", "--rule", "map_seq",
                     says=["map_seq fits at 2 places", "--at root", "--at 0.0", "choose one with --at"])
        self.assertIn("x |> mapSeq(map(", self.rewritten("nest.hoist", "--rule", "map_seq", "--at", "root"))
        self.assertIn("x |> map(mapSeq(", self.rewritten("nest.hoist", "--rule", "map_seq", "--at", "0.0"))
        self.assertIn("x |> mapSeq(mapSeq(", self.rewritten("nest.hoist", "--rule", "map_seq", "--everywhere"))
        self.refused("rewrite", "nest.hoist", "--rule", "map_seq", "--at", "0.7", says="there is no such place")
        self.refused("rewrite", "nest.hoist", "--rule", "map_seq", "--at", "0..7", says="is not a place in a program")

    def test_places_named_by_patterns(self):
        self.assertIn("x |> mapSeq(map(", self.rewritten("nest.hoist", "--rule", "map_seq", "--at", "x |> map(map(f))"))
        self.refused("rewrite", "nest.hoist", "--rule", "map_seq", "--at", "x |> map(f)", says="stands at 2 places")
        self.refused("rewrite", "nest.hoist", "--rule", "map_seq", "--at", "x |> join", says="nothing in the program has the form")
        self.refused("rewrite", "nest.hoist", "--rule", "map_seq", "--at", "x |> map(", says="error")

    def test_choices(self):
        self.assertIn("split(?t)", self.rewritten("chain.hoist", "--rule", "split_join", "--at", "root"))
        self.assertIn("split(8)", self.rewritten("chain.hoist", "--rule", "split_join", "--at", "root", "--choose", "8"))
        self.refused("rewrite", "chain.hoist", "N=12", "--rule", "split_join", "--at", "root", "--choose", "8", says="declines at root")
        self.refused("rewrite", "chain.hoist", "--rule", "split_join", "--choose", "x", says="'x' is no size")

    def test_declining_says_why(self):
        self.refused("rewrite", "chain.hoist", "--rule", "transpose_transpose", says="fits nowhere in the program")
        self.refused("rewrite", "nest.hoist", "--rule", "map_local_0", says=["fits nowhere", "mapLcl needs a mapWrg around it"])
        self.file("minus.hoist", "def minus(x: [N]f32) = x |> reduce((a, b) => a - b, 0.0)")
        self.refused("rewrite", "minus.hoist", "--rule", "split_reduce", says="not known to be associative")

    def test_strategies(self):
        self.assertIn("x |> map(e => 2.0 * (e + 1.0))", self.rewritten("chain.hoist", "--strategy", "fuse"))
        text = self.rewritten(ROOT / "kernels/matmul_nn.hoist", "--strategy", "tile(2,[?a,16])", "--at", "root")
        self.assertIn("split(?a)", text)
        self.assertIn("split(16)", text)
        self.refused("rewrite", "nest.hoist", "--strategy", "fuse", says="fuse declines")

    def test_the_meaning_stays(self):
        text = self.rewritten(ROOT / "kernels/matmul_nn.hoist", "--strategy", "tile(2,[2,4])", "--at", "root")
        self.file("tiled.hoist", text)
        sizes = ("M=4", "N=8", "K=3", "--random", "7")
        before = self.hoist("eval", ROOT / "kernels/matmul_nn.hoist", *sizes).stdout
        self.assertEqual(before, self.hoist("eval", "tiled.hoist", *sizes).stdout)

    def test_steps(self):
        facts = self.facts("rewrite", "nest.hoist", "--strategy", "tile(2)", "--at", "root")
        self.assertEqual([step["rule"] for step in facts["steps"]], ["tile(2)"])
        self.assertIn("1. tile(2) at root", self.hoist("rewrite", "nest.hoist", "--strategy", "tile(2)", "--at", "root", "--trace").stderr)

    def test_bad_input(self):
        self.refused("rewrite", "nest.hoist", says="needs a rule or a strategy")
        self.refused("rewrite", "nest.hoist", "--rule", "map_seq", "--strategy", "fuse", says="needs a rule or a strategy")
        self.refused("rewrite", "nest.hoist", "--rule", "map_fusoin", says="did you mean 'map_fusion'?")
        self.refused("rewrite", "nest.hoist", "--strategy", "tyle(2)", says=["did you mean 'tile'?", "the strategies are"])
        self.refused("rewrite", "nest.hoist", "--strategy", "tile", says="are not as tile(dimensions, [sizes])")
        self.refused("rewrite", "none.hoist", "--rule", "map_seq", says="none.hoist")


if __name__ == "__main__":
    unittest.main()
