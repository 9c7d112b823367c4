#pragma once
// A loop nest as a program of Hoist.
#include "openmp/nest.hpp"

namespace hoist::openmp {

struct NestProgram {
  /// A number that lengths are made of: an integer of the C program, or, without a variable, how long an
  /// array is that may be read anywhere. Without a name it is one that only says where results lie in memory.
  struct Size {
    std::string name;
    const clang::VarDecl* variable = nullptr;
    std::string member;
  };
  struct Parameter {
    std::string name;
    Term given = nullptr;              ///< a number
    const Storage* storage = nullptr;  ///< or an array,
    std::vector<Poly> lengths = {};    ///< and how many elements its dimensions have
    std::string below = {};            ///< its integers are taken for indices below this size; or empty
  };
  std::string name;
  std::string text;  ///< the definition
  std::vector<Size> sizes;
  std::vector<Parameter> parameters;
  std::vector<NestResult> results;  ///< in the order of the program's; counts use no counters
  std::vector<std::string> result_names;
};

/// `name` is the definition's. Throws Untranslatable.
NestProgram write_program(const Loop& loop, Nest nest, const std::string& name, Terms& terms,
                          Samples& samples);

/// What the program is checked with: C that includes the file `path`, reads the parameters, runs the loop and
/// writes the results (nest_check.cpp says how). `loop_text` is the loop without its pragma.
std::string check_source(const Loop& loop, const NestProgram& program, const std::string& path,
                         const std::string& loop_text, clang::ASTContext& context, Terms& terms);

/// The greatest and the least value that a polynomial has for all values of its counters: nothing where that
/// is not seen. Counters in `fixed` stay.
std::optional<Poly> greatest(const Poly& poly, Terms& terms, Samples& samples,
                             const std::set<Term>& fixed = {});
std::optional<Poly> least(const Poly& poly, Terms& terms, Samples& samples, const std::set<Term>& fixed = {});

}  // namespace hoist::openmp
