"""hoist check, dev and compile: what is printed of a program without running it."""
import os
import re
import unittest

from support import AXPY, ROOT, TWICE, Case


class Check(Case):
    def test_prints_the_type_the_sizes_and_the_assumptions(self):
        self.file("p.hoist", "def f(x: [N]f32): [N]f32 = x |> split(4) |> join\n")
        text = self.hoist("check", "p.hoist").stdout
        self.assertIn("f(x: [N]f32): [N]f32\n", text)
        self.assertIn("sizes: N\n", text)
        self.assertIn("4 must divide N", text)

    def test_json(self):
        self.file("p.hoist", "def f(x: [N]f32): [N]f32 = x |> split(?t) |> join\n")
        facts = self.facts("check", "p.hoist")
        self.assertEqual(facts["name"], "f")
        self.assertEqual(facts["parameters"], [{"name": "x", "type": "[N]f32"}])
        self.assertEqual(facts["result"], "[N]f32")
        self.assertEqual(facts["sizes"], ["N"])
        self.assertEqual(facts["tuning_parameters"], ["t"])
        self.assertEqual(len(facts["assumptions"]), 1)

    def test_sizes_are_put_in(self):
        self.file("p.hoist", TWICE)
        self.assertEqual(self.hoist("check", "p.hoist", "N=8").stdout, "twice(x: [8]f32): [8]f32\n")

    def test_an_assumption_that_sizes_break(self):
        self.file("p.hoist", "def f(x: [N]f32): [N]f32 = x |> split(4) |> join\n")
        self.refused("check", "p.hoist", "N=10", says=["4 must divide N", "N = 10"])

    def test_standard_input(self):
        self.assertIn("twice", self.hoist("check", "-", stdin=TWICE).stdout)
        self.refused("check", "-", stdin="def f(x: [N]f32): [N]f32 = y\n", says="<stdin>:1:28: error:")

    def test_entry(self):
        self.file("p.hoist", TWICE + AXPY)
        self.assertIn("twice(", self.hoist("check", "p.hoist", "--entry", "twice").stdout)
        self.assertIn("axpy(", self.hoist("check", "p.hoist").stdout)
        self.refused("check", "p.hoist", "--entry", "thrice", says="thrice")

    def test_all_errors_of_a_file_with_their_places(self):
        self.file("p.hoist", "def f(x: [N]f32): [N]f32 = x |> map(e => e + unknown)\ndef g(x: [N]f32): [N]f32 = nothing\n")
        self.refused("check", "p.hoist", says=["p.hoist:1:", "unknown", "p.hoist:2:", "nothing", "^"])

    def test_a_file_that_cannot_be_read(self):
        self.refused("check", "missing.hoist", says="missing.hoist cannot be read: No such file or directory")
        self.refused("check", ".", says="is a directory")

    def test_names_of_the_prelude_are_shadowed(self):
        self.file("p.hoist", "def sum(x) = x |> reduce(+, 1)\ndef f(x: [N]f32): f32 = sum(x)\n")
        self.assertIn("note: 'sum' is the file's own definition here", self.hoist("check", "p.hoist").stderr)
        self.assertEqual(self.facts("check", "p.hoist")["shadowed"], ["sum"])

    def test_a_byte_order_mark(self):
        self.file("p.hoist", b"\xef\xbb\xbf" + TWICE.encode())
        self.assertIn("twice(", self.hoist("check", "p.hoist").stdout)

    def test_an_option_given_twice(self):
        self.file("p.hoist", TWICE)
        self.refused("check", "p.hoist", "--entry", "a", "--entry", "b", says="--entry is given 2 times: a, b")

    def test_every_kernel_that_ships(self):
        for path in sorted((ROOT / "kernels").rglob("*.hoist")):
            with self.subTest(path=path.name):
                self.hoist("check", path)


class Compile(Case):
    def setUp(self):
        super().setUp()
        self.file("p.hoist", TWICE)

    def test_source_and_plan(self):
        text = self.hoist("compile", "p.hoist").stdout
        self.assertRegex(text, r"(?s)kernel .*void twice\(const global float\* restrict x")
        self.assertIn("// The plan of twice", text)
        self.assertIn("input x: N of f32", text)
        self.assertIn("launch ", text)

    def test_sizes_become_constants(self):
        symbolic = self.hoist("compile", "p.hoist").stdout
        fixed = self.hoist("compile", "p.hoist", "N=1000").stdout
        self.assertIn("int N", symbolic)
        self.assertNotIn("int N", fixed)
        self.assertIn("input x: 1000 of f32", fixed)

    def test_memory_is_shown_as_it_is_shared(self):
        path = self.file("odd.hoist", "def odd(x: [N]f32) = x |> iterate(3, v => v |> pad(1, 1, clamp) |> slide(3, 1) |> "
                         "map(w => w[0] + w[2])) |> scan((a, b) => a * 0.5 + b, 0.0) |> reverse |> map(e => e * 0.5)")
        text = self.hoist("compile", path, "N=4096").stdout
        memory = dict(re.findall(r"temporary (\w+): 4096 of f32, in memory (\d+)", text))
        exchanged = re.search(r"exchange (\w+) and (\w+)", text).groups()
        self.assertEqual(len(memory), 3)
        self.assertEqual(len(set(memory.values())), 3, f"{exchanged} may each lie in the other's memory: {memory}")
        facts = self.facts("compile", path, "N=4096")
        self.assertEqual({each["name"]: str(each["memory"]) for each in facts["plan"]["temporaries"]}, memory)
        self.assertNotIn("in memory", self.hoist("compile", path).stdout)

    def test_host(self):
        self.assertIn("__global__ void __launch_bounds__(", self.hoist("compile", "p.hoist", "--target", "cuda").stdout)
        self.assertIn('extern "C"', self.hoist("compile", "p.hoist", "--target", "host").stdout)
        self.refused("compile", "p.hoist", "--target", "cobol", says="cobol")

    def test_dynamic_local_memory_is_the_same_however_a_program_is_compiled(self):
        # A group keeps 64 KiB: more than a CUDA kernel may declare.
        self.file("large.hoist", "def f(x: [2][16384]f32): [2][16384]f32 = x |> mapWrg(0, r => r |> split(64) |> mapLcl(0, mapSeq(id))\n"
                  "  |> toLocal |> join |> split(64) |> reverse |> mapLcl(0, mapSeq(id)) |> join)\n")
        said = "each with 65536 bytes of dynamic local memory"
        self.assertIn(said, self.hoist("compile", "large.hoist", "--target", "cuda").stdout)
        self.assertNotIn("dynamic local memory", self.hoist("compile", "large.hoist").stdout)
        [kernel] = self.facts("compile", "large.hoist", "--target", "cuda")["plan"]["kernels"]
        self.assertEqual(kernel["dynamic_local_memory"], 65536)
        for device in ("cuda", "opencl", "host"):
            self.hoist("export", "large.hoist", "--device", device, "-o", device)
            text = (self.directory / device / "f.c").read_text()
            self.assertEqual("65536, NULL, arguments, NULL)" in text, device == "cuda")
        if fake := os.environ.get("FAKE_CUDA"):
            # It refuses launches whose kernels were not given as much as they are launched with.
            self.hoist("run", "large.hoist", "--random", 1, "--verify", "--device", "cuda:0",
                       env={**os.environ, "HOIST_CUDA_LIBRARY": fake, "HOIST_NVRTC_LIBRARY": fake})

    def test_sub_groups(self):
        self.file("sums.hoist", "def f(x: [4][64]f32) = x |> mapWrg(0, row => row |> reduceLcl(0, +, 0.0))\n")
        self.assertNotIn("sub_group", self.hoist("compile", "sums.hoist").stdout)
        self.assertIn("sub_group_shuffle_xor", self.hoist("compile", "sums.hoist", "--sub-groups").stdout)
        self.assertNotIn("sub_group", self.hoist("compile", "sums.hoist", "--sub-groups", "--without", "warp-shuffles").stdout)
        self.refused("compile", "sums.hoist", "--sub-groups", "--target", "cuda", says="--sub-groups is for --target opencl")

    def test_images(self):
        self.file("moved.hoist", "def f(x: [8][8]f32) = x |> toImage |> mapGlb2(e => e + 1.0)\n")
        self.assertNotIn("image2d_t", self.hoist("compile", "moved.hoist").stdout)
        self.assertIn("read_only image2d_t x", self.hoist("compile", "moved.hoist", "--images").stdout)
        self.assertNotIn("image2d_t", self.hoist("compile", "moved.hoist", "--images", "--without", "images").stdout)
        self.assertIn("tex1Dfetch<float>(x, ", self.hoist("compile", "moved.hoist", "--images", "--target", "cuda").stdout)
        self.assertNotIn("tex1Dfetch", self.hoist("compile", "moved.hoist", "--target", "cuda").stdout)
        self.refused("compile", "moved.hoist", "--images", "--target", "host", says="--images is not for --target host")
        self.assertIn("verified: 64 elements agree", self.hoist("run", "moved.hoist", "x=random:1", "--verify").stdout)

    def test_stages(self):
        term = self.hoist("compile", "p.hoist", "N=8", "--stage", "term").stdout
        self.assertIn("[8]f32", term)
        self.assertNotIn("mapGlb", term)
        self.assertIn("mapGlb", self.hoist("compile", "p.hoist", "--stage", "low").stdout)
        self.assertIn("kernel", self.hoist("compile", "p.hoist", "--stage", "loop").stdout)

    def test_stages_are_read_again(self):
        low = self.hoist("compile", "p.hoist", "--stage", "low").stdout
        self.assertEqual(self.hoist("compile", "-", "--stage", "low", stdin=low).stdout, low)

    def test_trace_names_every_pass(self):
        text = self.hoist("compile", "p.hoist", "--trace").stdout
        for name in ("to-loops", "barriers", "private-array-unrolling", "parameters", "source"):
            self.assertIn(f"==== {name}", text)

    def test_without(self):
        plain = self.hoist("compile", "p.hoist", "N=1000").stdout
        without = self.hoist("compile", "p.hoist", "N=1000", "--without", "control-flow-simplification").stdout
        self.assertNotEqual(plain, without)
        self.refused("compile", "p.hoist", "--without", "nonsense",
                     says=["no pass is called 'nonsense'", "barrier-elimination"])
        self.hoist("compile", "p.hoist", "--without", "barrier-elimination", "--without", "index-simplification")

    def test_launch_sizes(self):
        text = self.hoist("compile", "p.hoist", "N=1024", "--local-size", "32", "--global-size", "256").stdout
        self.assertIn("256 x 1 x 1 work-items in groups of 32 x 1 x 1", text)
        text = self.hoist("compile", "p.hoist", "--global-size", "ceildiv(N, 64) * 64", "--local-size", "64").stdout
        self.assertIn("in groups of 64 x 1 x 1", text)
        self.refused("compile", "p.hoist", "N=1024", "--local-size", "48", "--global-size", "256",
                     says="groups of 48 work-items do not divide the 256 work-items of dimension 0")
        self.refused("compile", "p.hoist", "--local-size", "0", says="at least one work-item")
        self.refused("compile", "p.hoist", "--local-size", "1,2,3,4", says="at most three dimensions")
        self.refused("compile", "p.hoist", "--local-size", "many", says=["--local-size many", "'many' is not declared"])

    def test_json(self):
        facts = self.facts("compile", "p.hoist", "N=64")
        self.assertEqual(facts["plan"]["inputs"], [{"name": "x", "type": "f32", "scalars": "64"}])
        self.assertEqual(len(facts["plan"]["kernels"]), 1)
        self.assertIn(facts["plan"]["kernels"][0]["name"], facts["text"])

    def test_an_input_is_no_size(self):
        self.refused("compile", "p.hoist", "x=random:1", says="x is an input; this command takes sizes and tuning parameters only")

    def test_an_open_tuning_parameter(self):
        self.file("t.hoist", "def f(x: [N]f32): [N]f32 = x |> split(?t) |> mapWrg(mapLcl(e => e + 1.0)) |> join\n")
        self.refused("compile", "t.hoist", says="?t")
        self.assertIn("split(64)", self.hoist("compile", "t.hoist", "t=64", "--stage", "term").stdout)
        self.assertIn("groups of 64 x 1 x 1", self.hoist("compile", "t.hoist", "?t=64").stdout)


class Dev(Case):
    def test_simplify(self):
        def simplified(*arguments):
            return self.hoist("dev", "simplify", *arguments).stdout
        self.assertEqual(simplified("(i * N + j) / N", "--size", "M,N", "--var", "i in [0,M)", "--var", "j in [0,N)"), "i\n")
        self.assertEqual(simplified("2 + 3"), "5\n")
        self.refused("dev", "simplify", "q + 1", says=["'q' is not declared", "expression:1:1"])
        self.refused("dev", "simplify", "i", "--var", "i of 7", says="--var")

    def test_print_is_read_again(self):
        self.file("p.hoist", AXPY)
        text = self.hoist("dev", "print", "p.hoist").stdout
        self.assertEqual(self.hoist("dev", "print", "-", stdin=text).stdout, text)

    def test_reference_names_every_primitive(self):
        text = self.hoist("dev", "reference").stdout
        for name in ("### map\n", "### mapSeqSlide\n", "### reduce\n", "| `sqrt` |", "| `fma` |", "## Scalar functions"):
            self.assertIn(name, text)

    def test_loop_counts_and_agrees(self):
        self.file("p.hoist", TWICE)
        for options in ([], ["--symbolic"], ["--without", "index-simplification"]):
            with self.subTest(options=options):
                text = self.hoist("dev", "loop", "p.hoist", "N=64", "x=random:1", *options).stdout
                self.assertRegex(text, r"global_loads +64\n")
                self.assertRegex(text, r"global_stores +64\n")
        facts = self.facts("dev", "loop", "p.hoist", "N=64", "--random", "1")
        self.assertTrue(facts["agrees"])
        self.assertEqual(facts["faults"], [])
        self.assertEqual(facts["counts"]["global_stores"], 64)


if __name__ == "__main__":
    unittest.main()
