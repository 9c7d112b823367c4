#pragma once
// All that a program of several nests may become on a device: what each of its sites may become
// (rewrite/sites.hpp), put together. The choices of different sites combine without their product being
// listed: an id is made of an id for each part, and a part is one site, or several that compute the same.
#include <memory>
#include <unordered_map>
#include <vector>

#include "rewrite/sites.hpp"
#include "variants/explore.hpp"
#include "variants/variants.hpp"

namespace hoist::variants {

/// One for each thread, as explorations are.
class Composition : public Variants {
 public:
  /// Of each site's function, for compositions that have sites in common.
  using Explored = std::unordered_map<ir::Term, std::shared_ptr<const Exploration>>;

  /// Explores every site of a high-level program all of whose sizes are given, which has up to so many stages
  /// in one site, but for those that are explored already. User errors: as Exploration::of.
  static Result<Composition> of(const rewrite::ProgramInSites& program, const ir::Program& origin,
                                std::size_t stages_together, const ExplorationOptions& options,
                                Explored& explored);

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
  const Stages& stages() const override { return stages_; }
  std::size_t derivations() const override;
  std::vector<DerivationSummary> derivation_summaries() const override;
  bool is_default() const override;
  std::string emptied_by() const override;
  std::size_t parts() const override { return parts_.size(); }
  const Variants& part(std::size_t number) const override { return *parts_[number]; }
  CandidateId plain() const override;

 private:
  /// The names that replaying a candidate's steps gives the parameters of each site, in the order of the
  /// site's own.
  std::vector<std::vector<std::string>> names_of(const CandidateId& id) const;
  /// The values of a candidate's coordinates, part by part; nothing where they are too few or too many.
  std::optional<std::vector<std::vector<std::int64_t>>> by_part(
      const std::vector<std::int64_t>& values) const;

  ExplorationOptions options_;
  ir::Program origin_;
  rewrite::ProgramInSites program_;
  std::size_t stages_together_ = 1;
  std::vector<std::shared_ptr<const Exploration>> parts_;
  std::vector<std::size_t> part_of_site_;
  Stages stages_;
};

}  // namespace hoist::variants
