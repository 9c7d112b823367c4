#include "workloads/stencil.hpp"

#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>

namespace hoist::workloads {

namespace {

/// The points of a square or a cube whose coefficient is not 0, those of equal coefficient together.
Stencil made(std::string_view name, std::string_view meaning, int dimensions, int radius,
             const std::function<double(const Offset&)>& coefficient) {
  const int planes = dimensions == 3 ? radius : 0;
  Stencil stencil{std::string(name), std::string(meaning), dimensions, {planes, radius, radius}, {}};
  std::map<double, std::size_t> places;
  for (int plane = -planes; plane <= planes; ++plane) {
    for (int row = -radius; row <= radius; ++row) {
      for (int column = -radius; column <= radius; ++column) {
        const Offset offset{plane, row, column};
        const double value = coefficient(offset);
        if (value == 0) continue;
        const auto [place, is_new] = places.try_emplace(value, stencil.terms.size());
        if (is_new) stencil.terms.push_back({value, {}});
        stencil.terms[place->second].points.push_back(offset);
      }
    }
  }
  return stencil;
}

/// The cosine of the angle between the offset and the row that it is in.
double isotropic_derivative(const Offset& offset) {
  const double length =
      std::sqrt(static_cast<double>(offset.row * offset.row + offset.column * offset.column));
  return length == 0 ? 0 : offset.column / length;
}

double row_gradient(const Offset& offset) { return offset.column * (offset.row == 0 ? 0.5 : 0.25); }

/// By the distances along both axes, the smaller one first.
double little_biharmonic(const Offset& offset) {
  const auto [near, far] = std::minmax({std::abs(offset.row), std::abs(offset.column)});
  if (far == 0) return 20;
  if (near == 0) return far == 1 ? -8 : 1;
  return far == 1 ? 2 : 0;
}

double big_biharmonic(const Offset& offset) {
  const auto [near, far] = std::minmax({std::abs(offset.row), std::abs(offset.column)});
  constexpr double on_axes[] = {184, -77, 14, -1};
  if (near == 0) return on_axes[far] / 6;
  if (far == 1) return 20.0 / 6;
  return near == 1 && far == 2 ? -1.0 / 6 : 0;
}

/// How many of the three numbers are not 0: the centre, faces, edges and corners of a cube.
std::size_t distance_in_cube(const Offset& offset) {
  return static_cast<std::size_t>(std::abs(offset.plane) + std::abs(offset.row) + std::abs(offset.column));
}

double residual(const Offset& offset) {
  constexpr double coefficients[] = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};
  return coefficients[distance_in_cube(offset)];
}

double projection(const Offset& offset) {
  constexpr double coefficients[] = {0.5, 0.25, 0.125, 0.0625};
  return coefficients[distance_in_cube(offset)];
}

double first_noise_mask(const Offset& offset) { return offset.row == 0 && offset.column == 0 ? 0.2 : 0.1; }

double second_noise_mask(const Offset& offset) {
  return (2 - std::abs(offset.row)) * (2 - std::abs(offset.column)) / 16.0;
}

const std::vector<Stencil>& all() {
  static const std::vector<Stencil> stencils = {
      made("disothree", "isotropic derivative along rows, 3 x 3", 2, 1, isotropic_derivative),
      made("disofive", "isotropic derivative along rows, 5 x 5", 2, 2, isotropic_derivative),
      made("drowthree", "row gradient, 3 x 3", 2, 1, row_gradient),
      made("dlilbiharm", "biharmonic operator, second order, 13 points", 2, 2, little_biharmonic),
      made("dbigbiharm", "biharmonic operator, fourth order, 25 points", 2, 3, big_biharmonic),
      made("dresid", "operator of resid in NAS MG, 21 points", 3, 1, residual),
      made("drprjthree", "weights of rprj3 in NAS MG, 27 points", 3, 1, projection),
      made("inoiseone", "noise cleaning, 3 x 3, twice the centre", 2, 1, first_noise_mask),
      made("inoisetwo", "noise cleaning, 3 x 3, binomial", 2, 1, second_noise_mask)};
  return stencils;
}

/// "n[1][2]", counted from the corner of the neighbourhood; as often as the stencil adds and multiplies it.
std::string point_text(const Offset& offset, const Stencil& stencil) {
  std::string text = "n";
  if (stencil.dimensions == 3) text += fmt::format("[{}]", offset.plane + stencil.reach[0]);
  text += fmt::format("[{}][{}]", offset.row + stencil.reach[1], offset.column + stencil.reach[2]);
  const std::string sum = stencil.additions == 2 ? fmt::format("({0} + {0})", text) : text;
  return stencil.multiplications == 2 ? fmt::format("({} * {})", sum, text) : sum;
}

/// Every digit that a coefficient has, with a point.
std::string coefficient_text(double value) {
  std::string text = fmt::format("{}", value);
  return text.find('.') == std::string::npos ? text + ".0" : text;
}

/// "0.1 * (n[0][0] + n[0][1])", of the coefficient's amount.
std::string term_text(const Term& term, const Stencil& stencil) {
  std::vector<std::string> points;
  for (const Offset& each : term.points) points.push_back(point_text(each, stencil));
  const std::string sum = fmt::format("{}", fmt::join(points, " + "));
  return fmt::format("{} * {}", coefficient_text(std::abs(term.coefficient)),
                     points.size() == 1 ? sum : "(" + sum + ")");
}

/// The sum of all terms. Texts nest a thousand deep at the most, and so do sums: what is longer is named part
/// by part. Each part begins with the one before, so that it stays one sum.
std::string sum_text(const Stencil& stencil) {
  constexpr std::size_t most_terms = 250;
  std::string text;
  for (std::size_t i = 0; i < stencil.terms.size(); ++i) {
    const Term& term = stencil.terms[i];
    const std::size_t part = i / most_terms;
    const bool is_first = i == 0, begins_part = i != 0 && i % most_terms == 0;
    if (i % most_terms == 0 && i + most_terms < stencil.terms.size())
      text += fmt::format("{}let s{} = ", is_first ? "" : "\n    ", part);
    else if (begins_part)
      text += "\n    ";
    if (begins_part) text += fmt::format("s{}", part - 1);
    const bool is_negative = term.coefficient < 0;
    if (is_first) {
      text += is_negative ? "-" : "";
    } else {
      text += is_negative ? "\n    - " : "\n    + ";
    }
    text += term_text(term, stencil);
  }
  return text;
}

/// "slide2(3, 1)"; where the windows are not as wide in each dimension, what they are made of.
std::string windows_text(const Stencil& stencil) {
  const auto [planes, rows, columns] = stencil.reach;
  if (rows == columns && (stencil.dimensions == 2 || planes == rows))
    return fmt::format("slide{}({}, 1)", stencil.dimensions, 2 * rows + 1);
  const std::string of_planes =
      fmt::format("map(slide({}, 1)) >> slide({}, 1) >> map(transpose)", 2 * columns + 1, 2 * rows + 1);
  return fmt::format("map({})\n    |> slide({}, 1) |> map(transpose >> map(transpose))", of_planes,
                     2 * planes + 1);
}

}  // namespace

std::size_t Stencil::points() const {
  std::size_t count = 0;
  for (const Term& term : terms) count += term.points.size();
  return count;
}

std::span<const Stencil> stencils() { return all(); }

Result<Stencil> stencil_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Stencil& each : all()) {
    if (each.name == name) return each;
    names.emplace_back(each.name);
  }
  return user_error(fmt::format("there is no stencil '{}'", name), {},
                    fmt::format("the stencils are {}", fmt::join(names, ", ")));
}

std::string program_of(const Stencil& stencil, Scalar type) {
  std::string input, result;
  for (std::size_t d = stencil.dimensions == 3 ? 0 : 1; d < 3; ++d) {
    const char size = "DHW"[d];
    input += stencil.reach[d] == 0 ? fmt::format("[{}]", size)
                                   : fmt::format("[{} + {}]", size, 2 * stencil.reach[d]);
    result += fmt::format("[{}]", size);
  }
  return fmt::format("// {}\ndef {}(u: {}{}): {}{} =\n  u |> {} |> map{}(n =>\n    {})\n", stencil.meaning,
                     stencil.name, input, name_of(type), result, name_of(type), windows_text(stencil),
                     stencil.dimensions, sum_text(stencil));
}

}  // namespace hoist::workloads
