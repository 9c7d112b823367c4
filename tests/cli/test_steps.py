"""hoist run --steps and hoist eval --steps: programs that are run on their own results."""
import unittest

from support import ROOT, Case, read_npy

HEAT = ROOT / "kernels/jacobi2d5.hoist"
PAIR = "def turn(a: f32, p: [N](f32, i32)): [N](f32, i32) = p |> map((x, i) => (x + a * f32(i), 3 * i + 1))\n"
TWO = "def mix(x: [N]f32, y: [N]f32): [N]f32 = zip(x, y) |> map((a, b) => 0.5 * a + b)\n"


class Steps(Case):
    def evaluated(self, file, steps, fed, names, *options):
        """Applies `hoist eval` `steps` times by files; the last result's elements."""
        for step in range(steps):
            given = [f"{f}={n}" for f, n in zip(fed, names)]
            written = [f"{step}_{n}" for n in names]
            self.hoist("eval", file, *options, *given, "-o", ",".join(written))
            names = written
            for name in names:
                (self.directory / name).rename(self.directory / ("s" + name))
            names = ["s" + name for name in names]
        return [read_npy(self.directory / name)[2] for name in names]

    def test_a_stencil_applied_several_times(self):
        self.npy("u.npy", "f4", (5, 7), [float(i * i % 11) for i in range(35)])
        for steps in (1, 2, 5):
            [expected] = self.evaluated(HEAT, steps, ["u"], ["u.npy"])
            for device in ("host", None):
                self.hoist("run", HEAT, "u=u.npy", "--steps", steps, "--repeat", 2, "--verify", "-o", "out.npy",
                           *(["--device", device] if device else []))
                _, shape, got = read_npy(self.directory / "out.npy")
                self.assertEqual(shape, (5, 7))
                for have, want in zip(got, expected):
                    self.assertAlmostEqual(have, want, places=4)

    def test_tuples_are_fed_whole(self):
        path = self.file("turn.hoist", PAIR)
        self.npy("x.npy", "f4", (3,), [0.0, 1.0, 2.0])
        self.npy("i.npy", "i4", (3,), [1, 2, 3])
        expected = self.evaluated(path, 3, ["p.0", "p.1"], ["x.npy", "i.npy"], "a=2")
        self.hoist("run", path, "a=2", "p.0=x.npy", "p.1=i.npy", "--steps", 3, "--verify", "-o", "a.npy,b.npy")
        self.assertEqual(read_npy(self.directory / "a.npy")[2], expected[0])
        self.assertEqual(read_npy(self.directory / "b.npy")[2], expected[1])

    def test_the_input_that_is_named_is_fed(self):
        path = self.file("mix.hoist", TWO)
        self.npy("x.npy", "f4", (2,), [8.0, 16.0])
        self.npy("y.npy", "f4", (2,), [1.0, 2.0])
        self.hoist("run", path, "x=x.npy", "y=y.npy", "--steps", 2, "--feed", "x", "-o", "out.npy")
        self.assertEqual(read_npy(self.directory / "out.npy")[2], [3.5, 7.0])
        self.hoist("run", path, "x=x.npy", "y=y.npy", "--steps", 2, "--feed", "y", "-o", "out.npy")
        self.assertEqual(read_npy(self.directory / "out.npy")[2], [9.0, 18.0])

    def test_the_interpreter_takes_steps_too(self):
        self.npy("u.npy", "f4", (5, 7), [float(i * i % 11) for i in range(35)])
        [expected] = self.evaluated(HEAT, 4, ["u"], ["u.npy"])
        self.hoist("eval", HEAT, "u=u.npy", "--steps", 4, "-o", "out.npy")
        self.assertEqual(read_npy(self.directory / "out.npy")[2], expected)
        one, four = (self.facts("eval", HEAT, "u=u.npy", "--steps", steps) for steps in (1, 4))
        self.assertEqual((four["steps"], four["flops"]), (4, 4 * one["flops"]))
        two = self.file("mix.hoist", TWO)
        self.npy("x.npy", "f4", (2,), [8.0, 16.0])
        self.npy("y.npy", "f4", (2,), [1.0, 2.0])
        told = self.hoist("eval", two, "x=x.npy", "y=y.npy", "--steps", 2, "--feed", "y").stdout
        self.assertIn("[9, 18]", told)
        self.refused("eval", two, "x=x.npy", "y=y.npy", "--steps", 2, says=["several inputs", "--feed"])
        self.refused("eval", two, "x=x.npy", "y=y.npy", "--feed", "x", says="--feed needs --steps")

    def test_facts(self):
        facts = self.facts("run", HEAT, "H=4", "W=4", "--random", 1, "--steps", 6)
        self.assertEqual(facts["steps"], 6)
        self.assertEqual(facts["kernels"][0]["launches"], 6)
        self.assertEqual(facts["bytes"], 6 * 2 * 64)

    def test_mistakes(self):
        two = self.file("mix.hoist", TWO)
        self.refused("run", two, "N=2", "--random", 1, "--steps", 2, says=["several inputs", "x, y", "--feed"])
        self.refused("run", two, "N=2", "--random", 1, "--steps", 2, "--feed", "z", says="no input called z")
        self.refused("run", two, "N=2", "--random", 1, "--feed", "x", says="--feed needs --steps")
        self.refused("run", ROOT / "kernels/dot.hoist", "N=2", "--random", 1, "--steps", 2, says="is one number")
        pair = self.file("pair.hoist", "def f(s: (f32, [N]f32)): (f32, [N]f32) = (s.0 + 1.0, map(e => e + s.0, s.1))\n")
        self.refused("run", pair, "N=2", "--random", 1, "--steps", 2, says="a component of the result is one number")
        matrix = self.file("row.hoist", "def row(A: [M][N]f32): [N]f32 = A[0]\n")
        self.refused("run", matrix, "M=2", "N=2", "--random", 1, "--steps", 2, says="no input can take the result")
        self.refused("run", matrix, "M=2", "N=2", "--random", 1, "--steps", 2, "--feed", "A", says="cannot be fed to A")
        self.refused("run", two, "N=2", "--random", 1, "--steps", 0, says="--steps")


if __name__ == "__main__":
    unittest.main()
