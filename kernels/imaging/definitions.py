"""What each program of this folder means, as plain loops written from the mathematics (see ../definitions.py)."""
import math


def near(index, length):
    return min(max(index, 0), length - 1)


def image_of(H, W, f):
    return [[f(y, x) for x in range(W)] for y in range(H)]


def repeated(u):
    """The pixel at any place, where the border is repeated outside."""
    return lambda y, x: u[near(y, len(u))][near(x, len(u[0]))]


def gray_of(image):
    return [[0.299 * r + 0.587 * g + 0.114 * b for r, g, b in zip(*rows)] for rows in zip(*image)]


def unsharp(image):
    gray, weights = gray_of(image), [0.036633, 0.111281, 0.216745, 0.270682, 0.216745, 0.111281, 0.036633]
    u, H, W = repeated(gray), len(gray), len(gray[0])
    blurred = image_of(H, W, lambda y, x: sum(weights[3 + dy] * weights[3 + dx] * u(y + dy, x + dx)
                                              for dy in range(-3, 4) for dx in range(-3, 4)))
    return [[[[e * (2 * g - b) / g for e, g, b in zip(*rows)] for rows in zip(channel, gray, blurred)]
             for channel in image]]


def harris(image):
    gray = gray_of(image)
    u, around = repeated(gray), [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    across, along = (-1, 0, 1), (1, 2, 1)

    def gradient(y, x):
        return (sum(across[1 + dx] * along[1 + dy] * u(y + dy, x + dx) for dy, dx in around) / 12,
                sum(across[1 + dy] * along[1 + dx] * u(y + dy, x + dx) for dy, dx in around) / 12)

    def response(y, x):
        gradients = [gradient(y + dy, x + dx) for dy, dx in around]
        xx, yy, xy = (sum(g[a] * g[b] for g in gradients) for a, b in ((0, 0), (1, 1), (0, 1)))
        return xx * yy - xy * xy - 0.04 * (xx + yy) ** 2

    return [image_of(len(gray), len(gray[0]), response)]


def stencil_chain(image):
    weights = [[0.0625, 0.125, 0.0625], [0.125, 0.25, 0.125], [0.0625, 0.125, 0.0625]]
    for _ in range(32):
        u = repeated(image)
        image = image_of(len(image), len(image[0]), lambda y, x: sum(
            weights[1 + dy][1 + dx] * u(y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)))
    return [image]


def gaussian_separable(image, weights):
    R, u = len(weights) // 2, repeated(image)
    return [image_of(len(image), len(image[0]), lambda y, x: sum(
        weights[R + dy] * weights[R + dx] * u(y + dy, x + dx) for dy in range(-R, R + 1) for dx in range(-R, R + 1)))]


def bilateral(u, precision):
    at = repeated(u)

    def pixel(y, x):
        values, weights = 0.0, 0.0
        for dy in range(-2, 3):
            for dx in range(-2, 3):
                e = at(y + dy, x + dx)
                weight = math.exp(-(dy * dy + dx * dx) / 4.5 - precision * (e - u[y][x]) ** 2)
                values, weights = values + weight * e, weights + weight
        return values / weights

    return [image_of(len(u), len(u[0]), pixel)]


def down_of(image):
    u, weights = repeated(image), [0.125, 0.375, 0.375, 0.125]
    return image_of(len(image) // 2, len(image[0]) // 2, lambda y, x: sum(
        weights[j] * weights[i] * u(2 * y - 1 + j, 2 * x - 1 + i) for j in range(4) for i in range(4)))


def up_of(image):
    u = repeated(image)

    def neighbours(i):
        return [(i // 2, 0.75), (i // 2 + (1 if i % 2 else -1), 0.25)]

    return image_of(2 * len(image), 2 * len(image[0]), lambda y, x: sum(
        a * b * u(v, w) for v, a in neighbours(y) for w, b in neighbours(x)))


def pyramid(image, gain):
    levels = [image]
    for _ in range(3):
        levels.append(down_of(levels[-1]))
    result = levels[3]
    for fine, coarse in ((2, 3), (1, 2), (0, 1)):
        result = [[r + gain * (e - c) for r, e, c in zip(*rows)]
                  for rows in zip(up_of(result), levels[fine], up_of(levels[coarse]))]
    return [result]


def convolution_layer(images, weights, bias):
    I, O = len(weights[0][0]), len(bias)

    def pixel(image, y, x):
        return [max(0.0, bias[o] + sum(weights[dy][dx][i][o] * image[y + dy][x + dx][i]
                                       for dy in range(3) for dx in range(3) for i in range(I))) for o in range(O)]

    return [[image_of(len(image) - 2, len(image[0]) - 2, lambda y, x, image=image: pixel(image, y, x))
             for image in images]]


def nonlocal_means(image, precision):
    u, around = repeated(image), [(dy, dx) for dy in range(-2, 3) for dx in range(-2, 3)]

    def pixel(y, x):
        values, weights = 0.0, 0.0
        for sy, sx in around:
            distance = sum((u(y + dy, x + dx) - u(y + sy + dy, x + sx + dx)) ** 2 for dy, dx in around)
            weight = math.exp(-precision * distance)
            values, weights = values + weight * u(y + sy, x + sx), weights + weight
        return values / weights

    return [image_of(len(image), len(image[0]), pixel)]


def demosaic(raw):
    H, W = len(raw), len(raw[0])

    def reflected(i, n):
        return -i if i < 0 else 2 * n - 2 - i if i >= n else i

    def at(y, x):
        return raw[reflected(y, H)][reflected(x, W)]

    at_other = [[0, 0, -1, 0, 0], [0, 0, 2, 0, 0], [-1, 2, 4, 2, -1], [0, 0, 2, 0, 0], [0, 0, -1, 0, 0]]
    besides = [[0, 0, 0.5, 0, 0], [0, -1, 0, -1, 0], [-1, 4, 5, 4, -1], [0, -1, 0, -1, 0], [0, 0, 0.5, 0, 0]]
    above = [list(column) for column in zip(*besides)]
    corners = [[0, 0, -1.5, 0, 0], [0, 2, 0, 2, 0], [-1.5, 0, 6, 0, -1.5], [0, 2, 0, 2, 0], [0, 0, -1.5, 0, 0]]
    own = [[8 if dy == dx == 2 else 0 for dx in range(5)] for dy in range(5)]
    # By the parities of y and x.
    red, green = [[own, besides], [above, corners]], [[at_other, own], [own, at_other]]
    blue = [[corners, above], [besides, own]]

    def channel(weights):
        return image_of(H, W, lambda y, x: sum(
            weights[y % 2][x % 2][2 + dy][2 + dx] * at(y + dy, x + dx)
            for dy in range(-2, 3) for dx in range(-2, 3)) / 8)

    return [channel(red), channel(green), channel(blue)]


def equalise(image):
    gray = gray_of(image)
    H, W = len(gray), len(gray[0])
    bins = image_of(H, W, lambda y, x: min(max(int(255 * gray[y][x]), 0), 255))
    counts = [0] * 256
    for row in bins:
        for each in row:
            counts[each] += 1
    shares = [sum(counts[:each + 1]) / (H * W) for each in range(256)]
    return [[image_of(H, W, lambda y, x, channel=channel: min(max(
        channel[y][x] - gray[y][x] + shares[bins[y][x]], 0.0), 1.0)) for channel in image]]
