"""What patterns mean, in NumPy: random_pipeline.cpp writes programs in terms of these.

An array of tuples is the tuple of its components' arrays. Scalars are NumPy's, so that they wrap as theirs do.
"""
import numpy as np

i8, i16, i32, i64, bool_ = np.int8, np.int16, np.int32, np.int64, np.bool_
u8, u16, u32, u64 = np.uint8, np.uint16, np.uint32, np.uint64
true, false = np.bool_(True), np.bool_(False)
add, multiply, negative, absolute = np.add, np.multiply, np.negative, np.absolute
min_, max_ = np.minimum, np.maximum
bit_and_, bit_or_, bit_xor_, bit_not_ = np.bitwise_and, np.bitwise_or, np.bitwise_xor, np.invert
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
    """Of the sign of a; of numbers, or of the elements of an array."""
    return np.fmod(a, b)


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


def reduced_range(f, state, first, end, x):
    return reduced(f, state, element(x, slice(max(first, 0), max(end, 0))))


def reduced_by_key(f, states, keys, x):
    states = [element(states, i) for i in range(length(states))]
    for i, key in enumerate(keys):
        if 0 <= key < len(states):
            states[key] = f(states[key], element(x, i))
    return stacked(states)


def numbered(times, f, x):
    """f of the number of the step and what the step before gave."""
    for step in range(times):
        x = f(i32(step), x)
    return x


def iterated(times, f, x):
    return numbered(times, lambda _, state: f(state), x)


def numbered_while(goes_on, most, f, x):
    step = 0
    while step < most and goes_on(x):
        x = f(i32(step), x)
        step += 1
    return x


def iterated_while(goes_on, most, f, x):
    return numbered_while(goes_on, most, lambda _, state: f(state), x)


def ranged_map(f, g, first, end, x):
    return stacked([(f if first <= i < end else g)(element(x, i)) for i in range(length(x))])


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


def reflect(i, n):
    period = max(2 * n - 2, 1)
    return np.minimum(i % period, period - i % period) if n > 1 else 0 * i


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


def rotate(by, x):
    """NumPy's roll goes the other way."""
    return each(lambda array: np.roll(array, -int(by), axis=0), x)


def update(i, value, x):
    return stacked([element(x, j) if j != i else value for j in range(length(x))])


def scatter_to(targets, values, x):
    """Of several values for one place the last; places outside get none."""
    elements = [element(x, i) for i in range(length(x))]
    for i, target in enumerate(targets):
        if 0 <= target < len(elements):
            elements[target] = element(values, i)
    return stacked(elements)


def partition(p, x):
    chosen = np.array([p(element(x, i)) for i in range(length(x))])
    return i32(chosen.sum()), element(x, np.argsort(~chosen, kind="stable"))


def filtered(p, filler, x):
    count, parted = partition(p, x)
    return count, stacked([element(parted, i) if i < count else filler for i in range(length(x))])
