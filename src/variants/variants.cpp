#include "variants/variants.hpp"

#include <fmt/format.h>

#include <charconv>

namespace hoist::variants {

std::string to_string(const CandidateId& id) {
  std::string text = id.alternative == 0 ? "" : fmt::format("{}:", id.alternative);
  if (id.parts.empty()) return text + fmt::format("{}-{}", id.derivation, id.point);
  const std::size_t prefix = text.size();
  for (const CandidateId& part : id.parts) text += (text.size() == prefix ? "" : "+") + to_string(part);
  return text;
}

Result<CandidateId> candidate_id(const std::string& text) {
  CandidateId id;
  const char* const end = text.data() + text.size();
  const char* begin = text.data();
  if (const auto colon = text.find(':'); colon != std::string::npos) {
    const auto read = std::from_chars(begin, end, id.alternative);
    // What has no number before the colon is no id: nor is "0:", which ids are not written with.
    if (read.ptr == begin + colon && id.alternative > 0) begin = read.ptr + 1;
  }
  for (;;) {
    CandidateId part;
    const auto first = std::from_chars(begin, end, part.derivation);
    if (first.ec != std::errc() || first.ptr == end || *first.ptr != '-') break;
    const auto second = std::from_chars(first.ptr + 1, end, part.point);
    if (second.ec != std::errc() || (second.ptr != end && *second.ptr != '+')) break;
    if (second.ptr == end && id.parts.empty()) {
      part.alternative = id.alternative;
      return part;
    }
    id.parts.push_back(std::move(part));
    if (second.ptr == end) return id;
    begin = second.ptr + 1;
  }
  return user_error(fmt::format("'{}' is no candidate's id", text), {},
                    "an id reads 12-345, or 1:2-3+4-5; hoist explore --sample prints some");
}

Stages& Stages::operator+=(const Stages& more) {
  algorithms += more.algorithms;
  mapped += more.mapped;
  placed += more.placed;
  for (const auto& [heuristic, number] : more.discarded) discarded[heuristic] += number;
  for (const auto& [rule, number] : more.declined) declined[rule] += number;
  return *this;
}

std::vector<CandidateFacts> Variants::look_at_all(const std::vector<CandidateId>& ids,
                                                  const lower::Options& lowering, std::size_t) const {
  std::vector<CandidateFacts> result;
  for (const CandidateId& id : ids) {
    // The terms of a candidate end with it.
    const ir::Arena of_this_candidate;
    result.push_back(make(id, lowering));
  }
  return result;
}

}  // namespace hoist::variants
