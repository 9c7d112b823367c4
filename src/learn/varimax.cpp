#include "learn/varimax.hpp"

#include <cmath>

namespace hoist::learn {

namespace {

/// The angle by which two components are turned in their plane so that the criterion is the greatest there
/// (Kaiser 1958, equation 5).
double best_angle(const Matrix& loadings, std::size_t first, std::size_t second) {
  double sum_u = 0, sum_v = 0, squares = 0, products = 0;
  for (std::size_t i = 0; i < loadings.count(); ++i) {
    const double x = loadings.at(i, first), y = loadings.at(i, second);
    const double u = x * x - y * y, v = 2 * x * y;
    sum_u += u;
    sum_v += v;
    squares += u * u - v * v;
    products += 2 * u * v;
  }
  const auto rows = static_cast<double>(loadings.count());
  const double numerator = products - 2 * sum_u * sum_v / rows;
  const double denominator = squares - (sum_u * sum_u - sum_v * sum_v) / rows;
  return std::atan2(numerator, denominator) / 4;
}

void turn(Matrix& loadings, std::size_t first, std::size_t second, double angle) {
  for (std::size_t i = 0; i < loadings.count(); ++i) {
    double &x = loadings.numbers[i * loadings.width + first],
           &y = loadings.numbers[i * loadings.width + second];
    const double turned = x * std::cos(angle) + y * std::sin(angle);
    y = y * std::cos(angle) - x * std::sin(angle);
    x = turned;
  }
}

}  // namespace

Matrix loadings(const PrincipalComponents& components, const Matrix& centred) {
  const Matrix projected = components.project(centred);
  Matrix result{components.count(), std::vector<double>(components.count() * centred.width)};
  for (std::size_t component = 0; component < components.count(); ++component) {
    double variance = 0;
    for (std::size_t i = 0; i < projected.count(); ++i)
      variance += projected.at(i, component) * projected.at(i, component);
    const double deviation = std::sqrt(variance / static_cast<double>(projected.count()));
    const auto direction = components.direction(component);
    for (std::size_t column = 0; column < centred.width; ++column)
      result.numbers[column * result.width + component] = deviation * direction[column];
  }
  return result;
}

Matrix varimax(const Matrix& loadings) {
  constexpr int most_sweeps = 200;
  constexpr double least_angle = 1e-10;
  Matrix turned = loadings;
  bool changed = true;
  for (int sweep = 0; sweep < most_sweeps && changed; ++sweep) {
    changed = false;
    for (std::size_t first = 0; first < turned.width; ++first) {
      for (std::size_t second = first + 1; second < turned.width; ++second) {
        const double angle = best_angle(turned, first, second);
        if (std::abs(angle) < least_angle) continue;
        turn(turned, first, second, angle);
        changed = true;
      }
    }
  }
  return turned;
}

Matrix variance_shares(const Matrix& loadings) {
  Matrix shares = loadings;
  double all = 0;
  for (double& each : shares.numbers) {
    each *= each;
    all += each;
  }
  for (double& each : shares.numbers) each /= all > 0 ? all : 1;
  return shares;
}

}  // namespace hoist::learn
