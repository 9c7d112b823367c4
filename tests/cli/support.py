"""What the tests of the command line share: calling hoist, and reading and writing .npy files.

The program under test is the one that the environment variable HOIST names.
"""
import ast
import json
import math
import os
import pathlib
import shutil
import struct
import subprocess
import tempfile
import unittest

HOIST = os.environ.get("HOIST", "hoist")
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

AXPY = "def axpy(a: f32, x: [N]f32, y: [N]f32): [N]f32 = zip(x, y) |> map((e, f) => a * e + f)\n"
TWICE = "def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n"

CODES = {"f4": "f", "f8": "d", "i4": "i", "u4": "I", "i8": "q", "u1": "B", "b1": "?", "i1": "b",
         "i2": "h", "u2": "H", "u8": "Q"}


def npy_bytes(code, shape, values, order="<", fortran=False, version=1):
    """The bytes of a .npy file; `values` in the order in which the file holds them."""
    prefix = "|" if code in ("i1", "u1", "b1") else order
    header = f"{{'descr': '{prefix}{code}', 'fortran_order': {fortran}, 'shape': {tuple(shape)!r}, }}"
    width = 2 if version == 1 else 4
    total = 6 + 2 + width + len(header) + 1
    header += " " * (-total % 64) + "\n"
    start = b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H" if version == 1 else "<I", len(header))
    return start + header.encode() + struct.pack(f"{order}{len(values)}{CODES[code]}", *values)


def read_npy(path):
    """The type's code, the shape and the elements in row-major order of a file as hoist writes it."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    (length,) = struct.unpack("<H", data[8:10])
    assert (10 + length) % 64 == 0
    header = ast.literal_eval(data[10:10 + length].decode())
    assert header["fortran_order"] is False
    code = header["descr"][1:]
    count = math.prod(header["shape"])
    return code, header["shape"], list(struct.unpack(f"<{count}{CODES[code]}", data[10 + length:]))


class Case(unittest.TestCase):
    """A test with a directory of its own, where hoist is called."""

    maxDiff = None

    def setUp(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="hoist-cli-"))
        self.addCleanup(shutil.rmtree, self.directory)

    def file(self, name, content):
        path = self.directory / name
        if isinstance(content, str):
            content = content.encode()
        path.write_bytes(content)
        return name

    def npy(self, name, code, shape, values, **options):
        return self.file(name, npy_bytes(code, shape, values, **options))

    def hoist(self, *arguments, status=0, stdin="", **options):
        """Calls hoist; the exit status must be `status`."""
        done = subprocess.run([HOIST, *map(str, arguments)], cwd=self.directory, input=stdin, text=True,
                              capture_output=True, timeout=600, **options)
        self.assertEqual(done.returncode, status,
                         f"hoist {' '.join(map(str, arguments))}\nstdout: {done.stdout}\nstderr: {done.stderr}")
        return done

    def facts(self, *arguments, **options):
        return json.loads(self.hoist(*arguments, "--json", **options).stdout)

    def refused(self, *arguments, says, status=1, **options):
        """hoist ends with `status` and an error that holds each of the texts `says`, and prints no facts."""
        done = self.hoist(*arguments, status=status, **options)
        for text in [says] if isinstance(says, str) else says:
            self.assertIn(text, done.stderr)
        self.assertEqual(done.stdout, "")
        return done

    def leftovers(self):
        return sorted(path.name for path in self.directory.iterdir())
