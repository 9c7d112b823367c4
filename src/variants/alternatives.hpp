#pragma once
// Several sets of variants of a program that are one: of a program that can be taken apart in several ways,
// every stage stored by itself, or several computed together, tile by tile or row by row; of a stencil what
// rules derive, and what merging its work-items makes of it.
#include <algorithm>
#include <memory>
#include <vector>

#include "variants/composition.hpp"
#include "variants/explore.hpp"
#include "variants/variants.hpp"

namespace hoist::variants {

/// How candidates of different ways are chosen from.
enum class Comparison : std::uint8_t {
  Apart,     ///< each way is ranked and searched by itself: what is learned of one says little of the others
  Together,  ///< all are ranked and searched as one set, without parts
};

/// Ids say which way they are of: "1:2-3". Those of the first say nothing. One for each thread, as
/// explorations are.
class Alternatives : public Variants {
 public:
  /// The ways there are, the first being the one given, with what was explored for it; that alone where there
  /// are no others. User errors: as Composition::of.
  static Result<std::unique_ptr<const Variants>> of(std::unique_ptr<const Variants> first,
                                                    Composition::Explored& explored,
                                                    const ir::Program& program,
                                                    const ExplorationOptions& options);
  /// Sets of one nest each, with a candidate at least, compared together.
  static std::unique_ptr<const Variants> together(std::vector<std::unique_ptr<const Variants>> ways);

  std::uint64_t count() const override;
  CandidateId at(std::uint64_t rank) const override;
  bool contains(const CandidateId& id) const override;
  CandidateId draw(Random& random) const override;
  std::vector<CandidateId> sample(std::size_t wanted, std::uint64_t seed) const override;
  bool is_mostly_slow() const override {
    return std::ranges::any_of(ways_, [](const auto& way) { return way->is_mostly_slow(); });
  }
  std::vector<CandidateId> sample_likely(std::size_t wanted, std::uint64_t seed) const override;
  /// Which way, then those of the way.
  std::vector<Coordinate> coordinates(const CandidateId& id) const override;
  std::optional<CandidateId> find(const std::vector<std::int64_t>& values) const override;
  std::vector<std::int64_t> values(const CandidateId& id, std::size_t coordinate) const override;
  std::vector<CandidateId> neighbours(const CandidateId& id) const override;
  std::uint64_t kind(const CandidateId& id) const override;
  std::vector<double> numbers(const std::vector<std::int64_t>& values) const override;
  rewrite::Trace steps(const CandidateId& id) const override;
  driver::NamedSizes named_values(const CandidateId& id) const override;
  ir::Program derived(const CandidateId& id) const override;
  ir::Program term(const CandidateId& id) const override;
  Candidate make(const CandidateId& id, const lower::Options& lowering) const override;
  std::vector<CandidateFacts> look_at_all(const std::vector<CandidateId>& ids, const lower::Options& lowering,
                                          std::size_t threads) const override;
  const Stages& stages() const override { return stages_; }
  std::size_t derivations() const override;
  std::vector<DerivationSummary> derivation_summaries() const override;
  bool is_default() const override { return false; }
  std::string emptied_by() const override { return ways_[0]->emptied_by(); }
  std::size_t alternatives() const override { return comparison_ == Comparison::Apart ? ways_.size() : 1; }
  const Variants& alternative(std::size_t number) const override {
    return comparison_ == Comparison::Apart ? *ways_[number] : *this;
  }
  CandidateId plain() const override { return ways_[0]->plain(); }

 private:
  Alternatives(std::vector<std::unique_ptr<const Variants>> ways, Comparison comparison);

  using Drawn = std::vector<CandidateId> (Variants::*)(std::size_t wanted, std::uint64_t seed) const;
  /// Equal shares of all ways.
  std::vector<CandidateId> shared_out(std::size_t wanted, std::uint64_t seed, Drawn drawn) const;

  Comparison comparison_;
  std::vector<std::unique_ptr<const Variants>> ways_;  ///< each of one candidate at least
  Stages stages_;
};

/// The set of variants that the options name. What rules derive of a program all of whose sizes are given is
/// an Exploration where it is one nest, or says already how it is computed, else a Composition, or
/// Alternatives where stages can be computed together. Of both sets an option's bound is of the one that has
/// such a parameter. User errors: theirs, and, where it is named, those of MergingSpace::of.
Result<std::unique_ptr<const Variants>> explore(const ir::Program& program,
                                                const ExplorationOptions& options);

}  // namespace hoist::variants
