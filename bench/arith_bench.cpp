// How many expressions a second the simplifier makes, on the index arithmetic of a tiled matrix
// multiplication and of a stencil: one fresh arena a kernel, as the compiler works.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>

#include "arith/arena.hpp"
#include "arith/expr.hpp"

namespace {

using namespace hoist::arith;

std::int64_t made = 0;

Expr add(Expr a, Expr b) { return ++made, a + b; }
Expr multiply(Expr a, Expr b) { return ++made, a * b; }
Expr divide(Expr a, Expr b) { return ++made, a / b; }
Expr rest(Expr a, Expr b) { return ++made, a % b; }

/// Splits a flat index over [rows][columns] and flattens it again transposed, as join and split views do.
Expr transposed(Expr flat, Expr rows, Expr columns) {
  return add(multiply(rest(flat, columns), rows), divide(flat, columns));
}

void tiled_multiplication(std::int64_t tile) {
  const Arena arena;
  const Expr m = size("M");
  const Expr n = size("N");
  const Expr k = size("K");
  const Expr group_row = index("group_row", 0, exact_quotient(m, tile));
  const Expr group_column = index("group_column", 0, exact_quotient(n, tile));
  const Expr local_row = index("local_row", 0, tile);
  const Expr local_column = index("local_column", 0, tile);
  for (int use = 0; use < 12; ++use) {
    const Expr step = index("step", 0, exact_quotient(k, tile));
    const Expr inner = index("inner", 0, tile);
    const Expr row = add(multiply(group_row, tile), local_row);
    const Expr column = add(multiply(group_column, tile), local_column);
    const Expr depth = add(multiply(step, tile), inner);
    const Expr flat_a = add(multiply(row, k), depth);
    const Expr flat_b = add(multiply(depth, n), column);
    const Expr flat_c = add(multiply(row, n), column);
    for (Expr flat : {flat_a, transposed(flat_a, m, k), flat_b, transposed(flat_b, k, n), flat_c}) {
      const Expr chunk = divide(flat, tile);
      const Expr lane = rest(flat, tile);
      const Expr again = add(multiply(chunk, tile), lane);
      if (!(again == flat)) std::abort();
    }
    if (!is_less(flat_a, m * k) || !is_less(flat_c, m * n)) std::abort();
  }
}

void stencil(std::int64_t tile) {
  const Arena arena;
  const Expr height = size("H");
  const Expr width = size("W");
  const Expr group = index("group", 0, ceiling_quotient(width, tile));
  const Expr local = index("local", 0, tile);
  for (int use = 0; use < 12; ++use) {
    const Expr row = index("row", 0, height);
    const Expr column = add(multiply(group, tile), local);
    for (std::int64_t dy = -1; dy <= 1; ++dy) {
      for (std::int64_t dx = -1; dx <= 1; ++dx) {
        const Expr y = minimum(maximum(add(row, dy), 0), add(height, -1));
        const Expr x = minimum(maximum(add(column, dx), 0), add(width, -1));
        const Expr flat = add(multiply(y, width), x);
        made += 4;
        if (!is_less(flat, height * width)) std::abort();
        if (is_less(column, width)) std::abort();
      }
    }
  }
}

/// In processor time, so that a busy machine does not count.
template <class Kernel>
void measure(const char* name, Kernel&& kernel) {
  const auto seconds_used = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  constexpr double enough = 0.7;
  kernel(16);
  made = 0;
  int kernels = 0;
  const double begin = seconds_used();
  while (seconds_used() - begin < enough) kernel(std::int64_t{8} << (kernels++ % 4));
  const double seconds = seconds_used() - begin;
  fmt::print("{:24} {:8.2f} million expressions/s {:10.0f} kernels/s of {} expressions\n", name,
             static_cast<double>(made) / seconds * 1e-6, kernels / seconds, made / kernels);
}

}  // namespace

int main() {
  measure("tiled multiplication", tiled_multiplication);
  measure("stencil", stencil);
}
