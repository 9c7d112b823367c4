#include <algorithm>
#include <hoist/communicator.hpp>

#include "api/access.hpp"
#include "ranks/agreement.hpp"

namespace hoist::api {

Result<Communicator> Communicator::over(const Messages& messages, void* self) {
  return guarded(nullptr,
                 [&] { return Access::communicator(need(ranks::Communicator::over(messages, self))); });
}

Result<Communicator> Communicator::of_number(int number, const std::string& library) {
  return guarded(nullptr,
                 [&] { return Access::communicator(need(ranks::Communicator::of_number(number, library))); });
}

int Communicator::rank() const { return static_cast<int>(state_->communicator->rank()); }
int Communicator::size() const { return static_cast<int>(state_->communicator->size()); }
int Communicator::rank_of_node() const { return static_cast<int>(state_->communicator->rank_of_node()); }
std::uint64_t Communicator::id() const { return state_->id; }
std::string Communicator::library() const { return state_->communicator->library(); }

Result<void> Communicator::agree(const std::optional<Error>& found) const {
  return guarded(nullptr, [&] {
    ranks::together(state_->communicator.get(), [&] {
      if (!found) return;
      const Problem& first = found->problems.front();
      throw_failure(static_cast<hoist::ErrorKind>(found->kind), first.message, first.note, first.help);
    });
  });
}

Result<bool> Communicator::have_same(std::uint64_t number) const {
  return guarded(nullptr, [&] {
    const std::vector<std::uint64_t> all = need(state_->communicator->all_gather(number));
    return std::ranges::all_of(all, [&](std::uint64_t each) { return each == all.front(); });
  });
}

}  // namespace hoist::api
