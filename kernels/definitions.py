#!/usr/bin/env python3
"""Checks every kernel against its definition, written here once more as plain loops.

    python3 kernels/definitions.py build/hoist                    all kernels, by the reference interpreter
    python3 kernels/definitions.py build/hoist --device host      the same, compiled for a device
    python3 kernels/definitions.py build/hoist --low-level gemv   the low-level program of that name
    python3 kernels/definitions.py build/hoist --polybench lu     the program of kernels/polybench of that name
    python3 kernels/definitions.py build/hoist --imaging harris   the program of kernels/imaging of that name
    python3 kernels/definitions.py build/hoist --streams lbm      the program of examples/streams of that name

The sizes are those of sizes.json that its tests use. Only Python's standard library is needed. Arrays are
nested lists here; an array of tuples is one list for each component, as in the files that Hoist reads.
"""
import argparse
import array
import importlib
import inspect
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile

KERNELS = pathlib.Path(__file__).resolve().parent
CODES = {"f32": ("<f4", "f"), "f64": ("<f8", "d"), "i32": ("<i4", "i"), "u32": ("<u4", "I"), "u8": ("|u1", "B"),
         "u16": ("<u2", "H")}
# Programs that have definitions of their own, by the option's name.
FOLDERS = {"low-level": KERNELS / "low-level", "polybench": KERNELS / "polybench", "imaging": KERNELS / "imaging",
           "streams": KERNELS.parent / "examples" / "streams"}

# ---- Definitions. Each takes the inputs, in order, and gives the list of the result's arrays.


def dot_of(x, y):
    return sum(a * b for a, b in zip(x, y))


def rows_times(A, x):
    return [dot_of(row, x) for row in A]


def columns_of(A):
    return [list(column) for column in zip(*A)]


def product(rows, columns):
    return [[[dot_of(row, column) for column in columns] for row in rows]]


def near(index, length):
    return min(max(index, 0), length - 1)


def stencil2(u, f):
    """f(n, y, x) everywhere, where n(dy, dx) is the neighbour; the border is repeated outside."""
    H, W = len(u), len(u[0])

    def neighbours(y, x):
        return lambda dy, dx: u[near(y + dy, H)][near(x + dx, W)]

    return [[[f(neighbours(y, x), y, x) for x in range(W)] for y in range(H)]]


def stencil3(u, f):
    D, H, W = len(u), len(u[0]), len(u[0][0])

    def neighbours(z, y, x):
        return lambda dz, dy, dx: u[near(z + dz, D)][near(y + dy, H)][near(x + dx, W)]

    return [[[[f(neighbours(z, y, x), z, y, x) for x in range(W)] for y in range(H)] for z in range(D)]]


CARDINAL = [(-1, 0), (1, 0), (0, -1), (0, 1)]
FACES = [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)]
CUBE = [(a, b, c) for a in (-1, 0, 1) for b in (-1, 0, 1) for c in (-1, 0, 1)]


def by_kind(centre, face, edge, corner):
    """The weighted sum over a cube of neighbours."""
    weights = [centre, face, edge, corner]
    return lambda n, *place: sum(weights[sum(map(abs, d))] * n(*d) for d in CUBE)


def axpy(a, x, y):
    return [[a * p + q for p, q in zip(x, y)]]


def scal(a, x):
    return [[a * p for p in x]]


def dot(x, y):
    return [dot_of(x, y)]


def asum(x):
    return [sum(map(abs, x))]


def nrm2(x):
    return [math.sqrt(dot_of(x, x))]


def gemv(alpha, A, x, beta, y):
    return [[alpha * p + beta * q for p, q in zip(rows_times(A, x), y)]]


def gemv_transposed(alpha, A, x, beta, y):
    return gemv(alpha, columns_of(A), x, beta, y)


def matmul_nn(A, B):
    return product(A, columns_of(B))


def matmul_nt(A, B):
    return product(A, B)


def matmul_tn(A, B):
    return product(columns_of(A), columns_of(B))


def matmul_tt(A, B):
    return product(columns_of(A), B)


def matmul_batched(A, B):
    return [[matmul_nn(a, b)[0] for a, b in zip(A, B)]]


def atax(A, x):
    return [rows_times(columns_of(A), rows_times(A, x))]


def bicg(A, r, p):
    return [rows_times(columns_of(A), r), rows_times(A, p)]


def mvt(A, x1, x2, y1, y2):
    return [[a + b for a, b in zip(x1, rows_times(A, y1))],
            [a + b for a, b in zip(x2, rows_times(columns_of(A), y2))]]


def gesummv(alpha, A, beta, B, x):
    return [[alpha * p + beta * q for p, q in zip(rows_times(A, x), rows_times(B, x))]]


def gemver(alpha, beta, A, u1, v1, u2, v2, x, y, z):
    N = range(len(A))
    A = [[A[i][j] + u1[i] * v1[j] + u2[i] * v2[j] for j in N] for i in N]
    x = [x[i] + beta * t + z[i] for i, t in enumerate(rows_times(columns_of(A), y))]
    return [A, x, [alpha * t for t in rows_times(A, x)]]


def syrk(alpha, A, beta, C):
    N = range(len(A))
    return [[[alpha * dot_of(A[i], A[j]) + beta * C[i][j] for j in N] for i in N]]


contraction_ij_ik_kj = matmul_nn


def contraction_ijk_ilk_jl(A, B):
    L, K = range(len(A[0])), range(len(A[0][0]))
    return [[[[sum(a[l][k] * b[l] for l in L) for k in K] for b in B] for a in A]]


def contraction_ijkl_imkn_jnlm(A, B):
    I, M, K, N = (range(n) for n in (len(A), len(A[0]), len(A[0][0]), len(A[0][0][0])))
    J, L = range(len(B)), range(len(B[0][0]))
    return [[[[[sum(A[i][m][k][n] * B[j][n][l][m] for m in M for n in N) for l in L]
               for k in K] for j in J] for i in I]]


def transpose(A):
    return [columns_of(A)]


def matrix_reverse(A):
    return [[row[::-1] for row in A[::-1]]]


def convolution2d(image, weights):
    H, W, R = len(image), len(image[0]), len(weights) // 2

    def at(y, x):
        return image[y][x] if 0 <= y < H and 0 <= x < W else 0.0

    D = range(-R, R + 1)
    return [[[sum(weights[R + dy][R + dx] * at(y + dy, x + dx) for dy in D for dx in D)
              for x in range(W)] for y in range(H)]]


def convolution2d_separable(image, row_weights, column_weights):
    H, W, R = len(image), len(image[0]), len(row_weights) // 2
    D = range(-R, R + 1)
    rows = [[sum(row_weights[R + d] * image[y][x + d] for d in D if 0 <= x + d < W) for x in range(W)]
            for y in range(H)]
    return [[[sum(column_weights[R + d] * rows[y + d][x] for d in D if 0 <= y + d < H) for x in range(W)]
             for y in range(H)]]


def jacobi2d5(u):
    return stencil2(u, lambda n, y, x: (n(0, 0) + sum(n(*d) for d in CARDINAL)) / 5)


def jacobi2d9(u):
    weights = [7.1, 5.1, 9.2, 12.1, 15.0, 12.2, 9.1, 5.2, 7.2]
    box = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    return stencil2(u, lambda n, y, x: sum(w * n(*d) for w, d in zip(weights, box)) / sum(weights))


def gaussian5x5(u):
    weights = [[2, 4, 5, 4, 2], [4, 9, 12, 9, 4], [5, 12, 15, 12, 5], [4, 9, 12, 9, 4], [2, 4, 5, 4, 2]]
    D = range(-2, 3)
    return stencil2(u, lambda n, y, x: sum(weights[a + 2][b + 2] * n(a, b) for a in D for b in D) / 159)


def gradient(u):
    return stencil2(u, lambda n, y, x: n(0, 0) + 1 / math.sqrt(
        1e-4 + sum((n(*d) - n(0, 0)) ** 2 for d in CARDINAL)))


def shoc_stencil2d(u, centre, cardinal, diagonal):
    return stencil2(u, lambda n, y, x: centre * n(0, 0) + cardinal * sum(n(*d) for d in CARDINAL)
                    + diagonal * sum(n(a, b) for a in (-1, 1) for b in (-1, 1)))


def hotspot2d(temperature, power, s, rx, ry, rz):
    return stencil2(temperature, lambda n, y, x: n(0, 0) + s * (
        power[y][x] + (n(-1, 0) + n(1, 0) - 2 * n(0, 0)) / ry + (n(0, -1) + n(0, 1) - 2 * n(0, 0)) / rx
        + (80 - n(0, 0)) / rz))


def srad1(image, q0):
    def pixel(n, y, x):
        j = n(0, 0)
        differences = [n(*d) - j for d in CARDINAL]
        g = sum(d * d for d in differences) / (j * j)
        l = sum(differences) / j
        q = (g / 2 - l * l / 16) / (1 + l / 4) ** 2
        return [min(1, max(0, 1 / (1 + (q - q0) / (q0 * (1 + q0)))))] + differences

    pixels = stencil2(image, pixel)[0]
    return [[[pixel[k] for pixel in row] for row in pixels] for k in range(5)]


def srad2(image, coefficient, dn, ds, dw, de, factor):
    divergence = stencil2(coefficient, lambda c, y, x: c(0, 0) * dn[y][x] + c(1, 0) * ds[y][x]
                          + c(0, 0) * dw[y][x] + c(0, 1) * de[y][x])[0]
    return [[[j + 0.25 * factor * d for j, d in zip(*rows)] for rows in zip(image, divergence)]]


def jacobi3d7(u):
    return stencil3(u, lambda n, *place: sum(n(*d) for d in FACES) / 36 - n(0, 0, 0) / 6)


def jacobi3d13(u):
    return stencil3(u, lambda n, *place: n(0, 0, 0) / 4 + 0.75 / 90 * sum(
        16 * n(a, b, c) - n(2 * a, 2 * b, 2 * c) for a, b, c in FACES))


def jacobi3d19(u):
    return stencil3(u, by_kind(12 / 36, 2 / 36, 1 / 36, 0))


def jacobi3d27(u):
    return stencil3(u, by_kind(8 / 64, 4 / 64, 2 / 64, 1 / 64))


def heat3d(u):
    return stencil3(u, lambda n, *place: n(0, 0, 0) + 0.125 * sum(n(*d) - n(0, 0, 0) for d in FACES))


def hotspot3d(temperature, power, s, cx, cy, cz):
    return stencil3(temperature, lambda n, z, y, x: (1 - 2 * cx - 2 * cy - 3 * cz) * n(0, 0, 0)
                    + cx * (n(0, 0, -1) + n(0, 0, 1)) + cy * (n(0, -1, 0) + n(0, 1, 0))
                    + cz * (n(-1, 0, 0) + n(1, 0, 0)) + s * power[z][y][x] + cz * 80)


def poisson3d(u, f, h):
    D, H, W = len(u), len(u[0]), len(u[0][0])

    def at(z, y, x):
        return u[z][y][x] if 0 <= z < D and 0 <= y < H and 0 <= x < W else 0.0

    return [[[[(sum(at(z + a, y + b, x + c) for a, b, c in FACES) + h * h * f[z][y][x]) / 6
               for x in range(W)] for y in range(H)] for z in range(D)]]


def mandelbrot(re, im):
    def count(c):
        z, steps = 0j, 0
        while steps < 64 and abs(z) <= 2:
            z, steps = z * z + c, steps + 1
        return steps

    return [[[count(complex(a, b)) for a in re] for b in im]]


def nbody(x, y, z, mass, vx, vy, vz, dt, softening):
    N = range(len(x))
    positions, velocities = list(zip(x, y, z)), list(zip(vx, vy, vz))
    moved = []
    for p, v in zip(positions, velocities):
        acceleration = [0.0, 0.0, 0.0]
        for q, m in zip(positions, mass):
            d = [b - a for a, b in zip(p, q)]
            scale = m / (dot_of(d, d) + softening) ** 1.5
            acceleration = [a + e * scale for a, e in zip(acceleration, d)]
        v = [a + b * dt for a, b in zip(v, acceleration)]
        moved.append([a + b * dt for a, b in zip(p, v)] + v)
    columns = [[moved[i][k] for i in N] for k in range(6)]
    return columns[:3] + [mass] + columns[3:]


def md(x, y, z, neighbours, cutoff, lj1, lj2):
    positions = list(zip(x, y, z))
    forces = []
    for p, indices in zip(positions, neighbours):
        force = [0.0, 0.0, 0.0]
        for j in indices:
            d = [a - b for a, b in zip(p, positions[j])]
            r2 = dot_of(d, d)
            if 0 < r2 < cutoff:
                force = [a + e / r2 / r2 ** 3 * (lj1 / r2 ** 3 - lj2) for a, e in zip(force, d)]
        forces.append(force)
    return columns_of(forces)


def kmeans(points, centres):
    def distance(point, centre):
        return sum((a - b) ** 2 for a, b in zip(point, centre))

    return [[min(range(len(centres)), key=lambda k: distance(point, centres[k]))
             for point in columns_of(points)]]


def nearest_neighbour(latitudes, longitudes, latitude, longitude):
    return [[math.hypot(latitude - a, longitude - b) for a, b in zip(latitudes, longitudes)]]


def mriq(phi_real, phi_imaginary, kx, ky, kz, x, y, z):
    samples = [(a * a + b * b, k) for a, b, k in zip(phi_real, phi_imaginary, zip(kx, ky, kz))]
    angles = [[(m, 2 * math.pi * dot_of(k, voxel)) for m, k in samples] for voxel in zip(x, y, z)]
    return [[sum(m * f(angle) for m, angle in row) for row in angles] for f in (math.cos, math.sin)]


def black_scholes(prices, strikes, years, rate, volatility):
    def normal(d):
        return 0.5 * (1 + math.erf(d / math.sqrt(2)))

    options = []
    for s, x, t in zip(prices, strikes, years):
        root = volatility * math.sqrt(t)
        d1 = (math.log(s / x) + (rate + volatility ** 2 / 2) * t) / root
        discounted = x * math.exp(-rate * t)
        options.append((s * normal(d1) - discounted * normal(d1 - root),
                        discounted * normal(root - d1) - s * normal(-d1)))
    return columns_of(options)


def prefix_sum(x):
    sums, total = [], 0.0
    for element in x:
        total += element
        sums.append(total)
    return [sums]


def histogram(values, counts):
    return [[count + values.count(b) for b, count in enumerate(counts)]]


def partial_dot(x, y):
    return [[dot_of(x[i:i + 128], y[i:i + 128]) for i in range(0, len(x), 128)]]


def reverse_coalesced(a):
    return [a[::-1]]


def md_by_columns(x, y, z, neighbours, cutoff, lj1, lj2):
    return md(x, y, z, columns_of(neighbours), cutoff, lj1, lj2)


# Low-level programs that are no kernel's equal in everything; the others name theirs in sizes.json.
LOW_LEVEL = {"partial_dot": partial_dot, "reverse_coalesced": reverse_coalesced, "md": md_by_columns,
             "convolution": convolution2d_separable}

# ---- Running and comparing.


def flat(x):
    if isinstance(x, list):
        for element in x:
            yield from flat(element)
    else:
        yield x


def nested(elements, shape):
    for length in reversed(shape[1:]):
        elements = [elements[i:i + length] for i in range(0, len(elements), length)]
    return elements if shape else elements[0]


def leaves(text, path=""):
    """The scalar arrays of a printed type, as (path, shape, scalar): '[8](f32, i32)' has '.0' and '.1'."""
    shape = []
    while text.startswith("["):
        length, text = text[1:].split("]", 1)
        shape.append(int(length))
    if not text.startswith("("):
        return [(path, shape, text)]
    parts, depth = [""], 0
    for character in text[1:-1]:
        depth += (character in "([") - (character in ")]")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [(p, shape + inner, scalar) for k, part in enumerate(parts)
            for p, inner, scalar in leaves(part.strip(), f"{path}.{k}")]


def write_npy(path, elements, shape, scalar):
    descr, code = CODES[scalar]
    dimensions = "".join(f"{length}, " for length in shape)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dimensions})}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode()
                     + array.array(code, elements).tobytes())


def read_npy(path):
    data = path.read_bytes()
    start = 10 + int.from_bytes(data[8:10], "little")
    header = data[10:start].decode()
    descr = re.search(r"'descr': '([^']*)'", header)[1]
    elements = array.array(next(code for d, code in CODES.values() if d[1:] == descr[1:]))
    elements.frombytes(data[start:])
    return list(elements)


def random_elements(generator, shape, scalar, limits, sizes):
    is_float, count = scalar.startswith("f"), math.prod(shape)

    def limit(name, otherwise):
        value = limits.get(name, otherwise)
        return sizes[value] if isinstance(value, str) else value

    low, high = limit("low", -1 if is_float else -8), limit("high", 1 if is_float else 16)
    if not is_float:
        return [generator.randrange(int(low), int(high)) for _ in range(count)]
    # As single precision holds them, so that both sides see the same numbers.
    elements = list(array.array("f", (generator.uniform(low, high) for _ in range(count))))
    diagonal = limit("diagonal", 0)
    if diagonal:
        for at in range(0, count, shape[1] + 1):
            elements[at] += diagonal
    return elements


def difference(expected, got):
    """The largest, in units of the largest expected; NaN and missing elements count as infinite."""
    expected, got = list(flat(expected)), list(flat(got))
    if len(expected) != len(got):
        return math.inf
    scale = max(map(abs, expected), default=0) or 1
    return max((abs(a - b) / scale if math.isfinite(b) else math.inf for a, b in zip(expected, got)),
               default=0)


def run(hoist, arguments):
    process = subprocess.run([hoist, *arguments], capture_output=True, text=True, check=False)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join([hoist, *arguments])}\n{process.stderr}")
    return process.stdout


def check(hoist, text, definition, entry, sizes, device, seed):
    """How far the program's result is from the definition's."""
    bindings = [f"{name}={value}" for name, value in sizes.items()]
    facts = json.loads(run(hoist, ["check", str(text), *bindings, "--json"]))
    generator = random.Random(seed)
    inputs = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for parameter in facts["parameters"]:
            limits = entry.get("inputs", {}).get(parameter["name"], {})
            for path, shape, scalar in leaves(parameter["type"]):
                elements = random_elements(generator, shape, scalar, limits, sizes)
                inputs.append(nested(elements, shape))
                name = parameter["name"] + path
                if shape:
                    write_npy(folder / f"{name}.npy", elements, shape, scalar)
                    bindings.append(f"{name}={folder / name}.npy")
                else:
                    bindings.append(f"{name}={elements[0]}")
        outputs = [folder / f"result{k}.npy" for k in range(len(leaves(facts["result"])))]
        command = ["run", "--device", device] if device else ["eval"]
        run(hoist, [*command[:1], str(text), *bindings, *command[1:], "-o", ",".join(map(str, outputs))])
        got = [read_npy(output) for output in outputs]
    # Sizes that a program has as parameters are its definition's, too.
    remaining = iter(inputs)
    expected = definition(*(sizes[name] if name in sizes else next(remaining)
                            for name in inspect.signature(definition).parameters))
    if len(expected) != len(got):
        return math.inf
    return max(difference(a, b) for a, b in zip(expected, got))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("hoist", help="the program to check with")
    parser.add_argument("names", nargs="*", help="only these kernels")
    for subfolder, place in FOLDERS.items():
        parser.add_argument(f"--{subfolder}", dest="subfolder", action="store_const", const=subfolder,
                            help=f"the programs of {place.relative_to(KERNELS.parent)}")
    parser.add_argument("--device", help="run on this device rather than by the interpreter")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tolerance", type=float, default=2e-5, help="of the largest element of the result")
    options = parser.parse_args()

    folder = FOLDERS[options.subfolder] if options.subfolder else KERNELS
    sys.path.insert(0, str(folder.parent))
    entries = json.loads((folder / "sizes.json").read_text())
    failures = 0
    print(f"seed {options.seed}")
    for name in options.names or sorted(entries):
        entry = entries[name]
        if options.subfolder == "low-level":
            definition = LOW_LEVEL.get(name) or globals()[entry["same_as"]]
        elif options.subfolder:
            definition = getattr(importlib.import_module(f"{folder.name}.definitions"), name)
        else:
            definition = globals()[name]
        for which in ("small", "large", "dividing", "prime"):
            if which not in entry:
                continue
            try:
                error = check(options.hoist, folder / f"{name}.hoist", definition, entry, entry[which],
                              options.device, options.seed)
                verdict = "ok" if error <= options.tolerance else "WRONG"
                print(f"{verdict:5} {name} {which}: {error:.1e}", flush=True)
            except RuntimeError as failure:
                verdict = "FAILED"
                print(f"{verdict} {name} {which}: {failure}", flush=True)
            failures += verdict != "ok"
    print(f"{failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
