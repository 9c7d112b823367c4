"""The decorator `hoist.function`: the text that it writes, and what is told where a function cannot be traced."""
import copy
import math
import pickle
import unittest

import numpy

import hoist
from support import DEVICES, Case, jacobi, plate


@hoist.function
def step(u: "[H][W]f32"):
    """One step of Jacobi's method."""
    return u.pad2(1, 1, "clamp").slide2(3, 1).map2(lambda n: 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1, 2]))


class Traced(Case):
    def test_text_is_that_of_the_builder(self):
        @hoist.function
        def scaledSum(x: "[N]f32"):
            return x.map(lambda e: 2.0 * e).reduce("+", 0.0)
        # As include/hoist/builder.hpp builds it.
        self.assertEqual(scaledSum.text, "def scaledSum(x: [N]f32) =\n  reduce(+, 0.0, map((v1) => (2.0 * v1), x))\n")
        self.assertEqual(scaledSum(numpy.ones(4, numpy.float32)), 8)

    def test_stencil(self):
        u = plate()
        for device in DEVICES:
            self.assert_close(step(u, device=device), jacobi(u))
        self.assertIn("One step of Jacobi's method.", step.__doc__)
        self.assertIn("step(u: [H][W]f32): [H][W]f32", step.__doc__)
        for other in (copy.copy(step), pickle.loads(pickle.dumps(step))):
            self.assert_close(other(u), jacobi(u))
            self.assertEqual(other.__doc__, step.__doc__)

    def test_everything_that_can_be_traced(self):
        @hoist.function(device="host")
        def all(a: "f32", x: "[N]f32", y: "[N]f32", k: "[N]i32"):
            pairs = hoist.zip(x, y).map(lambda e, f: (a * e + f, abs(e) / 2 - f ** 2))
            first = pairs.map(lambda p: p.component(0))
            odd = k.map(lambda i: hoist.if_then_else((i & 1) == 1, i << 2, ~i | 8))
            chosen = hoist.zip(k, x).map(lambda i, e: hoist.if_then_else(hoist.all_of(i > 0, hoist.not_(i == 2), hoist.any_of(e < 9, i != 5)),
                                                                     numpy.sqrt(e), -e))
            total = x.reduce("+", 0.0) / hoist.size("N").as_("f32")
            return first, odd, chosen, total, x.scan(lambda s, e: s + e, 0.0), x.rotate(1)
        x, y, k = numpy.arange(1, 7, dtype=numpy.float32), numpy.ones(6, numpy.float32), numpy.arange(6, dtype=numpy.int32)
        first, odd, chosen, total, sums, turned = all(2, x, y, k)
        self.assert_close(first, 2 * x + y)
        numpy.testing.assert_array_equal(odd, numpy.where(k & 1 == 1, k << 2, ~k | 8))
        self.assert_close(chosen, numpy.where((k > 0) & (k != 2) & ((x < 9) | (k != 5)), numpy.sqrt(x), -x))
        self.assertAlmostEqual(float(total), 3.5, places=5)
        self.assert_close(sums, numpy.cumsum(x))
        self.assert_close(turned, numpy.roll(x, -1))

    def test_loops_and_types(self):
        @hoist.function(device="host", x="[1024]f64")
        def tree(x):
            return x.iterate(10, hoist.typed("[k]f64", lambda v: v.split(2).map(lambda p: p[0] + p[1] * numpy.float64(1))))
        self.assertEqual(tree(numpy.ones(1024))[0], 1024)

        @hoist.function(device="host")
        def double(x: "[N]f64"):
            return x.map(lambda e: e * 0.1 + 1)
        x = numpy.arange(3.0)
        numpy.testing.assert_allclose(double(x), x * 0.1 + 1, rtol=1e-15)

    def test_shared_values_are_computed_once(self):
        @hoist.function
        def twice(x: "[N]f32"):
            y = x.map("sqrt")
            return hoist.zip(y, y).map("+")
        self.assertEqual(twice.text.count("map(sqrt, x)"), 1)
        self.assertIn("let v1 = ", twice.text)

    def test_traced_functions_call_each_other(self):
        @hoist.function(device="host")
        def two(u: "[H][W]f32"):
            return step(step(u))
        self.assert_close(two(plate()), jacobi(jacobi(plate())))


class Refused(Case):
    def trace(self, body, *says, type="[N]f32"):
        return self.refused(lambda: hoist.function(x=type)(body), *says)

    def test_what_asks_for_a_number(self):
        self.trace(lambda x: x.map(lambda e: e if e > 0 else -e), "a condition on an element", "hoist.if_then_else(c, a, b)")
        self.trace(lambda x: x.map(lambda e: e > 0 and e), "hoist.all_of(a, b)")
        self.trace(lambda x: x.map(lambda e: max(e, 0)), "hoist.min(a, b)")
        self.trace(lambda x: x.map(lambda e: 0 < e < 1), "a < b < c")
        self.trace(lambda x: sum(x), "x.map(f) for a loop")
        self.trace(lambda x: [e for e in x], "x.reduce(f, init) for a sum")
        self.trace(lambda x: 3 in x, "x.map(f)")
        self.trace(lambda x: len(x), "hoist.size(\"N\")")
        self.trace(lambda x: x.map(math.sqrt), "hoist.sqrt(x) for math.sqrt(x)")
        self.trace(lambda x: x.map(lambda e: float(e)), "x.as_(\"i32\") for int(x)")
        self.trace(lambda x: range(x[0]), "x.iterate(n, f)")
        self.trace(lambda x: x[1:3], "x.drop(a).take(n)")
        self.trace(lambda x: x.__setitem__(0, 1), "x.update(i, e)")
        self.trace(lambda x: x // 2, "no //")
        self.trace(lambda x: x @ x, "hoist.dotProduct")
        self.trace(lambda x: numpy.cumsum(x), "traced")
        self.trace(lambda x: numpy.sinc(x), "traced")
        self.trace(lambda x: numpy.ones(3) * x, "parameter")
        self.trace(lambda x: x.shape, "hoist.size(\"N\")")
        self.trace(lambda x: x.mapp("sqrt"), "there is no pattern 'mapp'", "did you mean 'map")
        self.trace(lambda x: x.zip(x), "write hoist.zip(a, b)")
        self.trace(lambda x: x.as_("float"), "no type of numbers")
        self.trace(lambda x: x.map(lambda *e: e[0]), "name them")
        self.trace(lambda x: x.map(lambda e: "a"), "is used as a value")
        self.trace(lambda x: x.map(lambda e: None), "is used as a value")
        self.trace(lambda x: lambda e: e, "a function is used as a value")
        self.trace(lambda x: x.map(lambda e: e * 10**30), "at most 64 bits")
        self.trace(lambda x: x.map("\udcff"), "no Unicode text")
        self.trace(lambda x: hoist.size(3), "size is a text")
        self.trace(lambda x: x.component("0"), "p.component(0)")
        self.refused(lambda: hoist.Value(3), "hoist.function")
        self.refused(lambda: hoist.function("def f(x: f32) = x"), "hoist.program(text)")

    def test_what_numpy_has_is_told_in_the_languages_words(self):
        self.trace(lambda x: x.T, "A.transpose()")
        self.trace(lambda x: x.sum(axis=0), "no argument by name", "A.transpose().map(\"sum\")")
        self.trace(lambda x: x.mean(), "x.sum() / hoist.size(\"N\")")
        self.trace(lambda x: x.max(), "x.maximum()")
        self.trace(lambda x: numpy.max(x), "x.maximum()")
        self.trace(lambda x: x.reshape(3, 2), "x.split(n)")
        self.trace(lambda x: numpy.where(x[0] > 0, x, 0), "hoist.if_then_else")
        x = numpy.arange(6, dtype=numpy.float32)
        traced = hoist.function(x="[N]f32", device="host")(lambda x: (x.sum(), x.maximum(), x.sum() / hoist.size("N").as_("f32")))
        self.assertEqual(traced.name, "traced")
        self.assertEqual(traced(x), (15, 5, 2.5))
        clipped = hoist.function(x="[N]f32", device="host")(lambda x: x.map(lambda e: hoist.min(hoist.max(e, 1.0), 3.0)))
        self.assert_close(clipped(x), numpy.clip(x, 1, 3))

    def test_conditions_of_none(self):
        none = hoist.function(x="i32", device="host")(lambda x: (hoist.all_of(), hoist.any_of(), hoist.all_of(x > 0)))
        self.assertEqual(none(1), (True, False, True))

    def test_functions_without_parameters_and_endless_ones(self):
        self.trace(lambda x: x.map(lambda: 1.0), "built traced:2:", "expected the name of a parameter")

        def nested(e):
            for _ in range(100000):
                e = e + 1.0
            return e
        self.trace(lambda x: x.map(nested), "more than 5000 operations are nested", "iterate")

    def test_what_the_language_refuses_shows_the_text(self):
        def wrong(x: "[N]f32"):
            return x.map(lambda e: e & 1)
        error = self.refused(lambda: hoist.function(wrong), "built wrong:2:", "^")
        self.assertIn("test_function.py", error.__notes__[0])
        kept = []

        def keep(e):
            kept.append(e)
            return e

        def escape(x):
            x.map(keep)
            return kept[0]
        self.trace(escape, "outside that function")

    def test_types(self):
        def untyped(x):
            return x
        self.refused(lambda: hoist.function(untyped), "the parameter x of untyped has no type", 'write x: "[N]f32"')
        self.refused(lambda: hoist.function(y="f32")(untyped), "no parameter 'y'")
        self.refused(lambda: hoist.function(x="[N]f33")(untyped), "f33")


if __name__ == "__main__":
    unittest.main()
