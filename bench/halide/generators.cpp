// The pipelines of kernels/imaging for Halide 14: the same arithmetic and the same borders (but for the chain
// of stencils), one generator for each program and by its name. None has a schedule: Adams2019 makes it from
// the sizes, which are generator parameters with the names that kernels/sizes.json uses.
//
// Dimensions are in Halide's order, the innermost first: [H][W]f32 is a function of (x, y). Sums over windows
// are unrolled by the generator; only the convolutional layer and the histogram, whose sums are long, use
// reduction domains, as Halide's own examples do.
#include <Halide.h>

#include <array>
#include <functional>

namespace {

using Halide::cast;
using Halide::Expr;
using Halide::Func;
using Halide::Generator;
using Halide::GeneratorParam;
using Halide::RDom;
using Halide::select;
using Halide::Tuple;
using Halide::Var;
using Halide::BoundaryConditions::mirror_interior;
using Halide::BoundaryConditions::repeat_edge;

const Var x("x"), y("y"), c("c"), n("n"), sx("sx"), sy("sy");

/// The sum of f(-r) to f(r).
Expr sum_of(int r, const std::function<Expr(int)>& f) {
  Expr result = f(-r);
  for (int d = 1 - r; d <= r; ++d) result += f(d);
  return result;
}

template <class Image>
Func gray_of(Image& image) {
  Func gray("gray");
  gray(x, y) = 0.299f * image(x, y, 0) + 0.587f * image(x, y, 1) + 0.114f * image(x, y, 2);
  return gray;
}

Func with_border(Func image, Expr width, Expr height) {
  return repeat_edge(image, {{0, width}, {0, height}});
}

class Unsharp : public Generator<Unsharp> {
 public:
  GeneratorParam<int> H{"H", 1}, W{"W", 1};
  Input<Buffer<float>> image{"image", 3};
  Output<Buffer<float>> result{"result", 3};

  void generate() {
    const std::array<float, 7> weights{0.036633f, 0.111281f, 0.216745f, 0.270682f,
                                       0.216745f, 0.111281f, 0.036633f};
    Func gray = with_border(gray_of(image), image.width(), image.height());
    Func columns("columns"), blurred("blurred"), ratio("ratio");
    columns(x, y) =
        sum_of(3, [&](int d) { return weights[static_cast<std::size_t>(3 + d)] * gray(x, y + d); });
    blurred(x, y) =
        sum_of(3, [&](int d) { return weights[static_cast<std::size_t>(3 + d)] * columns(x + d, y); });
    ratio(x, y) = (2.0f * gray(x, y) - blurred(x, y)) / gray(x, y);
    result(x, y, c) = image(x, y, c) * ratio(x, y);
    image.set_estimates({{0, W}, {0, H}, {0, 3}});
    result.set_estimates({{0, W}, {0, H}, {0, 3}});
  }
};

class Harris : public Generator<Harris> {
 public:
  GeneratorParam<int> H{"H", 1}, W{"W", 1};
  Input<Buffer<float>> image{"image", 3};
  Output<Buffer<float>> result{"result", 2};

  void generate() {
    Func u = with_border(gray_of(image), image.width(), image.height());
    Func horizontal("horizontal"), vertical("vertical");
    horizontal(x, y) = (u(x + 1, y - 1) - u(x - 1, y - 1) + 2.0f * (u(x + 1, y) - u(x - 1, y)) +
                        u(x + 1, y + 1) - u(x - 1, y + 1)) /
                       12.0f;
    vertical(x, y) = (u(x - 1, y + 1) - u(x - 1, y - 1) + 2.0f * (u(x, y + 1) - u(x, y - 1)) +
                      u(x + 1, y + 1) - u(x + 1, y - 1)) /
                     12.0f;
    Func xx = sum_of_products(horizontal, horizontal), yy = sum_of_products(vertical, vertical),
         xy = sum_of_products(horizontal, vertical);
    const Expr trace = xx(x, y) + yy(x, y);
    result(x, y) = xx(x, y) * yy(x, y) - xy(x, y) * xy(x, y) - 0.04f * trace * trace;
    image.set_estimates({{0, W}, {0, H}, {0, 3}});
    result.set_estimates({{0, W}, {0, H}});
  }

 private:
  static Func sum_of_products(Func a, Func b) {
    Func product, sum;
    product(x, y) = a(x, y) * b(x, y);
    sum(x, y) = sum_of(1, [&](int dy) { return sum_of(1, [&](int dx) { return product(x + dx, y + dy); }); });
    return sum;
  }
};

class StencilChain : public Generator<StencilChain> {
 public:
  GeneratorParam<int> H{"H", 1}, W{"W", 1};
  Input<Buffer<float>> image{"image", 2};
  Output<Buffer<float>> result{"result", 2};

  void generate() {
    // A border around each stage would double the number of stages: the generator did not end in a quarter of
    // an hour. So there is one around the input alone, as in Halide's own example.
    Func stage = repeat_edge(image);
    for (int step = 0; step < 32; ++step) {
      const Func u = stage;
      Func next("stage" + std::to_string(step));
      next(x, y) = 0.25f * u(x, y) + 0.125f * (u(x, y - 1) + u(x - 1, y) + u(x + 1, y) + u(x, y + 1)) +
                   0.0625f * (u(x - 1, y - 1) + u(x + 1, y - 1) + u(x - 1, y + 1) + u(x + 1, y + 1));
      stage = next;
    }
    result(x, y) = stage(x, y);
    image.set_estimates({{0, W}, {0, H}});
    result.set_estimates({{0, W}, {0, H}});
  }
};

class GaussianSeparable : public Generator<GaussianSeparable> {
 public:
  GeneratorParam<int> H{"H", 1}, W{"W", 1}, R{"R", 1};
  Input<Buffer<float>> image{"image", 2};
  Input<Buffer<float>> weights{"weights", 1};
  Output<Buffer<float>> result{"result", 2};

  void generate() {
    Func u = repeat_edge(image), rows("rows");
    rows(x, y) = sum_of(R, [&](int d) { return weights(R + d) * u(x + d, y); });
    Func v = with_border(rows, image.width(), image.height());
    result(x, y) = sum_of(R, [&](int d) { return weights(R + d) * v(x, y + d); });
    image.set_estimates({{0, W}, {0, H}});
    weights.set_estimates({{0, 2 * R + 1}});
    result.set_estimates({{0, W}, {0, H}});
  }
};

class Bilateral : public Generator<Bilateral> {
 public:
  GeneratorParam<int> H{"H", 1}, W{"W", 1};
  Input<Buffer<float>> image{"u", 2};
  Input<float> precision{"precision"};
  Output<Buffer<float>> result{"result", 2};

  void generate() {
    Func u = repeat_edge(image);
    Expr values = 0.0f, weights = 0.0f;
    for (int dy = -2; dy <= 2; ++dy) {
      for (int dx = -2; dx <= 2; ++dx) {
        const Expr e = u(x + dx, y + dy), difference = e - u(x, y);
        const float distance = static_cast<float>(dy * dy + dx * dx) / 4.5f;
        const Expr weight = exp(-distance - precision * difference * difference);
        values += weight * e;
        weights += weight;
      }
    }
    result(x, y) = values / weights;
    image.set_estimates({{0, W}, {0, H}});
    precision.set_estimate(6.0f);
    result.set_estimates({{0, W}, {0, H}});
  }
};

class Pyramid : public Generator<Pyramid> {
 public:
  GeneratorParam<int> P{"P", 1}, Q{"Q", 1};
  Input<Buffer<float>> image{"image", 2};
  Input<float> gain{"gain"};
  Output<Buffer<float>> result{"result", 2};

  void generate() {
    std::array<Func, 4> levels;
    levels[0] = image;
    for (std::size_t l = 1; l < 4; ++l) levels[l] = down(levels[l - 1], l - 1);
    Func finer = levels[3];
    for (std::size_t l = 3; l-- > 0;) {
      Func raised = up(finer, l + 1), coarse = up(levels[l + 1], l + 1), next;
      next(x, y) = raised(x, y) + gain * (levels[l](x, y) - coarse(x, y));
      finer = next;
    }
    result(x, y) = finer(x, y);
    image.set_estimates({{0, 8 * Q}, {0, 8 * P}});
    gain.set_estimate(1.5f);
    result.set_estimates({{0, 8 * Q}, {0, 8 * P}});
  }

 private:
  Expr width(std::size_t level) { return image.width() >> static_cast<int>(level); }
  Expr height(std::size_t level) { return image.height() >> static_cast<int>(level); }

  Func down(Func image, std::size_t level) {
    Func u = with_border(image, width(level), height(level)), rows, both;
    rows(x, y) = 0.125f * (u(2 * x - 1, y) + u(2 * x + 2, y)) + 0.375f * (u(2 * x, y) + u(2 * x + 1, y));
    both(x, y) =
        0.125f * (rows(x, 2 * y - 1) + rows(x, 2 * y + 2)) + 0.375f * (rows(x, 2 * y) + rows(x, 2 * y + 1));
    return both;
  }

  Func up(Func image, std::size_t level) {
    Func u = with_border(image, width(level), height(level)), rows, both;
    rows(x, y) = 0.75f * u(x / 2, y) + 0.25f * u(x / 2 - 1 + 2 * (x % 2), y);
    both(x, y) = 0.75f * rows(x, y / 2) + 0.25f * rows(x, y / 2 - 1 + 2 * (y % 2));
    return both;
  }
};

class ConvolutionLayer : public Generator<ConvolutionLayer> {
 public:
  GeneratorParam<int> N{"N", 1}, H{"H", 1}, W{"W", 1}, I{"I", 1}, O{"O", 1};
  Input<Buffer<float>> images{"images", 4};
  Input<Buffer<float>> weights{"weights", 4};
  Input<Buffer<float>> bias{"bias", 1};
  Output<Buffer<float>> result{"result", 4};

  void generate() {
    Func sum("sum");
    RDom d(0, I, 0, 3, 0, 3);
    sum(c, x, y, n) = bias(c);
    sum(c, x, y, n) += weights(c, d.x, d.y, d.z) * images(d.x, x + d.y, y + d.z, n);
    result(c, x, y, n) = max(0.0f, sum(c, x, y, n));
    images.set_estimates({{0, I}, {0, W + 2}, {0, H + 2}, {0, N}});
    weights.set_estimates({{0, O}, {0, I}, {0, 3}, {0, 3}});
    bias.set_estimates({{0, O}});
    result.set_estimates({{0, O}, {0, W}, {0, H}, {0, N}});
  }
};

class NonlocalMeans : public Generator<NonlocalMeans> {
 public:
  GeneratorParam<int> H{"H", 1}, W{"W", 1};
  Input<Buffer<float>> image{"image", 2};
  Input<float> precision{"precision"};
  Output<Buffer<float>> result{"result", 2};

  void generate() {
    Func u = repeat_edge(image);
    Func squares("squares"), rows("rows"), weight("weight"), sums("sums");
    const Expr difference = u(x, y) - u(x + sx, y + sy);
    squares(x, y, sx, sy) = difference * difference;
    rows(x, y, sx, sy) = sum_of(2, [&](int d) { return squares(x + d, y, sx, sy); });
    weight(x, y, sx, sy) = exp(-precision * sum_of(2, [&](int d) { return rows(x, y + d, sx, sy); }));
    RDom s(-2, 5, -2, 5);
    sums(x, y) = Tuple(0.0f, 0.0f);
    const Expr w = weight(x, y, s.x, s.y);
    sums(x, y) = Tuple(sums(x, y)[0] + w * u(x + s.x, y + s.y), sums(x, y)[1] + w);
    result(x, y) = sums(x, y)[0] / sums(x, y)[1];
    image.set_estimates({{0, W}, {0, H}});
    precision.set_estimate(0.7f);
    result.set_estimates({{0, W}, {0, H}});
  }
};

class Demosaic : public Generator<Demosaic> {
 public:
  GeneratorParam<int> P{"P", 1}, Q{"Q", 1};
  Input<Buffer<float>> raw{"raw", 2};
  Output<Func> result{"result", {Halide::Float(32), Halide::Float(32), Halide::Float(32)}, 2};

  void generate() {
    Func u = mirror_interior(raw);
    const auto besides = [&](int d) { return u(x - d, y) + u(x + d, y); };
    const auto above = [&](int d) { return u(x, y - d) + u(x, y + d); };
    const Expr corners = u(x - 1, y - 1) + u(x + 1, y - 1) + u(x - 1, y + 1) + u(x + 1, y + 1);
    const Expr own = u(x, y);
    Func green("green_at_other"), from_besides("from_besides"), from_above("from_above"),
        from_corners("from_corners");
    green(x, y) = 0.125f * (4.0f * own + 2.0f * (besides(1) + above(1)) - besides(2) - above(2));
    from_besides(x, y) = 0.125f * (5.0f * own + 4.0f * besides(1) + 0.5f * above(2) - besides(2) - corners);
    from_above(x, y) = 0.125f * (5.0f * own + 4.0f * above(1) + 0.5f * besides(2) - above(2) - corners);
    from_corners(x, y) = 0.125f * (6.0f * own + 2.0f * corners - 1.5f * (besides(2) + above(2)));
    const auto by_parity = [&](Expr even_even, Expr even_odd, Expr odd_even, Expr odd_odd) {
      return select(y % 2 == 0, select(x % 2 == 0, even_even, even_odd),
                    select(x % 2 == 0, odd_even, odd_odd));
    };
    result(x, y) = Tuple(by_parity(own, from_besides(x, y), from_above(x, y), from_corners(x, y)),
                         by_parity(green(x, y), own, own, green(x, y)),
                         by_parity(from_corners(x, y), from_above(x, y), from_besides(x, y), own));
    raw.set_estimates({{0, 2 * Q}, {0, 2 * P}});
    result.set_estimates({{0, 2 * Q}, {0, 2 * P}});
  }
};

class Equalise : public Generator<Equalise> {
 public:
  GeneratorParam<int> H{"H", 1}, W{"W", 1};
  Input<Buffer<float>> image{"image", 3};
  Output<Buffer<float>> result{"result", 3};

  void generate() {
    Func gray = gray_of(image), bin("bin"), counts("counts"), shares("shares");
    Var i("i");
    bin(x, y) = clamp(cast<int>(255.0f * gray(x, y)), 0, 255);
    RDom pixels(0, image.width(), 0, image.height()), others(1, 255);
    counts(i) = 0;
    counts(bin(pixels.x, pixels.y)) += 1;
    shares(i) = counts(0);
    shares(others) = shares(others - 1) + counts(others);
    const Expr share = cast<float>(shares(bin(x, y))) / cast<float>(image.width() * image.height());
    result(x, y, c) = clamp(image(x, y, c) + (share - gray(x, y)), 0.0f, 1.0f);
    image.set_estimates({{0, W}, {0, H}, {0, 3}});
    result.set_estimates({{0, W}, {0, H}, {0, 3}});
  }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Unsharp, unsharp)
HALIDE_REGISTER_GENERATOR(Harris, harris)
HALIDE_REGISTER_GENERATOR(StencilChain, stencil_chain)
HALIDE_REGISTER_GENERATOR(GaussianSeparable, gaussian_separable)
HALIDE_REGISTER_GENERATOR(Bilateral, bilateral)
HALIDE_REGISTER_GENERATOR(Pyramid, pyramid)
HALIDE_REGISTER_GENERATOR(ConvolutionLayer, convolution_layer)
HALIDE_REGISTER_GENERATOR(NonlocalMeans, nonlocal_means)
HALIDE_REGISTER_GENERATOR(Demosaic, demosaic)
HALIDE_REGISTER_GENERATOR(Equalise, equalise)
