"""--isa and HOIST_ISA: the instructions that kernels of the host may use; CXX: who compiles them."""
import json
import os
import pathlib
import shutil
import unittest

from support import AXPY, ROOT, TWICE, Case, read_npy

CONTRACTION = ROOT / "kernels" / "contraction_ijk_ilk_jl.hoist"
SIZES = ("I=16", "J=8", "K=16", "L=16")
FLAGS = pathlib.Path("/proc/cpuinfo").read_text().split("flags")[1].split("\n")[0].split()
PRESENT = [("sse4.2", "sse4_2", 4), ("avx2", "avx2", 8), ("avx512", "avx512vl", 16)]
PRESENT = [(name, lanes) for name, flag, lanes in PRESENT if flag in FLAGS]
COMPILERS = [name for name in ("g++", "clang++", "clang++-14") if shutil.which(name)]


def environment(**names):
    return {**os.environ, **names}


class InstructionSets(Case):
    def test_kernels_are_right_with_each(self):
        for compiler in COMPILERS:
            for name, _ in PRESENT:
                facts = self.facts("run", CONTRACTION, *SIZES, "--random", "1", "--device", "host", "--isa", name,
                                   "--verify", "--untuned", env=environment(CXX=compiler))
                self.assertTrue(facts["verified"])
                self.assertTrue(facts["device_name"].endswith(f" ({name})"), facts["device_name"])

    def test_sums_take_products_unrounded_where_the_set_has_an_operation(self):
        """Vectors of each width as scalars do: (1 + e)(1 - e) is 1 - e * e, which rounds to 1."""
        for scalar, code, e in (("f32", "f4", 2.0 ** -13), ("f64", "f8", 2.0 ** -30)):
            forms = [f"all |> mapGlb((x, y, z) => {form})" for form in ("x * y + z", "x * y - z", "z - x * y")]
            for width in (2, 3, 4, 8, 16):
                forms += [form.replace("all", f"zip({', '.join(f'{each} |> asVector({width})' for each in 'abc')})")
                          .replace("mapGlb((", f"mapGlb(vectorize({width}, (") + ") |> asScalar" for form in forms[:3]]
            inputs = ", ".join(f"{name}: [N]{scalar}" for name in "abc")
            self.file("sums.hoist", f"def sums({inputs}): ({', '.join([f'[N]{scalar}'] * len(forms))}) =\n"
                                    f"  let all = zip(a, b, c)\n  in ({', '.join(forms)})\n")
            for name, value in (("a", 1 + e), ("b", 1 - e), ("c", -1.0)):
                self.npy(f"{name}.npy", code, [48], [value] * 48)
            outputs = [f"{number}.npy" for number in range(len(forms))]
            for compiler in COMPILERS:
                for name, _ in PRESENT:
                    self.hoist("run", "sums.hoist", "a=a.npy", "b=b.npy", "c=c.npy", "--device", "host", "--isa", name, "--untuned",
                               "-o", ",".join(outputs), env=environment(CXX=compiler))
                    small = 0.0 if name == "sse4.2" else e * e
                    for number, output in enumerate(outputs):
                        expected = (-small, 2 - small, small - 2)[number % 3]
                        self.assertEqual(read_npy(self.directory / output)[2], [expected if scalar == "f64" or number % 3 == 0 else
                                                                                round(expected)] * 48, (name, compiler, forms[number]))

    def test_the_environment_names_one_too(self):
        for name, _ in PRESENT:
            facts = self.facts("run", CONTRACTION, *SIZES, "--random", "1", "--device", "host", "--untuned",
                               env=environment(HOIST_ISA=name))
            self.assertTrue(facts["device_name"].endswith(f" ({name})"))
            native = self.facts("run", CONTRACTION, *SIZES, "--random", "1", "--device", "host", "--isa", "native",
                                "--untuned", env=environment(HOIST_ISA=name))
            self.assertNotIn("(", native["device_name"].replace("(R)", "").replace("(TM)", ""))

    def test_vectors_are_as_wide(self):
        for name, lanes in PRESENT:
            given = (CONTRACTION, *SIZES, "--device", "host", "--isa", name)
            steps = [row["steps"] for row in self.facts("explore", *given, "--derivations")]
            ordered = [int(each.split(",")[1]) for each in steps if each.startswith("orderLoops(")]
            self.assertEqual(max(ordered), lanes, name)
            for compiler in COMPILERS:
                number = next(row["derivation"] for row in self.facts("explore", *given, "--derivations")
                              if row["steps"].startswith("orderLoops(1,"))
                (kernel,) = self.facts("features", *given, "--assembly", "--id", f"{number}-0",
                                       env=environment(CXX=compiler))["kernels"]
                self.assertEqual(kernel["loop"]["features"]["vector_bits"], 32 * lanes, (name, compiler))

    def test_two_doubles_are_a_vector_of_sse(self):
        self.file("p.hoist", self.hoist("dev", "workload", "ij-ik-kj", "--type", "f64").stdout)
        given = ("p.hoist", "I=8", "J=8", "K=8", "--device", "host", "--isa", "sse4.2")
        ordered = [row for row in self.facts("explore", *given, "--derivations") if row["steps"].startswith("orderLoops(")]
        self.assertEqual([row["steps"].split(",")[1] for row in ordered], ["2", "2", "2"])
        (kernel,) = self.facts("features", *given, "--assembly", "--id", f"{ordered[1]['derivation']}-0")["kernels"]
        self.assertEqual(kernel["loop"]["features"]["vector_bits"], 128)

    def test_kernels_that_do_not_run_here_are_printed(self):
        texts = [self.hoist("compile", CONTRACTION, *SIZES, "--target", "host", "--isa", name).stdout
                 for name in ("sse4.2", "avx2", "avx512")]
        self.assertTrue(all("contraction_ijk_ilk_jl" in text for text in texts))
        self.hoist("export", CONTRACTION, *SIZES, "--device", "host", "--isa", "avx512", "-o", "out")
        self.assertTrue((self.directory / "out" / "contraction_ijk_ilk_jl_kernels.cpp").exists())

    def test_what_was_tuned_for_one_is_not_taken_for_another(self):
        if len(PRESENT) < 2:
            self.skipTest("this processor has one instruction set")
        (first, _), (second, _) = PRESENT[:2]
        given = (CONTRACTION, *SIZES, "--device", "host", "--store", "s.db")
        self.hoist("tune", *given, "--isa", first, "--evaluations", "2", "--budget", "20")
        self.assertIn(f"({first}) (host)", self.hoist("store", "list", "--store", "s.db").stdout)
        same = self.hoist("run", *given, "--random", "1", "--isa", first).stderr
        self.assertIn("on this device", same)
        self.assertIn(f"({first})", self.hoist("run", *given, "--random", "1", "--isa", second).stderr)

    def test_bad_input(self):
        self.file("p.hoist", TWICE)
        self.refused("run", "p.hoist", "N=4", "--random", "1", "--device", "host", "--isa", "mmx",
                     says=["mmx", "sse4.2", "avx512", "native"])
        self.refused("run", "p.hoist", "N=4", "--random", "1", "--device", "host",
                     says=["no instruction set 'mmx'", "sse4.2, avx2, avx512, native"], env=environment(HOIST_ISA="mmx"))
        self.refused("tune", "p.hoist", "N=4", "--device", "cuda:0", "--isa", "avx2", says="--isa is for the device host")
        self.refused("compile", "p.hoist", "--isa", "avx2", says="opencl is another")
        self.refused("export", "p.hoist", "N=4", "--device", "cuda", "--isa", "avx2", "-o", "out", says="cuda is another")
        self.refused("explore", "p.hoist", "N=4", "--isa", "avx2", says="add --device host")


class Together(Case):
    """Several candidates in one source, and what is read off the assembly that a compiler makes of it."""

    def test_candidates_share_a_source_and_a_listing(self):
        given = (CONTRACTION, *SIZES, "--device", "host")
        number = next(row["derivation"] for row in self.facts("explore", *given, "--derivations")
                      if row["steps"].startswith("orderLoops("))
        ids = [f"{number}-{point}" for point in (0, 7, 11)]
        names = ["contraction_ijk_ilk_jl_" + each.replace("-", "_") for each in ids]
        chosen = [word for each in ids for word in ("--id", each)]
        self.file("k.cpp", self.hoist("explore", *given, *chosen, "--show", "host").stdout)
        for compiler in COMPILERS:
            with self.subTest(compiler):
                os.spawnvp(os.P_WAIT, compiler, [compiler, "-O2", "-march=native", "-S", str(self.directory / "k.cpp"), "-o",
                                                 str(self.directory / "k.s")])
                facts = self.facts("dev", "assembly", "k.s", *names)
                self.assertEqual([each["kernel"] for each in facts["kernels"]], names)
                for each in facts["kernels"]:
                    self.assertGreater(each["loop"]["features"]["total_operations"], 0)
        self.assertIn("arithmetic_intensity", self.hoist("dev", "assembly", "k.s", names[0]).stdout)

    def test_bad_input(self):
        self.file("p.hoist", AXPY)
        given = ("explore", "p.hoist", "N=64", "--device", "host", "--id", "0-0", "--id", "0-0")
        self.refused(*given, says="add --show host")
        self.refused("dev", "assembly", "none.s", "f", says="none.s")
        self.refused("dev", "assembly", "p.hoist", says="KERNEL")


class Learn(Case):
    def test_learners_predict(self):
        examples = {"rows": [[float(n), 1.0] for n in range(20)], "targets": [3.0 * n + 1 for n in range(20)],
                    "groups": [n // 5 for n in range(20)], "test": [[4.0, 1.0], [11.0, 1.0]]}
        self.file("e.json", json.dumps(examples))
        for learner in ("ibk", "kstar", "m5p", "lr", "mlp", "smoreg", "weighted-rank"):
            first, second = json.loads(self.hoist("dev", "learn", learner, "e.json").stdout)
            self.assertLess(first, second, learner)
        self.assertEqual(json.loads(self.hoist("dev", "learn", "ibk", "e.json").stdout), [13.0, 34.0])
        several = {**examples, "tests": [examples.pop("test"), [[2.0, 1.0]]]}
        del several["test"]
        self.file("several.json", json.dumps(several))
        self.assertEqual(json.loads(self.hoist("dev", "learn", "ibk", "several.json").stdout), [[13.0, 34.0], [7.0]])

    def test_bad_input(self):
        for text, says in (("{}", "it is JSON"), ("no", "it is JSON"),
                           (json.dumps({"rows": [[1]], "targets": [], "test": [[1]]}), "0 targets"),
                           (json.dumps({"rows": [[1]], "targets": [1], "test": [[1, 2]]}), "2 numbers")):
            self.refused("dev", "learn", "ibk", "-", stdin=text, says=says)
        self.refused("dev", "learn", "oracle", "-", says="oracle")
        for given, says in (({"costs": 0}, "costs"), ({"costs": 2}, "costs"), ({"costs": 1, "targets": [0]}, "no speed")):
            text = json.dumps({"rows": [[1]], "targets": [1], "tests": [[[1]]], **given})
            self.refused("dev", "learn", "priced-trees", "-", stdin=text, says=says)

    def test_a_forest_gives_probabilities(self):
        examples = {"rows": [[n % 3, None if n == 4 else n] for n in range(30)], "targets": [int(n % 3 == 1) for n in range(30)],
                    "columns": [["x", "y", "z"]], "classes": ["no", "yes"], "test": [[1, 2], [2, None]], "trees": 20}
        told = json.loads(self.hoist("dev", "learn", "random-forest", "-", stdin=json.dumps(examples)).stdout)
        self.assertEqual([len(row) for row in told], [2, 2])
        self.assertGreater(told[0][1], 0.8)
        self.assertGreater(told[1][0], 0.8)
        for change, says in (({"classes": ["no"]}, "less than two classes"), ({"targets": [2] * 30}, "none of the 2 classes"),
                             ({"columns": [["x", "y"]]}, "column 0, which has 2 names"), ({"test": [[0.5, 1]]}, "0.5"),
                             ({"columns": [[], [], []]}, "3 columns"), ({"trees": 0}, "from 1 to"),
                             ({"columns": [["100%", "y", "z"]]}, "100%")):
            self.refused("dev", "learn", "random-forest", "-", stdin=json.dumps({**examples, **change}), says=says)


if __name__ == "__main__":
    unittest.main()
