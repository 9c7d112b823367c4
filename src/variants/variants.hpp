#pragma once
// A set of equal implementations of a program, as everybody sees it who chooses from one: what ranks
// candidates, searches among them, records and tunes them knows this interface and no more. Exploration
// (explore.hpp) is the set that rewrite rules derive; others may be made otherwise.
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "driver/compile.hpp"
#include "rewrite/trace.hpp"
#include "variants/structure.hpp"

namespace hoist::variants {

/// Which derivation, and which point of its space: "12-345". Of a program in parts, that of each part:
/// "12-345+0-7". Of one that can be taken apart otherwise, which of these ways, but for the first:
/// "2:12-345+0-7". The same in every run and on every machine.
struct CandidateId {
  std::size_t derivation = 0;
  std::uint64_t point = 0;
  std::vector<CandidateId> parts = {};  ///< where there are any, derivation and point are 0
  std::size_t alternative = 0;          ///< of a whole program
  bool operator==(const CandidateId&) const = default;
};
std::string to_string(const CandidateId& id);
/// User error: a text that is none.
Result<CandidateId> candidate_id(const std::string& text);

/// One point: its values, and what kernels it becomes or the reason why it is discarded.
struct CandidateFacts {
  CandidateId id;
  driver::NamedSizes values;
  std::string discarded;  ///< empty, or why: "65536 bytes of local memory are more than ..."
  std::string reason;     ///< the kind of it, to count by: "group size", "local memory", "not compiled"
  std::optional<Structure> structure;  ///< of what compiles
  std::vector<double>
      features;  ///< of what is not discarded (features/features.hpp), where they are asked for

  bool operator==(const CandidateFacts&) const = default;
};

/// With its terms, which live as long as the caller's arena.
struct Candidate : CandidateFacts {
  ir::Program low;  ///< all sizes put in
  std::optional<loop::Plan> plan;
  /// Of a program in parts: which part each kernel of the plan belongs to, no_part where it is none of them.
  std::vector<std::size_t> part_of_kernel = {};
};
inline constexpr std::size_t no_part = static_cast<std::size_t>(-1);

/// One of the numbers that say which variant it is.
struct Coordinate {
  std::string name;  ///< "derivation", or that of a parameter
  /// What it decides, for searches that treat those together which belong together: "derivation", or the rule
  /// that left the parameter open ("tileGroups", "toLocal"); empty where the program's text did.
  std::string optimisation;
  std::size_t dimension = 0;  ///< which of the sizes that this rule left open: of a tile the outermost has 0
  std::int64_t value = 0;
  std::size_t part = 0;  ///< of a program in parts
};

/// One of the programs that a set leaves sizes open in.
struct DerivationSummary {
  std::size_t alternative = 0;  ///< of a program with several ways to take it apart
  std::size_t part = 0;         ///< of a program in parts
  std::size_t number = 0;       ///< as in ids
  std::uint64_t points = 0;
  std::vector<std::string> steps;  ///< their names
};

/// How many programs each stage made that led to a set of variants, and what it left out.
struct Stages {
  std::size_t algorithms = 0;                    ///< programs after the macro rules
  std::size_t mapped = 0;                        ///< of these, those on the device's hierarchy
  std::size_t placed = 0;                        ///< with values placed in memory: the derivations
  std::map<std::string, std::size_t> discarded;  ///< by the heuristic that did
  std::map<std::string, std::size_t> declined;   ///< macro rules that did not fit, by name

  Stages& operator+=(const Stages& more);
};

/// Ids and ranks are the same in every run. Terms live in the arena of the one who asks.
class Variants {
 public:
  virtual ~Variants() = default;

  // ---- Counting and drawing
  /// 2^64 - 1 stands for all that is more.
  virtual std::uint64_t count() const = 0;
  /// The variant of a rank below count().
  virtual CandidateId at(std::uint64_t rank) const = 0;
  virtual bool contains(const CandidateId& id) const = 0;
  /// One at random; each derivation is as likely as any other. Points as such would be drawn from the few
  /// derivations that leave most sizes open.
  virtual CandidateId draw(Random& random) const = 0;
  /// Different ones, drawn alike. All of them where `wanted` is not less than count().
  virtual std::vector<CandidateId> sample(std::size_t wanted, std::uint64_t seed) const = 0;
  /// Whether by far the most of a set are slow whatever the program is, so that a sample says little of it.
  virtual bool is_mostly_slow() const { return false; }
  /// For who wants to find fast ones: of such a set from the rest of it. Fewer than wanted where there are no
  /// more.
  virtual std::vector<CandidateId> sample_likely(std::size_t wanted, std::uint64_t seed) const {
    return sample(wanted, seed);
  }

  // ---- Coordinates
  /// The derivation, then the parameters that it leaves open, in their order.
  virtual std::vector<Coordinate> coordinates(const CandidateId& id) const = 0;
  /// The variant whose coordinates have these values, in the same order; nothing where there is none.
  virtual std::optional<CandidateId> find(const std::vector<std::int64_t>& values) const = 0;
  /// The values that one coordinate may take while the others keep theirs, in rising order.
  virtual std::vector<std::int64_t> values(const CandidateId& id, std::size_t coordinate) const = 0;
  /// What differs in one choice: a parameter with its next smaller or larger value, the others as near to
  /// theirs as they can be; or a derivation that differs in one step, or has one more or less, with values as
  /// near as it has them.
  virtual std::vector<CandidateId> neighbours(const CandidateId& id) const = 0;
  /// Numbers of about 0 to 1 for surrogate models, as many for each variant: the logarithm of each parameter
  /// by its name, and which steps the derivation has. Takes the values of its coordinates.
  virtual std::vector<double> numbers(const std::vector<std::int64_t>& values) const = 0;

  /// A number for what it owes its speed to, where a set has variants of different kinds: what is wrong with
  /// the prediction of one is likely wrong with those of its kind, and says little of the others.
  virtual std::uint64_t kind(const CandidateId& /*id*/) const { return 0; }

  // ---- Making and describing
  /// The steps that lead to it (replay() in derive.hpp does them again), and the values of its parameters.
  virtual rewrite::Trace steps(const CandidateId& id) const = 0;
  virtual driver::NamedSizes named_values(const CandidateId& id) const = 0;
  /// The program after these steps, its parameters still open.
  virtual ir::Program derived(const CandidateId& id) const = 0;
  /// The low-level term, all sizes put in.
  virtual ir::Program term(const CandidateId& id) const = 0;
  /// Its plan and what there is to know of it before anything compiles it. An id that is not contained is a
  /// Bug.
  virtual Candidate make(const CandidateId& id, const lower::Options& lowering) const = 0;
  /// What make() finds of all of them, in their order, by up to so many threads. Each has arenas of its own;
  /// memory grows by the facts only. With a launch that the options give it is one thread.
  virtual std::vector<CandidateFacts> look_at_all(const std::vector<CandidateId>& ids,
                                                  const lower::Options& lowering, std::size_t threads) const;

  // ---- How the set came about
  virtual const Stages& stages() const = 0;
  /// Derivations for which there are sizes.
  virtual std::size_t derivations() const = 0;
  virtual std::vector<DerivationSummary> derivation_summaries() const = 0;
  /// Whether the default mapping is the only one, since no macro rule covers the program.
  virtual bool is_default() const = 0;
  /// Where count() is 0: what emptied the last space that was looked at.
  virtual std::string emptied_by() const = 0;

  // ---- Programs in parts
  /// Ways to take the program apart, each of which is searched by itself. One where the set has no others.
  virtual std::size_t alternatives() const { return 1; }
  /// The candidates of one way: a set by itself, of ids without alternatives.
  virtual const Variants& alternative(std::size_t) const { return *this; }
  /// Nests that kernels of their own compute: what is chosen for one does not touch the others. One where the
  /// set is not made of such parts.
  virtual std::size_t parts() const { return 1; }
  /// What there is to choose for one part: a set by itself, of ids without parts.
  virtual const Variants& part(std::size_t) const { return *this; }
  /// A candidate that is not expected to fail: that of the default mapping, where the set has it.
  virtual CandidateId plain() const { return at(0); }
};

}  // namespace hoist::variants
