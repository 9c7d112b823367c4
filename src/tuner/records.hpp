#pragma once
// From what tuning knows to what the store and the search take.
#include <string>

#include "measure/outcome.hpp"
#include "search/configuration.hpp"
#include "store/store.hpp"
#include "variants/variants.hpp"

namespace hoist::tuner {

/// What the store calls this program: its text printed anew, and that text's hash.
store::Program stored_program(const ir::Program& program);

/// A candidate's name, term, values and derivation.
store::Candidate record_of(const variants::Variants& variants, const variants::CandidateId& id);
store::Candidate record_of(const variants::Variants& variants, const variants::Candidate& candidate);
std::vector<store::Launch> launches_of(const measure::Outcome& outcome);
/// But for its origin, Hoist's version and the seed.
store::Evaluation evaluation_of(const measure::Outcome& outcome);

/// Of a candidate in parts, each kernel belonging to one of them or to none (variants::no_part): with the
/// time of each part.
search::Outcome outcome_of(const measure::Outcome& outcome,
                           const std::vector<std::size_t>& part_of_kernel = {});
/// The same for an evaluation that was stored.
search::Outcome outcome_of(const store::EvaluationSummary& stored,
                           const std::vector<std::size_t>& part_of_kernel = {});

/// A sized program after each step of a derivation; of one that this Hoist does otherwise as far as it is the
/// same.
std::vector<ir::Program> programs_after(const ir::Program& program, const std::vector<store::Step>& steps);

}  // namespace hoist::tuner
