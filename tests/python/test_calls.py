"""Calls of programs: arguments, sizes, results, options, and what is told where they are wrong."""
import unittest
import warnings

import numpy

import hoist
from support import AXPY, DEVICES, JACOBI, Case, jacobi, plate, run_python


class Calls(Case):
    def test_positional_and_by_name(self):
        for device in DEVICES:
            axpy = hoist.program(AXPY, device=device)
            x, y = numpy.arange(4, dtype=numpy.float32), numpy.ones(4, numpy.float32)
            for got in (axpy(2, x, y), axpy(2.0, x, y=y), axpy(y=y, x=x, a=numpy.float32(2)), axpy(numpy.array(2, numpy.float32), x, y)):
                self.assert_close(got, 2 * x + y, device)
            # Other sizes of the same program.
            self.assert_close(axpy(1, numpy.ones(9, numpy.float32), numpy.ones(9, numpy.float32)), numpy.full(9, 2, numpy.float32))

    def test_stencil_and_steps(self):
        for device in DEVICES:
            step = hoist.program(JACOBI)
            u = plate()
            kept = u.copy()
            self.assert_close(step(u, device=device), jacobi(u), device)
            expected = u
            for _ in range(7):
                expected = jacobi(expected)
            self.assert_close(step(u, steps=7, device=device), expected, device)
            numpy.testing.assert_array_equal(u, kept)
            self.assertGreater(step.kernel_seconds, 0)

    def test_feed_names_the_input(self):
        step = hoist.program("def mix(u: [N]f32, v: [N]f32): [N]f32 = zip(u, v) |> map((a, b) => a + 2.0 * b)\n", device="host")
        u, v = numpy.ones(3, numpy.float32), numpy.full(3, 10, numpy.float32)
        self.assert_close(step(u, v, steps=3, feed="u"), u + 60)
        self.assert_close(step(u, v, steps=2, feed="v"), numpy.full(3, 43, numpy.float32))
        self.refused(lambda: step(u, v, steps=2), "several inputs", "u, v", "name one")
        self.refused(lambda: step(u, v, feed="u"), "feed needs steps")
        self.refused(lambda: step(u, v, steps=0, feed="u"), "steps is 1 or more")
        self.refused(lambda: step(u, v, steps=2.5, feed="u"), "steps is a whole number")

    def test_state_of_several_arrays(self):
        text = "def turn(s: ([N]f32, [N]i32)): ([N]f32, [N]i32) = (s.0 |> map(e => e + 1.0), s.1 |> map(e => e * 2))\n"
        for device in DEVICES:
            turn = hoist.program(text, device=device)
            a, b = turn((numpy.zeros(4, numpy.float32), numpy.ones(4, numpy.int32)), steps=5)
            numpy.testing.assert_array_equal(a, numpy.full(4, 5, numpy.float32))
            numpy.testing.assert_array_equal(b, numpy.full(4, 32, numpy.int32))

    def test_steps_are_for_arrays(self):
        both = hoist.program("def both(s: ([N]f32, f32)): ([N]f32, f32) = (s.0, s.1)\n", device="host")
        self.refused(lambda: both((numpy.ones(3, numpy.float32), 1), steps=2), "a component of the result is one number", "steps are for")

    def test_tuples_in_and_out(self):
        text = """def sums(bodies: [N](f32, (i32, f64)), pair: (f32, [N]u8)): ((f32, i32), [N]f64) =
  ((bodies |> map(b => b.0) |> reduce(+, pair.0), bodies |> map(b => b.1.0) |> reduce(+, 0)), bodies |> map(b => b.1.1 * 2.0))
"""
        for device in DEVICES:
            sums = hoist.program(text, device=device)
            x, n, d = numpy.arange(3, dtype=numpy.float32), numpy.arange(3, dtype=numpy.int32), numpy.arange(3.0)
            (total, count), doubled = sums((x, (n, d)), (1.5, numpy.zeros(3, numpy.uint8)))
            self.assertEqual((float(total), int(count)), (4.5, 3))
            self.assertIsInstance(total, numpy.float32)
            self.assert_close(doubled, 2 * d)
            self.refused(lambda: sums((x, n), (1.5, numpy.zeros(3, numpy.uint8))), "the input bodies.1 is a tuple of 2 parts", "ndarray")
            self.refused(lambda: sums(x, (1.5, numpy.zeros(3, numpy.uint8))), "the input bodies is a tuple of 2 parts", "program:1:10")
            self.refused(lambda: sums((x, (n, d)), (1.5,)), "the input pair is a tuple of 2 parts", "one of 1")

    def test_every_type(self):
        for name, dtype in (("f32", "float32"), ("f64", "float64"), ("i8", "int8"), ("i16", "int16"), ("i32", "int32"), ("i64", "int64"),
                            ("u8", "uint8"), ("u16", "uint16"), ("u32", "uint32"), ("u64", "uint64")):
            double = hoist.program(f"def double(x: [N]{name}, s: {name}): ([N]{name}, {name}) = (x |> map(e => e + e), s)\n", device="host")
            x = numpy.arange(5, dtype=dtype)
            got, s = double(x, 3)
            numpy.testing.assert_array_equal(got, x + x)
            self.assertEqual((got.dtype, s.dtype, s), (x.dtype, x.dtype, 3))
        flip = hoist.program("def flip(x: [N]bool, b: bool): [N]bool = x |> map(e => e != b)\n", device="host")
        numpy.testing.assert_array_equal(flip(numpy.array([True, False]), True), [False, True])

    def test_sizes_by_name(self):
        chunk = hoist.program("def sums(x: [N]f32): [N / ?t]f32 = x |> split(?t) |> map(reduce(+, 0.0))\n", device="host")
        x = numpy.ones(12, numpy.float32)
        self.assert_close(chunk(x, t=4), numpy.full(3, 4, numpy.float32))
        self.assert_close(chunk(x, t=numpy.int64(3)), numpy.full(4, 3, numpy.float32))
        self.refused(lambda: chunk(x), "tuning parameter ?t", "t = 16")
        self.refused(lambda: chunk(x, t=5), "split")
        self.refused(lambda: chunk(x, t=4, N=13), "must divide N", "N = 13")
        self.refused(lambda: chunk(x, t=4.0), "the size t is a whole number, but float")
        self.refused(lambda: chunk(x, t=2**70), "too large")
        count = hoist.program("def count(T: size, x: [N]f32): [N]f32 = x |> iterate(T, map(e => e + 1.0))\n", device="host")
        self.assert_close(count(x, T=3), x + 3)
        make = hoist.program("def make(x: f32): [N]f32 = fill(N, x)\n", device="host")
        self.assert_close(make(2, N=3), numpy.full(3, 2, numpy.float32))

    def test_results_where_the_caller_wants(self):
        for device in DEVICES:
            step = hoist.program(JACOBI, device=device)
            u, v = plate(), numpy.empty((5, 7), numpy.float32)
            self.assertIs(step(u, out=v), v)
            self.assert_close(v, jacobi(u))
            # In place: the program reads what it had.
            expected = jacobi(u)
            step(u, out=u)
            self.assert_close(u, expected)
            step(u, out=u, steps=3)
            self.assert_close(u, jacobi(jacobi(jacobi(expected))))
        fixed = numpy.zeros((5, 7), numpy.float32)
        fixed.flags.writeable = False
        self.refused(lambda: step(u, out=fixed), "read-only")
        self.refused(lambda: step(u, out=numpy.zeros((7, 5), numpy.float32).T), "not contiguous")
        self.refused(lambda: step(u, out=numpy.zeros((5, 7))), "float64", "numpy.float32")
        self.refused(lambda: step(u, out=numpy.zeros((5, 8), numpy.float32)), "[5][7]f32", "[5][8]f32")
        self.refused(lambda: step(u, out=[0]), "list")

    def test_options_beside_parameters_of_their_names(self):
        step = hoist.program("def f(steps: f32, out: [N]f32): [N]f32 = out |> map(e => e * steps)\n", device="host")
        x = numpy.ones(3, numpy.float32)
        self.assert_close(step(2, x), 2 * x)
        self.assert_close(step(steps=2, out=x, steps_=3, feed="out"), 8 * x)
        y = numpy.empty(3, numpy.float32)
        self.assertIs(step(2, x, out_=y), y)


class WrongCalls(Case):
    def setUp(self):
        self.step = hoist.program(JACOBI, name="jacobi.hoist", device="host")
        self.axpy = hoist.program(AXPY, device="host")

    def test_types_with_the_place(self):
        error = self.refused(lambda: self.step(plate().astype(numpy.float64)), "jacobi.hoist:3:12: error: the input u is [H][W]f32",
                             "elements of f64", "^", "u.astype(numpy.float32)")
        self.assertEqual(error.problems[0].location, hoist.Location("jacobi.hoist", 3, 12))
        self.refused(lambda: self.step(plate().astype(object)), "elements of object", "array of objects")
        self.refused(lambda: self.step(plate().astype(numpy.float16)), "elements of float16")
        self.refused(lambda: self.step(plate().astype(complex)), "elements of complex128")
        self.refused(lambda: self.step(numpy.array([["a"]])), "elements of <U1")
        self.refused(lambda: self.step([[1.0]]), "but list was given", "numpy.array(u, dtype=numpy.float32)")
        self.refused(lambda: self.step(numpy.ma.masked_array(plate(), plate() > 0.5)), "has a mask", "u.filled(0)")
        self.refused(lambda: self.step(None), "but NoneType was given")
        self.refused(lambda: self.step(1.0), "but float was given")
        self.refused(lambda: self.step(numpy.float32(1.0)), "one number was given")

    def test_numbers(self):
        x = numpy.ones(2, numpy.float32)
        for wrong, says in (("2", "str"), (None, "NoneType"), (numpy.float64(2), "f64"), (x, "array"), (10**400, "too large"), (2j, "complex")):
            self.refused(lambda: self.axpy(wrong, x, x), "program:1:10", says)
        integers = hoist.program("def f(n: u8, x: [N]u8): [N]u8 = x |> map(e => e + n)\n", device="host")
        y = numpy.ones(2, numpy.uint8)
        numpy.testing.assert_array_equal(integers(255, y), [0, 0])
        for wrong, says in ((256, "does not hold 256"), (-1, "does not hold -1"), (1.0, "float"), (True, "bool"), (2**70, "does not hold")):
            self.refused(lambda: integers(wrong, y), says)

    def test_shapes(self):
        x = numpy.ones(3, numpy.float32)
        self.refused(lambda: self.step(x), "the input u is [H][W]f32, but [3]f32 was given", "^")
        self.refused(lambda: self.axpy(1, x, numpy.ones(4, numpy.float32)), "N = 3", "has 4", "program:1:29")
        for empty in (numpy.ones((0, 3), numpy.float32), numpy.ones((3, 0), numpy.float32)):
            self.refused(lambda: self.step(empty), "would be 0, but sizes are at least 1")

    def test_names_and_numbers_of_arguments(self):
        x = numpy.ones(3, numpy.float32)
        self.refused(lambda: self.axpy(1, x), "the input y is not given", "program:1:29")
        self.refused(lambda: self.axpy(1, x, x, x), "takes 3 arguments, but 4 were given")
        self.refused(lambda: self.axpy(1, x, x, y=x), "y is given twice")
        self.refused(lambda: self.axpy(1, x, x, step=2), "no parameter, size or option 'step'", "did you mean 'steps'?")
        self.refused(lambda: self.axpy(), "no inputs are given")
        self.refused(lambda: self.axpy(1, x, x, steps=2), "several inputs")
        self.refused(lambda: self.step(plate(), device="host:7"), "host:7", kind=hoist.DeviceError)
        self.refused(lambda: self.step(plate(), device=7), "device is a text")

    def test_faults_while_it_runs(self):
        read = hoist.program("def read(x: [N]f32, i: i32): f32 = x[i]\n", device="host")
        x = numpy.arange(4, dtype=numpy.float32)
        self.assertEqual(read(x, 2), 2)
        self.refused(lambda: read(x, 4), "an index was outside its array")
        self.assertEqual(read(x, 3), 3)

    def test_texts(self):
        self.refused(lambda: hoist.program("def f(x: [N]f32) = x |> mapp(sqrt)\n", name="mine"), "mine:1:", "did you mean")
        self.refused(lambda: hoist.program(""), "no definition")
        self.refused(lambda: hoist.program(3), "text is a text, but int was given")
        self.refused(lambda: hoist.program(JACOBI + "// \udcff"), "no Unicode text")
        self.refused(lambda: hoist.program(JACOBI, device=3), "a device is given by its id")
        self.refused(lambda: hoist.load("/nowhere/at/all.hoist"), "cannot be read")
        self.refused(lambda: hoist.program(JACOBI, entry="other"), "no definition is named 'other'")


class Layouts(Case):
    def test_what_is_not_dense_is_copied_and_told_once(self):
        step = hoist.program(JACOBI, device="host")
        u = plate(7, 5).T
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.assert_close(step(u), jacobi(u))
            self.assert_close(step(u[:, ::-1]), jacobi(u[:, ::-1]))
        self.assertEqual([each.category for each in told], [hoist.CopyWarning])
        self.assertIn("the input u of jacobi is not contiguous", str(told[0].message))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            other = hoist.program(JACOBI, device="host")
            self.assert_close(other(plate().astype(">f4")), jacobi(plate()))
        self.assertIn("of another byte order", str(told[0].message))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaises(hoist.CopyWarning):
                hoist.program(JACOBI, device="host")(u)

    def test_addresses_that_are_not_aligned(self):
        for device in DEVICES:
            step = hoist.program(JACOBI, device=device)
            memory = numpy.zeros(4 * 36 + 4, numpy.uint8)
            for offset in (0, 1, 4):
                u = memory[offset:offset + 4 * 35].view(numpy.float32).reshape(5, 7)
                u[...] = plate()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self.assert_close(step(u), jacobi(plate()), offset)

    def test_vectors_in_memory_of_any_address(self):
        """OpenCL has vectors at multiples of their size only: arrays that begin elsewhere are copied there."""
        text = "def twice(x: [N]f32): [N]f32 = x |> asVector(8) |> mapGlb(0, e => e + e) |> asScalar\n"
        ran = run_python(f"""
import hoist, numpy
for device in {DEVICES!r}:
    twice = hoist.program({text!r}, device=device)
    memory, result = numpy.arange(96, dtype=numpy.float32), numpy.zeros(96, numpy.float32)
    for first in range(17):
        out = result[first:first + 64]
        twice(memory[first:first + 64], out=out)
        numpy.testing.assert_array_equal(out, 2 * memory[first:first + 64])
""")
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_read_only_inputs(self):
        for device in DEVICES:
            u = plate()
            u.flags.writeable = False
            self.assert_close(hoist.program(JACOBI, device=device)(u), jacobi(u))


if __name__ == "__main__":
    unittest.main()
