"""Random loop nests as C with OpenMP: `program(seed, count)` is a C file with `count` functions of one parallel loop each, some of which have an
array of their own that two more loops write, and a main that
fills their arrays, runs them and prints sums of what they leave.

A nest has one to three loops shared out or inside, of which bounds may depend on outer ones; it reads arrays of one to three
dimensions, flat or declared, at its counters plus offsets, transposed or by several counters; its value is a sum over further
loops, the least of something, a choice, a function's result; it writes or updates elements, in one or two statements, or gathers
a reduction."""
import random

HEAD = """#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ELEMENT %(real)s

static void nothing(void) {}
static void (*volatile unknown)(void) = nothing;  // may read any array, for all that is known
struct pair {
  %(real)s a, b;
};
static %(real)s mixed(%(real)s x, %(real)s y) {
  const %(real)s low = x < y ? x : y;
  if (low < 0) return low * low - x;
  return y - low;
}
static void both(%(real)s x, %(real)s *out, %(real)s *twice) {
  *out = x + 1;
  *twice = 2 * x;
}
static %(real)s *filled(long count, int seed) {
  %(real)s *made = malloc(sizeof(%(real)s) * count);
  for (long i = 0; i < count; ++i) made[i] = (%(real)s)((i * 37 + seed * 11) %% 101) / 50 - 1;
  return made;
}
static void told(const char *name, const %(real)s *array, long count) {
  double sum = 0, weighted = 0;
  for (long i = 0; i < count; ++i) {
    sum += array[i];
    weighted += array[i] * (i %% 17);
  }
  printf("%%s %%.5g %%.5g\\n", name, sum, weighted);
}
"""


class Nest:
    """One function: its text, and the call of it in main."""

    def __init__(self, rng, number, real):
        self.rng, self.name, self.real = rng, f"nest{number}", real
        self.reads = []  # (name, dimensions, is_flat)
        self.lines = []

    def pick(self, *choices):
        return self.rng.choice(choices)

    def declared(self, name, dimensions, is_flat, is_read=True):
        const = "const " if is_read and is_flat else ""
        if is_flat or dimensions == 1:
            return f"{const}{self.real} *{name}"
        return f"{self.real} {name}" + "".join(f"[{size}]" for size in ("n", "m", "l")[:dimensions])

    def access(self, name, dimensions, is_flat, indices):
        if dimensions == 1:
            return f"{name}[{indices[0]}]"
        if not is_flat:
            return name + "".join(f"[{index}]" for index in indices)
        if dimensions == 2:
            return f"{name}[({indices[0]}) * m + {indices[1]}]"
        return f"{name}[(({indices[0]}) * m + {indices[1]}) * l + {indices[2]}]"

    def shifted(self, counter, border):
        """An index near the counter, which keeps away from both ends by the border."""
        by = self.rng.randint(-border, border)
        return counter if by == 0 else f"{counter} {'+' if by > 0 else '-'} {abs(by)}"

    def read(self, counters, border, own=None):
        """An element at the counters. `counters` are those of the dimensions, or None where any loop may stand."""
        which = self.rng.randrange(len(self.reads))
        name, dimensions, is_flat = self.reads[which]
        sizes = "nml"[:dimensions]
        indices = []
        for size in sizes:
            fitting = [counter for counter, of, _ in counters if of == size]
            if not fitting:
                indices.append(str(self.rng.randint(0, 2)))
                continue
            index = self.pick(*fitting)
            near = [other for counter, of, other in counters if counter == index]
            indices.append(self.shifted(index, border if near[0] else 0))
        return self.access(name, dimensions, is_flat, indices)

    def value(self, counters, border, depth=0):
        kind = self.rng.randrange(10 if depth < 2 else 3)
        if kind < 3:
            return self.read(counters, border)
        if kind == 3:
            return self.pick("0.5f", "2", "alpha", f"({self.real}){self.pick(*counters)[0]}")
        a, b = self.value(counters, border, depth + 1), self.value(counters, border, depth + 1)
        if kind < 7:
            return f"({a} {self.pick('+', '-', '*')} {b})"
        if kind == 7:
            return f"mixed({a}, {b})"
        if kind == 8:
            counter = self.pick(*counters)[0]
            return f"({self.pick(f'{a} > {b}', f'{counter} % 3 == 1', f'{counter} < 4')} ? {a} : {b})"
        return f"{self.pick('fabs', 'fmax', 'sqrt')}(" + (f"{a}, {b})" if self.rng.randrange(2) else f"{a})")

    def expression(self, counters, border):
        text = self.value(counters, border)
        # Functions of one argument and of two by name.
        for name in ("fabs", "sqrt"):
            text = self.with_arguments(text, name, 1)
        return self.with_arguments(text, "fmax", 2).replace("sqrt(", "sqrt(1 + fabs(").replace("sqrt(1 + fabs(", "half_root(")

    def with_arguments(self, text, name, count):
        """Calls of the function with another number of arguments become sums or calls of one that has them."""
        result, at = "", 0
        while True:
            found = text.find(name + "(", at)
            if found < 0:
                return result + text[at:]
            depth, end, commas = 0, found + len(name), 0
            while True:
                depth += {"(": 1, ")": -1}.get(text[end], 0)
                commas += depth == 1 and text[end] == ","
                end += 1
                if depth == 0:
                    break
            inside = text[found + len(name) + 1:end - 1]
            if commas + 1 == count:
                result += text[at:found + len(name) + 1]
                at = found + len(name) + 1
            else:
                result += text[at:found] + ("mixed(" if count == 1 else "fabs(")
                at = found + len(name) + 1
            del inside

    def build(self):
        rng = self.rng
        for name in "xyz"[:rng.randint(1, 3)]:
            dimensions = rng.randint(1, 3)
            self.reads.append((name, dimensions, bool(rng.randrange(2))))
        dimensions = rng.randint(1, 3)
        border = rng.randrange(3) if rng.randrange(2) else 0
        is_flat = bool(rng.randrange(2))
        sizes, counters = "nml"[:dimensions], []
        triangle = dimensions == 2 and border == 0 and rng.randrange(4) == 0
        heads = []
        for size, counter in zip(sizes, "ijk"):
            low, high = str(border), f"{size} - {border}" if border else size
            if triangle and counter == "j":
                low, high = self.pick(("0", "i + 1"), ("i + 1", "m"), ("i", "m"))
                high = high if high != "i + 1" else "(i + 1 < m ? i + 1 : m)" if rng.randrange(2) else "i + 1"
            if not triangle and rng.randrange(6) == 0:
                heads.append(f"for (int {counter} = {high} - 1; {counter} >= {low}; --{counter})")
            else:
                heads.append(f"for (int {counter} = {low}; {counter} < {high}; ++{counter})")
            counters.append((counter, size, border > 0))
        body = []
        inner = list(counters)
        sums = rng.randrange(4)
        if sums == 0 and not triangle:
            size = self.pick(*"nml")
            start = self.pick("0", "alpha", self.expression(counters, border))
            body.append(f"{self.real} sum = {start};")
            inner.append(("t", size, False))
            term = self.expression(inner, border)
            guard = self.pick("", "", "if (t % 2 == 0) ")
            body.append(f"for (int t = 0; t < {size}; ++t) {guard}sum {self.pick('+=', '+=', '-=')} {term};")
            value = "sum"
        elif sums == 1 and not triangle:
            size = self.pick(*"nml")
            inner.append(("t", size, False))
            body.append(f"{self.real} least = 9, last = 1;")
            body.append(f"for (int t = 0; t < {size}; ++t) {{ const {self.real} e = {self.expression(inner, border)}; "
                        "if (e < least) least = e; last = 0.5f * last + e; }")
            value = "least + last"
        else:
            value = self.expression(counters, border)
        indices = [counter for counter, _, _ in counters]
        target = self.access("out", dimensions, is_flat, indices)
        kind = rng.randrange(6)
        arrays = [("out", dimensions, is_flat)]
        reduction = ""
        if kind == 0:
            body.append(f"{target} = 0;" if rng.randrange(2) else f"{target} *= alpha;")
            body.append(f"for (int s = 0; s < 4; ++s) {target} += s * {value};")
        elif kind == 1:
            arrays.append(("other", dimensions, is_flat))
            body.append(f"both({value}, &{target}, &{self.access('other', dimensions, is_flat, indices)});")
        elif kind == 2:
            body.append(f"{self.real} v = {value};")
            body.append(f"if (v > {self.expression(counters, border)}) v = alpha; else if (i == 2) continue;")
            body.append(f"{target} = v;")
        elif kind == 3:
            operation = self.pick("+", "max", "min")
            reduction = f" reduction({operation} : total)"
            if operation == "+":
                body.append(f"total += {value};")
            else:
                body.append(f"total = f{operation}(total, {value});")
            if rng.randrange(2):
                body.append(f"{target} = {value} - 1;")
        elif kind == 4 and dimensions > 1 and not triangle:
            # The inner loop twice: set, then gathered from another loop's elements.
            body.append(f"{target} = {value};")
        else:
            body.append(f"{target} {self.pick('=', '=', '+=')} {value};")
        parallel = " collapse(2)" if dimensions > 1 and not triangle and rng.randrange(3) == 0 else ""
        parameters = ["int n", "int m", "int l", f"{self.real} alpha"]
        for name, count, flat in self.reads:
            parameters.append(self.declared(name, count, flat))
        for name, count, flat in arrays:
            parameters.append(self.declared(name, count, flat, False))
        text = f"static {self.real} {self.name}({', '.join(parameters)}) {{\n  {self.real} total = {'1' if reduction else '0'};\n"
        text += f"#pragma omp parallel for{parallel}{reduction}\n"
        for depth, head in enumerate(heads):
            text += "  " * (depth + 1) + head + (" {\n" if depth + 1 == len(heads) or not parallel or depth != 0 else "\n")
        for line in body:
            text += "  " * (len(heads) + 1) + line + "\n"
        for depth in reversed(range(len(heads))):
            if depth + 1 == len(heads) or not parallel or depth != 0:
                text += "  " * (depth + 1) + "}\n"
        if rng.randrange(3) == 0:
            # What is left on the device of an array that ends with its block must not come back later.
            text += f"  {self.pick('ELEMENT', self.real)} own[64];\n#pragma omp parallel for\n"
            text += "  for (int i = 0; i < 64; ++i) own[i] = alpha * i;\n"
            text += "  for (int again = 0; again < 3; ++again) {\n#pragma omp parallel for\n"
            text += "    for (int i = 0; i < 64; ++i) own[i] += total;\n  }\n"
        text += "  return total;\n}\n"
        arguments = ["n", "m", "l", "0.75f"]
        call = ""
        for name, count, flat in [*self.reads, *arrays]:
            call += f"    {self.real} *{name} = filled((long)n * m * l, {rng.randrange(100)});\n"
            pointer = name if flat or count == 1 else f"({self.real}(*){''.join(f'[{size}]' for size in ('m', 'l')[:count - 1])}){name}"
            arguments.append(pointer)
        if rng.randrange(2):
            call += "    unknown();\n"
        call += f"    printf(\"{self.name} %.5g\\n\", (double){self.name}({', '.join(arguments)}));\n"
        for name, _, _ in arrays:
            call += f"    told(\"{name}\", {name}, (long)n * m * l);\n"
        return text, f"  {{\n{call}  }}\n"


def program(seed, count):
    rng = random.Random(seed)
    real = rng.choice(("float", "double"))
    text = HEAD % {"real": real}
    text += f"static {real} half_root({real} x) {{\n  return x > 0 ? x / 2 : -x;\n}}\n"
    calls = ""
    for number in range(count):
        function, call = Nest(rng, number, real).build()
        text += function
        calls += call
    # Lengths are equal, so that triangles and offsets fit.
    return text + f"int main(void) {{\n  const int n = 9, m = 9, l = 9;\n{calls}  return 0;\n}}\n"


if __name__ == "__main__":
    import sys
    print(program(int(sys.argv[1]), int(sys.argv[2])), end="")
