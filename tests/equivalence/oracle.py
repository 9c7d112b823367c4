"""What patterns mean, in NumPy: random_pipeline.cpp writes programs in terms of these.

An array of tuples is the tuple of its components' arrays. Scalars are NumPy's, so that they wrap as theirs do.
"""
import numpy as np

i32, i64, u32, u8, bool_ = np.int32, np.int64, np.uint32, np.uint8, np.bool_
true, false = np.bool_(True), np.bool_(False)
add, multiply, negative, absolute = np.add, np.multiply, np.negative, np.absolute
min_, max_ = np.minimum, np.maximum
bit_and_, bit_or_, bit_xor_ = np.bitwise_and, np.bitwise_or, np.bitwise_xor
shl_, shr_ = np.left_shift, np.right_shift
logical_and, logical_or, logical_not = np.logical_and, np.logical_or, np.logical_not


def convert(to, value):
    return np.asarray(value).astype(to)[()]


def wrapped(to, number):
    """A whole number of Python, modulo the type's range."""
    bits = 8 * np.dtype(to).itemsize
    return np.array([number % 2**bits], np.dtype(f"u{bits // 8}")).view(to)[0]


def divide(a, b):
    """Truncates towards zero, where NumPy's rounds down."""
    quotient = abs(int(a)) // abs(int(b))
    return wrapped(a.dtype, quotient if (a < 0) == (b < 0) else -quotient)


def remainder(a, b):
    rest = abs(int(a)) % abs(int(b))
    return wrapped(a.dtype, -rest if a < 0 else rest)


def each(function, x):
    """The function applied to the array, or to the arrays of each component."""
    return tuple(each(function, part) for part in x) if isinstance(x, tuple) else function(x)


def length(x):
    return length(x[0]) if isinstance(x, tuple) else len(x)


def element(x, i):
    return each(lambda array: array[i], x)


def stacked(values):
    if isinstance(values[0], tuple):
        return tuple(stacked([value[part] for value in values]) for part in range(len(values[0])))
    return np.stack(values)


def mapped(f, x):
    return stacked([f(element(x, i)) for i in range(length(x))])


def generated(n, f):
    return stacked([f(i32(i)) for i in range(n)])


def reduced(f, state, x):
    for i in range(length(x)):
        state = f(state, element(x, i))
    return state


def scanned(f, state, x):
    states = []
    for i in range(length(x)):
        state = f(state, element(x, i))
        states.append(state)
    return stacked(states)


def iterated(times, f, x):
    for _ in range(times):
        x = f(x)
    return x


def split(size, x):
    return each(lambda a: a.reshape(-1, size, *a.shape[1:]), x)


def join(x):
    return each(lambda a: a.reshape(-1, *a.shape[2:]), x)


def transpose(x):
    return each(lambda a: a.swapaxes(0, 1), x)


def slide(width, step, x):
    return each(lambda a: np.moveaxis(np.lib.stride_tricks.sliding_window_view(a, width, 0), -1, 1)[::step], x)


def clamp(i, n):
    return np.clip(i, 0, n - 1)


def mirror(i, n):
    return np.where(i % (2 * n) < n, i % (2 * n), 2 * n - 1 - i % (2 * n))


def wrap(i, n):
    return i % n


def pad(left, right, boundary, x):
    n = length(x)
    return element(x, boundary(np.arange(-left, n + right), n))


def pad_value(left, right, value, x):
    return stacked([value] * left + [element(x, i) for i in range(length(x))] + [value] * right)


def concat(x, y):
    return tuple(map(concat, x, y)) if isinstance(x, tuple) else np.concatenate((x, y))


def gather(f, x):
    return element(x, f(np.arange(length(x))))


def scatter(f, x):
    places = np.argsort(f(np.arange(length(x))))  # where each element comes from
    return element(x, places)


def reverse(x):
    return element(x, slice(None, None, -1))


def take(count, x):
    return element(x, slice(count))


def drop(count, x):
    return element(x, slice(count, None))
