#!/usr/bin/env python3
"""hoist run as several ranks of MPI: results, what is read and written, and what is said of faults.

    HOIST=build/release/hoist python3 -m unittest tests/ranks/test_ranks.py      # a few programs on 1, 2, 3 and 7 ranks
    HOIST=... HOIST_SLOW=1 python3 ...      # those of kernels/ on 1, 2, 3, 4 and 7, on the host and on PoCL

Ranks share what processors there are. Exit status 77 where there is no mpirun, or no libhoist-mpi.so beside hoist.
"""
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/cli"))
from support import AXPY, HOIST, Case, npy_bytes, read_npy  # noqa: E402

STENCIL = ROOT / "kernels/jacobi2d5.hoist"
IS_SLOW = os.environ.get("HOIST_SLOW", "0") != "0"
LAUNCH = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
ALONE = dict(os.environ, OMP_NUM_THREADS="1", POCL_MAX_PTHREAD_COUNT="2")
# Programs, and the input that takes the result in steps, or None.
FEW = {"jacobi2d5": "u", "matmul_nn": None, "dot": None, "gemv_transposed": None, "black_scholes": None, "mriq": None}


def suite():
    return json.loads((ROOT / "kernels/sizes.json").read_text())


def values_of(sizes, name):
    """Sizes that are no multiples of anything, and inputs that need a range."""
    values = [f"{size}={value}" for size, value in sizes[name]["prime"].items()]
    for number, (each, range_) in enumerate(sizes[name].get("inputs", {}).items()):
        values.append(f"{each}=random:{number}:{range_['low']}:{range_['high']}")
    return values


class Ranks(Case):
    def ranks(self, count, *arguments, status=0, environment=None, launch=()):
        """Starts so many ranks; the launcher's exit status must be `status`, or any but 0 where it is None."""
        done = subprocess.run([*LAUNCH, *launch, "-n", str(count), HOIST, *map(str, arguments)], cwd=self.directory, text=True,
                              capture_output=True, timeout=300, env=environment or ALONE)
        said = f"{count} ranks: hoist {' '.join(map(str, arguments))}\nstdout: {done.stdout}\nstderr: {done.stderr}"
        if status is None:
            self.assertNotEqual(done.returncode, 0, said)
        else:
            self.assertEqual(done.returncode, status, said)
        return done

    def parts(self, *parts):
        """A launch of several programs, one rank each, and no output; gives its status and what it says."""
        words = []
        for part in parts:
            words += [":"] * bool(words) + ["-n", "1", *map(str, part)]
        done = subprocess.run([*LAUNCH, *words], cwd=self.directory, text=True, capture_output=True, timeout=300, env=ALONE)
        self.assertNotEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "")
        return done

    def lines_of_ranks(self, done):
        return [line for line in done.stderr.splitlines() if re.search(r"rank \d+ of \d+: ", line)]

    def expect_same(self, one, many, is_handed_on):
        """To the bit, but for what NaN consists of. Floats that ranks add up one after the other are near, as another order of
        a sum is."""
        if (self.directory / one).read_bytes() == (self.directory / many).read_bytes():
            return
        (code, shape, expected), (other, other_shape, got) = (read_npy(self.directory / each) for each in (one, many))
        self.assertEqual((code, shape), (other, other_shape))
        self.assertEqual([each != each for each in expected], [each != each for each in got])
        differ = [(at, a, b) for at, (a, b) in enumerate(zip(expected, got))
                  if a == a and (a != b or math.copysign(1, a) != math.copysign(1, b))]
        if not is_handed_on:
            self.assertEqual(differ[:3], [], f"{len(differ)} of {len(got)} elements differ")
        scale = max((abs(each) for each in expected if math.isfinite(each)), default=0)
        for _, a, b in differ:
            self.assertLessEqual(abs(a - b), 1e-5 * scale)

    def devices(self):
        found = [each["id"] for each in self.facts("devices")]
        return [device for device in (["host", "opencl:0"] if IS_SLOW else ["host"]) if device in found]

    def test_results_are_those_of_one_device(self):
        sizes = suite()
        compared, refused, handed_on = 0, 0, set()
        for name in sizes if IS_SLOW else FEW:
            for device in self.devices():
                common = ["run", ROOT / f"kernels/{name}.hoist", *values_of(sizes, name), "--random", "1", "--untuned",
                          "--device", device]
                steps = ["--steps", "5"] if not IS_SLOW and FEW[name] else []
                if IS_SLOW and subprocess.run([HOIST, *map(str, common), "--steps", "2"], capture_output=True).returncode == 0:
                    steps = ["--steps", "3"]
                outputs = len(self.facts(*common, env=ALONE)["result"])
                one, many = (",".join(f"{which}{at}.npy" for at in range(outputs)) for which in ("one", "many"))
                self.hoist(*common, *steps, "-o", one, env=ALONE)
                for count in (1, 2, 3, 4, 7) if IS_SLOW else (1, 2, 3, 7):
                    with self.subTest(program=name, device=device, ranks=count):
                        launch = [*LAUNCH, "-n", str(count), HOIST, *map(str, [*common, *steps, "--json", "-o"])]
                        run = dict(cwd=self.directory, text=True, capture_output=True, timeout=300, env=ALONE)
                        done = subprocess.run([*launch, many], **run)
                        if done.returncode != 0:
                            # What cannot be cut, or not into so many parts, says so, and why.
                            self.assertIn("cannot be cut into", done.stderr)
                            self.assertRegex(done.stderr, "note: |help: ")
                            refused += 1
                            continue
                        compared += 1
                        sums = json.loads(done.stdout).get("handed_on", [])
                        if sums:
                            handed_on.add((name, device))
                            again = subprocess.run([*launch, many.replace("many", "again")], **run)
                            self.assertEqual(again.returncode, 0, again.stderr)
                        for at in range(outputs):
                            self.expect_same(f"one{at}.npy", f"many{at}.npy", sums != [])
                            if sums:
                                self.expect_same(f"many{at}.npy", f"again{at}.npy", False)
        print(f"compared {compared}, refused {refused}, sums handed on by {sorted(handed_on)}")
        self.assertGreater(compared, 250 if IS_SLOW else 20)
        self.assertEqual([name for name in self.leftovers() if name.endswith(".part")], [])

    def test_grids(self):
        """Files are read and written in rows of parts, and gathered where the result is shown or verified."""
        programs = {"jacobi2d5": "H=47 W=61", "jacobi2d9": "H=40 W=33", "jacobi3d7": "D=9 H=12 W=7", "matmul_nn": "M=20 N=30 K=10",
                    "convolution2d": "H=33 W=40 R=2", "gemver": "N=24"}
        for name, sizes in programs.items():
            for device in self.devices():
                run = ["run", ROOT / f"kernels/{name}.hoist", *sizes.split(), "--random", "1", "--untuned", "--device", device]
                steps = ["--steps", "5"] if "jacobi" in name else []
                outputs = len(self.facts(*run, env=ALONE)["result"])
                one, many = (",".join(f"{which}{at}.npy" for at in range(outputs)) for which in ("one", "many"))
                self.hoist(*run, *steps, "-o", one, env=ALONE)
                for grid in ("2,2", "1,3", "3,2"):
                    with self.subTest(program=name, device=device, grid=grid):
                        count = int(grid[0]) * int(grid[2])
                        done = self.ranks(count, *run, *steps, "--grid", grid, "--json", "-o", many)
                        facts = json.loads(done.stdout)
                        self.assertEqual(facts["grid"], [int(grid[0]), int(grid[2])])
                        for at in range(outputs):
                            self.expect_same(f"one{at}.npy", f"many{at}.npy", facts["handed_on"] != [])
                        self.ranks(count, *run, *steps, "--grid", grid, "--verify")
        u = [at % 17 for at in range(40 * 24)]
        self.npy("u.npy", "f4", (40, 24), u)
        run = ["run", STENCIL, "u=u.npy", "--steps", "3", "--untuned", "--device", "host"]
        self.hoist(*run, "-o", "one.npy", env=ALONE)
        self.ranks(4, *run, "--grid", "2,2", "--shares", "1,2,3,1", "-o", "many.npy")
        self.assertEqual(read_npy(self.directory / "many.npy"), read_npy(self.directory / "one.npy"))

    def test_what_a_rank_reads_and_writes(self):
        self.file("axpy.hoist", AXPY)
        self.npy("x.npy", "f4", [101], range(101))
        self.npy("y.npy", "f4", [101], range(101), order=">")
        done = self.ranks(3, "run", "axpy.hoist", "a=2", "x=x.npy", "y=y.npy", "--device", "host", "-o", "out.npy", "--json")
        facts = json.loads(done.stdout)
        self.assertEqual(facts["ranks"], 3)
        self.assertEqual(len(facts["places"]), 3)
        self.assertEqual(facts["upload_bytes"], 2 * 101 * 4)
        self.assertEqual(read_npy(self.directory / "out.npy"), ("f4", (101,), [3 * i for i in range(101)]))
        # Without a file rank 0 shows the whole result, once.
        done = self.ranks(2, "run", "axpy.hoist", "a=2", "x=x.npy", "y=y.npy", "--device", "host", "--verify", "--shares", "3,1")
        self.assertEqual(done.stdout.count("result: [101]f32 = [0, 3, 6,"), 1)
        self.assertIn("75.", done.stdout)
        self.assertIn("verified: 101 elements agree", done.stdout)

    def test_a_trace_of_all_ranks(self):
        self.ranks(3, "run", STENCIL, "H=64", "W=64", "--random", "1", "--steps", "5", "--device", "host", "--repeat", "2",
                   "--trace", "run.json")
        events = [each for each in json.loads((self.directory / "run.json").read_text())["traceEvents"] if each["ph"] == "X"]
        self.assertEqual({each["pid"] for each in events}, {0, 1, 2})
        # A row goes each way between neighbours after each step but the last: it is sent, and received.
        rows = [each for each in events if each["cat"] == "copy"]
        self.assertEqual(len(rows), 4 * 4 * 2)
        self.assertEqual({(each["tid"], each["args"]["bytes"]) for each in rows}, {(1, 64 * 4)})

    def test_messages_from_devices(self):
        """Through the host's memory and not; on a driver that runs commands at once, or as late as they may."""
        if not (fake := os.environ.get("FAKE_CUDA")):
            self.skipTest("no driver")
        cuda = dict(ALONE, HOIST_CUDA_LIBRARY=fake, HOIST_NVRTC_LIBRARY=fake, FAKE_CUDA_DEVICES="3")
        run = ["run", STENCIL, "H=47", "W=59", "--random", "1", "--steps", "9", "--untuned"]
        self.hoist(*run, "--device", "cuda:0", "-o", "one.npy", env=cuda)
        late = dict(cuda, FAKE_CUDA_SEED="1")
        for environment in (dict(cuda, HOIST_MPI_DEVICE_MEMORY="0"), dict(late, HOIST_MPI_DEVICE_MEMORY="0"),
                            dict(cuda, HOIST_MPI_DEVICE_MEMORY="1"), dict(late, HOIST_MPI_DEVICE_MEMORY="1")):
            self.ranks(3, *run, "-o", "many.npy", environment=environment)
            self.expect_same("one.npy", "many.npy", False)

    def test_ranks_of_one_machine_share_memory_or_send_messages(self):
        """Halos of more than a piece of 1 MiB, in more steps than are on their way at once."""
        run = ["run", STENCIL, "H=13", "W=300001", "--random", "1", "--steps", "9", "--untuned", "--device", "host"]
        self.hoist(*run, "-o", "one.npy", env=ALONE)
        for shared in "10":
            for count in (2, 3):
                with self.subTest(shared=shared, ranks=count):
                    self.ranks(count, *run, "-o", "many.npy", environment=dict(ALONE, HOIST_MPI_SHARED_MEMORY=shared))
                    self.expect_same("one.npy", "many.npy", False)

    def test_messages_from_memory_that_is_in_use(self):
        sizes = suite()
        for name, fed in FEW.items():
            with self.subTest(name):
                run = ["run", ROOT / f"kernels/{name}.hoist", *values_of(sizes, name), "--random", "1", "--device", "host", "--untuned"]
                run += ["--steps", "4", "--feed", fed] if fed else []
                outputs = len(self.facts(*run, env=ALONE)["result"])
                for reaches in ("0", "1"):
                    self.ranks(3, *run, "-o", ",".join(f"{reaches}{at}.npy" for at in range(outputs)),
                               environment=dict(ALONE, HOIST_MPI_DEVICE_MEMORY=reaches))
                for at in range(outputs):
                    self.expect_same(f"0{at}.npy", f"1{at}.npy", False)

    def test_one_rank_is_any_run(self):
        done = self.ranks(1, "run", STENCIL, "H=9", "W=8", "--random", "1", "--device", "host", "--streams", "1,3", "--json")
        self.assertEqual(json.loads(done.stdout)["streams"]["tasks"], 3)

    def test_commands_of_the_page(self):
        page = (ROOT / "docs/devices.md").read_text()
        commands = [line for line in page.splitlines() if line.startswith(("hoist ", "mpirun"))]
        self.assertGreater(len(commands), 3)
        for command in commands:
            words = [word.replace("kernels/", f"{ROOT}/kernels/") for word in command.split("  #")[0].split()]
            if words[0] == "mpirun":
                self.ranks(words[2], *words[4:])
            else:
                self.hoist(*words[1:], env=dict(os.environ))

    def test_scripts_of_a_cluster(self):
        settings = dict(ALONE, HOIST=HOIST, LAUNCH=" ".join([*LAUNCH, "-n", "2"]), PROGRAM=str(STENCIL), SIZES="H=64 W=64",
                        STEPS="3", BUDGET="60", STORE="store.sqlite", OPTIONS="--device host --evaluations 2")
        for script in ("run.sh", "tune.sh"):
            done = subprocess.run([ROOT / "examples/slurm" / script], cwd=self.directory, env=settings, text=True,
                                  capture_output=True, timeout=300)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read_npy(self.directory / "u.npy")[1], (64, 64))
        self.assertIn("store.sqlite", self.leftovers())

    # ---- What is wrong is told once, on one line, and nothing half written is left

    def test_more_ranks_than_rows(self):
        done = self.ranks(4, "run", STENCIL, "H=3", "W=40", "--random", "1", "--device", "host", status=1)
        self.assertEqual(done.stderr.count("cannot be cut into 4 parts"), 1)
        self.assertIn("give at most 3 devices or ranks", done.stderr)

    def test_errors_of_all_are_told_once(self):
        done = self.ranks(3, "run", "none.hoist", "N=3", status=None)
        self.assertEqual(done.stderr.count("none.hoist"), 1)

    def test_ranks_that_differ(self):
        run = [HOIST, "run", STENCIL, "W=40", "--random", "1", "--device", "host"]
        for other, says in [(["H=31"], "it runs another program, or other sizes, than rank 0"),
                            (["H=30", "--verify"], "it has other options than rank 0"),
                            (["H=30", "u=random:7"], "it has other inputs than rank 0")]:
            lines = self.lines_of_ranks(self.parts([*run, "H=30", "-o", "out.npy"], [*run, "-o", "out.npy", *other]))
            self.assertEqual(len(lines), 1)
            self.assertIn(f"rank 1 of 2: {says}", lines[0])
        self.assertEqual(self.leftovers(), [])

    def test_a_file_that_one_rank_cannot_read(self):
        self.file("axpy.hoist", AXPY)
        whole = npy_bytes("f4", [100], range(100))
        self.file("x.npy", whole)
        self.file("short.npy", whole[:-40])
        run = [HOIST, "run", "axpy.hoist", "a=2", "y=x.npy", "--device", "host", "-o", "out.npy"]
        lines = self.lines_of_ranks(self.parts([*run, "x=x.npy"], [*run, "x=short.npy"]))
        self.assertEqual(len(lines), 1)
        self.assertIn("rank 1 of 2: short.npy is truncated", lines[0])
        self.assertEqual(self.leftovers(), ["axpy.hoist", "short.npy", "x.npy"])

    def test_files_that_differ(self):
        self.file("axpy.hoist", AXPY)
        self.npy("x.npy", "f4", [5000], range(5000))
        self.npy("swapped.npy", "f4", [5000], range(5000), order=">")
        run = [HOIST, "run", "axpy.hoist", "a=2", "y=x.npy", "--device", "host", "-o", "out.npy"]
        for at in (0, 2500, 4999):
            self.npy("other.npy", "f4", [5000], [each + (each == at) for each in range(5000)])
            lines = self.lines_of_ranks(self.parts([*run, "x=x.npy"], [*run, "x=other.npy"]))
            self.assertEqual(len(lines), 1)
            self.assertIn("rank 1 of 2: its inputs hold other numbers than rank 0", lines[0])
        self.assertFalse((self.directory / "out.npy").exists())
        # The same numbers may be in files of another kind.
        words = ["-n", "1", *run, "x=x.npy", ":", "-n", "1", *run, "x=swapped.npy"]
        subprocess.run([*LAUNCH, *map(str, words)], cwd=self.directory, check=True, capture_output=True, timeout=300, env=ALONE)
        self.assertEqual(read_npy(self.directory / "out.npy")[2], [3 * each for each in range(5000)])

    def test_a_device_that_one_rank_loses(self):
        if not (fake := os.environ.get("FAKE_CUDA")):
            self.skipTest("no driver")
        names = {"HOIST_CUDA_LIBRARY": fake, "HOIST_NVRTC_LIBRARY": fake, "FAKE_CUDA_DEVICES": "2"}
        run = [*(f"{name}={value}" for name, value in names.items()), HOIST, "run", STENCIL, "H=64", "W=64", "--random", "1", "--untuned",
               "--device", "cuda:0", "--device", "cuda:1", "--steps", "9", "-o", "out.npy"]
        for lost in (0, 1):
            parts = [["env", *run], ["env", *run]]
            parts[lost].insert(1, "FAKE_CUDA_FAIL_LAUNCH=5")
            lines = self.lines_of_ranks(self.parts(*parts))
            self.assertEqual(len(lines), 1, lines)
            self.assertIn(f"rank {lost} of 2: ", lines[0])
            self.assertEqual(self.leftovers(), [])

    def test_a_full_disk_at_one_rank(self):
        run = [HOIST, "run", STENCIL, "H=64", "W=64", "--random", "1", "--device", "host", "-o", "out.npy"]
        self.ranks(2, *run[1:])  # what is compiled then lies in a cache
        (self.directory / "out.npy").unlink()
        full = ["sh", "-c", 'ulimit -f 8; exec "$0" "$@"', *run]  # blocks of 512 bytes
        for parts in ([run, full], [full, run]):
            lines = self.lines_of_ranks(self.parts(*parts))
            self.assertEqual(len(lines), 1)
            self.assertIn(f"rank {parts.index(full)} of 2: out.npy cannot be written: File too large", lines[0])
            self.assertEqual(self.leftovers(), [])

    def test_a_rank_that_is_killed(self):
        run = [HOIST, "run", STENCIL, "H=64", "W=64", "--random", "1", "--device", "host", "--steps", "100000000", "-o", "out.npy"]
        self.file("rank.sh", 'echo $$ > pid.$OMPI_COMM_WORLD_RANK; exec "$@"\n')
        job = subprocess.Popen([*LAUNCH, "-n", "2", "sh", "rank.sh", *map(str, run)], cwd=self.directory, env=ALONE,
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        deadline = time.monotonic() + 60
        while not (self.directory / "pid.1").exists() or not (self.directory / "pid.1").read_text().strip():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.1)
        time.sleep(3)  # the ranks compute
        self.assertIsNone(job.poll())
        os.kill(int((self.directory / "pid.1").read_text()), signal.SIGKILL)
        _, said = job.communicate(timeout=60)
        self.assertNotEqual(job.returncode, 0, said)
        self.assertFalse((self.directory / "out.npy").exists())

    def test_no_library_and_another_launcher(self):
        run = ["run", STENCIL, "H=9", "W=8", "--random", "1", "--device", "host"]
        done = self.ranks(2, *run, status=None, environment=dict(ALONE, HOIST_MPI_LIBRARY="none.so"))
        self.assertIn("Open MPI's mpirun has started hoist as one of several ranks, but Hoist's library for MPI cannot be opened",
                      done.stderr)
        # MPI itself is not what Hoist opens, of whichever vendor.
        found = subprocess.run(["sh", "-c", "ldd $0 | awk '/libmpi[.]so/ { print $3 }'", pathlib.Path(HOIST).parent / "libhoist-mpi.so"],
                               text=True, capture_output=True).stdout.strip()
        done = self.ranks(2, *run, status=None, environment=dict(ALONE, HOIST_MPI_LIBRARY=found))
        self.assertIn("has started hoist as one of several ranks, but ", done.stderr)
        self.assertIn(found, done.stderr)
        self.refused(*run, env=dict(ALONE, PMI_SIZE="4"), says=["a launcher has started 4 ranks, but ", " knows of 1"])

    def test_wrong_use(self):
        run = ["run", STENCIL, "H=9", "W=8", "--random", "1", "--device", "host"]
        for more, says in [(["--shares", "1"], "--shares has 1 number for 2 devices or ranks"),
                           (["--shares", "1,0"], "'1,0' is no list of shares"),
                           (["--grid", "2,2"], "--grid 2,2 has not 2 parts"),
                           (["--grid", "2"], "'2' is no grid"),
                           (["--streams", "1,4"], "--streams and --memory are for one device"),
                           (["-o", "none/out.npy"], "none/out.npy cannot be written")]:
            done = self.ranks(2, *run, *more, status=None)
            self.assertEqual(done.stderr.count(says), 1, done.stderr)


if __name__ == "__main__":
    if shutil.which("mpirun") is None or not (pathlib.Path(HOIST).parent / "libhoist-mpi.so").exists():
        sys.exit(77)
    unittest.main()
