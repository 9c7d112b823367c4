"""hoist stencils, and hoist features --stencil."""
import json
import os
import unittest

from support import ROOT, Case


class Stencils(Case):
    def test_all_are_listed(self):
        stencils = self.facts("stencils", "--list")["stencils"]
        self.assertEqual(len(stencils), 104)
        self.assertEqual(len({each["name"] for each in stencils}), 104)
        largest = max(stencils, key=lambda each: each["size"])
        self.assertEqual((largest["name"], largest["size"], largest["density"], largest["unique_dimension"]),
                         ("dense_zyx_r5", 1331, 1.0, "none"))
        lines = self.hoist("stencils").stdout.splitlines()
        self.assertEqual(len(lines), 105)
        self.assertEqual(lines[1].split(), ["thumbtack_x_r1", "thumbtack", "1", "3", "x", "11", "0.4074", "1", "1"])
        many = self.facts("stencils", "--intensities")["stencils"]
        self.assertEqual(len(many), 416)
        self.assertEqual({(each["additions_per_point"], each["multiplications_per_point"]) for each in many},
                         {(1, 1), (1, 2), (2, 1), (2, 2)})

    def test_programs_are_written_and_right(self):
        said = self.hoist("stencils", "--write", "programs", "--seed", "5").stdout
        self.assertEqual(said, "wrote 104 programs to programs, with weights of seed 5\n")
        self.assertEqual(len(list((self.directory / "programs").glob("*.hoist"))), 104)
        for name in ("dense_r0", "dense_z_r2", "star_zx_r3", "thumbtack_y_r1", "nocorners_zyx_r1"):
            text = self.hoist("run", f"programs/{name}.hoist", "D=4", "H=5", "W=8", "--random", "1", "--device", "host",
                              "--verify").stdout
            self.assertIn("verified", text)

    def test_seeds_and_types(self):
        written = self.facts("stencils", "--write", ".", "--only", "dense_x_r1", "--only", "star_zy_r1", "--type", "f64")
        self.assertEqual(sorted(written["written"]), ["./dense_x_r1.hoist", "./star_zy_r1.hoist"])
        first = (self.directory / "dense_x_r1.hoist").read_text()
        self.assertIn("def dense_x_r1(u: [D][H][W + 2]f64): [D][H][W]f64 =", first)
        self.hoist("stencils", "--write", ".", "--only", "dense_x_r1", "--type", "f64", "--force")
        self.assertEqual((self.directory / "dense_x_r1.hoist").read_text(), first)
        self.hoist("stencils", "--write", ".", "--only", "dense_x_r1", "--type", "f64", "--force", "--seed", "2")
        self.assertNotEqual((self.directory / "dense_x_r1.hoist").read_text(), first)

    def test_features_of_what_was_written(self):
        self.hoist("stencils", "--write", ".", "--only", "thumbtack_y_r2_a2_m1", "--intensities")
        facts = self.facts("features", "thumbtack_y_r2_a2_m1.hoist", "D=16", "H=16", "W=16", "--stencil")["stencil"]
        listed = self.facts("stencils", "--only", "thumbtack_y_r2_a2_m1", "--intensities")["stencils"][0]
        for name in ("size", "radius", "dimensionality", "density", "unique_dimension", "additions_per_point",
                     "multiplications_per_point"):
            self.assertEqual(facts[name], listed[name], name)
        self.assertEqual(len(facts["points"]), facts["size"])

    def test_every_program_that_ships_has_an_answer(self):
        """Points, dimensions and the unique dimension of stencils; a part of the reason for some that are none."""
        expected = {"jacobi2d5": (5, 2, "z"), "jacobi2d9": (9, 2, "z"), "jacobi3d7": (7, 3, "none"), "jacobi3d13": (13, 3, "none"),
                    "jacobi3d19": (19, 3, "none"), "jacobi3d27": (27, 3, "none"), "heat3d": (7, 3, "none"),
                    "poisson3d": (7, 3, "none"), "gaussian5x5": (25, 2, "z"), "gradient": (5, 2, "z"),
                    "convolution2d": (25, 2, "z"), "convolution2d_separable": (289, 2, "z"), "hotspot2d": (5, 2, "z"),
                    "hotspot3d": (7, 3, "none"), "shoc_stencil2d": (9, 2, "z"), "srad2": (3, 2, "z"), "axpy": (1, 0, "none"),
                    "matmul_nn": "do not move along", "transpose": "do not move along", "gemv": "A has 2 dimensions",
                    "prefix_sum": "scan combines", "histogram": "reduceByKey", "md": "depends on neighbours",
                    "asum": "no array", "srad1": "no array"}
        sizes = json.loads((ROOT / "kernels" / "sizes.json").read_text())
        for name, sets in sizes.items():
            given = next(values for key, values in sets.items() if key != "inputs")
            facts = self.facts("features", ROOT / "kernels" / f"{name}.hoist", *(f"{size}={value}" for size, value in given.items()),
                               "--stencil")
            answer = expected.get(name)
            if isinstance(answer, str):
                self.assertIn(answer, facts["reason"], name)
            elif answer:
                self.assertEqual(tuple(facts["stencil"][each] for each in ("size", "dimensionality", "unique_dimension")), answer, name)
            else:
                self.assertTrue(facts["stencil"] or facts["reason"], name)

    def test_features_of_programs_that_ship(self):
        heat = self.facts("features", ROOT / "kernels" / "heat3d.hoist", "D=8", "H=8", "W=8", "--stencil")["stencil"]
        self.assertEqual((heat["size"], heat["dimensionality"], heat["unique_dimension"]), (7, 3, "none"))
        text = self.hoist("features", ROOT / "kernels" / "heat3d.hoist", "D=8", "H=8", "W=8", "--stencil").stdout
        self.assertRegex(text, r"density +0\.259259")
        product = ("features", ROOT / "kernels" / "matmul_nn.hoist", "M=8", "N=8", "K=8", "--stencil")
        self.assertIsNone(self.facts(*product)["stencil"])
        self.assertIn("do not move along", self.facts(*product)["reason"])
        self.assertIn("matmulNn is no stencil: elements of A are read", self.hoist(*product).stdout)

    def test_bad_input(self):
        self.refused("stencils", "--only", "star_zyx", says=["no stencil 'star_zyx'", "did you mean 'star_zy_r1'"])
        self.refused("stencils", "--only", "dense_r0_a1_m2", says="with --intensities there are more")
        self.refused("stencils", "--write", "", says="the directory has no name")
        self.refused("stencils", "--type", "i32", says="--type")
        self.hoist("stencils", "--write", "there", "--only", "dense_r0")
        self.refused("stencils", "--write", "there", "--only", "dense_r0", says=["dense_r0.hoist exists", "--force"])
        self.refused("stencils", "--write", "there", says="dense_r0.hoist exists")
        self.assertEqual(len(list((self.directory / "there").iterdir())), 1)
        self.file("plain", "text")
        self.refused("stencils", "--write", "plain", says="the directory plain cannot be made", status=2)
        self.refused("stencils", "--write", "plain/inside", says="cannot be made", status=2)
        if os.path.exists("/dev/full"):
            self.refused("stencils", "--write", "/proc/nowhere", says="/proc/nowhere cannot be made", status=2)
        heat = ROOT / "kernels" / "heat3d.hoist"
        self.refused("features", heat, "D=8", "H=8", "--stencil", says="W=1024")
        self.refused("features", heat, "D=8", "H=8", "W=8", "--stencil", "--id", "0-0", says="takes neither --id nor --assembly")


if __name__ == "__main__":
    unittest.main()
