"""Wrong calls, generated from right ones. test_wrong_calls.py runs this in processes of its own, so that a crash is told:

    wrong_calls.py SEED FIRST COUNT

prints two lines of JSON for each call: what it is before it is made, and then what came of it. `verdict` is "right" where an
exception of the kind that is expected names what is wrong, or has its place in the program's text.
"""
import faulthandler
import json
import pickle
import random
import sys
import typing

import numpy

import hoist
from support import AXPY, JACOBI, PAIRS, plate

CHUNK = "def sums(x: [N]f32): [N / ?t]f32 = x |> split(?t) |> map(reduce(+, 0.0))\n"
FILL = "def make(x: f32): [N]f32 = fill(N, x)\n"
NAN, INFINITE = float("nan"), float("inf")


class Right(typing.NamedTuple):
    """A call that is right: of a program, with inputs by name, and sizes and options by name."""
    step: hoist.Program
    inputs: dict
    named: dict

    def sizes(self):
        return [*self.step.sizes, *self.step.tuning_parameters]


class Wrong(typing.NamedTuple):
    """A call that is wrong: a function, the exceptions that are expected of it, and words of which its text has one at
    least, where it has no place."""
    call: typing.Callable
    kinds: tuple = (hoist.UserError,)
    says: tuple = ()
    what: str = ""


def right_calls(device="host"):
    x = numpy.arange(6, dtype=numpy.float32)
    steps = [hoist.program(text, device=device) for text in (JACOBI, AXPY, PAIRS, CHUNK, FILL)]
    return [Right(steps[0], {"u": plate()}, {}), Right(steps[1], {"a": 2.0, "x": x, "y": x}, {}),
            Right(steps[2], {"p": (x, numpy.arange(6, dtype=numpy.int32)), "s": 3, "m": numpy.ones((2, 6))}, {}),
            Right(steps[3], {"x": x}, {"t": 3}), Right(steps[4], {"x": 1.0}, {"N": 5}),
            Right(steps[0], {"u": hoist.array(plate(), device)}, {})]


# ---- Values that cannot stand for an input

class NotAnArray:
    def __array__(self, *_, **__):
        raise RuntimeError("no array")


class Lying:
    """Says that it is an array on a CUDA device."""
    def __init__(self, interface):
        self.__cuda_array_interface__ = interface


class LyingTensor:
    """Says so through DLPack, with a capsule that holds nothing of the kind."""
    def __init__(self, device, capsule):
        self.device, self.capsule = device, capsule

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **_):
        return self.capsule


def lies():
    there = {"data": (4096, False), "shape": (6,), "typestr": "<f4", "version": 3}
    for change in ({"data": None}, {"data": 3}, {"data": ()}, {"shape": ("a",)}, {"shape": 3}, {"shape": (-6,)}, {"typestr": "f"},
                   {"typestr": "<fx"}, {"typestr": 4}, {"strides": (4, 4, 4)}, {"strides": "abc"}, {"stream": "s"}, {"typestr": "<c8"}):
        yield Lying({**there, **change})
    for missing in ("data", "shape", "typestr"):
        yield Lying({name: value for name, value in there.items() if name != missing})
    for interface in (None, 3, "there", [], {}):
        yield Lying(interface)
    for device, capsule in (((2, 0), None), ((2, 0), 3), ((2, 0), hoist.array(plate(), "host").__dlpack__), ("2", "0"), ((2, 0), object())):
        yield LyingTensor(device, capsule)
    for device in (None, 3, (), ("a", "b"), (2,)):
        yield LyingTensor(device, None)


LIES = list(lies())


def other_type(value, chance):
    types = ["float16", "float32", "float64", "int8", "int32", "int64", "uint8", "complex64", "bool", "object", "U3", "S2", "M8[s]"]
    array = numpy.asarray(value)
    return array.astype(chance.choice([each for each in types if numpy.dtype(each) != array.dtype]))


def wrong_number(chance):
    return chance.choice([None, "3", b"3", [], (), {}, numpy.ones(3), numpy.complex64(3), 3j, object(), 10**400, -10**400, NotAnArray(),
                          numpy.float16(1), numpy.datetime64("2000"), numpy.ones((1, 1)), lambda: 3, plate, Ellipsis])


def wrong_value(value, chance):
    """Something that cannot stand for the value."""
    if isinstance(value, tuple):
        return chance.choice([value[:1], value + value[:1], value[0], None, (), [], {}, (value[1], value[0]), (value[0], None),
                              (wrong_value(value[0], chance), value[1])])
    if isinstance(value, hoist.DeviceArray):
        value = value.numpy()
    if not isinstance(value, numpy.ndarray):
        return wrong_number(chance)
    if chance.random() < 0.25:
        return chance.choice(LIES)
    return chance.choice([None, "array", 7, 2.5, [1, 2], {}, (value,), object(), NotAnArray(), value.tolist(), memoryview(b"abc"),
                          bytearray(b"abcd"), value.reshape(-1)[:0], numpy.zeros((0,) * value.ndim, value.dtype), value[None],
                          value.reshape(-1)[0], numpy.float32(NAN), other_type(value, chance), value.dtype, type(value),
                          numpy.ma.masked_array(value.astype("int64")), numpy.array([value, value], dtype=object),
                          numpy.zeros(value.shape, [("a", "f4")]), hoist.array(value.astype("int16"), "host"), CLOSED, hoist])


# An array on a device that was closed.
CLOSED = hoist.array(numpy.ones(6, numpy.float32), "host")
hoist.close("host")


def holds(thing, kind):
    return isinstance(thing, kind) or (isinstance(thing, tuple) and any(holds(each, kind) for each in thing))


def wrong_input(right, chance):
    name = chance.choice(list(right.inputs))
    value = wrong_value(right.inputs[name], chance)
    kinds, says = (hoist.UserError,), (f"input {name}",)
    if holds(value, NotAnArray):
        kinds, says = (RuntimeError, hoist.UserError), ("no array",)  # what an object of the caller's raises itself
    if holds(value, (Lying, LyingTensor)):
        kinds, says = (hoist.UserError, hoist.DeviceError), (f"input {name}", f"given for {name}")  # there may be no CUDA
    if value is CLOSED or (isinstance(value, tuple) and any(each is CLOSED for each in value)):
        kinds, says = (hoist.DeviceError, hoist.UserError), ("was closed",)
    return {**right.inputs, name: value}, right.named, kinds, says


# ---- Arguments that are too few, too many, or called otherwise

def missing(right, chance):
    name = chance.choice(list(right.inputs))
    inputs = {each: value for each, value in right.inputs.items() if each != name}
    return inputs, right.named, (hoist.UserError,), (f"input {name}", "no inputs are given")


def unknown_name(right, chance):
    names = ["uu", "N_", "devices_", "step", "", "x y", "self", "q", "Steps", "OUT", "é", "\udcff", "\0", "x" * 10000, "inputs", "args"]
    name = chance.choice(names)
    value = chance.choice([1, None, NAN, *right.inputs.values()])
    return right.inputs, {**right.named, name: value}, (hoist.UserError,), ("no parameter, size or option",)


def other_order(right, chance):
    """Two inputs are exchanged whose types differ."""
    names = list(right.inputs)
    if len(names) == 1:
        return missing(right, chance)
    at = chance.randrange(len(names) - 1)
    if names[at] == "x":
        at = 0
    inputs = {**right.inputs, names[at]: right.inputs[names[at + 1]], names[at + 1]: right.inputs[names[at]]}
    return inputs, right.named, (hoist.UserError,), (f"input {names[at]}", f"input {names[at + 1]}")


def wrong_size(right, chance):
    sizes = right.sizes()
    name = chance.choice(sizes)
    value = chance.choice([NAN, INFINITE, numpy.float64(NAN), "5", b"5", None, 0, -1, -2**63, 2**63, 2**200, 2.0, True, [5], numpy.ones(2), 5j,
                           2**62, 10**15])
    # A tuning parameter that is larger than what it divides is no less wrong.
    return right.inputs, {**right.named, name: value}, (hoist.Error, ValueError), (name, "memory", "too big", "bytes")


def wrong_device(right, chance):
    device = chance.choice(["host:3", "opencl:99", "metal", "nothing", "cuda:77", 7, b"host", "host ", "\0", "\udcff", NAN, [], "hos", "HOST",
                            object(), ("host",), "opencl:-1", "opencl:x"])
    text = device if isinstance(device, str) else ""
    return right.inputs, {**right.named, "device": device}, (hoist.Error,), ("device", text)


def wrong_devices(right, chance):
    devices = chance.choice(["host", 7, NAN, [], (), [7], ["host:3"], [b"host"], [None], [["host"]], {"host": 1}, object(), ["\udcff"], ["host", "none"]])
    return right.inputs, {**right.named, "devices": devices}, (hoist.Error,), ("device",)


def wrong_shares(right, chance):
    shares = chance.choice(["1", 7, [], [0], [-1.0], [NAN], [INFINITE], [1, 1, 1], ["x"], [None], {"a": 1}, object(), [2**2000]])
    with_devices = {} if chance.random() < 0.3 else {"devices": ["host"]}
    return right.inputs, {**right.named, "shares": shares, **with_devices}, (hoist.Error,), ("share", "cannot be given to several devices")


def wrong_grid(right, chance):
    grid = chance.choice(["2", 7, [], [0], (1,), (1, 2, 3), (0, 1), (-1, 1), (2, 2), (2**70, 1), (NAN, 1), ("a", "b"), (1.5, 1), (None, 1), {}, object(),
                          {"rows": 1}, b"ab", (10**6, 10**6),
                          (3, (2**65 + 1) // 3), (2**32, 2**32)])
    with_devices = {} if chance.random() < 0.3 else {"devices": ["host"]}
    return right.inputs, {**right.named, "grid": grid, **with_devices}, (hoist.Error,), ("grid", "cannot be given to several devices")


def wrong_ranks(right, chance):
    ranks = chance.choice([0, 7, "world", [], object(), NAN, True, b"ranks", hoist.ranks])
    return right.inputs, {**right.named, "ranks": ranks}, (hoist.UserError,), ("ranks is what hoist.ranks",)


def wrong_steps(right, chance):
    count = chance.choice([0, -3, "2", 2**80, True, NAN, INFINITE, 2.5, [], numpy.float32(2), -2**70, b"2", object(), numpy.ones(2, int),
                           numpy.ones(2)])
    return right.inputs, {**right.named, "steps": count}, (hoist.UserError,), ("steps",)


def wrong_wait(right, chance):
    wait = chance.choice(["yes", "", 0, 1, NAN, [], b"True", object(), numpy.ones(2, bool), numpy.ones(1, bool), numpy.float32(1), (True,), {}])
    places = {"devices": ["host"]} if chance.random() < 0.3 and not holds(tuple(right.inputs.values()), hoist.DeviceArray) else {}
    return right.inputs, {**right.named, "wait": wait, **places}, (hoist.UserError,), ("wait is True or False",)


def wrong_feed(right, chance):
    feed = chance.choice(["nobody", 3, b"u", NAN, "", "u.0", "\udcff", ["u"]])
    named = {**right.named, "feed": feed, **({} if chance.random() < 0.3 else {"steps": 2})}
    if feed == "":
        named = {**right.named, "feed": "nobody"}
    return right.inputs, named, (hoist.UserError,), ("feed", "steps", "input")


def wrong_out(right, chance):
    result = right.step(**right.inputs, **right.named)
    array = numpy.array(result[0] if isinstance(result, tuple) else result)
    fixed = array.copy()
    fixed.flags.writeable = False
    unaligned = numpy.zeros(array.nbytes + 1, numpy.uint8)[1:].view(array.dtype).reshape(array.shape)
    strided = numpy.zeros((*array.shape, 2), array.dtype)[..., 0]
    out = chance.choice([numpy.zeros(3), [1], "x", 3, NAN, fixed, unaligned, strided, array.astype(">f4" if array.itemsize == 4 else ">f8"),
                         array.astype("int64"), array.astype(object), numpy.zeros((*array.shape, 1), array.dtype), array[..., :0], array[None],
                         hoist.array(array.astype("int16"), "host"), hoist.array(numpy.ones(99, array.dtype), "host"), CLOSED, (array,),
                         (array, array, array), object(), array.tolist(), chance.choice(LIES), memoryview(array), NotAnArray()])
    if isinstance(result, tuple) and isinstance(out, numpy.ndarray):
        out = (out, result[1]) if chance.random() < 0.5 else out
    return right.inputs, {**right.named, "out": out}, (hoist.Error,), ("result", "output", "was closed")


def called(change):
    def wrong(rights, chance):
        right = chance.choice(rights)
        inputs, named, kinds, says = change(right, chance)
        # The first ones positional, where nothing is missing before them.
        positional = []
        names = [name for name, _ in right.step.parameters]
        for name in names[:chance.randrange(len(names) + 1)]:
            if name not in inputs:
                break
            positional.append(inputs[name])
        rest = {name: value for name, value in inputs.items() if name not in names[:len(positional)]}
        what = f"{change.__name__}: {right.step.name}(*{positional!r}, **{rest!r}, **{named!r})"
        return Wrong(lambda: right.step(*positional, **rest, **named), kinds, says, what)
    return wrong


def surplus(rights, chance):
    right = chance.choice(rights)
    positional = [*right.inputs.values(), *chance.choice([[1], [None], [NAN, 2], list(right.inputs.values())])]
    return Wrong(lambda: right.step(*positional, **right.named), says=("takes",), what=f"surplus: {right.step.name}")


def twice(rights, chance):
    right = chance.choice(rights)
    name = chance.choice(list(right.inputs))
    return Wrong(lambda: right.step(*right.inputs.values(), **right.named, **{name: right.inputs[name]}), says=(f"input {name} is given twice",),
                 what=f"twice: {right.step.name} {name}")


# ---- Other methods and functions

def same(x):
    return x


def misspelt(x):
    return x.mapp("sqrt")


def conditional(x):
    return x.map(lambda e: 1.0 if e > 0 else e)


def traced(rights, chance):
    """A function that cannot be traced, or is wrong as a program of the language: of an array, of pairs, of a number."""
    thing = chance.choice([None, b"x", object(), 10**400, 1j, {}, numpy.ones(3), numpy.ones(3, object), lambda: 3, hoist, ..., range(3)])
    x = numpy.ones(6, numpy.float32)
    of_arrays = [
        lambda a: a.map(thing), lambda a: a.reduce(thing, 0.0), lambda a: a.reduce("+", thing), lambda a: a.reduce("+"), lambda a: a.map(),
        lambda a: a.map("sqrt", "sqrt"), lambda a: a.map("sqrtt"), lambda a: a.map("("), lambda a: a.map(""), lambda a: a.map("\0"),
        lambda a: a.map("\udcff"), lambda a: a.map(lambda e, f: e), lambda a: a.map(lambda: 1.0), lambda a: a.map(lambda e: thing),
        lambda a: a.map(lambda e: e[0]), lambda a: a.map(lambda e: e.component(0)), lambda a: a.map(lambda e: e & 1),
        lambda a: a.T, lambda a: a.sum(axis=0), lambda a: a.mean(), lambda a: a.max(), lambda a: a.reshape(3, 2), lambda a: a.shape[0],
        lambda a: a.astype("f32"), lambda a: a.nobody, lambda a: a[thing], lambda a: a["0"], lambda a: a[1.5], lambda a: a[0:2], lambda a: a[-7],
        lambda a: a + 1.0, lambda a: -a, lambda a: a + thing, lambda a: thing * a, lambda a: a ** "a", lambda a: a // 2, lambda a: a @ a,
        lambda a: ~a, lambda a: a > 0, lambda a: a and a, lambda a: len(a), lambda a: list(a), lambda a: sum(a), lambda a: float(a[0]),
        lambda a: numpy.sum(a), lambda a: numpy.add.reduce(a), lambda a: numpy.clip(a, 0, 1), lambda a: numpy.array(a), lambda a: numpy.max(a),
        lambda a: numpy.sqrt(a), lambda a: a.slide(thing, 1), lambda a: a.slide("S", 1), lambda a: a.slide(0, 1), lambda a: a.slide(3, -1),
        lambda a: a.split(0), lambda a: a.take(-1), lambda a: a.pad(1, 1, "clampp"), lambda a: a.pad(1, thing, "clamp"), lambda a: a.pad(1, 1, thing),
        lambda a: a.as_(thing), lambda a: a.as_("f33"), lambda a: a.as_("f32"), lambda a: a.component(thing), lambda a: a.component(0),
        lambda a: a.iterate(3, hoist.typed(thing, lambda b: b)), lambda a: a.iterate(3, hoist.typed("[k]f33", lambda b: b)),
        lambda a: a.iterate(3, hoist.typed("[k]f32", thing)), lambda a: a.iterate(thing, lambda b: b), lambda a: hoist.apply(thing, a),
        lambda a: hoist.apply("nobody", a), lambda a: hoist.apply("map", thing, a), lambda a: hoist.apply("\udcff", a), lambda a: hoist.apply("zip", a),
        lambda a: hoist.zip(a), lambda a: hoist.zip(), lambda a: hoist.zip(a, thing), lambda a: hoist.zip(a, x), lambda a: hoist.zip(a, 3),
        lambda a: hoist.sqrt(a), lambda a: hoist.sqrt(thing), lambda a: hoist.sqrt("x"), lambda a: hoist.sqrt(1.0, 2.0), lambda a: hoist.dotProduct(a),
        lambda a: hoist.if_then_else(a, 1, 2), lambda a: hoist.if_then_else(a[0], 1, 2), lambda a: hoist.if_then_else(thing, 1, 2),
        lambda a: hoist.if_then_else(a[0] > 0, a, 2), lambda a: hoist.all_of(a, a), lambda a: hoist.all_of(thing), lambda a: hoist.all_of(a[0], "x"),
        lambda a: hoist.any_of(a[0] > 0, thing), lambda a: hoist.any_of("x"), lambda a: hoist.not_(thing), lambda a: hoist.not_(a),
        lambda a: hoist.not_("x"), lambda a: hoist.size(thing), lambda a: hoist.size("N +"), lambda a: hoist.size(""), lambda a: hoist.size("M"),
        lambda a: hoist.size("\udcff"), lambda a: hoist.size(3), lambda a: hoist.tuple(), lambda a: hoist.tuple(a, thing), lambda a: hoist.tuple("a", a),
        lambda a: hoist.Value(thing), lambda a: hoist.Value(3) + a, lambda a: thing, lambda a: "a", lambda a: (), lambda a: [a, thing],
        lambda a: rights[0].step(a), lambda a: hoist.nobody(a),
        lambda a: float(rights[1].step(2.0, a, a)),
    ]
    number = chance.randrange(len(of_arrays))
    types = {"x": "[N]f32"}
    if chance.random() < 0.1:
        types = chance.choice([{}, {"x": "[N]f33"}, {"x": thing}, {"x": ""}, {"x": "[N]f32 y"}, {"x": "[n]f32"}, {"x": "[N]f32", "y": "f32"},
                               {"x": "[N"}, {"x": "\udcff"}, {"x": 3}, {"X y": "f32"}])
    if chance.random() < 0.05:
        types["device"] = chance.choice([None, 7, [], NAN, object(), b"host"])

    def body(x):
        return of_arrays[number](x)
    return Wrong(lambda: hoist.function(**types)(body), (hoist.UserError, AttributeError),
                 ("help:", "is a text", "no Unicode text", "'nobody'", "a device is given by its id"),
                 f"traced: {number} of {types!r} with {thing!r}")


def elsewhere(rights, chance):
    right = chance.choice(rights)
    step = right.step
    thing = chance.choice([3, None, NAN, b"x", [], object()])
    array = hoist.array(numpy.ones(6, numpy.float32), "host")
    u = numpy.ones(6, numpy.float32)
    sizes = {each: 6 for each in right.sizes()}
    calls = [
        (lambda: step.tune(*right.inputs.values(), **right.named, budget=chance.choice(["soon", "", NAN, -1, 0, None, [], "1x"])), hoist.UserError,
         "length of time"),
        (lambda: step.tune(*right.inputs.values(), **right.named, budget=1, evaluations=chance.choice(["x", -1, NAN, []])), hoist.UserError,
         "evaluations"),
        (lambda: step.tune(*right.inputs.values(), **right.named, budget=1, seed=chance.choice(["x", NAN, []])), hoist.UserError, "seed"),
        (lambda: step.tune(*right.inputs.values(), **right.named, effort=1), hoist.UserError, "effort"),
        (lambda: step.tune(budget=1), hoist.UserError, "no inputs"),
        (lambda: step.source(thing), hoist.UserError, "language"),
        (lambda: step.source("metal"), hoist.UserError, "metal"),
        (lambda: step.source("host", **{step.sizes[0]: NAN}), hoist.UserError, step.sizes[0]),
        (lambda: step.source("host", steps=3), hoist.UserError, "steps"),
        (lambda: step.explain(*right.inputs.values(), **right.named, steps=3), hoist.UserError, "steps"),
        (lambda: step.explain(device="metal", *right.inputs.values(), **right.named), hoist.Error, "metal"),
        (lambda: step.export("/nowhere/at/all", device=thing, **sizes), hoist.UserError, "device"),
        (lambda: step.export("/nowhere/at/all", device="tpu", **sizes), hoist.UserError, "tpu"),
        (lambda: step.export(chance.choice([3, NAN, []]), device="host", **sizes), TypeError, ""),
        (lambda: step.export("/nowhere/at/all", device="host", name="a b", **sizes), hoist.UserError, "name"),
        (lambda: step.export("/proc/nowhere", device="host", **sizes), OSError, "/proc/nowhere"),
        (lambda: step.report(store=thing), hoist.UserError, "store"),
        (lambda: step.report(store="/nowhere/at/all.db"), hoist.Error, "nowhere"),
        (lambda: step.report(nobody=3), hoist.UserError, "nobody"),
        (lambda: step.on(thing), hoist.UserError, "device"),
        # The device of the first right call's arrays is the one of the program.
        (lambda: rights[0].step.on("host:7")(*rights[0].inputs.values()), hoist.Error, "host:7"),
        (lambda: hoist.array(chance.choice([["a"], [None], [1j], [object()], numpy.zeros(2, "M8[s]")]), "host"), hoist.UserError, "type"),
        (lambda: hoist.array([[1.0], [1.0, 2.0]], "host"), ValueError, ""),
        (lambda: hoist.array(u, thing), hoist.UserError, "device"),
        (lambda: hoist.array(u, "metal"), hoist.Error, "metal"),
        (lambda: hoist.close(thing), hoist.UserError, "device"),
        (lambda: hoist.close("metal"), hoist.UserError, "metal"),
        (lambda: CLOSED.numpy(), hoist.DeviceError, "was closed"),
        (lambda: numpy.from_dlpack(CLOSED), hoist.DeviceError, "was closed"),
        (lambda: array.__dlpack__(copy=True), BufferError, "copies"),
        (lambda: array.__dlpack__(dl_device=(2, 0)), BufferError, "copies"),
        (lambda: array.__array__(copy=False), ValueError, "copy"),
        (lambda: array.__cuda_array_interface__, AttributeError, "__cuda_array_interface__"),
        (lambda: hoist.program(thing), hoist.UserError, "text"),
        (lambda: hoist.program(step.text, entry=thing), hoist.UserError, "entry"),
        (lambda: hoist.program(step.text, entry="nobody"), hoist.UserError, "nobody"),
        (lambda: hoist.program(step.text, name=thing), hoist.UserError, "name"),
        (lambda: hoist.program(step.text, device=thing), hoist.UserError, "device"),
        (lambda: hoist.load(chance.choice(["/nowhere/at/all.hoist", "/", "/proc/self/mem", "/" + "x" * 10000])), hoist.UserError, "/"),
        (lambda: hoist.load("a\0b"), (hoist.UserError, ValueError), ""),
        (lambda: hoist.load(chance.choice([3, None, NAN, []])), TypeError, ""),
        (lambda: hoist.nobody, AttributeError, "nobody"),
        (lambda: hoist.Program(chance.choice([step.text, None, 3, b"x", []])), hoist.UserError, "hoist.program(text)"),
        (lambda: hoist.Value(thing), hoist.UserError, "hoist.Value"),
        (lambda: hoist.ranks(chance.choice([3, "world", NAN, [], object()])), hoist.UserError, "communicator"),
        (lambda: hoist.devices(thing), TypeError, "devices()"),
        (lambda: hoist.DeviceArray(u), TypeError, "DeviceArray"),
        (lambda: array.wait(thing), TypeError, "wait()"),
        (lambda: CLOSED.wait(), hoist.DeviceError, "was closed"),
        (lambda: array[0], TypeError, "DeviceArray"),
        (lambda: array.nobody, AttributeError, "nobody"),
        (lambda: pickle.loads(pickle.dumps(CLOSED)), hoist.DeviceError, "was closed"),
        (lambda: step.tune(*right.inputs.values(), **right.named, budget=1, wait=True), hoist.UserError, "wait"),
        (lambda: step.tune(*right.inputs.values(), **right.named, budget=1, store=chance.choice([3, NAN, [], "/nowhere/at/all.db"])), hoist.Error, "store"),
        (lambda: step.tune(*right.inputs.values(), **right.named, budget=1, fresh=chance.choice(["x", [], numpy.ones(2)])), hoist.UserError, "fresh"),
        (lambda: step.tune(*right.inputs.values(), **right.named, budget=1, search=chance.choice(["x", NAN, [], 3])), hoist.UserError, "search"),
        (lambda: step.explain(*right.inputs.values(), **right.named, wait=True), hoist.UserError, "wait"),
        (lambda: step.source("host", wait=True), hoist.UserError, "wait"),
        (lambda: step.report(device=thing), hoist.UserError, "device"),
        (lambda: step.report(device="metal"), hoist.UserError, "metal"),
        (lambda: hoist.Report("page").save(chance.choice([3, None, NAN, []])), TypeError, ""),
        (lambda: hoist.Report("page").save("/nowhere/at/all.html"), OSError, "/nowhere"),
        (lambda: hoist.load("/nowhere/at/all.hoist", entry=thing), hoist.UserError, "entry"),
        (lambda: hoist.function(chance.choice([3, step.text, "f", NAN, [], b"x"])), hoist.UserError, "hoist.function"),
        (lambda: hoist.function(len), hoist.UserError, "parameter obj"),
        (lambda: hoist.function(dict), hoist.UserError, "dict"),
        (lambda: hoist.function(lambda *x: x), hoist.UserError, "name them"),
        (lambda: hoist.function(same), hoist.UserError, "parameter x"),
        (lambda: hoist.function(x="[N]f33")(same), hoist.UserError, "f33"),
        (lambda: hoist.function(y="[N]f32")(same), hoist.UserError, "parameter 'y'"),
        (lambda: hoist.function(x="[N]f32")(misspelt), hoist.UserError, "mapp"),
        (lambda: hoist.function(x="[N]f32")(conditional), hoist.UserError, "if_then_else"),
    ]
    number = chance.randrange(len(calls))
    call, kinds, says = calls[number]
    return Wrong(call, kinds if isinstance(kinds, tuple) else (kinds,), (says,), f"elsewhere: {number} of {step.name} with {thing!r}")


KINDS = [(called(wrong_input), 6), (called(missing), 1), (called(unknown_name), 2), (called(other_order), 1), (called(wrong_size), 2),
         (called(wrong_device), 1), (called(wrong_devices), 1), (called(wrong_shares), 1),
         (called(wrong_grid), 1), (called(wrong_ranks), 1), (called(wrong_steps), 1), (called(wrong_wait), 1), (called(wrong_feed), 1), (called(wrong_out), 3), (surplus, 1), (twice, 1),
         (elsewhere, 5), (traced, 5)]


def verdict(wrong):
    """What came of a call."""
    try:
        wrong.call()
    except Exception as error:
        text = str(error)
        if isinstance(error, hoist.Bug) or not isinstance(error, wrong.kinds):
            return f"{type(error).__name__}: {text}"
        has_place = isinstance(error, hoist.Error) and any(each.location for each in error.problems)
        if has_place or any(each in text for each in wrong.says):
            return "right"
        return f"neither a place nor one of {wrong.says}: {text}"
    return "raises nothing"


def printable(text):
    return text.encode("utf-8", "backslashreplace").decode()[:1000]


def main():
    seed, first, count = map(int, sys.argv[1:])
    faulthandler.enable()
    rights = right_calls()
    for number in range(first, first + count):
        chance = random.Random(seed * 1000003 + number)
        make = chance.choices([each for each, _ in KINDS], [weight for _, weight in KINDS])[0]
        wrong = make(rights, chance)
        print(json.dumps({"call": number, "what": printable(wrong.what)}), flush=True)
        print(json.dumps({"call": number, "verdict": printable(verdict(wrong))}), flush=True)
    for right in rights:
        right.step(**right.inputs, **right.named)
    print(json.dumps({"ended": True}), flush=True)


if __name__ == "__main__":
    main()
