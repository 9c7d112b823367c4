#pragma once
// Statements about indices, tried at small sizes: whether they hold for all values of counters.
//
// Whoever asks takes "at all sizes that were tried" for "always". That is safe where it decides how a program
// is written, since what was written is compared with the C loop before it is offered.
#include <map>
#include <optional>

#include "openmp/nest_terms.hpp"

namespace hoist::openmp {

class Samples {
 public:
  explicit Samples(Terms& terms) : terms_(terms) {}

  static constexpr int trials = 4;
  /// What a size or another number of the program is taken for.
  std::int64_t value_of(const clang::VarDecl* variable, const std::string& member, int trial);

  /// A length that the program does not tell is this much at least in a trial.
  void at_least(const std::string& unknown, int trial, std::int64_t value);

  using Values = std::map<Term, std::int64_t>;
  /// Nothing where the term is not known: an element, or a division by zero.
  std::optional<std::int64_t> evaluated(Term term, const Values& counters, int trial);
  std::optional<std::int64_t> evaluated(const Poly& poly, const Values& counters, int trial);

  /// Whether `holds` says true for all values of the counters, in every trial; false also where something is
  /// not known. The counters' counts may use counters before them.
  bool always(const std::vector<Term>& counters,
              const std::function<std::optional<bool>(const Values&, int)>& holds);
  bool always_at_least(const Poly& poly, std::int64_t least, const std::vector<Term>& counters = {});

 private:
  bool each(const std::vector<Term>& counters, std::size_t next, Values& values, int trial, int& left,
            const std::function<std::optional<bool>(const Values&, int)>& holds);

  Terms& terms_;
  std::map<std::pair<const clang::VarDecl*, std::string>, int> numbers_;
  std::map<std::pair<std::string, int>, std::int64_t> least_;  ///< of unknown lengths, by trial
};

}  // namespace hoist::openmp
