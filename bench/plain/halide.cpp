#include <Halide.h>

#include <memory>

#include "plain/libraries.hpp"

namespace hoist::plain {

namespace {

using Halide::Func;
using Halide::ImageParam;
using Halide::RDom;
using Halide::Var;
using Image = Halide::Buffer<float>;

/// An input that Halide may plan for: memory of these extents, the innermost first.
struct Input {
  Input(const float* memory, const std::vector<int>& extents)
      : parameter(Halide::Float(32), static_cast<int>(extents.size())),
        image(const_cast<float*>(memory), extents) {
    parameter.set(image);
    for (std::size_t d = 0; d < extents.size(); ++d)
      parameter.dim(static_cast<int>(d)).set_estimate(0, extents[d]);
  }
  ImageParam parameter;
  Image image;
};

int size(const Arguments& a, const char* name) { return static_cast<int>(a.size(name)); }

LibraryRun scheduled(Func result, const Arguments& arguments, const std::vector<int>& extents) {
  for (std::size_t d = 0; d < extents.size(); ++d)
    result.output_buffer().dim(static_cast<int>(d)).set_estimate(0, extents[d]);
  static const bool is_loaded = (Halide::load_plugin(HALIDE_AUTOSCHEDULER), true);
  (void)is_loaded;
  const Halide::Target target = Halide::get_host_target();
  auto pipeline = std::make_shared<Halide::Pipeline>(result);
  // Two threads; the share of the last-level cache and the cost of memory are Halide's usual ones.
  pipeline->auto_schedule("Adams2019", target, Halide::MachineParams(2, 16 * 1024 * 1024, 40));
  pipeline->compile_jit(target);
  auto image = std::make_shared<Image>(arguments.real_output(0), extents);
  return [pipeline, image] { pipeline->realize(*image); };
}

LibraryRun plane(const Arguments& a, const std::function<Halide::Expr(Func, Var, Var)>& point) {
  const std::vector<int> extents{size(a, "W"), size(a, "H")};
  Input u(a.reals(0), extents);
  Func padded = Halide::BoundaryConditions::repeat_edge(u.parameter);
  Func out("out");
  Var x("x"), y("y");
  out(x, y) = point(padded, x, y);
  return scheduled(out, a, extents);
}

LibraryRun jacobi2d5(const Arguments& a) {
  return plane(a, [](Func u, Var x, Var y) {
    return 0.2f * (u(x, y) + u(x, y - 1) + u(x, y + 1) + u(x - 1, y) + u(x + 1, y));
  });
}

LibraryRun jacobi2d9(const Arguments& a) {
  return plane(a, [](Func u, Var x, Var y) {
    return (7.1f * u(x - 1, y - 1) + 5.1f * u(x, y - 1) + 9.2f * u(x + 1, y - 1) + 12.1f * u(x - 1, y) +
            15.0f * u(x, y) + 12.2f * u(x + 1, y) + 9.1f * u(x - 1, y + 1) + 5.2f * u(x, y + 1) +
            7.2f * u(x + 1, y + 1)) /
           82.2f;
  });
}

LibraryRun jacobi3d7(const Arguments& a) {
  const std::vector<int> extents{size(a, "W"), size(a, "H"), size(a, "D")};
  Input input(a.reals(0), extents);
  Func u = Halide::BoundaryConditions::repeat_edge(input.parameter);
  Func out("out");
  Var x("x"), y("y"), z("z");
  out(x, y, z) =
      (u(x, y, z - 1) + u(x, y, z + 1) + u(x, y - 1, z) + u(x, y + 1, z) + u(x - 1, y, z) + u(x + 1, y, z)) /
          36.0f -
      u(x, y, z) / 6.0f;
  return scheduled(out, a, extents);
}

LibraryRun matmul_nn(const Arguments& a) {
  const int m = size(a, "M"), n = size(a, "N"), k = size(a, "K");
  Input left(a.reals(0), {k, m}), right(a.reals(1), {n, k});
  Func sum("sum"), out("out");
  Var x("x"), y("y");
  RDom l(0, k);
  sum(x, y) += left.parameter(l, y) * right.parameter(x, l);
  out(x, y) = sum(x, y);
  return scheduled(out, a, {n, m});
}

LibraryRun convolution2d(const Arguments& a) {
  const int h = size(a, "H"), w = size(a, "W"), r = size(a, "R");
  Input image(a.reals(0), {w, h}), weights(a.reals(1), {2 * r + 1, 2 * r + 1});
  Func u = Halide::BoundaryConditions::constant_exterior(image.parameter, 0.0f);
  Func sum("sum"), out("out");
  Var x("x"), y("y");
  RDom d(-r, 2 * r + 1, -r, 2 * r + 1);
  sum(x, y) += weights.parameter(d.x + r, d.y + r) * u(x + d.x, y + d.y);
  out(x, y) = sum(x, y);
  return scheduled(out, a, {w, h});
}

LibraryRun convolution2d_separable(const Arguments& a) {
  const int h = size(a, "H"), w = size(a, "W"), r = size(a, "R");
  Input image(a.reals(0), {w, h}), row_weights(a.reals(1), {2 * r + 1}),
      column_weights(a.reals(2), {2 * r + 1});
  Func u = Halide::BoundaryConditions::constant_exterior(image.parameter, 0.0f);
  Func rows("rows"), sum("sum"), out("out");
  Var x("x"), y("y");
  RDom d(-r, 2 * r + 1);
  rows(x, y) += row_weights.parameter(d + r) * u(x + d, y);
  // Rows outside the image are zero because the image is.
  sum(x, y) += column_weights.parameter(d + r) * rows(x, y + d);
  out(x, y) = sum(x, y);
  return scheduled(out, a, {w, h});
}

}  // namespace

LibraryRun halide_run(const std::string& kernel, const Arguments& arguments) {
  static const std::map<std::string, LibraryRun (*)(const Arguments&)> table{
      {"jacobi2d5", jacobi2d5},         {"jacobi2d9", jacobi2d9},
      {"jacobi3d7", jacobi3d7},         {"matmul_nn", matmul_nn},
      {"convolution2d", convolution2d}, {"convolution2d_separable", convolution2d_separable}};
  const auto program = table.find(kernel);
  return program == table.end() ? LibraryRun() : program->second(arguments);
}

}  // namespace hoist::plain
