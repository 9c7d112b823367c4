#pragma once
// Which of two maps is outside.
#include "rewrite/strategy.hpp"

namespace hoist::rewrite {

/// Exchanges the two maps of a nest, whatever they are over; takes the inner one's function apart where that
/// is needed.
Strategy interchange();

}  // namespace hoist::rewrite
