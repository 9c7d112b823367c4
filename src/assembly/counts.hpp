#pragma once
// How many operations of each type the instructions of one iteration are.
#include <string>
#include <vector>

#include "assembly/operation.hpp"

namespace hoist::assembly {

/// Types of vector operations as Stock, Pouchet and Sadayappan (2012) count them. An instruction may be
/// several operations: a fused multiply-add is an addition and a multiplication, and an operand in memory is
/// a load. Loads and stores are those of vector registers, of single elements, too. All else that is on whole
/// vectors is miscellaneous: shuffles, copies, conversions, divisions, logic. Integers count as
/// floating-point numbers do.
struct Counts {
  double additions = 0, multiplications = 0, loads = 0, stores = 0, miscellaneous = 0;
  double element_operations = 0;  ///< additions and multiplications, one for each lane
  double scalar_arithmetic = 0;   ///< additions and multiplications of single floating-point numbers
  double bytes_loaded = 0, bytes_stored = 0;  ///< of general registers, too
  double instructions = 0;

  double arithmetic() const { return additions + multiplications; }
  double vector_operations() const { return arithmetic() + loads + stores + miscellaneous; }
  Counts& operator+=(const Counts& more);
};

Counts counts_of(const Operation& operation);
Counts counts_of(const std::vector<Instruction>& instructions);
/// "addition, multiplication, load"; empty where an instruction counts as none of them.
std::string counted_as(const Counts& counts);

}  // namespace hoist::assembly
