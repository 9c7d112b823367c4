#pragma once
// Families: programs that are so much alike that a model which has learned from one of them has seen much of
// the others. docs/model.md says which protocol needs them.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/evaluate.hpp"

namespace hoist::model {

/// The programs of each family, by the family's name.
using Families = std::map<std::string, std::vector<std::string>>;

/// Reads {"stencil2d": ["jacobi2d5", "gradient"]}. User errors: a file that cannot be read or has another
/// form, a program in two families.
Result<Families> read_families(const std::string& path);

/// All programs of the dataset in families: those that are told, and beyond them programs whose rows have
/// equal features for the most part, whatever is told of them. Compared are the features of that group of the
/// schema. Families that have such programs in common become one, named "one+other"; a program without
/// relatives is a family of its own name.
Families families_of(const Dataset& dataset, const Families& told, std::string_view group);

/// For each family in turn: its programs are predicted, learned is from the programs of all others.
std::vector<Split> leave_families_out(const Dataset& dataset, const Families& families);

}  // namespace hoist::model
