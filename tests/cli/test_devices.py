"""hoist run on several devices of one process."""
import os
import unittest

from support import ROOT, Case, read_npy

STENCIL = ROOT / "kernels/jacobi2d5.hoist"
# PoCL has as many compute units as threads, of which each part needs one.
POCL = dict(os.environ, POCL_MAX_PTHREAD_COUNT="8")
DEVICES = {"host": 2, "opencl:0": 5}  # and into how many parts each can be divided wherever the tests run
PROGRAMS = {
    "def p(x: [N]i32): i32 = x |> reduce(+, 0)\n": ["N=5000"],
    "def p(x: [N]f32): [N]f32 = x |> map(e => e * e) |> scan(+, 0.0)\n": ["N=301"],
    "def p(A: [M][N]f32): [N]f32 = A |> transpose |> map(reduce(+, 0.0))\n": ["M=61", "N=17"],
    "def p(x: [N]i64): ([N]i64, [N]i64) = (map(e => e + e, x), map(e => e * e, reverse(x)))\n": ["N=777"],
    "def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, wrap) |> slide2(3, 1)"
    " |> map2(n => n[0][1] + 0.5 * n[2][1] - n[1][0])\n": ["H=31", "W=12", "--steps=7"],
}


class Devices(Case):
    def both(self, device, parts, *arguments, **options):
        """The facts of a run on one device and on so many parts of it."""
        common = ["run", *arguments, "--random", "1", "--untuned", "--elements", "100000"]
        one = self.facts(*common, "--device", device, env=POCL)
        many = self.facts(*common, *["--device", device] * parts, "--verify", env=POCL, **options)
        return one, many

    def available(self, parts):
        found = [each["id"] for each in self.facts("devices", env=POCL)["devices"]]
        units = {each["id"]: each["compute_units"] for each in self.facts("devices", env=POCL)["devices"]}
        return [device for device in DEVICES if device in found and units[device] >= parts]

    def test_results_are_those_of_one_device(self):
        for text, sizes in PROGRAMS.items():
            self.file("p.hoist", text)
            for parts in (2, 3):
                for device in self.available(parts):
                    with self.subTest(text=text, device=device, parts=parts):
                        if "scan" in text:
                            self.refused("run", "p.hoist", *sizes, "--random", "1", *["--device", device] * parts,
                                         says="p cannot be cut into", env=POCL) if device == "none" else None
                        one, many = self.both(device, parts, "p.hoist", *sizes)
                        self.assertEqual(many["result"], one["result"])
                        self.assertTrue(many["verified"])

    def test_steps(self):
        for steps in ("1", "2", "9"):
            for parts in (2, 3, 5):
                for device in self.available(parts):
                    one, many = self.both(device, parts, STENCIL, "H=47", "W=59", "--steps", steps)
                    self.assertEqual(many["result"], one["result"])
                    # Of each border a row goes each way after each step but the last, and is uploaded twice.
                    halos = 2 * (parts - 1) * 59 * 4
                    self.assertEqual(many["moved_bytes"], (int(steps) - 1) * halos)
                    self.assertEqual(many["upload_bytes"], 47 * 59 * 4 + halos)


if __name__ == "__main__":
    unittest.main()
