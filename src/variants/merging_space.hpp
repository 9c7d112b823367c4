#pragma once
// What a stencil becomes by merging its work-items and by loading its data in different ways: the space of
// merging_points.hpp, made by rewrite rules (rewrite/strategies/merging.hpp).
#include <memory>
#include <string>
#include <vector>

#include "rewrite/strategies/memory.hpp"
#include "rewrite/strategies/merging.hpp"
#include "variants/derive.hpp"
#include "variants/explore.hpp"
#include "variants/merging_points.hpp"
#include "variants/variants.hpp"

namespace hoist::variants {

struct MergingSet {
  MergingRestrictions restrictions = MergingRestrictions::AsPublished;
  /// Each configuration is in the set twice, told apart by the coordinate FIXED: with 0 its kernels learn W
  /// when they are launched (`?WX@16`), so that those of all W are one text, which is compiled once.
  bool has_launched = false;
};

/// Derivations are loading techniques, with a width of vectors each; behind them the same once more with
/// kernels that learn the size of their groups, where the set has them. What derivations leave open are the
/// sizes. A configuration that the device cannot run is in the set, and discarded when it is made.
class MergingSpace : public Variants {
 public:
  /// Of a program all of whose sizes are given. User errors: it is none of the stencils that there are rules
  /// for, with the reason; a bound of a coordinate that there is none of.
  static Result<std::unique_ptr<const Variants>> of(const ir::Program& program, MergingSet set,
                                                    const ExplorationOptions& options);

  std::uint64_t count() const override;
  CandidateId at(std::uint64_t rank) const override;
  bool contains(const CandidateId& id) const override;
  /// Every configuration is as likely as any other.
  CandidateId draw(Random& random) const override;
  std::vector<CandidateId> sample(std::size_t wanted, std::uint64_t seed) const override;
  bool is_mostly_slow() const override { return true; }
  /// Of each technique as many as of the others, but none of vectors that are wider than one access, and of
  /// those that keep the device busy and fit its registers: of the 50 million at 256 cubed without
  /// restrictions that is one in some hundred.
  std::vector<CandidateId> sample_likely(std::size_t wanted, std::uint64_t seed) const override;
  /// Those of merging_coordinates, and FIXED.
  std::vector<Coordinate> coordinates(const CandidateId& id) const override;
  std::optional<CandidateId> find(const std::vector<std::int64_t>& values) const override;
  std::vector<std::int64_t> values(const CandidateId& id, std::size_t coordinate) const override;
  std::vector<CandidateId> neighbours(const CandidateId& id) const override;
  /// Whether a group loads to local memory, else by how wide accesses; and whether it has blocks of rows or
  /// planes, whose elements registers keep: what others read again comes from caches.
  std::uint64_t kind(const CandidateId& id) const override;
  std::vector<double> numbers(const std::vector<std::int64_t>& values) const override;
  /// User error, thrown: the body of the program cannot be computed in the vectors of this candidate.
  rewrite::Trace steps(const CandidateId& id) const override;
  driver::NamedSizes named_values(const CandidateId& id) const override;
  ir::Program derived(const CandidateId& id) const override;
  ir::Program term(const CandidateId& id) const override;
  Candidate make(const CandidateId& id, const lower::Options& lowering) const override;
  std::vector<CandidateFacts> look_at_all(const std::vector<CandidateId>& ids, const lower::Options& lowering,
                                          std::size_t threads) const override;
  const Stages& stages() const override { return stages_; }
  std::size_t derivations() const override { return techniques() * (has_launched_ ? 2 : 1); }
  std::vector<DerivationSummary> derivation_summaries() const override;
  bool is_default() const override { return false; }
  std::string emptied_by() const override { return "the bounds leave no configuration"; }
  CandidateId plain() const override;

 private:
  /// What a loading technique makes of the program, or why it makes nothing.
  struct Template {
    Derivation derivation;
    std::string declined;
  };
  MergingSpace(const rewrite::MergeableNest& stencil, MergingPoints points, bool has_launched,
               const ExplorationOptions& options);

  std::size_t techniques() const { return points_.techniques().size(); }
  std::size_t technique_of(const CandidateId& id) const { return id.derivation % techniques(); }
  /// Whether its kernels learn the size of their groups at the launch.
  bool is_launched(const CandidateId& id) const { return id.derivation >= techniques(); }

  Template derive(const ir::Program& program, const LoadingTechnique& technique,
                  rewrite::CopyOrder order) const;
  const Template& template_of(const CandidateId& id) const;
  bool copies_flat(const MergingConfiguration& configuration) const;
  /// The program with these values of an id, W by its name where that is learned.
  ir::Program term_of(const CandidateId& id, const driver::NamedSizes& values) const;
  MergingConfiguration configuration(const CandidateId& id) const {
    return points_.at(technique_of(id), id.point);
  }
  /// How many elements, or vectors, of a block are straight code in each dimension; the others are a loop.
  std::array<std::int64_t, 3> unrolled(const MergingConfiguration& configuration) const;
  bool is_likely(const MergingConfiguration& configuration) const;
  /// Discards what needs no kernel to be known not to run.
  void judge(CandidateFacts& facts, const MergingConfiguration& configuration) const;
  std::int64_t local_bytes(const MergingConfiguration& configuration) const;

  MergingPoints points_;
  bool has_launched_;
  ExplorationOptions options_;
  std::array<std::int64_t, 3> lengths_{1, 1, 1};  ///< of the result, x first
  std::size_t rank_;
  std::array<bool, 3> extends_{};  ///< whether any window extends in each dimension, x first
  std::int64_t scalar_bytes_ = 0;  ///< of the smallest scalars that it reads windows of, or all along
  std::int64_t reads_ = 1;         ///< elements of windows that one element of the result is computed from
  /// Of each input that is copied to local memory: bytes of a scalar, and lengths of its windows, x first;
  /// 0 for dimensions that it does not have.
  std::vector<std::pair<std::int64_t, std::array<std::int64_t, 3>>> copied_;
  std::vector<std::size_t> copied_parts_;  ///< their numbers among what a group reads
  std::vector<std::size_t> images_;  ///< the inputs that are read as images, as read_as_image counts them
  /// By technique, with copies to local memory in boxes, and, where there are any, flat.
  std::vector<std::array<Template, 2>> templates_;
  Stages stages_;
};

}  // namespace hoist::variants
