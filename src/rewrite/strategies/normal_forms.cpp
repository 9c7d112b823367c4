#include "rewrite/strategies/normal_forms.hpp"

namespace hoist::rewrite {

namespace {

/// The measures bound the number of passes by the size of the term; this bound is against a wrong measure.
constexpr std::size_t most_passes = 10'000;

Strategy exhaustively(const std::vector<std::string_view>& rules) {
  return repeat(everywhere(any_of(rules)), most_passes);
}

}  // namespace

Strategy fuse() {
  return exhaustively({"map_fusion", "map_seq_fusion", "reduce_fusion", "reduce_seq_fusion",
                       "map_seq_reduce_seq_fusion", "scan_fusion", "generate_fusion", "zip_fusion",
                       "zip_left_fusion", "zip_right_fusion", "let_inline"});
}

Strategy simplify() {
  return exhaustively({"split_then_join",
                       "join_then_split",
                       "transpose_transpose",
                       "as_vector_then_as_scalar",
                       "as_scalar_then_as_vector",
                       "scatter_then_gather",
                       "gather_then_scatter",
                       "map_identity",
                       "zip_of_unzip",
                       "unzip_of_zip",
                       "zip_first",
                       "zip_second",
                       "zip_same",
                       "take_all",
                       "drop_none",
                       "pad_none",
                       "take_take",
                       "drop_drop",
                       "take_of_concat",
                       "drop_of_concat",
                       "pad_pad",
                       "at_of_map",
                       "at_of_generate",
                       "at_of_zip",
                       "let_inline"});
}

Strategy normalize() { return repeat(or_else(simplify(), fuse()), most_passes); }

}  // namespace hoist::rewrite
