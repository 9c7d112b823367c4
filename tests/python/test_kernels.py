"""The programs that ship, through Python on each device, against `hoist eval` on the same inputs; HOIST_SLOW=1 takes all, else a
few are taken."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy

import hoist
from support import DEVICES, KERNELS, Case

DTYPES = {"f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8",
          "u16": "uint16", "u32": "uint32", "u64": "uint64", "bool": "bool"}
FEW = {"argmin", "black_scholes", "histogram", "jacobi2d5", "kmeans", "matmul_nn", "nbody", "prefix_sum", "cholesky", "fdtd2d",
       "bilateral", "sgemm"}


def programs():
    """Files with sizes, by name."""
    for folder, size in ((KERNELS, "prime"), (KERNELS / "polybench", "prime"), (KERNELS / "imaging", "prime"),
                         (KERNELS / "low-level", "small")):
        table = json.loads((folder / "sizes.json").read_text())
        for name, row in table.items():
            if size in row and (os.environ.get("HOIST_SLOW") == "1" or name in FEW):
                yield folder / f"{name}.hoist", row[size], row.get("inputs", {})


def leaves_of(text):
    """The scalar types of a flattened type, with the extents before each: "[N](f32, [M]i32)"."""
    text = text.strip()
    extents = []
    while text.startswith("["):
        depth = 0
        for end, letter in enumerate(text):
            depth += {"[": 1, "]": -1}.get(letter, 0)
            if depth == 0:
                break
        extents.append(text[1:end])
        text = text[end + 1:]
    if not text.startswith("("):
        scalar, _, width = text.partition("x")
        return [(extents + ([width] if width else []), scalar)]
    parts, depth, start = [], 0, 1
    for at, letter in enumerate(text):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(letter, 0)
        if (letter == "," and depth == 1) or depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [(extents + inner, scalar) for part in parts for inner, scalar in leaves_of(part)]


def extent(text, sizes):
    values = dict(sizes, ceildiv=lambda a, b: -(-a // b), exactdiv=lambda a, b: a // b, min=min, max=max)
    return int(eval(text.replace("/", "//"), {}, values))


def bound(value, sizes):
    """A number, or one with a size in it, such as "B"."""
    return sizes[value] if isinstance(value, str) else value


def leaf(extents, scalar, limits, sizes, generator):
    shape = tuple(extent(each, sizes) for each in extents)
    if scalar == "bool":
        return generator.integers(0, 2, shape).astype(bool)
    if scalar[0] == "f":
        array = generator.uniform(bound(limits.get("low", -1), sizes), bound(limits.get("high", 1), sizes), shape)
        if "diagonal" in limits:
            array[numpy.arange(shape[0]), numpy.arange(shape[0])] = bound(limits["diagonal"], sizes)
        return numpy.asarray(array).astype(DTYPES[scalar])
    low = bound(limits.get("low", 0 if scalar[0] == "u" else -8), sizes)
    return numpy.asarray(generator.integers(low, bound(limits.get("high", 16), sizes), shape)).astype(DTYPES[scalar])


def nested(leaves, structure):
    """Leaves in the tuples that a type has: the number of leaves is enough for a type of depth one."""
    return leaves[0] if structure == 1 else tuple(leaves)


def flat(result):
    return [each for part in result for each in flat(part)] if isinstance(result, tuple) else [result]


class Kernels(Case):
    def test_equal_to_eval(self):
        with tempfile.TemporaryDirectory() as folder:
            for file, sizes, limits in programs():
                with self.subTest(program=file.name):
                    self.compare(pathlib.Path(folder), file, sizes, limits)

    def compare(self, folder, file, sizes, limits):
        step = hoist.load(file)
        generator = numpy.random.default_rng(1)
        inputs, words = {}, [f"{name}={value}" for name, value in sizes.items()]
        for name, type in step.parameters:
            leaves = [leaf(extents, scalar, limits.get(name, {}), sizes, generator) for extents, scalar in leaves_of(type)]
            inputs[name] = nested(leaves, len(leaves))
            for number, array in enumerate(leaves):
                path = folder / f"{name}.{number}.npy"
                numpy.save(path, array)
                words.append(f"{name}{'' if len(leaves) == 1 else f'.{number}'}={path}")
        count = len(leaves_of(step.result_type))
        results = [folder / f"result.{number}.npy" for number in range(count)]
        subprocess.run([os.environ["HOIST"], "eval", file, *words, "-o", ",".join(map(str, results))], check=True,
                       capture_output=True, text=True)
        expected = [numpy.load(path) for path in results]
        for device in DEVICES:
            got = flat(step(**inputs, **sizes, device=device))
            self.assertEqual(len(got), count)
            for mine, other in zip(got, expected):
                self.assertEqual(mine.dtype, other.dtype)
                if mine.dtype.kind != "f":
                    # What is rounded differently may choose otherwise.
                    self.assertLess(numpy.mean(mine != other.reshape(mine.shape)), 0.02, device)
                    continue
                # Sums are added in another order: 2e-6 was seen at the most.
                size = numpy.max(numpy.abs(other), initial=1e-30)
                numpy.testing.assert_allclose(mine, other.reshape(mine.shape), rtol=0, atol=1e-5 * size, err_msg=device)


if __name__ == "__main__":
    unittest.main()
