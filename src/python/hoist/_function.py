"""The decorator `function`, which traces a function of Python's over patterns.

    @hoist.function
    def jacobi2d5(u: "[H][W]f32"):
        return u.pad2(1, 1, "clamp").slide2(3, 1).map2(
            lambda n: 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))

The function is called once, with Values in the place of arrays. What it does to them is written down, as text of the
language, by the same builder that C++ has; so what it may do is what the language has, and what Python would have to know a
number for (`if`, `for`, `len`) is refused with what to write in its place.
"""
import ast
import difflib
import functools
import inspect
import re

from hoist import _hoist
from hoist._devices import device_id
from hoist._errors import UserError
from hoist._program import Program, check_texts

tuple_type = tuple  # below, `tuple` makes values
PATTERNS = frozenset(_hoist.names_of_patterns())
# With several arrays, of which the one before the dot would be the last: these are functions only.
OF_SEVERAL_ARRAYS = frozenset(("zip", "zip2", "zip3", "concat", "select", "min", "max", "pow", "fma", "atan2"))
CONVERSIONS = ("f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bool")
# What NumPy's functions are called on the elements of arrays here.
UFUNCS = {"add": "+", "subtract": "-", "multiply": "*", "true_divide": "/", "divide": "/", "less": "<", "less_equal": "<=",
          "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=", "remainder": "%", "bitwise_and": "&",
          "bitwise_or": "|", "bitwise_xor": "^", "left_shift": "<<", "right_shift": ">>", "maximum": "max", "minimum": "min",
          "power": "pow", "absolute": "abs", "arctan": "atan", "arctan2": "atan2"}


# What a user of NumPy looks for, and what stands for it here.
HINTS = {
    "shape": "sizes have names: hoist.size(\"N\") is the one of the type [N]f32",
    "T": "write A.transpose(), which exchanges the first two dimensions",
    "dtype": "types are stated of the function's parameters; x.as_(\"f32\") converts numbers",
    "astype": "write x.as_(\"f32\"), and x.map(\"f32\") for the elements of an array",
    "dot": "write hoist.dotProduct(x, y)",
    "sum": "write x.sum(); A.map(\"sum\") has the sums of rows, A.transpose().map(\"sum\") those of columns",
    "mean": "write x.sum() / hoist.size(\"N\").as_(\"f32\") for x of the type [N]f32",
    "max": "write x.maximum() for the largest element of x, hoist.max(a, b) for the larger of two numbers",
    "min": "write x.minimum() for the smallest element of x, hoist.min(a, b) for the smaller of two numbers",
    "cumsum": "write x.scan(\"+\", 0.0)",
    "clip": "write x.map(lambda e: hoist.min(hoist.max(e, low), high))",
    "where": "write hoist.if_then_else(c, a, b) of numbers, inside of x.map(f)",
    "roll": "write x.rotate(n), which has x[n] first",
    "flatten": "write A.join()",
    "ravel": "write A.join()",
    "reshape": "write x.split(n) for rows of n elements, A.join() for one row",
}
HINTS |= {"amax": HINTS["max"], "amin": HINTS["min"]}  # as NumPy's max and min are called


def refuse(message, help):
    raise UserError(f"error: {message}\n  help: {help}", [(message, "", help, None, "")])


class Value:
    """An array, a number or a tuple that a traced function computes with.

    `x.map(f)` is `x |> map(f)`: every pattern of the language is a method, with the array as its last argument. Operators
    are those of numbers.
    """
    __slots__ = ("_value",)
    __hash__ = object.__hash__

    def __init__(self, value):
        if not isinstance(value, _hoist.Value):
            refuse(f"a hoist.Value is made by what is traced, not of {value!r}", "give the function to hoist.function")
        self._value = value

    # ---- Patterns

    def __getattr__(self, name):
        if name in OF_SEVERAL_ARRAYS:
            refuse(f"{name} takes several arrays or numbers: it is no method", HINTS.get(name, f"write hoist.{name}(a, b)"))
        if name in PATTERNS:
            return self._method(name)
        if name.startswith("_"):
            raise AttributeError(name)
        close = difflib.get_close_matches(name, PATTERNS, 1)
        refuse(f"there is no pattern '{name}'", HINTS.get(name) or (f"did you mean '{close[0]}'?" if close else
                                                                   "docs/language.md lists the patterns"))

    def _method(self, name):
        def method(*arguments, **named):
            if named:
                refuse(f"{name} takes no argument by name, but '{next(iter(named))}' was given",
                       HINTS.get(name, "arguments are in the language's order, and the array before the dot is the last"))
            return apply(name, *arguments, self)
        return method

    def __dir__(self):
        return sorted(PATTERNS - OF_SEVERAL_ARRAYS) + ["as_", "component"]

    def component(self, index):
        """A component of a tuple, from 0."""
        if not isinstance(index, int) or not 0 <= index < 2**31:
            refuse(f"{index!r} is no component of a tuple", "they count from 0: p.component(0)")
        return Value(self._value.component(index))

    def as_(self, type):
        """Converted to another type of numbers: "f32"."""
        if not isinstance(type, str) or type not in CONVERSIONS:
            refuse(f"{type!r} is no type of numbers", "give one of " + ", ".join(CONVERSIONS))
        return apply(type, self)

    def __getitem__(self, index):
        if isinstance(index, tuple_type):
            return functools.reduce(Value.__getitem__, index, self)
        if isinstance(index, slice):
            refuse("an array is cut by patterns, not by a slice", "write x.drop(a).take(n) for x[a:a + n]")
        return Value(self._value.element(native(index)))

    def __setitem__(self, index, value):
        refuse("arrays are values, which do not change", "x.update(i, e) is x with e as its element i")

    # ---- Operators

    def __abs__(self):
        return apply("abs", self)

    def __pos__(self):
        return self

    def __pow__(self, other):
        return apply("pow", self, other)

    def __rpow__(self, other):
        return apply("pow", other, self)

    def __floordiv__(self, other):
        refuse("the language has no //", "write a / b, which truncates towards zero for integers; x.floor() for floats")

    __rfloordiv__ = __floordiv__

    def __matmul__(self, other):
        refuse("the language has no @", "write hoist.dotProduct(x, y); kernels/matmul_nn.hoist is a product of matrices")

    __rmatmul__ = __matmul__

    def __floor__(self):
        return apply("floor", self)

    def __ceil__(self):
        return apply("ceil", self)

    def __trunc__(self):
        return apply("trunc", self)

    # ---- What Python would have to know a number for

    def __bool__(self):
        refuse("a condition on an element is not known while the function is traced: `if`, `while`, `and`, `or`, `not`, `min`, "
               "`max` and a < b < c ask for it",
               "write hoist.if_then_else(c, a, b), hoist.all_of(a, b), hoist.any_of(a, b), hoist.not_(a), hoist.min(a, b)")

    def __iter__(self):
        refuse("the elements of an array are not there while the function is traced: `for`, `in`, `list` and unpacking ask for them",
               "write x.map(f) for a loop, x.reduce(f, init) for a sum, x.component(0) for a part of a tuple")

    def __len__(self):
        refuse("the length of an array is not known while the function is traced", "write hoist.size(\"N\") for one of type [N]f32")

    def _refuse_number(self, *_):
        refuse("an element is not known while the function is traced: `float`, `int`, `range` and functions of `math` ask for it",
               "write hoist.sqrt(x) for math.sqrt(x), x.as_(\"i32\") for int(x), x.iterate(n, f) for a loop of n steps")

    __float__ = __int__ = __index__ = __complex__ = __round__ = _refuse_number

    def __format__(self, _):
        return repr(self)

    def __repr__(self):
        return "<hoist.Value>"

    # ---- NumPy's functions on values

    def __array_ufunc__(self, ufunc, method, *inputs, **named):
        name = UFUNCS.get(ufunc.__name__, ufunc.__name__)
        if method != "__call__" or named or (name not in PATTERNS and name not in UFUNCS.values()):
            refuse(f"numpy.{ufunc.__name__} cannot be traced", HINTS.get(ufunc.__name__) or "write it with the language's patterns: x.map(hoist.sqrt)")
        if not name[0].isalpha():
            return operator(name, *inputs)
        return apply(name, *inputs)

    def __array_function__(self, function, *_):
        refuse(f"numpy.{function.__name__} cannot be traced", HINTS.get(function.__name__) or "write it with the language's patterns, such as x.map(f)")

    def __array__(self, *_, **__):
        refuse("an array is not there while the function is traced", "write x.map(f), x.reduce(f, init)")


def operator(symbol, a, b):
    return Value(_hoist.binary(symbol, native(a), native(b)))


def _add_operators():
    names = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "mod": "%", "and": "&", "or": "|", "xor": "^", "lshift": "<<",
             "rshift": ">>"}
    for name, symbol in names.items():
        setattr(Value, f"__{name}__", lambda a, b, symbol=symbol: operator(symbol, a, b))
        setattr(Value, f"__r{name}__", lambda a, b, symbol=symbol: operator(symbol, b, a))
    for name, symbol in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}.items():
        setattr(Value, f"__{name}__", lambda a, b, symbol=symbol: operator(symbol, a, b))
    Value.__neg__ = lambda a: Value(_hoist.unary("-", a._value))
    Value.__invert__ = lambda a: Value(_hoist.unary("~", a._value))


_add_operators()


# ---- From Python's objects to the builder's

def native(thing):
    """The builder's value of a Value, a number or a tuple of them."""
    if isinstance(thing, Value):
        return thing._value
    if isinstance(thing, (tuple_type, list)):
        return _hoist.tuple([native(each) for each in thing])
    if isinstance(thing, (bool, int, float)) or (hasattr(thing, "dtype") and getattr(thing, "ndim", 0) == 0):
        try:
            return _hoist.number(thing)
        except RuntimeError:
            refuse(f"{thing!r} does not fit a number of the language", "integers have at most 64 bits")
    if hasattr(thing, "dtype"):
        refuse("an array of NumPy's is used inside a traced function", "make it a parameter, and give it when the program is called")
    if callable(thing):
        refuse("a function is used as a value", "give it to a pattern: x.map(f)")
    refuse(f"{thing!r} is used as a value, but it is {type(thing).__name__}", "values are numbers, tuples and what patterns give")


def parameters_of(function):
    """The names of the parameters that a pattern gives arguments for: those without defaults."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        refuse(f"{function!r} cannot be traced: Python does not tell its parameters", "write a lambda: lambda e: ...")
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    for each in parameters:
        if each.kind not in kinds and each.default is inspect.Parameter.empty:
            refuse(f"{function!r} takes any number of arguments", "name them: lambda a, b: ...")
    return [each.name for each in parameters if each.default is inspect.Parameter.empty]


def native_function(function, type=""):
    names = parameters_of(function)
    return _hoist.Function(len(names), lambda values: native(function(*map(Value, values))), type)


def operand(thing):
    """What a pattern takes: a value, a function, or text of the language, such as "+", "clamp", "split(4)" or "N / 2"."""
    if isinstance(thing, _hoist.Function):
        return _hoist.Operand(thing)
    if isinstance(thing, str):
        check_texts(operand=thing)
        return _hoist.Operand(_hoist.Function(thing))
    if callable(thing) and not isinstance(thing, Value):
        return _hoist.Operand(native_function(thing))
    return _hoist.Operand(native(thing))


def apply(name, *operands):
    """A pattern, a scalar function or a definition of the prelude by its name: apply("map", f, x)."""
    check_texts(name=name)
    return Value(_hoist.apply(name, [operand(each) for each in operands]))


def pattern(name):
    """The function of the package for a pattern: hoist.zip."""
    def applied(*operands):
        return apply(name, *operands)
    applied.__name__ = applied.__qualname__ = name
    applied.__doc__ = f"The pattern {name} of the language: arguments in its order, the data last."
    return applied


def if_then_else(condition, then_value, else_value):
    """One of two values, by a condition."""
    return Value(_hoist.if_then_else(native(condition), native(then_value), native(else_value)))


def joined(symbol, conditions, of_none):
    """Conditions joined by && or ||, and what that is of none."""
    values = [Value(native(each)) for each in conditions or (of_none,)]
    return functools.reduce(lambda a, b: operator(symbol, a, b), values)


def all_of(*conditions):
    """Whether all conditions hold."""
    return joined("&&", conditions, True)


def any_of(*conditions):
    """Whether one of the conditions holds."""
    return joined("||", conditions, False)


def not_(condition):
    """Whether the condition does not hold."""
    return Value(_hoist.unary("!", native(condition)))


def size(text):
    """A size, such as "N" or "N / 2", as an i32."""
    check_texts(size=text)
    return Value(_hoist.size_value(text))


def typed(type, function):
    """A function with the type of its parameter stated, which names the length that iterate changes: "[k]f32"."""
    check_texts(type=type)
    return native_function(function, type)


def tuple(*components):
    """A tuple of values."""
    return Value(_hoist.tuple([native(each) for each in components]))


# ---- The decorator

def stated_type(annotation):
    """The type that an annotation writes, also where annotations are kept as text."""
    if isinstance(annotation, str):
        check_texts(type=annotation)
        if annotation[:1] in ("'", '"'):
            return ast.literal_eval(annotation)
    return annotation


def name_of(python):
    """What the program is called: as the function, where it has a name."""
    name = getattr(python, "__name__", "<lambda>")
    return "traced" if name == "<lambda>" else name


class Traced(Program):
    """A program made of a function of Python's. Other traced functions may call it."""

    def __init__(self, step, python):
        super().__init__(step, inspect.getdoc(python) or "")
        self._python = python
        self.__wrapped__ = python
        self.__module__ = python.__module__

    def __call__(self, /, *inputs, **named):
        if any(type(each) is Value for each in inputs):
            return self._python(*inputs, **named)
        return self._step.call(*inputs, **named)


def function(python=None, *, device="", **types):
    """Makes a program of a function whose parameters have types of the language as annotations, or by name here:

        @hoist.function
        def scaled(a: "f32", x: "[N]f32"):
            return x.map(lambda e: a * e)
    """
    if python is None:
        return functools.partial(function, device=device, **types)
    if not callable(python):
        refuse(f"hoist.function traces a function, but {python!r} was given", "hoist.program(text) makes a program of a text")
    names = parameters_of(python)
    builder = _hoist.Builder(name_of(python))
    annotations = getattr(python, "__annotations__", {})
    stated = {name: stated_type(types.get(name, annotations.get(name))) for name in names}
    for name in types:
        if name not in names:
            refuse(f"{name_of(python)} has no parameter '{name}'", "its parameters are " + ", ".join(names))
    for name, type in stated.items():
        if not isinstance(type, str):
            refuse(f"the parameter {name} of {name_of(python)} has no type of the language", f"write {name}: \"[N]f32\"")
    sizes = []
    for type in stated.values():
        sizes += [each for each in re.findall(r"(?<!\w)[A-Z]\w*", type) if each not in sizes]
    for each in sizes:
        builder.size(each)
    values = [Value(builder.input(name, type)) for name, type in stated.items()]
    result = native(python(*values))
    try:
        return Traced(builder.returns(result, device_id(device)), python)
    except UserError as error:
        code = getattr(python, "__code__", None)
        if code is not None:
            error.add_note(f"traced from {code.co_filename}:{code.co_firstlineno}")
        raise
