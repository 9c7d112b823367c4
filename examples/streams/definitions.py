"""What each program of this folder means, as plain loops written from the mathematics (see kernels/definitions.py)."""
import itertools
import math


def near(index, length):
    return min(max(index, 0), length - 1)


def dot_of(x, y):
    return sum(a * b for a, b in zip(x, y))


def columns_of(A):
    return [list(column) for column in zip(*A)]


def times(A, B):
    return [[dot_of(row, column) for column in zip(*B)] for row in A]


def vector_add(a, b):
    return [[x + y for x, y in zip(a, b)]]


def dot_product(a, b):
    return [[dot_of(x, y) for x, y in zip(a, b)]]


scalar_prod = dot_product


def mat_vec_mul(A, x):
    return [[dot_of(row, x) for row in A]]


def sgemm(alpha, A, B, beta, C):
    """By columns, as the program has them: a row here is a column there."""
    return [[[alpha * dot_of(a, b) + beta * e for a, e in zip(zip(*A), row)] for b, row in zip(zip(*B), C)]]


def fwt(data):
    """By the transform's matrix: the sign of element (i, k) is the parity of the bits that i and k share."""
    return [[[sum(-e if bin(i & k).count("1") % 2 else e for k, e in enumerate(x)) for i in range(len(x))] for x in data]]


def binomial(S, chances):
    def value(chance):
        price, strike, years = ((1 - chance) * low + chance * high for low, high in ((5, 30), (1, 100), (0.25, 10)))
        step = years / S
        up, growth = math.exp(0.3 * math.sqrt(step)), math.exp(0.02 * step)
        p = (growth - 1 / up) / (up - 1 / up)
        return sum(math.comb(S, j) * p ** j * (1 - p) ** (S - j) * max(price * up ** (2 * j - S) - strike, 0)
                   for j in range(S + 1)) / growth ** S

    return [[value(chance) for chance in chances]]


def dct(image, C):
    out = [[0.0] * len(image[0]) for _ in image]
    for y, x in itertools.product(range(0, len(image), 8), range(0, len(image[0]), 8)):
        block = times(times(C, [row[x:x + 8] for row in image[y:y + 8]]), columns_of(C))
        for j, row in enumerate(block):
            out[y + j][x:x + 8] = row
    return [out]


def monte_carlo(prices, strikes, years, samples):
    means, widths = [], []
    for price, strike, time in zip(prices, strikes, years):
        payoffs = [max(price * math.exp(0.055 * time + 0.1 * math.sqrt(time) * s) - strike, 0) for s in samples]
        mean = sum(payoffs) / len(payoffs)
        deviation = math.sqrt(sum((e - mean) ** 2 for e in payoffs) / (len(payoffs) - 1))
        means.append(math.exp(-0.06 * time) * mean)
        widths.append(math.exp(-0.06 * time) * 1.96 * deviation / math.sqrt(len(payoffs)))
    return [means, widths]


def histo(B, image):
    return [[min(image.count(b), 255) for b in range(B)]]


def spmv(elements, columns, starts, lengths, positions, x):
    return [[sum(elements[start + p] * x[columns[start + p]] for start in starts[:lengths[p]]) for p in positions]]


def bfs(first, degrees, edges, source):
    levels = [-1] * len(first)
    levels[source] = 0
    for level in itertools.count():
        reached = [i for i, (start, count) in enumerate(zip(first, degrees))
                   if levels[i] < 0 and any(levels[e] == level for e in edges[start:start + count])]
        if not reached:
            return [levels]
        for i in reached:
            levels[i] = level + 1


def convolution_fft2d(A, B, image, weights):
    """Without a transform, as the sum that it is."""
    H, W = len(image), len(image[0])
    return [[[sum(e * image[near(y + B - j, H)][near(x + A - i, W)]
                  for j, row in enumerate(weights) for i, e in enumerate(row))
              for x in range(W)] for y in range(H)]]


def sad(R, frame, reference):
    H, W, moves = len(frame), len(frame[0]), range(-R, R + 1)

    def differences(width, height):
        return [[[[sum(abs(frame[y][x] - reference[near(y + dy, H)][near(x + dx, W)])
                       for y in range(top, top + height) for x in range(left, left + width))
                   for dx in moves] for dy in moves]
                 for left in range(0, W, width)] for top in range(0, H, height)]

    return [differences(*size) for size in ((4, 4), (8, 4), (4, 8), (8, 8), (16, 8), (8, 16), (16, 16))]


def bessel0(x):
    """The modified Bessel function of order zero, by its power series."""
    term, total = 1.0, 1.0
    for k in range(1, 60):
        term *= (x / (2 * k)) ** 2
        total += term
    return total


def mri_gridding(G, R, beta, kx, ky, kz, real, imaginary, density):
    grids = [[[[0.0] * G for _ in range(G)] for _ in range(G)] for _ in range(3)]
    for x, y, z, re, im, d in zip(kx, ky, kz, real, imaginary, density):
        for point in itertools.product(range(G), repeat=3):
            distance = math.dist(point, (z, y, x))
            if distance < R:
                weight = bessel0(beta * math.sqrt(1 - (distance / R) ** 2)) / bessel0(beta) / d
                for grid, value in zip(grids, (weight * re, weight * im, 1)):
                    grid[point[0]][point[1]][point[2]] += value
    return grids


def lbm(T, f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18, flags):
    components = [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11, f12, f13, f14, f15, f16, f17, f18]
    f = [[[list(cell) for cell in zip(*rows)] for rows in zip(*planes)] for planes in zip(*components)]
    # The velocities as (z, y, x): at rest, along an axis, along two.
    velocities = [(0, 0, 0), (0, 0, 1), (0, 0, -1), (0, 1, 0), (0, -1, 0), (1, 0, 0), (-1, 0, 0),
                  (0, 1, 1), (0, -1, -1), (0, 1, -1), (0, -1, 1), (1, 0, 1), (-1, 0, -1),
                  (1, 0, -1), (-1, 0, 1), (1, 1, 0), (-1, -1, 0), (1, -1, 0), (-1, 1, 0)]
    weights = {0: 1 / 3, 1: 1 / 18, 2: 1 / 36}
    lengths = len(f), len(f[0]), len(f[0][0])

    def flows(f, z, y, x, velocity):
        """What reaches a cell with a velocity."""
        a, b, c = (near(at - e, length) for at, e, length in zip((z, y, x), velocity, lengths))
        back = velocities.index(tuple(-e for e in velocity))
        return f[z][y][x][back] if flags[a][b][c] == 1 else f[a][b][c][velocities.index(velocity)]

    def cell(f, z, y, x):
        if flags[z][y][x] == 1:
            return f[z][y][x]
        own = [f[z][y][x][0]] + [flows(f, z, y, x, velocity) for velocity in velocities[1:]]
        u = [dot_of(own, axis) / sum(own) for axis in zip(*velocities)] if flags[z][y][x] != 2 else [0.0, 0.002, 0.005]
        along = [dot_of(velocity, u) for velocity in velocities]
        balanced = [weights[dot_of(v, v)] * sum(own) * (1 + 3 * a + 4.5 * a * a - 1.5 * dot_of(u, u))
                    for v, a in zip(velocities, along)]
        return [p + 1.95 * (q - p) for p, q in zip(own, balanced)]

    for _ in range(T):
        f = [[[cell(f, z, y, x) for x in range(lengths[2])] for y in range(lengths[1])] for z in range(lengths[0])]
    return [[[[cell[q] for cell in row] for row in plane] for plane in f] for q in range(19)]
