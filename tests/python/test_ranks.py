"""Programs on the ranks of a communicator of mpi4py's. Skipped where mpi4py or mpirun is not there."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import numpy

import hoist

LAUNCH = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
HAS_MPI = shutil.which("mpirun") is not None and subprocess.run([sys.executable, "-c", "import mpi4py"], capture_output=True).returncode == 0


class Ranks(unittest.TestCase):
    @unittest.skipUnless(HAS_MPI, "mpi4py or mpirun is not there")
    def test_results_and_errors(self):
        script = pathlib.Path(__file__).with_name("on_ranks.py")
        library = pathlib.Path(os.environ["HOIST"]).with_name("libhoist-mpi.so")
        for count in (2, 3):
            with self.subTest(ranks=count):
                done = subprocess.run([*LAUNCH, "-n", str(count), sys.executable, "-B", "-m", "mpi4py", script], capture_output=True, text=True, timeout=300,
                                      env=dict(os.environ, OMP_NUM_THREADS="1", HOIST_MPI_LIBRARY=str(library)))
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(sorted(re.findall(r"rank \d: done", done.stdout)), [f"rank {rank}: done" for rank in range(count)])

    def test_what_is_no_communicator(self):
        with self.assertRaisesRegex(hoist.UserError, "is no communicator"):
            hoist.ranks(7)
        step = hoist.program("def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)", device="host")
        with self.assertRaisesRegex(hoist.UserError, "ranks is what hoist.ranks"):
            step(numpy.ones(3, numpy.float32), ranks=7)

    @unittest.skipIf(HAS_MPI, "mpi4py is there")
    def test_without_mpi4py(self):
        with self.assertRaisesRegex(hoist.UserError, "mpi4py is not installed"):
            hoist.ranks()
