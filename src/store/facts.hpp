#pragma once
// Small facts that rows are made of.
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "store/entries.hpp"
#include "store/json.hpp"

namespace hoist::store {

/// UTC by the clock of this machine: "2026-01-31T23:59:59.000Z".
std::string now();
/// 128 random bits, which tell a row from all others in the world.
std::string new_uid();
/// The median: of an even number of times it is the mean of the two in the middle; nothing where there are
/// none.
std::optional<double> median_of(std::vector<double> times);
/// The number that an id is.
std::int64_t number(auto id) { return static_cast<std::int64_t>(id); }
/// Why the evaluation cannot be stored; empty when it can.
std::string fault_of(const Evaluation& evaluation);
/// The value that a column's JSON holds. Device error when somebody else has written something there.
template <class Read>
auto read_column(const std::string& text, Read&& read) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& failure) {
    throw_failure(ErrorKind::Device, "the store is damaged: a list in it cannot be read", failure.what(),
                  "restore a copy of it, or remove the row that another program has changed");
  }
}

}  // namespace hoist::store
