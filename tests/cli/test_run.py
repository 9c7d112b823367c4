"""hoist eval and run: results, files, launches, verification."""
import json
import math
import os
import resource
import signal
import subprocess
import time
import unittest

from support import AXPY, HOIST, ROOT, TWICE, Case, read_npy

DEVICES = [device["id"] for device in json.loads(
    subprocess.run([HOIST, "devices", "--json"], capture_output=True, text=True, check=True).stdout)]


class Eval(Case):
    def setUp(self):
        super().setUp()
        self.file("twice.hoist", TWICE)

    def test_prints_the_first_elements_of_each_dimension(self):
        self.file("m.hoist", "def f(x: [M][N]i32): [M][N]i32 = x\n")
        self.npy("x.npy", "i4", [3, 4], range(12))
        self.assertEqual(self.hoist("eval", "m.hoist", "x=x.npy", "--elements", "2").stdout,
                         "result: [3][4]i32 = [[0, 1, ...], [4, 5, ...], ...]\n")
        self.assertEqual(self.hoist("eval", "m.hoist", "x=x.npy").stdout,
                         "result: [3][4]i32 = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]\n")
        self.assertEqual(self.hoist("eval", "m.hoist", "x=x.npy", "--elements", "0").stdout, "result: [3][4]i32 = [...]\n")

    def test_a_scalar_result(self):
        self.file("s.hoist", "def f(x: [N]f32): f32 = x |> reduce(+, 0.0)\n")
        self.npy("x.npy", "f4", [3], [1, 2, 3.5])
        self.assertEqual(self.hoist("eval", "s.hoist", "x=x.npy").stdout, "result: f32 = 6.5\n")
        self.hoist("eval", "s.hoist", "x=x.npy", "-o", "out.npy")
        self.assertEqual(read_npy(self.directory / "out.npy"), ("f4", (), [6.5]))

    def test_json(self):
        self.npy("x.npy", "f4", [3], [1, math.inf, math.nan])
        facts = self.facts("eval", "twice.hoist", "x=x.npy")
        self.assertEqual(facts["sizes"], {"N": 3})
        self.assertEqual(facts["flops"], 3)
        self.assertEqual(facts["result"], [{"name": "result", "type": "f32", "shape": [3], "first_elements": [2, None, None]}])

    def test_errors_while_evaluating(self):
        self.file("d.hoist", "def f(x: [N]i32): [N]i32 = x |> map(e => 1 / e)\n")
        self.npy("x.npy", "i4", [2], [1, 0])
        self.refused("eval", "d.hoist", "x=x.npy", says="1 divided by zero, in 1 / e")
        self.file("i.hoist", "def f(x: [N]f32, i: [N]i32): [N]f32 = i |> map(k => x[k])\n")
        self.npy("i.npy", "i4", [2], [0, 2])
        self.refused("eval", "i.hoist", "x=random:1", "i=i.npy", says="index 2 is outside an array of 2 elements, in x[k]")


class OutputFiles(Case):
    def setUp(self):
        super().setUp()
        self.file("twice.hoist", TWICE)
        self.file("pair.hoist", "def f(x: [N]f32): ([N]f32, [N]f32) = (x |> map(e => e + 1.0), x |> map(e => e * 2.0))\n")

    def test_one_for_each_array(self):
        self.npy("x.npy", "f4", [2], [1, 2])
        self.hoist("eval", "pair.hoist", "x=x.npy", "-o", "a.npy,b.npy")
        self.assertEqual(read_npy(self.directory / "a.npy"), ("f4", (2,), [2, 3]))
        self.assertEqual(read_npy(self.directory / "b.npy"), ("f4", (2,), [2, 4]))
        self.refused("eval", "pair.hoist", "x=x.npy", "-o", "a.npy", says=["the result is 2 arrays, but -o names 1", "-o 0.npy,1.npy"])
        self.refused("eval", "pair.hoist", "x=x.npy", "-o", "a.npy,a.npy", says="names a.npy twice")
        self.refused("eval", "pair.hoist", "x=x.npy", "-o", "a.npy,", says="empty file name")

    def test_replaces_a_file_whole_and_leaves_nothing_else(self):
        self.file("out.npy", "old")
        before = self.leftovers()
        self.hoist("eval", "twice.hoist", "N=4", "x=random:1", "-o", "out.npy")
        self.assertEqual(self.leftovers(), before)
        self.assertEqual(read_npy(self.directory / "out.npy")[1], (4,))

    def test_a_symbolic_link_stays_one(self):
        os.symlink("real.npy", self.directory / "link.npy")
        self.file("real.npy", "old")
        self.hoist("eval", "twice.hoist", "N=4", "x=random:1", "-o", "link.npy")
        self.assertTrue((self.directory / "link.npy").is_symlink())
        self.assertEqual(read_npy(self.directory / "real.npy")[1], (4,))

    def test_a_directory_that_is_missing(self):
        for command in ("eval", "run"):
            self.refused(command, "twice.hoist", "N=4", "x=random:1", "-o", "none/out.npy", status=2,
                         says=["none/out.npy cannot be written: No such file or directory", "make the directory none first"])

    def test_two_files_for_one_array(self):
        for command in ("eval", "run"):
            self.refused(command, "twice.hoist", "N=4", "x=random:1", "-o", "a.npy,b.npy", says="the result is 1 array, but -o names 2")

    def test_a_directory_as_the_file(self):
        (self.directory / "d").mkdir()
        self.refused("eval", "twice.hoist", "N=4", "x=random:1", "-o", "d", status=2, says="Is a directory")

    def test_a_full_disk(self):
        self.refused("eval", "twice.hoist", "N=4", "x=random:1", "-o", "/dev/full", status=2,
                     says="/dev/full cannot be written: No space left on device")
        self.assertTrue(os.path.exists("/dev/full") and not os.path.isfile("/dev/full"))

    def test_a_file_that_may_not_grow_leaves_the_old_one(self):
        self.file("out.npy", "old")
        before = self.leftovers()
        self.refused("eval", "twice.hoist", "N=100000", "x=random:1", "-o", "out.npy", status=2,
                     says="out.npy cannot be written: File too large",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192)))
        self.assertEqual((self.directory / "out.npy").read_text(), "old")
        self.assertEqual(self.leftovers(), before)

    def test_standard_output_on_a_full_disk(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([HOIST, "eval", "twice.hoist", "N=4", "x=random:1"], cwd=self.directory, stdout=full,
                                  stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("standard output cannot be written: No space left on device", done.stderr)

    def test_a_reader_that_leaves_early(self):
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([HOIST, "dev", "reference"], stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_an_interrupt_leaves_no_half_file(self):
        # The second of two outputs is a pipe that nobody reads: hoist waits there with the first one written.
        os.mkfifo(self.directory / "pipe")
        before = self.leftovers()
        process = subprocess.Popen([HOIST, "eval", "pair.hoist", "N=4", "x=random:1", "-o", "out.npy,pipe"],
                                   cwd=self.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(200):
            if self.leftovers() != before:
                break
            time.sleep(0.05)
        self.assertNotEqual(self.leftovers(), before)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertEqual(self.leftovers(), before)


class Run(Case):
    def setUp(self):
        super().setUp()
        self.file("p.hoist", AXPY)

    def test_every_device_gives_the_interpreters_result(self):
        self.npy("x.npy", "f4", [5], [1, 2, 3, 4, 5])
        self.npy("y.npy", "f4", [5], [10, 20, 30, 40, 50])
        for device in DEVICES:
            with self.subTest(device=device):
                text = self.hoist("run", "p.hoist", "a=2", "x=x.npy", "y=y.npy", "--device", device, "--verify").stdout
                self.assertIn("result: [5]f32 = [12, 24, 36, 48, 60]\n", text)
                self.assertIn("verified: 5 elements agree", text)
                self.assertIn(f"axpy on {device} (", text)
                self.assertIn("N = 5", text)

    def test_output(self):
        self.hoist("run", "p.hoist", "N=6", "--random", "3", "--device", "host", "-o", "run.npy")
        self.hoist("eval", "p.hoist", "N=6", "--random", "3", "-o", "eval.npy")
        for a, b in zip(read_npy(self.directory / "run.npy")[2], read_npy(self.directory / "eval.npy")[2]):
            self.assertAlmostEqual(a, b, places=5)

    def test_json(self):
        facts = self.facts("run", "p.hoist", "N=1000", "--random", "1", "--device", "host", "--verify", "--repeat", "5",
                           "--warmup", "2")
        self.assertEqual(facts["device"], "host")
        self.assertEqual(facts["sizes"], {"N": 1000})
        self.assertEqual((facts["repetitions"], facts["warm_ups"]), (5, 2))
        self.assertEqual(len(facts["all_seconds"]), 5)
        self.assertEqual(facts["bytes"], 4 + 3 * 4000)
        self.assertEqual(facts["flops"], 2000)
        self.assertTrue(facts["verified"])
        self.assertEqual((facts["elements"], facts["mismatches"]), (1000, 0))
        self.assertEqual(len(facts["kernels"]), 1)
        self.assertLessEqual(facts["seconds"]["minimum"], facts["seconds"]["median"])
        for kernels, wall in zip(facts["all_seconds"], facts["all_wall_seconds"], strict=True):
            self.assertLessEqual(kernels, wall)
        self.assertGreater(facts["gigabytes_per_second"], 0)

    def test_one_cold_run_is_no_median(self):
        cold = self.hoist("run", "p.hoist", "N=1000", "--random", "1", "--device", "host").stdout
        self.assertIn("first run", cold)
        self.assertIn("--repeat", cold)
        self.assertNotIn("median", cold)
        warm = self.hoist("run", "p.hoist", "N=1000", "--random", "1", "--device", "host", "--warmup", "2").stdout
        self.assertIn("one run", warm)
        several = self.hoist("run", "p.hoist", "N=1000", "--random", "1", "--device", "host", "--repeat", "3").stdout
        self.assertIn("median", several)
        self.assertNotIn("cold", several)
        self.assertTrue(self.facts("run", "p.hoist", "N=1000", "--random", "1", "--device", "host")["is_cold"])

    def test_a_result_that_overflows_is_the_inputs_fault(self):
        self.file("s.hoist", "def s(x: [N]f32): f32 = x |> reduce(+, 0.0)\n")
        self.npy("x.npy", "f4", [4096], [3e38 if i % 16 < 8 else -3e38 for i in range(4096)])
        done = self.hoist("run", "s.hoist", "x=x.npy", "--device", "host", "--verify", status=1)
        self.assertIn("the result cannot be verified, since it overflows", done.stderr)
        self.assertIn("the program diverges on these inputs", done.stderr)
        self.assertNotIn("fault of Hoist", done.stderr)

    def test_threads_that_wait_leave_the_processors_to_others(self):
        """What OpenMP says of itself when it is loaded; a user's own choice is left alone."""
        if "gomp" not in subprocess.run(["bash", "-c", "ldconfig -p"], capture_output=True, text=True).stdout:
            self.skipTest("no libgomp")
        run = ("run", "p.hoist", "N=1000000", "--random", "1", "--device", "host")
        own = {key: value for key, value in os.environ.items() if not key.startswith(("OMP_", "GOMP_"))}
        told = {**own, "OMP_DISPLAY_ENV": "verbose"}
        self.assertIn("GOMP_SPINCOUNT = '1000'", self.hoist(*run, env=told).stderr)
        self.assertIn("GOMP_SPINCOUNT = '77'", self.hoist(*run, env={**told, "GOMP_SPINCOUNT": "77"}).stderr)
        passive = self.hoist(*run, env={**told, "OMP_WAIT_POLICY": "passive"}).stderr
        self.assertIn("GOMP_SPINCOUNT = '0'", passive)
        self.assertIn("OMP_WAIT_POLICY = 'PASSIVE'", passive)

    def test_several_kernels(self):
        self.file("sum.hoist", "def f(x: [N]f32): f32 = x |> reduce(+, 0.0)\n")
        facts = self.facts("run", "sum.hoist", "N=100000", "x=random:1", "--device", "host", "--verify")
        self.assertTrue(facts["verified"])
        self.assertGreater(len(facts["kernels"]), 1)

    def test_a_kernel_that_runs_several_times(self):
        self.file("it.hoist", "def f(x: [N]f32): [N]f32 = iterate(5, v => v |> map(e => e * 0.5), x)\n")
        facts = self.facts("run", "it.hoist", "N=64", "x=random:1", "--device", "host", "--verify")
        self.assertTrue(facts["verified"])

    def test_the_program_may_say_how(self):
        self.file("t.hoist", "def f(x: [N]f32): [N]f32 = x |> split(?t) |> mapWrg(mapLcl(e => e + 1.0)) |> join\n")
        text = self.hoist("run", "t.hoist", "N=64", "t=16", "x=random:1", "--device", "host", "--verify").stdout
        self.assertIn("64 x 1 x 1", text)
        self.assertIn("16 x 1 x 1", text)
        self.refused("run", "t.hoist", "N=64", "t=10", "x=random:1", says="must divide")

    def test_launch_sizes_and_passes(self):
        for options in (["--local-size", "8"], ["--global-size", "64", "--local-size", "16"], ["--global-size", "N", "--local-size", "1"],
                        ["--without", "index-simplification"], ["--without", "control-flow-simplification"]):
            with self.subTest(options=options):
                text = self.hoist("run", "p.hoist", "N=100", "--random", "1", "--device", "host", "--verify", *options).stdout
                self.assertIn("verified: 100 elements agree", text)
        self.refused("run", "p.hoist", "N=100", "--random", "1", "--local-size", "7", "--global-size", "100", "--device", "host",
                     says="groups of 7 work-items do not divide the 100")

    def test_a_group_that_is_too_large(self):
        self.refused("run", "p.hoist", "N=100", "--random", "1", "--local-size", "1048576", "--device", "host", status=2,
                     says="1048576")

    def test_local_memory_that_is_too_large(self):
        self.file("l.hoist", "def f(x: [N]f32): [N]f32 =\n"
                             "  x |> split(4194304) |> mapWrg(c => c |> mapLcl(id) |> toLocal |> mapLcl(e => e + 1.0)) |> join\n")
        for device in DEVICES:
            with self.subTest(device=device):
                self.refused("run", "l.hoist", "N=8388608", "x=random:1", "--device", device, status=2,
                             says=["needs 16777216 bytes of local memory", f"{device} (", "use smaller tiles"])

    def test_a_device_that_is_not_there(self):
        for device in ("opencl:99", "nonsense"):
            self.refused("run", "p.hoist", "N=4", "--random", "1", "--device", device, status=2,
                         says=["there is no device", "host"])
        # Without a driver or without that many devices: each says which.
        self.refused("run", "p.hoist", "N=4", "--random", "1", "--device", "cuda:99", status=2, says="host")

    def test_repeat_that_is_no_count(self):
        for value in ("0", "-1", "many"):
            self.refused("run", "p.hoist", "N=4", "--random", "1", "--repeat", value, says="--repeat")

    def test_what_stays_sequential_is_told_on_standard_error(self):
        self.file("s.hoist", "def f(x: [N]f32): f32 = x |> reduce((a, b) => a * 0.5 + b, 0.0)\n")
        done = self.hoist("run", "s.hoist", "N=100000", "x=random:1", "--device", "host", "--verify")
        self.assertIn("note: ", done.stderr)
        self.assertNotIn("note: ", done.stdout)

    def test_a_few_kernels_that_ship(self):
        for name, arguments in (("dot", ["N=1000"]), ("jacobi2d5", ["H=20", "W=30"]), ("matmul_nn", ["M=9", "N=10", "K=11"]),
                                ("histogram", ["N=200", "B=16", "values=random:1:0:B"]), ("prefix_sum", ["N=1000"])):
            with self.subTest(kernel=name):
                text = self.hoist("run", ROOT / "kernels" / f"{name}.hoist", *arguments, "--random", "5", "--verify",
                                  "--device", "host").stdout
                self.assertIn("verified: ", text)


class Devices(Case):
    def test_table_json_and_ids(self):
        facts = self.facts("devices")
        self.assertEqual(facts[-1]["id"], "host")
        for device in facts:
            self.assertGreaterEqual(device["max_group_size"], 1)
        table = self.hoist("devices").stdout
        self.assertEqual(len(table.splitlines()), 1 + len(facts))
        self.assertEqual(self.hoist("devices", "--ids").stdout.split(), [device["id"] for device in facts])

    def test_what_cannot_be_reached_is_noted_on_standard_error(self):
        done = self.hoist("devices", env={**os.environ, "OCL_ICD_VENDORS": str(self.directory)})
        self.assertIn("host", done.stdout)
        self.assertEqual(len(done.stdout.splitlines()), 2)


if __name__ == "__main__":
    unittest.main()
