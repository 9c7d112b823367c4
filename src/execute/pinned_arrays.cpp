#include "execute/pinned_arrays.hpp"

#include <algorithm>
#include <functional>

#include "base/bytes.hpp"

namespace hoist::execute {
namespace {

using Array = std::span<const std::byte>;

/// The first array with what of the other lies behind its end.
Array joined(Array first, Array other) {
  const std::byte* const end = other.data() + other.size();
  return std::less<>()(first.data() + first.size(), end) ? Array(first.data(), end) : first;
}

/// The unions of arrays that overlap, in the order of memory.
std::vector<Array> unions(std::vector<Array> arrays) {
  std::erase_if(arrays, [](Array each) { return each.empty(); });
  std::ranges::sort(arrays, std::less<>(), [](Array each) { return each.data(); });
  std::vector<Array> result;
  for (const Array each : arrays) {
    if (result.empty() || !share_memory(result.back(), each)) {
      result.push_back(each);
    } else {
      result.back() = joined(result.back(), each);
    }
  }
  return result;
}

}  // namespace

Result<void> PinnedArrays::pin(runtime::Device& device, std::vector<Array> arrays) {
  const std::vector<Array> wanted = unions(std::move(arrays));
  std::erase_if(pinned_, [&](const auto& known) {
    const Array has = known.second->bytes();
    return std::ranges::any_of(wanted, [&](Array each) {
      return share_memory(each, has) && (each.data() != has.data() || each.size() != has.size());
    });
  });
  for (const Array each : wanted) {
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
