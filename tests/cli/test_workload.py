"""hoist dev workload: programs of the literature, by their names."""
import unittest

from support import Case


class Workload(Case):
    def names(self, *arguments):
        return [line.split()[0] for line in self.hoist("dev", "workload", *arguments).stdout.splitlines()[1:]]

    def test_all_are_listed(self):
        names = self.names()
        self.assertEqual(len(names), 19 + 30 + 9)
        self.assertEqual(len(set(names)), len(names))
        self.assertIn("ijkl-imkn-jnlm", names)
        self.assertIn("dresid", names)
        self.assertEqual(self.names("--seed", "1"), names)
        self.assertNotEqual(self.names("--seed", "2"), names)

    def test_programs_are_right_on_the_host(self):
        for name, sizes in (("ijkl-minj-nlmk", ("I=2", "J=3", "K=4", "L=8", "M=5", "N=3")), ("dresid", ("D=3", "H=5", "W=9")),
                            ("disofive", ("H=8", "W=16"))):
            for kind in ("f32", "f64"):
                self.file("p.hoist", self.hoist("dev", "workload", name, "--type", kind).stdout)
                text = self.hoist("run", "p.hoist", *sizes, "--random", "1", "--device", "host", "--verify").stdout
                self.assertIn("verified", text)

    def test_bad_input(self):
        self.refused("dev", "workload", "ij-ik-kl", says="j is in 1 of the three parts")
        self.refused("dev", "workload", "noise", says=["no stencil 'noise'", "inoiseone"])
        self.refused("dev", "workload", "dresid", "--type", "i32", says="--type")


if __name__ == "__main__":
    unittest.main()
