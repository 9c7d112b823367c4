"""What the tests of the module for Python share: HOIST names the program `hoist`, PYTHONPATH has the package."""
import os
import pathlib
import subprocess
import sys
import threading
import unittest

import numpy

import hoist

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
KERNELS = ROOT / "kernels"
DEVICES = [each.id for each in hoist.devices() if not each.id.startswith("cuda")]

JACOBI = """\
// 5-point Jacobi step:
// the mean of each element and its neighbours.
def jacobi(u: [H][W]f32): [H][W]f32 =
  u |> pad2(1, 1, clamp) |> slide2(3, 1)
    |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))
"""
PAIRS = "def pairs(p: [N](f32, i32), s: u8, m: [M][N]f64): ([M][N]f64, i32) = (m, p |> map(e => e.1) |> reduce(+, i32(s)))\n"
AXPY = "def axpy(a: f32, x: [N]f32, y: [N]f32): [N]f32 = zip(x, y) |> map((e, f) => a * e + f)\n"


def jacobi(u):
    """What JACOBI means, by NumPy."""
    p = numpy.pad(u, 1, mode="edge")
    return (numpy.float32(0.2) * (p[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])).astype(numpy.float32)


def plate(height=5, width=7, seed=1):
    return numpy.random.default_rng(seed).random((height, width), dtype=numpy.float32)


def in_threads(count, call):
    """Calls it with 0, 1, ... at the same time, and waits for all."""
    threads = [threading.Thread(target=call, args=(each,)) for each in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


class Case(unittest.TestCase):
    def assert_close(self, got, expected, message=None):
        self.assertEqual(got.shape, expected.shape, message)
        self.assertEqual(got.dtype, expected.dtype, message)
        numpy.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6, err_msg=str(message or ""))

    def refused(self, call, *says, kind=hoist.UserError):
        """That the call raises an error whose text has these parts."""
        with self.assertRaises(kind) as caught:
            call()
        for each in says:
            self.assertIn(each, str(caught.exception))
        return caught.exception


def run_python(script, seconds=300, **environment):
    """Runs a script in an interpreter of its own."""
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=seconds,
                          env={**os.environ, **environment})
