#include "execute/pinned_arrays.hpp"

#include <algorithm>
#include <functional>

namespace hoist::execute {
namespace {

constexpr std::less<const std::byte*> is_before;

const std::byte* end_of(Bytes bytes) { return bytes.data() + bytes.size(); }

/// The unions of arrays that overlap, in the order of memory.
std::vector<Bytes> unions(std::vector<Bytes> arrays) {
  std::erase_if(arrays, [](Bytes each) { return each.empty(); });
  std::ranges::sort(arrays, [](Bytes a, Bytes b) { return is_before(a.data(), b.data()); });
  std::vector<Bytes> result;
  for (const Bytes each : arrays) {
    if (result.empty() || !overlap(result.back(), each)) {
      result.push_back(each);
    } else if (is_before(end_of(result.back()), end_of(each))) {
      result.back() = {result.back().data(), end_of(each)};
    }
  }
  return result;
}

}  // namespace

bool overlap(Bytes a, Bytes b) {
  return !a.empty() && !b.empty() && is_before(a.data(), end_of(b)) && is_before(b.data(), end_of(a));
}

Result<void> PinnedArrays::pin(runtime::Device& device, std::vector<Bytes> arrays) {
  const std::vector<Bytes> wanted = unions(std::move(arrays));
  std::erase_if(pinned_, [&](const auto& known) {
    const Bytes has = known.second->bytes();
    return std::ranges::any_of(wanted, [&](Bytes each) {
      return overlap(each, has) && (each.data() != has.data() || each.size() != has.size());
    });
  });
  for (const Bytes each : wanted) {
    if (pinned_.contains(each.data())) continue;
    // Pinning changes nothing of what the memory holds.
    auto memory = device.pin({const_cast<std::byte*>(each.data()), each.size()});
    if (!memory) return tl::unexpected(memory.error());
    const std::string& note = (*memory)->note();
    if (!(*memory)->is_pinned() && std::ranges::find(notes_, note) == notes_.end()) notes_.push_back(note);
    pinned_[each.data()] = std::move(*memory);
  }
  return {};
}

}  // namespace hoist::execute
