#pragma once
// The arrays that a caller gives, beside those that a program has.
#include <string>
#include <vector>

#include "api/access.hpp"

namespace hoist::api {

/// "[3][4]f32".
std::string shape_text(Scalar scalar, const std::vector<std::int64_t>& shape);

std::size_t elements_given(const auto& array) {
  const auto& buffer = Access::buffer(array);
  return buffer ? buffer->elements() : Access::bytes(array).size() / size_of(Access::type(array));
}

/// User error unless as many arrays were given as the program has; `what` they are: "input". `wanted`
/// describes those of the program: "x: [4]f32".
void check_count(const char* what, const std::vector<std::string>& wanted, std::size_t given);

/// Whether tuning parameters that are not given may stay so.
enum class OpenParameters : std::uint8_t { Missing, Allowed };

/// Refuses arrays that differ from the program's in number, element type, shape or length. Errors about an
/// input tell its place in the program's text.
void check_arrays(const ProgramState& state, const char* what, const std::vector<ArrayFacts>& wanted,
                  const auto& given) {
  if (given.size() != wanted.size()) {
    std::vector<std::string> texts;
    for (const ArrayFacts& each : wanted)
      texts.push_back(each.name + ": " + shape_text(each.scalar, each.shape));
    check_count(what, texts, given.size());
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const ArrayFacts& want = wanted[i];
    const auto refuse = [&](const std::string& why) {
      const std::string message =
          fmt::format("the {} {} is {}, {}", what, want.name, shape_text(want.scalar, want.shape), why);
      if (what == std::string_view("input")) throw_about(state, want.name, message);
      throw_user(message);
    };
    const std::vector<std::int64_t>& shape = Access::shape(given[i]);
    if (Access::type(given[i]) != want.scalar)
      refuse(fmt::format("but elements of {} were given", name_of(Access::type(given[i]))));
    if (!shape.empty() && shape != want.shape)
      refuse(fmt::format("but {} was given", shape_text(want.scalar, shape)));
    if (elements_given(given[i]) != want.elements)
      refuse(fmt::format("which has {} element{}, but {} were given", want.elements,
                         want.elements == 1 ? "" : "s", elements_given(given[i])));
  }
}

/// All sizes of the program: those in `given`, and those that follow from the inputs. User errors: see
/// infer_sizes.
Sizes inferred_sizes(const ProgramState& state, const std::vector<Input>& inputs, const Sizes& given,
                     OpenParameters open = OpenParameters::Missing);

/// Refuses a program that still has a size or tuning parameter: it was not given.
void check_sizes_given(const ir::Program& program);

}  // namespace hoist::api
