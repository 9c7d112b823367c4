"""What test_ranks.py starts on ranks: each of them calls programs with its rows, and ends with "rank R: done"."""
import sys

import numpy
from mpi4py import MPI

import hoist

STENCIL = """
def smooth(u: [H][W]i32): [H][W]i32 =
  u |> pad2(1, 1, wrap) |> slide2(3, 1) |> map2(n => (n[0][1] + n[1][0] + 2 * n[1][1] + n[1][2] + n[2][1]) % 1009)
"""
TOTAL = "def total(a: i32, x: [N]i32): (i32, [N]i32) = (x |> map(e => a * e) |> reduce(+, 0), x |> map(e => e + a))"

ranks = hoist.ranks(MPI.COMM_WORLD)
assert (ranks.rank, ranks.size) == (MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size)
last = ranks.rank == ranks.size - 1
smooth, total = hoist.program(STENCIL, device="host"), hoist.program(TOTAL, device="host")


def expect(says, call):
    try:
        call()
    except hoist.UserError as error:
        assert says in str(error), (says, str(error))
    else:
        raise AssertionError(f"no error says: {says}")


for height in (31, 32, 31):
    u = (numpy.arange(height * 7, dtype=numpy.int32) ** 2 % 97).reshape(height, 7)
    rows = ranks.rows(height)
    for steps in (1, 4):
        whole = smooth(u, steps=steps)
        assert (smooth(u[rows], ranks=ranks, steps=steps) == whole[rows]).all()
        assert (smooth(u[rows], ranks=ranks, steps=steps, grid=(1, ranks.size)) == whole[rows]).all()
    out = numpy.empty_like(u[rows])
    assert smooth(u[rows], ranks=ranks, out=out) is out and (out == smooth(u)[rows]).all()
x = numpy.arange(1001, dtype=numpy.int32) % 13
share = 1 + ranks.rank
first = round(1001 * sum(range(1, share)) / sum(range(1, ranks.size + 1)) + 1e-9)
end = round(1001 * sum(range(1, share + 1)) / sum(range(1, ranks.size + 1)) + 1e-9)
sum_of_all, moved = total(3, x[first:end], ranks=ranks, shares=share)
assert sum_of_all == 3 * x.sum() and (moved == x[first:end] + 3).all()

# What is wrong at the last rank is an exception at all, and what follows is right.
rows = ranks.rows(32)
u = numpy.ones((32, 7), numpy.int32)
expect("elements of f32 were given", lambda: smooth(u[rows].astype(numpy.float32) if last else u[rows], ranks=ranks))
expect("other sizes, than rank 0", lambda: smooth(u[rows][:, :6] if last else u[rows], ranks=ranks))
expect("other numbers than rank 0", lambda: total(4 if last else 3, x[ranks.rows(1001)], ranks=ranks))
expect("cannot be cut into", lambda: total(3, x[:1 if ranks.rank == 0 else 0], ranks=ranks))
assert (smooth(u[rows], ranks=ranks) == 6).all()
print(f"rank {ranks.rank}: done")
sys.stdout.flush()
