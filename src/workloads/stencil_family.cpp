#include "workloads/stencil_family.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/random.hpp"

namespace hoist::workloads {

namespace {

constexpr int largest_radius = 5;
constexpr std::array<char, 3> axes{'z', 'y', 'x'};  ///< of planes, rows and columns

/// Which of planes, rows and columns.
using Extends = std::array<bool, 3>;

/// Whether a point belongs to a pattern. It is 0 in the dimensions that the stencil does not extend in.
bool is_point(Pattern pattern, int radius, const Extends& extends, std::optional<char> unique,
              const std::array<int, 3>& offset) {
  int sum = 0, nonzero = 0, at_edge = 0, dimensions = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!extends[d]) continue;
    const int distance = std::abs(offset[d]);
    sum += distance;
    nonzero += distance != 0 ? 1 : 0;
    at_edge += distance == radius ? 1 : 0;
    ++dimensions;
  }
  switch (pattern) {
    case Pattern::Dense:
      return true;
    case Pattern::Star:
      return nonzero <= 1;
    case Pattern::Diamond:
      return sum <= radius;
    case Pattern::NoCorners:
      return at_edge < dimensions;
    case Pattern::Thumbtack: {
      const auto line = static_cast<std::size_t>(std::find(axes.begin(), axes.end(), unique) - axes.begin());
      const int along = std::abs(offset[line]);
      return along == 0 || sum == along;
    }
  }
  return false;
}

/// The least radius at which a pattern is none of those before it.
int least_radius(Pattern pattern, int dimensionality) {
  switch (pattern) {
    case Pattern::Dense:
    case Pattern::Star:
    case Pattern::Thumbtack:
      return 1;
    case Pattern::Diamond:
      return 2;
    case Pattern::NoCorners:
      return dimensionality == 2 ? 2 : 1;
  }
  return 1;
}

Extends extent(int dimensionality, std::optional<char> unique) {
  Extends extends{};
  for (std::size_t d = 0; d < 3; ++d) {
    const bool is_unique = unique == axes[d];
    extends[d] =
        dimensionality == 3 || (dimensionality == 1 && is_unique) || (dimensionality == 2 && !is_unique);
  }
  return extends;
}

std::string word_of(Pattern pattern) {
  std::string word(name_of(pattern));
  std::erase(word, ' ');
  return word;
}

FamilyStencil made(Pattern pattern, int radius, int dimensionality, std::optional<char> unique) {
  FamilyStencil result{pattern, radius, dimensionality, unique, {}};
  const Extends extends = extent(dimensionality, unique);
  std::string along;
  std::array<int, 3>& reach = result.stencil.reach;
  for (std::size_t d = 0; d < 3; ++d) {
    if (!extends[d]) continue;
    reach[d] = radius;
    along += axes[d];
  }
  Term term;
  for (int plane = -reach[0]; plane <= reach[0]; ++plane) {
    for (int row = -reach[1]; row <= reach[1]; ++row) {
      for (int column = -reach[2]; column <= reach[2]; ++column) {
        if (!is_point(pattern, radius, extends, unique, {plane, row, column})) continue;
        result.stencil.terms.push_back({0, {{plane, row, column}}});
      }
    }
  }
  result.stencil.dimensions = 3;
  if (pattern == Pattern::Thumbtack) along = *unique;
  result.stencil.name = fmt::format("{}{}{}_r{}", word_of(pattern), along.empty() ? "" : "_", along, radius);
  result.stencil.meaning = fmt::format(
      "{} stencil of radius {}{}, {} point{}", name_of(pattern), radius,
      along.empty() ? ""
                    : fmt::format("{} {}", pattern == Pattern::Thumbtack ? ", its line along" : " in", along),
      result.stencil.points(), result.stencil.points() == 1 ? "" : "s");
  return result;
}

/// Those of a pattern and a radius in one, two and three dimensions.
void add_orientations(std::vector<FamilyStencil>& all, Pattern pattern, int radius) {
  for (int dimensionality = 1; dimensionality <= 3; ++dimensionality) {
    const bool is_dense = pattern == Pattern::Dense, is_thumbtack = pattern == Pattern::Thumbtack;
    if ((dimensionality == 1 && !is_dense) || (dimensionality == 2 && is_thumbtack)) continue;
    if (radius < least_radius(pattern, dimensionality)) continue;
    if (dimensionality == 3 && !is_thumbtack) {
      all.push_back(made(pattern, radius, dimensionality, std::nullopt));
    } else {
      for (char unique : {'x', 'y', 'z'}) all.push_back(made(pattern, radius, dimensionality, unique));
    }
  }
}

/// Numbers of three digits, which an f32 tells apart.
void draw_weights(Stencil& stencil, Random& random) {
  for (Term& term : stencil.terms) term.coefficient = static_cast<double>(random.below(999) + 1) / 1000;
}

FamilyStencil with_intensity(FamilyStencil of, int additions, int multiplications) {
  of.stencil.additions = additions;
  of.stencil.multiplications = multiplications;
  of.stencil.name += fmt::format("_a{}_m{}", additions, multiplications);
  of.stencil.meaning +=
      fmt::format(", {} addition{} and {} multiplication{} each", additions, additions == 1 ? "" : "s",
                  multiplications, multiplications == 1 ? "" : "s");
  return of;
}

}  // namespace

std::string_view name_of(Pattern pattern) {
  switch (pattern) {
    case Pattern::Thumbtack:
      return "thumbtack";
    case Pattern::Dense:
      return "dense";
    case Pattern::Star:
      return "star";
    case Pattern::Diamond:
      return "diamond";
    case Pattern::NoCorners:
      return "no corners";
  }
  return "";
}

double FamilyStencil::density() const {
  double box = 1;
  for (const int reach : stencil.reach) box *= 2 * reach + 1;
  return static_cast<double>(stencil.points()) / box;
}

std::vector<FamilyStencil> stencil_family(std::uint64_t seed, bool intensities) {
  std::vector<FamilyStencil> all;
  for (const Pattern pattern :
       {Pattern::Thumbtack, Pattern::Dense, Pattern::Star, Pattern::Diamond, Pattern::NoCorners}) {
    if (pattern == Pattern::Dense) all.push_back(made(pattern, 0, 0, std::nullopt));
    for (int radius = 1; radius <= largest_radius; ++radius) add_orientations(all, pattern, radius);
  }
  Random random(seed);
  for (FamilyStencil& each : all) draw_weights(each.stencil, random);
  if (!intensities) return all;
  std::vector<FamilyStencil> result;
  for (const FamilyStencil& each : all) {
    for (const int additions : {1, 2}) {
      for (const int multiplications : {1, 2})
        result.push_back(with_intensity(each, additions, multiplications));
    }
  }
  return result;
}

}  // namespace hoist::workloads
