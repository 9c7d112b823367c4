#pragma once
// Normal forms. Both end because every rule in them makes a measure of the term smaller, and what rules apply
// functions to is never copied unless it is free of cost, which no measure counts.
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// Producers fused into their consumers. Measure: the number of maps, then of maps inside a zip's arguments,
/// then of lets: each rule fuses two patterns into one, moves a map out of a zip, or removes a let.
Strategy fuse();
/// Without patterns that undo each other or do nothing. Measure: the number of zips, then of calls: each rule
/// removes a zip or leaves fewer calls than there were.
Strategy simplify();
/// Both, until neither changes anything; simplifying adds no map that was not a zip, and fusing adds no zip.
Strategy normalize();

}  // namespace hoist::rewrite
