#pragma once
// Results as text: shape, type and the first elements.
#include <optional>
#include <string>
#include <vector>

#include "base/tensor.hpp"
#include "cli/output.hpp"
#include "driver/inputs.hpp"

namespace hoist::cli {

/// "[[1, 2, ...], [5, 6, ...], ...]": at most `most` elements of each dimension; otherwise as many as make a
/// short text.
std::string elements_text(const Tensor& tensor, std::optional<std::int64_t> most);
/// A line for each array of a result: "result.0: [4]f32 = [1, 2, 3, 4]". `leaves` are those of the result's
/// type.
std::string result_text(const std::vector<driver::NamedLeaf>& leaves, const Data& data,
                        std::optional<std::int64_t> most);
/// The same as facts: [{"name", "type", "shape", "first_elements"}], at most `most` elements of each in
/// row-major order.
Json result_json(const std::vector<driver::NamedLeaf>& leaves, const Data& data,
                 std::optional<std::int64_t> most);

}  // namespace hoist::cli
