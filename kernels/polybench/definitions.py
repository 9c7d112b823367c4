"""What each program of this folder means, as plain loops written from the mathematics (see ../definitions.py)."""
import math


def zeros(*shape):
    return [zeros(*shape[1:]) for _ in range(shape[0])] if shape else 0.0


def copy(x):
    return [copy(e) for e in x] if isinstance(x, list) else x


def times(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(len(B))) for j in range(len(B[0]))] for i in range(len(A))]


def gemm(alpha, beta, C, A, B):
    return [[[alpha * p + beta * c for p, c in zip(*rows)] for rows in zip(times(A, B), C)]]


def gemver(alpha, beta, A, u1, v1, u2, v2, x, y, z):
    N = range(len(A))
    A = [[A[i][j] + u1[i] * v1[j] + u2[i] * v2[j] for j in N] for i in N]
    x = [x[i] + beta * sum(A[j][i] * y[j] for j in N) + z[i] for i in N]
    return [A, x, [alpha * sum(A[i][j] * x[j] for j in N) for i in N]]


def gesummv(alpha, beta, A, B, x):
    N = range(len(x))
    return [[alpha * sum(A[i][j] * x[j] for j in N) + beta * sum(B[i][j] * x[j] for j in N) for i in N]]


def symm(alpha, beta, C, A, B):
    whole = [[A[max(i, k)][min(i, k)] for k in range(len(A))] for i in range(len(A))]
    return gemm(alpha, beta, C, whole, B)


def syrk(alpha, beta, C, A):
    N = range(len(C))
    return [[[alpha * sum(a * b for a, b in zip(A[i], A[j])) + beta * C[i][j] if j <= i else C[i][j]
              for j in N] for i in N]]


def syr2k(alpha, beta, C, A, B):
    N = range(len(C))
    return [[[alpha * sum(A[i][k] * B[j][k] + B[i][k] * A[j][k] for k in range(len(A[0]))) + beta * C[i][j]
              if j <= i else C[i][j] for j in N] for i in N]]


def trmm(alpha, A, B):
    M = len(B)
    return [[[alpha * (B[i][j] + sum(A[k][i] * B[k][j] for k in range(i + 1, M))) for j in range(len(B[0]))]
             for i in range(M)]]


def mm2(alpha, beta, A, B, C, D):
    scaled = [[alpha * e for e in row] for row in times(A, B)]
    return [[[p + beta * d for p, d in zip(*rows)] for rows in zip(times(scaled, C), D)]]


def mm3(A, B, C, D):
    return [times(times(A, B), times(C, D))]


def doitgen(A, C4):
    return [[times(matrix, C4) for matrix in A]]


def atax(A, x):
    Ax = [sum(a * b for a, b in zip(row, x)) for row in A]
    return [[sum(A[i][j] * Ax[i] for i in range(len(A))) for j in range(len(x))]]


def bicg(A, p, r):
    return [[sum(A[i][j] * r[i] for i in range(len(A))) for j in range(len(p))],
            [sum(A[i][j] * p[j] for j in range(len(p))) for i in range(len(A))]]


def mvt(x1, x2, y1, y2, A):
    N = range(len(A))
    return [[x1[i] + sum(A[i][j] * y1[j] for j in N) for i in N],
            [x2[i] + sum(A[j][i] * y2[j] for j in N) for i in N]]


def cholesky(A):
    N, L = len(A), copy(A)
    for i in range(N):
        for j in range(i + 1):
            rest = A[i][j] - sum(L[i][k] * L[j][k] for k in range(j))
            L[i][j] = math.sqrt(rest) if i == j else rest / L[j][j]
    return [L]


def lu(A):
    N, F = len(A), copy(A)
    for i in range(N):
        for j in range(N):
            F[i][j] = A[i][j] - sum(F[i][k] * F[k][j] for k in range(min(i, j)))
            if j < i:
                F[i][j] /= F[j][j]
    return [F]


def ludcmp(A, b):
    N, F = len(A), lu(A)[0]
    y, x = zeros(N), zeros(N)
    for i in range(N):
        y[i] = b[i] - sum(F[i][j] * y[j] for j in range(i))
    for i in reversed(range(N)):
        x[i] = (y[i] - sum(F[i][j] * x[j] for j in range(i + 1, N))) / F[i][i]
    return [F, y, x]


def trisolv(L, b):
    x = zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - sum(L[i][j] * x[j] for j in range(i))) / L[i][i]
    return [x]


def durbin(r):
    y, alpha, beta = [-r[0]], -r[0], 1.0
    for k in range(1, len(r)):
        beta *= 1 - alpha * alpha
        alpha = -(r[k] + sum(r[k - 1 - i] * y[i] for i in range(k))) / beta
        y = [y[i] + alpha * y[k - 1 - i] for i in range(k)] + [alpha]
    return [y]


def gramschmidt(A):
    M, N = len(A), len(A[0])
    A, R, Q = copy(A), zeros(N, N), zeros(M, N)
    for k in range(N):
        R[k][k] = math.sqrt(sum(A[i][k] ** 2 for i in range(M)))
        for i in range(M):
            Q[i][k] = A[i][k] / R[k][k]
        for j in range(k + 1, N):
            R[k][j] = sum(Q[i][k] * A[i][j] for i in range(M))
            for i in range(M):
                A[i][j] -= Q[i][k] * R[k][j]
    return [R, Q]


def covariance(data):
    n, M = len(data), len(data[0])
    mean = [sum(row[j] for row in data) / n for j in range(M)]
    return [[[sum((row[i] - mean[i]) * (row[j] - mean[j]) for row in data) / (n - 1) for j in range(M)]
             for i in range(M)]]


def correlation(data):
    n, M = len(data), len(data[0])
    mean = [sum(row[j] for row in data) / n for j in range(M)]
    deviation = [math.sqrt(sum((row[j] - mean[j]) ** 2 for row in data) / n) for j in range(M)]
    deviation = [1.0 if d <= 0.1 else d for d in deviation]
    reduced = [[(row[j] - mean[j]) / (math.sqrt(n) * deviation[j]) for j in range(M)] for row in data]
    return [[[1.0 if i == j else sum(row[i] * row[j] for row in reduced) for j in range(M)] for i in range(M)]]


def deriche(alpha, image):
    e = math.exp(-alpha)
    k = (1 - e) ** 2 / (1 + 2 * alpha * e - math.exp(2 * alpha))
    b1, b2 = 2.0 ** -alpha, -e * e

    def from_left(x, at0, at1, at2):
        y = []
        for j in range(len(x)):
            def known(list_, back):
                return list_[j - back] if j >= back else 0.0
            y.append(at0 * x[j] + at1 * known(x, 1) + at2 * known(x, 2) + b1 * known(y, 1) + b2 * known(y, 2))
        return y

    def filtered(lines):
        return [[p + q for p, q in zip(from_left(x, k, k * e * (alpha - 1), 0.0),
                                       from_left(x[::-1], 0.0, k * e * (alpha + 1), -k * e * e)[::-1])]
                for x in lines]

    def turned(lines):
        return [list(column) for column in zip(*lines)]

    return [turned(filtered(turned(filtered(image))))]


def floyd_warshall(paths):
    N, p = range(len(paths)), copy(paths)
    for k in N:
        for i in N:
            for j in N:
                p[i][j] = min(p[i][j], p[i][k] + p[k][j])
    return [p]


def nussinov(sequence):
    N = len(sequence)
    table = [[0] * N for _ in range(N)]
    for i in reversed(range(N)):
        for j in range(i + 1, N):
            best = [table[i][k] + table[k + 1][j] for k in range(i, j)]  # k = i: without i
            best.append(table[i][j - 1])
            paired = 1 if sequence[i] + sequence[j] == 3 else 0
            best.append(table[i + 1][j - 1] + paired if j > i + 1 else 0)
            table[i][j] = max(best)
    return [table]


def adi(T, u):
    N, u, v = len(u), copy(u), zeros(len(u), len(u))
    steps = 1.0 / T
    first, second = 2 * steps * N * N, steps * N * N
    a, d = -first / 2, -second / 2
    b, e = 1 + first, 1 + second

    def solved(c, m, known):
        p, q = [0.0], [1.0]
        for value in known:
            below = c * p[-1] + m
            q.append((value - c * q[-1]) / below)
            p.append(-c / below)
        x = [1.0]
        for pk, qk in zip(p[:0:-1], q[:0:-1]):
            x.append(pk * x[-1] + qk)
        return (x + [1.0])[::-1]

    inner = range(1, N - 1)
    for _ in range(T):
        for i in inner:
            line = solved(a, b, [-d * u[j][i - 1] + (1 + 2 * d) * u[j][i] - d * u[j][i + 1] for j in inner])
            for j in range(N):
                v[j][i] = line[j]
        for i in inner:
            u[i] = solved(d, e, [-a * v[i - 1][j] + (1 + 2 * a) * v[i][j] - a * v[i + 1][j] for j in inner])
    return [u]


def fdtd2d(ex, ey, hz, source):
    X, Y = len(ex), len(ex[0])
    ex, ey, hz = copy(ex), copy(ey), copy(hz)
    for value in source:
        for j in range(Y):
            ey[0][j] = value
        for i in range(1, X):
            for j in range(Y):
                ey[i][j] -= 0.5 * (hz[i][j] - hz[i - 1][j])
        for i in range(X):
            for j in range(1, Y):
                ex[i][j] -= 0.5 * (hz[i][j] - hz[i][j - 1])
        for i in range(X - 1):
            for j in range(Y - 1):
                hz[i][j] -= 0.7 * (ex[i][j + 1] - ex[i][j] + ey[i + 1][j] - ey[i][j])
    return [ex, ey, hz]


def two_planes(T, A, B, step):
    A, B = copy(A), copy(B)
    for _ in range(T):
        step(A, B)
        step(B, A)
    return [A, B]


def jacobi1d(T, A, B):
    def step(a, b):
        for i in range(1, len(a) - 1):
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])

    return two_planes(T, A, B, step)


def jacobi2d(T, A, B):
    inner = range(1, len(A) - 1)

    def step(a, b):
        for i in inner:
            for j in inner:
                b[i][j] = 0.2 * (a[i][j] + a[i][j - 1] + a[i][j + 1] + a[i + 1][j] + a[i - 1][j])

    return two_planes(T, A, B, step)


def heat3d(T, A, B):
    inner = range(1, len(A) - 1)

    def step(a, b):
        for i in inner:
            for j in inner:
                for k in inner:
                    around = (a[i + 1][j][k] + a[i - 1][j][k] + a[i][j + 1][k] + a[i][j - 1][k]
                              + a[i][j][k + 1] + a[i][j][k - 1])
                    b[i][j][k] = a[i][j][k] + 0.125 * (around - 6 * a[i][j][k])

    return two_planes(T, A, B, step)


def seidel2d(T, A):
    u = copy(A)
    inner = range(1, len(u) - 1)
    for _ in range(T):
        for i in inner:
            for j in inner:
                u[i][j] = sum(u[i + y][j + x] for y in (-1, 0, 1) for x in (-1, 0, 1)) / 9
    return [u]
