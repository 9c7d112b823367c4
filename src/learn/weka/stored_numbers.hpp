#pragma once
// What the learners of Weka write to files and read again: numbers in double precision, whose number is
// checked.
#include <vector>

#include "learn/json.hpp"
#include "learn/learners.hpp"
#include "learn/weka/column_ranges.hpp"

namespace hoist::learn {

/// The functions that read throw Failure, or an exception of the JSON library, where there is something else.

/// A list of `count` numbers.
std::vector<double> read_numbers(const Json& json, std::size_t count);

Json json_of(const ColumnRange& range);
ColumnRange read_range(const Json& json);
Json json_of(const std::vector<ColumnRange>& ranges);
std::vector<ColumnRange> read_ranges(const Json& json, std::size_t count);

/// Rows and their targets, of which there is at least one.
Json json_of(const Examples& examples);
Examples read_examples(const Json& json, std::size_t width);

}  // namespace hoist::learn
