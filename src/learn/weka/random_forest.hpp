#pragma once
// Weka 3.6's RandomForest (Breiman: Random forests, 2001): bagged trees, each of whose cuts is the best of
// some columns that are drawn.
#include <string>

#include "learn/learners.hpp"

namespace hoist::learn {

/// How Weka knows columns and classes. Their names matter: what Weka draws depends on how it would print a
/// row.
struct WekaNames {
  /// For each column the names of its values; a row then has the place of its value in this list. None: the
  /// column has numbers, as have all columns beyond this list.
  std::vector<std::vector<std::string>> columns = {};
  std::vector<std::string> classes = {};  ///< none: the classes are named by their numbers, from "0"
};

/// Whether Weka prints a name without backslashes (which quotes, '%', '\\' and control characters get), and
/// it is ASCII.
bool is_weka_name(const std::string& name);

/// With the defaults of Weka 3.6.14: 100 trees (earlier versions have 10), log2(columns) + 1 columns for each
/// cut, seed 1. A number that is NaN is missing: the row is shared by all sides of a cut. Rows have at least
/// one column. Throws a Bug where a name is none of Weka's (is_weka_name).
std::unique_ptr<Classifier> make_weka_random_forest(WekaNames names = {}, std::size_t trees = 100);

}  // namespace hoist::learn
