#include "cli/exploration_options.hpp"

#include <fmt/format.h>

namespace hoist::cli {

void add_exploration_options(CLI::App& command, ExplorationBounds& bounds) {
  command
      .add_option("--bound", bounds.bounds,
                  "The least and the largest value of a tuning parameter; may be repeated")
      ->option_text("NAME=LEAST:MOST")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command.add_option("--steps", bounds.derivations.steps, "How many macro rules may follow each other")
      ->option_text("N (5)");
  command
      .add_option(
          "--space", bounds.space,
          "Which set of candidates: derived is what macro rules derive; stencil is, for one stencil, what "
          "work-group sizes, block and cyclic merging, vectors, local memory and images make of it; "
          "stencil-all is the same with all of them together; stencil-launched is stencil, and each "
          "candidate "
          "once more (FIXED=0) by kernels that learn the size of their work-groups at the launch; both is, "
          "for "
          "one stencil on a GPU, derived and stencil-all without images, else derived. Candidates that are "
          "counted or drawn are derived ones where this is not given; searches, and ids, are of both")
      ->option_text("derived|stencil|stencil-all|stencil-launched|both")
      ->check(CLI::IsMember({"derived", "stencil", "stencil-all", "stencil-launched", "both"}));
}

variants::SpaceKind space_kind(const ExplorationBounds& bounds, variants::SpaceKind usual) {
  return variants::space_named(bounds.space).value_or(usual);
}

variants::ParameterBounds read_bounds(const std::vector<std::string>& texts) {
  variants::ParameterBounds bounds;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('='), colon = text.find(':', equals);
    try {
      std::size_t end_of_least = 0, end_of_most = 0;
      const std::string least = text.substr(equals + 1, colon - equals - 1), most = text.substr(colon + 1);
      const std::pair values{std::stoll(least, &end_of_least), std::stoll(most, &end_of_most)};
      if (equals == std::string::npos || colon == std::string::npos || end_of_least != least.size() ||
          end_of_most != most.size() || values.first < 1) {
        throw std::invalid_argument(text);
      }
      bounds[text.substr(0, equals)] = values;
    } catch (const std::logic_error&) {
      throw_user(fmt::format("'{}' does not bound a tuning parameter", text), {},
                 "write NAME=LEAST:MOST, as --bound t=8:64");
    }
  }
  return bounds;
}

}  // namespace hoist::cli
