#include "cli/numbers.hpp"

#include <fmt/format.h>

#include <functional>
#include <string>

namespace hoist::cli {

namespace {

CLI::Validator number_that(const std::function<bool(double)>& is_taken, const char* description) {
  return CLI::Validator(
      [=](const std::string& text) {
        double number = 0;
        const bool is_number = CLI::detail::lexical_cast(text, number);
        return is_number && is_taken(number) ? std::string()
                                             : fmt::format("'{}' is no number {}", text, description);
      },
      std::string());
}

}  // namespace

CLI::Validator above_zero() {
  return number_that([](double number) { return number > 0; }, "above 0");
}

CLI::Validator not_below_zero() {
  return number_that([](double number) { return number >= 0; }, "from 0 upwards");
}

}  // namespace hoist::cli
