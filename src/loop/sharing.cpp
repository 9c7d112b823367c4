#include "loop/sharing.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "loop/traverse.hpp"

namespace hoist::loop {
namespace {

/// Who makes an access, in one dimension of groups.
enum class Owner : std::uint8_t {
  Any,    ///< whichever groups come to it
  First,  ///< the first group
  Named,  ///< the group that the index names
};

class Sharing {
 public:
  explicit Sharing(const Kernel& kernel) {
    for (std::size_t d = 0; d < 3; ++d) {
      has_groups_[d] = arith::equal(kernel.launch.global[d], kernel.launch.local[d]) != arith::Truth::Yes;
    }
    join_pointers(kernel.body);
    visit(kernel.body);
  }

  std::vector<const Buffer*> found() const {
    std::vector<const Buffer*> result;
    for (const auto& [buffer, uses] : uses_) {
      if (uses.is_read && uses.is_written && !is_apart(uses)) result.push_back(buffer);
    }
    std::sort(result.begin(), result.end(),
              [](const Buffer* a, const Buffer* b) { return a->name < b->name; });
    return result;
  }

 private:
  struct Uses {
    bool is_read = false, is_written = false;
    std::array<std::vector<Owner>, 3> owners;  ///< of each access, by dimension
  };

  bool is_apart(const Uses& uses) const {
    for (std::size_t d = 0; d < 3; ++d) {
      if (!has_groups_[d]) continue;
      const auto all = [&](Owner owner) {
        return std::all_of(uses.owners[d].begin(), uses.owners[d].end(),
                           [&](Owner each) { return each == owner; });
      };
      if (!all(Owner::Named) && !all(Owner::First)) return false;
    }
    return true;
  }

  /// What is written through one name may be read through another: those that pointers bring together are
  /// one.
  void join_pointers(const Block& body) {
    for_each_statement(body, [&](const Statement& statement) {
      if (const auto* alias = std::get_if<Alias>(&statement.node)) join(*alias->pointer, *alias->target);
      if (const auto* swap = std::get_if<Swap>(&statement.node)) join(*swap->first, *swap->second);
    });
  }
  void join(const Buffer& first, const Buffer& second) {
    const Buffer *a = representative(first), *b = representative(second);
    if (a != b) joined_[a] = b;
  }
  const Buffer* representative(const Buffer& buffer) const {
    const Buffer* at = &buffer;
    for (auto next = joined_.find(at); next != joined_.end(); next = joined_.find(at)) at = next->second;
    return at;
  }

  void visit(const Block& block) {
    for (const Statement& statement : block) {
      for_each_root_value(statement, [&](const ValuePtr& root) {
        for_each_value(root, [&](const ValuePtr& value) {
          if (const auto* load = std::get_if<Load>(&value->node)) note(*load->buffer, load->index, false);
        });
      });
      if (const auto* store = std::get_if<Store>(&statement.node)) note(*store->buffer, store->index, true);
      const auto* loop = std::get_if<For>(&statement.node);
      const bool is_shared =
          loop && (loop->parallelism == Parallelism::Group || loop->parallelism == Parallelism::Global);
      if (is_shared) loops_.push_back(loop);
      for_each_block(statement, [&](const Block& inner) { visit(inner); });
      if (is_shared) loops_.pop_back();
    }
  }

  void note(const Buffer& buffer, arith::Expr index, bool is_write) {
    if (buffer.space != AddressSpace::Global) return;
    Uses& uses = uses_[representative(buffer)];
    (is_write ? uses.is_written : uses.is_read) = true;
    std::array<Owner, 3> owners{Owner::Any, Owner::Any, Owner::Any};
    for (const For* loop : loops_) {
      Owner& owner = owners[static_cast<std::size_t>(loop->dimension)];
      if (arith::contains(index, loop->variable)) {
        owner = Owner::Named;
      } else if (owner == Owner::Any && arith::is_less_equal(loop->stop, 1)) {
        owner = Owner::First;
      }
    }
    for (std::size_t d = 0; d < 3; ++d) uses.owners[d].push_back(owners[d]);
  }

  std::array<bool, 3> has_groups_{};
  std::vector<const For*> loops_;
  std::map<const Buffer*, const Buffer*> joined_;  ///< towards the representative
  std::map<const Buffer*, Uses> uses_;             ///< by the representative
};

}  // namespace

std::vector<const Buffer*> shared_between_groups(const Kernel& kernel) { return Sharing(kernel).found(); }

}  // namespace hoist::loop
