#pragma once
// What CUDA C++ lacks for kernels: vectors with operators, conversions and divisions that are defined for all
// operands; and the words that the language and these helpers keep for themselves.
#include <span>
#include <string>
#include <string_view>

#include "base/scalar.hpp"

namespace hoist::codegen::cuda_cpp {

/// No identifier may be one of these words.
std::span<const std::string_view> reserved_words();

/// A function template that kernels call.
std::string_view helper(std::string_view name);

/// A vector operator by component, for scalars beside vectors too. Of Negate and BitNot the prefix one; for +
/// - * and / the compound assignment as well.
std::string vector_operator(ScalarOp op);

/// The macros that a text uses and CUDA's compiler at run time does not define.
std::string macros(std::string_view text);

/// The vector types and the short names of integer types that a text uses.
std::string types(std::string_view text);

}  // namespace hoist::codegen::cuda_cpp
