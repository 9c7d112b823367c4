#pragma once
// All that a program may become on a device: derivations (variants/derive.hpp), each with a space of the
// sizes that it leaves open. Nothing is listed: candidates are made one by one, by number.
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
#include "variants/neighbourhood.hpp"
#include "variants/open_sizes.hpp"
#include "variants/variants.hpp"

namespace hoist::variants {

/// Which set of variants.
enum class SpaceKind : std::uint8_t {
  Derived,          ///< what macro rules derive: Exploration, Composition, Alternatives
  Stencil,          ///< merged work-items of a stencil, restricted as published: MergingSpace
  StencilAll,       ///< without these restrictions
  StencilLaunched,  ///< Stencil, and each of them by kernels that learn the size of their groups at the
                    ///< launch, too
  /// Of one stencil on a GPU both what is derived and StencilAll without images, compared with each other;
  /// of other programs, and on other devices, what is derived.
  Both,
};

/// "derived", "stencil", "stencil-all", "stencil-launched", "both"; nothing for other names.
std::optional<SpaceKind> space_named(std::string_view name);

/// How what is derived computes the program.
enum class Computed : std::uint8_t {
  AsNest,   ///< by the macro rules for one nest
  InTiles,  ///< a chain of stages, all of which are computed tile by tile
  InRows,   ///< maps over rows that groups keep in registers
};

struct ExplorationOptions {
  target::Target target;  ///< what candidates are for: its profile says what is derived, its limits what fits
  ParameterBounds bounds;
  DerivationBounds derivations;
  SpaceKind space = SpaceKind::Derived;  ///< of explore()
  bool looks_at_features = false;        ///< of candidates that are not discarded
  /// It is one of several nests: the default mapping is a derivation, too, the first one, and bounds may be
  /// of parameters that others have.
  bool is_part = false;
  Computed computed = Computed::AsNest;
  /// Of candidates only those are discarded that the device does not run, not those that it runs badly.
  bool keeps_what_is_slow = false;
};

/// What rewrite rules derive. One for each thread: counting remembers.
class Exploration : public Variants {
 public:
  /// Explores a program all of whose sizes are given. A program that says already how it is computed, and
  /// leaves holes ?t, is its own only derivation. User errors: such a program without holes, a size that is
  /// missing, a bound for a parameter that no derivation has.
  static Result<Exploration> of(const ir::Program& program, const ExplorationOptions& options);

  std::uint64_t count() const override;
  CandidateId at(std::uint64_t rank) const override;
  bool contains(const CandidateId& id) const override;
  CandidateId draw(Random& random) const override;
  std::vector<CandidateId> sample(std::size_t wanted, std::uint64_t seed) const override;
  std::vector<Coordinate> coordinates(const CandidateId& id) const override;
  std::optional<CandidateId> find(const std::vector<std::int64_t>& values) const override;
  std::vector<std::int64_t> values(const CandidateId& id, std::size_t coordinate) const override;
  std::vector<CandidateId> neighbours(const CandidateId& id) const override;
  std::vector<double> numbers(const std::vector<std::int64_t>& values) const override;
  rewrite::Trace steps(const CandidateId& id) const override;
  driver::NamedSizes named_values(const CandidateId& id) const override;
  ir::Program derived(const CandidateId& id) const override;
  ir::Program term(const CandidateId& id) const override;
  Candidate make(const CandidateId& id, const lower::Options& lowering) const override;
  std::vector<CandidateFacts> look_at_all(const std::vector<CandidateId>& ids, const lower::Options& lowering,
                                          std::size_t threads) const override;
  const Stages& stages() const override { return derivations_.stages; }
  std::size_t derivations() const override { return derivations_.list.size(); }
  std::vector<DerivationSummary> derivation_summaries() const override;

  const Derivation& derivation(std::size_t number) const { return derivations_.list[number]; }
  const space::Space& space(std::size_t number) const { return *spaces_[number]; }
  bool is_default() const override { return is_default_; }
  std::string emptied_by() const override;
  CandidateId plain() const override;

 private:
  const Neighbourhood& neighbourhood() const;
  const std::vector<Coordinate>& parameters_of(std::size_t derivation) const;

  ExplorationOptions options_;
  Derivations derivations_;
  std::vector<std::shared_ptr<const space::Space>>
      spaces_;  ///< derivations of the same constraints share one
  std::vector<std::uint64_t> counts_;
  std::shared_ptr<const space::Space> empty_;  ///< the last space without points
  bool is_default_ = false;
  // Made when they are first asked for.
  mutable std::shared_ptr<const Neighbourhood> neighbourhood_;
  mutable std::vector<std::optional<std::vector<Coordinate>>> parameters_;  ///< by derivation
};

/// The candidate that a low-level program is: lowered, looked at, discarded where its structure speaks
/// against it.
Candidate candidate_of(ir::Program low, const CandidateId& id, driver::NamedSizes values,
                       const lower::Options& lowering, const ExplorationOptions& options);

/// Discards a candidate for a reason of some kind (CandidateFacts::reason), which the text tells.
void discard(CandidateFacts& candidate, std::string reason, std::string text);
/// Whether several threads may lower by these options: the sizes of a launch that is given are expressions of
/// one thread, and traces are one's, too.
bool lowers_alike_everywhere(const lower::Options& lowering);

}  // namespace hoist::variants
