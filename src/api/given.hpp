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

/// All sizes of the program: those in `given`, and those that follow from the inputs. User errors: see
/// infer_sizes.
Sizes inferred_sizes(const ProgramState& state, const std::vector<Input>& inputs, const Sizes& given,
                     OpenParameters open = OpenParameters::Missing);

/// Refuses a program that still has a size or tuning parameter: it was not given.
void check_sizes_given(const ir::Program& program);

}  // namespace hoist::api
