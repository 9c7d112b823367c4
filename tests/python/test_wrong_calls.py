"""A thousand wrong calls, generated from right ones: each raises an exception of Hoist's that names a place or what is wrong."""
import random
import unittest

import numpy

import hoist
from support import AXPY, DEVICES, JACOBI, Case, plate

PAIRS = "def pairs(p: [N](f32, i32), s: u8, m: [M][N]f64): ([M][N]f64, i32) = (m, p |> map(e => e.1) |> reduce(+, i32(s)))\n"


def right_calls():
    x = numpy.arange(6, dtype=numpy.float32)
    yield JACOBI, (plate(),), {}
    yield AXPY, (2.0, x, x), {}
    yield PAIRS, ((x, numpy.arange(6, dtype=numpy.int32)), 3, numpy.ones((2, 6))), {}


def other_type(value, chance):
    types = ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "complex64", "bool", "object", "U3", "S2", "M8[s]"]
    array = numpy.asarray(value)
    return array.astype(chance.choice([each for each in types if numpy.dtype(each) != array.dtype]))


class NotAnArray:
    def __init__(self, chance):
        self.chance = chance

    def __array__(self, *_, **__):
        raise RuntimeError("no array")


class Lying:
    """Says that it is an array on a CUDA device, and where there is none."""
    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


def wrong_value(value, chance):
    """Something that cannot stand for the value."""
    if isinstance(value, tuple):
        return chance.choice([value[:1], value + value[:1], value[0], None, (), [], (wrong_value(value[0], chance), value[1])])
    if not isinstance(value, numpy.ndarray):
        return chance.choice([None, "3", b"3", [], (), {}, numpy.ones(3), numpy.complex64(3), 3j, object(), 10**400, -10**400, NotAnArray(chance)])
    choices = [None, "array", 7, 2.5, [1, 2], {}, (value,), object(), NotAnArray(chance), value.tolist(), memoryview(b"abc"),
               value.reshape(-1)[:0], numpy.zeros((0,) * value.ndim, value.dtype), value[None], value.reshape(-1)[0],
               other_type(value, chance), numpy.ma.masked_array(value.astype("int64")), numpy.array([value, value], dtype=object)]
    return chance.choice(choices)


def wrong_call(inputs, named, chance):
    """What is wrong, and the arguments."""
    inputs, named = list(inputs), dict(named)
    kind = chance.randrange(8)
    at = chance.randrange(len(inputs))
    if kind <= 2:
        inputs[at] = wrong_value(inputs[at], chance)
    elif kind == 3:
        del inputs[at]
    elif kind == 4:
        inputs.insert(at, inputs[at])
    elif kind == 5:
        named[chance.choice(["uu", "N_", "devices", "step", "", "x y", "self", "q"])] = chance.choice([1, None, inputs[at]])
    elif kind == 6:
        named["device"] = chance.choice(["host:3", "opencl:99", "cuda", "nothing", "", 7, b"host", "host ", "\0", "\udcff"])
        if named["device"] in ("", "cuda"):
            named["device"] = "metal"
    else:
        name, value = chance.choice([("steps", 0), ("steps", -3), ("steps", "2"), ("steps", 2**80), ("steps", True), ("feed", "nobody"), ("feed", 3),
                                     ("out", numpy.zeros(3)), ("out", [1]), ("out", "x"), ("N", 0), ("N", -1), ("N", "5"), ("N", 2**63), ("H", 10**5)])
        named[name] = value
    return inputs, named


class WrongCalls(Case):
    def test_a_thousand(self):
        seed = 1
        chance = random.Random(seed)
        calls = list(right_calls())
        steps = {text: hoist.program(text, device="host") for text, _, _ in calls}
        raised = 0
        for number in range(1000):
            text, inputs, named = chance.choice(calls)
            wrong, others = wrong_call(inputs, named, chance)
            what = f"call {number} of seed {seed}: {steps[text].name}{tuple(wrong)!r} {others!r}"
            try:
                steps[text](*wrong, **others)
            except hoist.Error as error:
                raised += 1
                self.assertTrue(str(error).strip(), what)
                self.assertNotIsInstance(error, hoist.Bug, what)
            except (RuntimeError, UnicodeEncodeError) as error:
                # What an object of the caller's raised itself, or a text that is none.
                self.assertTrue("no array" in str(error) or "surrogates" in str(error), what)
                raised += 1
            else:
                self.fail(what + " raises nothing")
        self.assertEqual(raised, 1000)
        for text, inputs, named in calls:
            steps[text](*inputs, **named)

    def test_interfaces_that_say_nonsense(self):
        step = hoist.program(AXPY, device="host")
        x = numpy.ones(3, numpy.float32)
        for interface in ({}, {"data": (0, False)}, {"data": 3, "shape": (3,), "typestr": "<f4"}, None, 3,
                          {"data": (4096, False), "shape": ("a",), "typestr": "<f4", "version": 3},
                          {"data": (4096, False), "shape": (3,), "typestr": "f", "version": 3}):
            with self.assertRaises((hoist.Error, KeyError, TypeError, RuntimeError, ValueError), msg=repr(interface)):
                step(1, Lying(interface), x)

    def test_texts_of_programs(self):
        chance = random.Random(2)
        letters = "()[]{}|>=,.:+-*/ \nabcNfx0123456789\"'\\?_#"
        for text, _, _ in list(right_calls()) * 60:
            changed = list(text)
            for _ in range(chance.randrange(1, 4)):
                at = chance.randrange(len(changed))
                changed[at] = chance.choice(letters) if chance.random() < 0.6 else ""
            try:
                hoist.program("".join(changed))
            except hoist.Error as error:
                self.assertNotIsInstance(error, hoist.Bug, "".join(changed))
                self.assertTrue(error.problems[0].location, "".join(changed))


if __name__ == "__main__":
    unittest.main()
