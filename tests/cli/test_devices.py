"""hoist run on several devices of one process."""
import collections
import functools
import json
import os
import unittest

from support import ROOT, Case, read_npy

STENCIL = ROOT / "kernels/jacobi2d5.hoist"
# Each part needs a compute unit. PoCL has as many of these as threads, and host as many as OpenMP has, which other tests limit.
UNITS = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"} | {"POCL_MAX_PTHREAD_COUNT": "8"}
PROGRAMS = {
    "def p(x: [N]i32): i32 = x |> reduce(+, 0)\n": ["N=5000"],
    "def p(A: [M][N]f32): [N]f32 = A |> transpose |> map(reduce(+, 0.0))\n": ["M=61", "N=17"],
    "def p(x: [N]i64): ([N]i64, [N]i64) = (map(e => e + e, x), map(e => e * e, reverse(x)))\n": ["N=777"],
    "def p(u: [H][W]f32): [H][W]f32 = u |> pad2(1, 1, wrap) |> slide2(3, 1)"
    " |> map2(n => n[0][1] + 0.5 * n[2][1] - n[1][0])\n": ["H=31", "W=12", "--steps=7"],
}


class Devices(Case):
    def both(self, device, parts, *arguments, **options):
        """The facts of a run on one device and on so many parts of it."""
        common = ["run", *arguments, "--random", "1", "--untuned", "--elements", "100000"]
        one = self.facts(*common, "--device", device, env=UNITS)
        many = self.facts(*common, *["--device", device] * parts, "--verify", env=UNITS, **options)
        return one, many

    def available(self, parts):
        units = {each["id"]: each["compute_units"] for each in self.facts("devices", env=UNITS)}
        return [device for device in ("host", "opencl:0") if units.get(device, 0) >= parts]

    def divided(self):
        """A device that can be divided in two."""
        found = self.available(2)
        if not found:
            self.skipTest("no device has two compute units")
        return found[0]

    def test_results_are_those_of_one_device(self):
        for text, sizes in PROGRAMS.items():
            self.file("p.hoist", text)
            for parts in (2, 3):
                for device in self.available(parts):
                    with self.subTest(text=text, device=device, parts=parts):
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

    def test_parts_of_different_sizes(self):
        for shares in ("3,1", "measured"):
            facts = self.facts("run", STENCIL, "H=47", "W=59", "--random", "1", "--verify", *["--device", self.divided()] * 2,
                               "--shares", shares, "--repeat", "2", env=UNITS)
            self.assertAlmostEqual(sum(each["share"] for each in facts["places"]), 1)
            self.assertEqual(len(facts["wall_seconds"]), 2)
            if shares == "3,1":
                self.assertEqual([each["share"] for each in facts["places"]], [0.75, 0.25])

    def test_a_grid(self):
        for device in self.available(4):
            run = ["run", STENCIL, "H=47", "W=59", "--random", "1", "--steps", "9", "--untuned", "--elements", "100000"]
            one = self.facts(*run, "--device", device, env=UNITS)
            many = self.facts(*run, *["--device", device] * 4, "--grid", "2,2", "--verify", env=UNITS)
            self.assertEqual(many["result"], one["result"])
            self.assertEqual((many["grid"], many["tasks"], many["verified"]), ([2, 2], 20, True))
        run = ["run", STENCIL, "H=47", "W=59", "--random", "1", "--steps", "9", "--untuned", *["--device", self.divided()] * 2]
        self.assertIn("on 2 devices in a grid of 1 by 2 (H = 47, W = 59)", self.hoist(*run, "--grid", "1,2", env=UNITS).stdout)

    def test_two_devices_of_cuda(self):
        if not (fake := os.environ.get("FAKE_CUDA")):
            self.skipTest("no driver")
        cuda = dict(os.environ, HOIST_CUDA_LIBRARY=fake, HOIST_NVRTC_LIBRARY=fake, FAKE_CUDA_DEVICES="2")
        run = ["run", STENCIL, "H=47", "W=59", "--random", "1", "--steps", "5", "--elements", "100000", "--untuned"]
        one = self.facts(*run, "--device", "cuda:0", env=cuda)
        two = self.facts(*run, "--device", "cuda:0", "--device", "cuda:1", "--verify", env=cuda)
        self.assertEqual(two["result"], one["result"])
        self.assertEqual([each["device"] for each in two["places"]], ["cuda:0", "cuda:1"])
        self.refused(*run, "--device", "host", "--device", "cuda:0", env=cuda, says="run kernels in different languages")
        side = self.facts(*run, "--device", "cuda:0", "--device", "cuda:1", "--grid", "1,2", env=cuda)
        self.assertEqual(side["result"], one["result"])

    def test_a_trace(self):
        facts = self.facts("run", STENCIL, "H=47", "W=59", "--random", "1", "--steps", "3", "--trace", "run.json",
                           *["--device", self.divided()] * 2, env=UNITS)
        self.assertLess(facts["computing_seconds"][0], facts["wall_seconds"][0])
        events = [each for each in json.loads((self.directory / "run.json").read_text())["traceEvents"] if each["ph"] == "X"]
        count = collections.Counter((each["pid"], each["tid"], each["cat"]) for each in events)
        for place in (0, 1):
            # A border and the rest in each of three steps, and a row from the other place before all but the first.
            self.assertEqual(count[place, 0, "launch"], 6)
            self.assertEqual(count[place, 1, "copy"], 2)
            self.assertEqual(count[place, 0, "download"], 1)
        self.assertEqual(self.facts("report", "--trace", "run.json")["downloaded_bytes"], 47 * 59 * 4)
        self.refused("run", STENCIL, "H=47", "W=59", "--random", "1", *["--device", self.divided()] * 2, "--trace", "none/t.json",
                     env=UNITS, says="the trace cannot be written")

    def test_files(self):
        self.npy("u.npy", "f4", (20, 3), range(60))
        common = ["run", STENCIL, "u=u.npy", "--steps", "4", "--untuned"]
        device = ["--device", self.divided()]
        self.hoist(*common, *device, "-o", "one.npy", env=UNITS)
        done = self.hoist(*common, *device * 2, "-o", "two.npy", env=UNITS)
        self.assertEqual(read_npy(self.directory / "two.npy"), read_npy(self.directory / "one.npy"))
        self.assertIn("jacobi2d5 on 2 devices (H = 20, W = 3)", done.stdout)
        self.assertIn("4 steps, 72 bytes moved between devices", done.stdout)

    def test_a_plan_before_a_run(self):
        plan = ["run", STENCIL, "H=4096", "W=1000", "--steps", "100", "--device", "host", "--ranks", "16", "--dry-run"]
        facts = self.facts(*plan, "--step-seconds", "0.01", "--bandwidth", "1", "--latency", "5")
        self.assertEqual((facts["ranks"], facts["tasks"]), (16, 48))
        self.assertEqual((facts["moved_bytes"], facts["bytes_of_rank"], facts["messages_of_rank"]), (30 * 4000, 8000, 2))
        self.assertAlmostEqual(facts["transfer_seconds"], 8000 / 1e9 + 2 * 5e-6)
        self.assertAlmostEqual(facts["compute_seconds"], 0.01 / 16)
        self.assertAlmostEqual(facts["efficiency"], 1)
        shared = self.facts(*plan, "--step-seconds", "0.01", "--at-once", "2")
        self.assertAlmostEqual(shared["compute_seconds"], 0.01 / 2)
        self.assertAlmostEqual(shared["efficiency"], 1)
        grid = self.facts(*plan, "--step-seconds", "0.01", "--grid", "4,4")
        self.assertEqual((grid["grid"], grid["tasks"]), ([4, 4], 80))
        # Three borders of all columns and three of all rows, in either direction.
        self.assertEqual(grid["moved_bytes"], 6 * 4 * (1000 + 4096))
        self.assertEqual(grid["messages_of_rank"], 4)
        text = self.hoist(*plan, "--random", "1").stdout
        self.assertIn("jacobi2d5 for 16 ranks, in 48 tasks", text)
        self.assertIn("(measured)", text)
        self.refused("run", STENCIL, "H=9", "W=9", "--ranks", "16", says="--ranks and --dry-run go together")
        self.refused(*plan[:1], STENCIL, "H=9", "W=9", *plan[4:], "--step-seconds", "1", says="give at most 9 devices or ranks")

    def test_wrong_use(self):
        device = ["--device", self.divided()]
        run = ["run", STENCIL, "H=47", "W=59", "--random", "1", *device]
        two = [*run, *device]
        refused = functools.partial(self.refused, env=UNITS)
        refused(*run, "--shares", "1,1", says="--shares needs several devices or ranks")
        refused(*two, "--shares", "1,2,3", says="--shares has 3 numbers for 2 devices or ranks")
        for shares in ("1,", "0,1", "a,b", "1;1"):
            refused(*two, "--shares", shares, says=f"'{shares}' is no list of shares")
        refused(*run, "--grid", "1,1", says="--grid needs several devices or ranks")
        refused(*two, "--grid", "2,2", says="--grid 2,2 has not 2 parts")
        for grid in ("2", "2,", ",2", "0,2", "2x1", "2,1,1", "a,b", "99999999999999999999,1"):
            refused(*two, "--grid", grid, says=f"'{grid}' is no grid")
        self.file("line.hoist", "def line(x: [N]i32): [N]i32 = x |> map(e => e + e)\n")
        refused("run", "line.hoist", "N=64", *two[4:], "--grid", "1,2",
                says=["line cannot be cut into a grid of 1 by 2 parts", "has no two loops", "help: leave the grid out"])
        refused(*two, "--streams", "1,4", says="--streams and --memory are for one device")
        refused(*run, "--device", "none:0", says="none:0", status=2)
        refused(*run, *device * 1000, says="1001")
        self.file("sums.hoist", "def sums(x: [N]i32): [N]i32 = x |> scanSeq(+, 0)\n")
        refused("run", "sums.hoist", "N=64", *two[4:], says=["sums cannot be cut into 2 parts", "help: run it on one device"])
        # A histogram of few elements is computed by one work-group; of many it has parts.
        self.file("counts.hoist", "def counts(k: [N]i32): [16]i32 = fill(N, 1) |> reduceByKey(+, fill(16, 0), k)\n")
        host = ["counts.hoist", "k=random:1:0:16", "--device", "host", "--device", "host"]
        refused("run", *host, "N=50", says=["counts cannot be cut into 2 parts", "would write the whole result", "try larger arrays"])
        self.assertIn("verified", self.hoist("run", *host, "N=200000", "--verify", env=UNITS).stdout)


if __name__ == "__main__":
    unittest.main()
