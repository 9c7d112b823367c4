#pragma once
// Functions that OpenCL C lacks, and the words that it keeps for itself.
#include <span>
#include <string>
#include <string_view>

#include "loop/value.hpp"

namespace hoist::codegen::opencl_c {

std::span<const std::string_view> reserved_words();

/// sign_TYPE(a): -1, 0 or 1 for integers.
std::string sign_helper(const std::string& type, loop::ValueType value_type);
/// absolute_TYPE(a) for signed integers; wraps. Of what they know for an absolute value NVIDIA's compilers
/// take for granted that it is not negative; the smallest integer's is, so this is none that they know.
std::string absolute_helper(const std::string& type, loop::ValueType value_type);
/// positive_part_TYPE(a): the larger of a signed integer and 0 (nvidia_faults.hpp).
std::string positive_part_helper(const std::string& type, loop::ValueType value_type);
/// power_TYPE(base, exponent) for integers and a non-negative exponent; wraps.
std::string power_helper(Scalar scalar, const std::string& type);
/// quotient_TYPE(a, b): a / b where the smallest / -1 wraps, and 0 where b is 0; remainder_TYPE(a, b)
/// likewise.
std::string quotient_helper(Scalar scalar, const std::string& type);
std::string remainder_helper(Scalar scalar, const std::string& type);
/// Before all else in a text with exchanges: the extensions that they need, and SUB_GROUPS for kernels that
/// have them.
std::string sub_group_preamble();
/// exchanged_uint(a, mask): `a` of the work-item whose number in the sub-group differs by the bits of `mask`.
std::string exchange_helper();
/// exchanged_TYPE(a, mask) for another scalar type, by way of uint.
std::string exchange_helper(const std::string& type, std::size_t bytes);
/// COPY_ASYNC(bytes, to, from) and COPY_ASYNC_IF(condition, bytes, to, from) of 4, 8 or 16 bytes from global
/// to local memory, COPY_ASYNC_COMMIT() and COPY_ASYNC_WAIT(pending): at once, and not waited for, where
/// runtime::opencl does not say that the device has the instructions.
const std::string& asynchronous_copies();
/// Atomic functions of OpenCL are called atomic_NAME for 32 bits, atom_NAME for 64.
std::string_view atomic_name(ScalarOp op);
/// What a text with atomic functions of 64 bits begins with.
const std::string& wide_atomics();
/// A function NAME(place, operand) that updates a float in memory of this space indivisibly: by comparing and
/// exchanging, on NVIDIA's devices by their instruction for sums. `updated` is an expression of old and
/// operand.
std::string update_helper(const std::string& name, ScalarOp op, Scalar type, const std::string& space,
                          const std::string& updated);
/// A function of two vectors that calls one of two scalars for each component.
std::string by_component(const std::string& name, const std::string& scalar_function, const std::string& type,
                         int width);

}  // namespace hoist::codegen::opencl_c
