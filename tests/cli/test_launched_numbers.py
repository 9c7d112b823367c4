"""?t@4: numbers that kernels learn at their launch, in every command that takes a program."""
import unittest

from support import Case

TEXT = "def f(x: [{n}]f32): [{n}]f32 = x |> split(?t@{t}) |> mapWrg(mapLcl(e => e + 1.0)) |> join\n"


class LaunchedNumbers(Case):
    def setUp(self):
        super().setUp()
        for t in (2, 4, 5):
            self.file(f"by{t}.hoist", TEXT.format(n=12, t=t))

    def test_kernels_are_one_text(self):
        for target in ("opencl", "cuda"):
            two, four = (self.facts("compile", f"by{t}.hoist", "--target", target) for t in (2, 4))
            self.assertEqual(two["text"], four["text"])
            self.assertEqual([each["plan"]["kernels"][0]["local"][0] for each in (two, four)], ["2", "4"])
        # The host knows them, and so does who asks for another group.
        self.assertNotIn("?t", self.hoist("compile", "by4.hoist", "--stage", "loop").stdout)
        self.assertIn("l += 2", self.hoist("compile", "by4.hoist", "--local-size", "2,1,1").stdout)

    def test_they_are_numbers_everywhere_else(self):
        self.hoist("run", "by4.hoist", "--random", 1, "--verify", "--device", "host")
        self.hoist("eval", "by4.hoist", "--random", 1)
        self.assertIn("features", self.facts("features", "by4.hoist"))
        self.hoist("export", "by4.hoist", "-o", ".", "--device", "opencl")
        self.assertIn("?t@4", self.hoist("format", "by4.hoist").stdout)

    def test_bad_input(self):
        for command in (["run", "by5.hoist", "--random", 1, "--device", "host"], ["eval", "by5.hoist", "--random", 1]):
            self.refused(*command, says="?t@5 must divide 12")
        self.refused("run", "by4.hoist", "t=2", "--random", 1, says="no size, tuning parameter or input called t")
        self.file("spaced.hoist", TEXT.format(n=12, t=" 4"))
        self.refused("check", "spaced.hoist", says="'@' is not part of the language")


if __name__ == "__main__":
    unittest.main()
