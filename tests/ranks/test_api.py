#!/usr/bin/env python3
"""The C++ interface on ranks: an application (on_ranks.cpp) that MPI has started.

    ON_RANKS=build/release/tests/on_ranks HOIST=build/release/hoist python3 -m unittest tests/ranks/test_api.py

Ranks share what processors there are. Exit status 77 where there is no mpirun.
"""
import os
import shutil
import subprocess
import sys
import unittest

ON_RANKS, HOIST = os.environ["ON_RANKS"], os.environ["HOIST"]
LAUNCH = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
ALONE = dict(os.environ, OMP_NUM_THREADS="1", POCL_MAX_PTHREAD_COUNT="2", HOIST_MPI_LIBRARY=os.path.join(os.path.dirname(HOIST), "libhoist-mpi.so"))


class Application(unittest.TestCase):
    def ranks(self, count, *words):
        done = subprocess.run([*LAUNCH, "-n", str(count), ON_RANKS, *words], text=True, capture_output=True, timeout=300, env=ALONE)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()), sorted(f"rank {rank}: done" for rank in range(count)))

    def test_without_ranks(self):
        done = subprocess.run([ON_RANKS, "without_mpi"], text=True, capture_output=True, timeout=300, env=ALONE)
        self.assertEqual((done.returncode, done.stdout), (0, "rank 0: done\n"), done.stdout + done.stderr)

    def test_results_are_those_of_one_device(self):
        devices = subprocess.run([HOIST, "devices"], text=True, capture_output=True).stdout
        for count in (1, 2, 3, 4):
            with self.subTest(ranks=count):
                self.ranks(count, "right")
        if "opencl:0" in devices:
            self.ranks(2, "right", "opencl:0")

    def test_what_is_wrong_is_an_error_at_all_ranks(self):
        self.ranks(3, "wrong")


if __name__ == "__main__":
    if shutil.which("mpirun") is None:
        sys.exit(77)
    unittest.main()
