#include "variants/looking.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <numeric>
#include <thread>

#include "ir/arena.hpp"

namespace hoist::variants {

namespace {

/// Each thread builds on the asking thread's terms (ir::LentArena).
class Lookers {
 public:
  Lookers(const std::vector<CandidateId>& ids, const CandidateMaker& maker)
      : ids_(ids), maker_(maker), facts_(ids.size()), order_(ids.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return ids_[a].derivation < ids_[b].derivation; });
  }

  std::vector<CandidateFacts> run(std::size_t threads) {
    threads_ = std::max<std::size_t>(1, std::min(threads, order_.size()));
    std::vector<std::thread> all;
    for (std::size_t i = 0; i < threads_; ++i) all.emplace_back([this] { work(); });
    for (std::thread& each : all) each.join();
    if (failure_) std::rethrow_exception(failure_);
    return std::move(facts_);
  }

 private:
  struct Share {
    std::vector<std::size_t> numbers;
    std::vector<driver::NamedSizes> values;
  };
  /// Nothing when all is shared out. Shares become smaller towards the end, so that all threads end at about
  /// the same time (guided self-scheduling).
  std::optional<Share> next() {
    constexpr std::size_t most = 32;
    const std::lock_guard lock(busy_);
    if (next_ == order_.size() || failure_) return std::nullopt;
    const std::size_t count = std::clamp<std::size_t>((order_.size() - next_) / (2 * threads_), 1, most);
    Share share;
    for (; next_ < order_.size() && share.numbers.size() < count; ++next_) {
      share.numbers.push_back(order_[next_]);
      share.values.push_back(maker_.values(ids_[order_[next_]]));
    }
    return share;
  }

  void work() {
    try {
      // The derivations' terms are the asking thread's, which makes none while it waits.
      const ir::Arena of_this_thread(lent_);
      while (const auto share = next()) look(*share);
    } catch (...) {
      const std::lock_guard lock(busy_);
      failure_ = std::current_exception();
    }
  }

  void look(const Share& share) {
    for (std::size_t i = 0; i < share.numbers.size(); ++i) {
      const ir::Arena of_this_candidate;
      const std::size_t number = share.numbers[i];
      facts_[number] = maker_.facts(ids_[number], share.values[i]);
    }
  }

  const std::vector<CandidateId>& ids_;
  const CandidateMaker& maker_;
  std::vector<CandidateFacts> facts_;
  const ir::LentArena lent_ = ir::LentArena::of_this_thread();
  std::size_t threads_ = 1;
  std::mutex busy_;
  std::vector<std::size_t> order_;  ///< numbers of candidates by derivation
  std::size_t next_ = 0;            ///< of these
  std::exception_ptr failure_;
};

}  // namespace

std::vector<CandidateFacts> look_at_all(const std::vector<CandidateId>& ids, const CandidateMaker& maker,
                                        std::size_t threads) {
  return Lookers(ids, maker).run(threads);
}

}  // namespace hoist::variants
