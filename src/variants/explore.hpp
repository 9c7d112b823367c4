#pragma once
// All that a program may become on a device: derivations (variants/derive.hpp), each with a space of the sizes
// that it leaves open. Nothing is listed: candidates are made one by one, by number.
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "driver/compile.hpp"
#include "features/features.hpp"
#include "space/space.hpp"
#include "target/target.hpp"
#include "variants/derive.hpp"
#include "variants/open_sizes.hpp"
#include "variants/structure.hpp"

namespace hoist::variants {

/// Which derivation, and which point of its space: "12-345". The same in every run and on every machine.
struct CandidateId {
  std::size_t derivation = 0;
  std::uint64_t point = 0;
  bool operator==(const CandidateId&) const = default;
};
std::string to_string(const CandidateId& id);
/// User error: a text that is none.
Result<CandidateId> candidate_id(const std::string& text);

/// One point: its values, and what kernels it becomes or the reason why it is discarded.
struct CandidateFacts {
  CandidateId id;
  driver::NamedSizes values;
  std::string discarded;  ///< empty, or why: "a group of 2048 work-items is larger than 1024"
  std::string reason;     ///< the kind of it, to count by: "group size", "local memory", "not compiled"
  std::optional<Structure> structure;  ///< of what compiles
  std::vector<double> features;  ///< of what is not discarded (features/features.hpp), where they are asked for

  bool operator==(const CandidateFacts&) const = default;
};

/// With its terms, which live as long as the caller's arena.
struct Candidate : CandidateFacts {
  ir::Program low;  ///< all sizes put in
  std::optional<loop::Plan> plan;
};

struct ExplorationOptions {
  target::Target target;  ///< what candidates are for: its profile says what is derived, its limits what fits
  ParameterBounds bounds;
  DerivationBounds derivations;
  bool looks_at_features = false;  ///< of candidates that are not discarded
};

/// One for each thread: counting remembers.
class Exploration {
 public:
  /// Of a program all of whose sizes are given. One that says already how it is computed, and leaves holes
  /// ?t, is its own only derivation. User errors: such a program without holes, a size that is missing, a
  /// bound for a parameter that no derivation has.
  static Result<Exploration> of(const ir::Program& program, const ExplorationOptions& options);

  const Stages& stages() const { return derivations_.stages; }
  /// Derivations for which there are sizes.
  std::size_t derivations() const { return derivations_.list.size(); }
  const Derivation& derivation(std::size_t number) const { return derivations_.list[number]; }
  const space::Space& space(std::size_t number) const { return *spaces_[number]; }
  /// Whether no macro rule covers the program, and its only derivation is the default mapping.
  bool is_default() const { return is_default_; }
  /// Points of all spaces; 2^64 - 1 stands for all that is more.
  std::uint64_t count() const;
  /// Where count() is 0: what emptied the last space that was looked at.
  std::string emptied_by() const;

  /// Different candidates: as many of each derivation, as far as its space goes, and of a derivation each
  /// point as likely as any other. Points as such would be drawn from the few derivations that leave most
  /// sizes open. All of them where `wanted` is not less than count().
  std::vector<CandidateId> sample(std::size_t wanted, std::uint64_t seed) const;
  bool contains(const CandidateId& id) const;
  driver::NamedSizes values(const CandidateId& id) const;
  /// The derivation's program with these values: the low-level term.
  ir::Program specialised(const CandidateId& id) const;
  /// Candidates of the same derivation in which one parameter has its next smaller or larger value. The
  /// others keep theirs; where they cannot, they have values near to them.
  std::vector<CandidateId> neighbours(const CandidateId& id) const;
  /// The candidate, lowered. An id that is not contained is a Bug.
  Candidate look(const CandidateId& id, const lower::Options& lowering) const;
  /// What look() finds of all of them, in their order, by so many threads. Each has arenas of its own; memory
  /// grows by the facts only. With a launch that the options give it is one thread.
  std::vector<CandidateFacts> look_at_all(const std::vector<CandidateId>& ids, const lower::Options& lowering,
                                          std::size_t threads) const;

 private:
  ExplorationOptions options_;
  Derivations derivations_;
  std::vector<std::shared_ptr<const space::Space>>
      spaces_;  ///< derivations of the same constraints share one
  std::vector<std::uint64_t> counts_;
  std::shared_ptr<const space::Space> empty_;  ///< the last space without points
  bool is_default_ = false;
};

}  // namespace hoist::variants
