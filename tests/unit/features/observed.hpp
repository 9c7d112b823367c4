#pragma once
// The features that can be counted when a plan runs, counted by the interpreter: work-item by work-item, warp
// by warp. Independent of how src/features finds them.
#include <map>
#include <set>

#include "features/profile.hpp"
#include "loop/observer.hpp"

namespace hoist::testing_support {

class Counter : public loop::Observer {
 public:
  explicit Counter(const target::Machine& machine) : machine_(machine) {}

  // Over all work-items.
  double loads[3] = {}, stores[3] = {}, load_bytes[3] = {}, store_bytes[3] = {};  // by address space
  double barriers = 0;
  std::map<features::OperationKind, double> operations;
  double f64_operations = 0;
  // Of warps.
  double accesses = 0, lines = 0, load_sectors = 0, store_sectors = 0;
  double local_accesses = 0, load_passes = 0, store_passes = 0;
  // Lines that differ: of groups, summed, and of all.
  double group_lines() const {
    double sum = 0;
    for (const auto& [group, its] : of_groups_) sum += static_cast<double>(its.size());
    return sum;
  }
  double all_lines() const {
    std::set<Line> all;
    for (const auto& [group, its] : of_groups_) all.insert(its.begin(), its.end());
    return static_cast<double>(all.size());
  }

  void launch(std::string_view, const std::array<std::int64_t, 3>&) override {}
  void barrier(std::size_t lanes) override { barriers += static_cast<double>(lanes); }
  void operation(ScalarOp op, Scalar operand, int width, std::size_t lanes) override {
    const double count = static_cast<double>(lanes) * width;
    operations[features::kind_of(op, operand)] += count;
    if (operand == Scalar::F64) f64_operations += count;
  }

  void access(const loop::ObservedAccess& access) override {
    const auto space = static_cast<std::size_t>(access.space);
    const double items = static_cast<double>(access.lanes.size());
    const double bytes = items * access.width * static_cast<double>(size_of(access.scalar));
    (access.is_store ? stores : loads)[space] += items;
    (access.is_store ? store_bytes : load_bytes)[space] += bytes;
    if (access.space == loop::AddressSpace::Private) return;
    std::size_t begin = 0;
    while (begin < access.lanes.size()) {
      const auto warp = access.lanes[begin] / static_cast<std::uint32_t>(machine_.lanes);
      std::size_t end = begin;
      while (end < access.lanes.size() &&
             access.lanes[end] / static_cast<std::uint32_t>(machine_.lanes) == warp)
        ++end;
      of_warp(access, begin, end);
      begin = end;
    }
  }

 private:
  using Line = std::pair<std::string, std::int64_t>;

  static std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
    return a >= 0 ? a / b : -((-a + b - 1) / b);
  }

  void of_warp(const loop::ObservedAccess& access, std::size_t begin, std::size_t end) {
    std::vector<std::pair<std::int64_t, std::int64_t>> bytes;  // from, to (included), by work-item
    const auto size = static_cast<std::int64_t>(size_of(access.scalar));
    for (std::size_t i = begin; i < end; ++i) {
      const std::int64_t from = access.indices[access.lanes[i]] * size;
      bytes.emplace_back(from, from + access.width * size - 1);
    }
    if (access.space == loop::AddressSpace::Local) return of_banks(access, bytes);
    accesses += 1;
    lines += static_cast<double>(units(bytes, machine_.line_bytes, bytes.front().first).size());
    (access.is_store ? store_sectors : load_sectors) +=
        static_cast<double>(units(bytes, machine_.sector_bytes, 0).size());
    for (const std::int64_t line : units(bytes, machine_.line_bytes, 0))
      of_groups_[access.group].emplace(std::string(access.buffer), line);
  }
  static std::set<std::int64_t> units(const std::vector<std::pair<std::int64_t, std::int64_t>>& bytes,
                                      std::int64_t unit, std::int64_t origin) {
    std::set<std::int64_t> all;
    for (const auto& [from, to] : bytes) {
      for (std::int64_t at = floor_quotient(from - origin, unit); at <= floor_quotient(to - origin, unit);
           ++at)
        all.insert(at);
    }
    return all;
  }
  void of_banks(const loop::ObservedAccess& access,
                const std::vector<std::pair<std::int64_t, std::int64_t>>& bytes) {
    local_accesses += 1;
    const std::int64_t each = bytes.front().second - bytes.front().first + 1;
    const auto together =
        static_cast<std::size_t>(std::max<std::int64_t>(machine_.banks * machine_.bank_bytes / each, 1));
    for (std::size_t begin = 0; begin < bytes.size(); begin += together) {
      std::map<std::int64_t, std::set<std::int64_t>> words;  // by bank
      for (std::size_t i = begin; i < std::min(begin + together, bytes.size()); ++i) {
        for (std::int64_t at = bytes[i].first; at <= bytes[i].second; ++at)
          words[at / machine_.bank_bytes % machine_.banks].insert(at / machine_.bank_bytes);
      }
      std::size_t most = 0;
      for (const auto& [bank, its] : words) most = std::max(most, its.size());
      (access.is_store ? store_passes : load_passes) += static_cast<double>(most);
    }
  }

  target::Machine machine_;
  std::map<std::uint32_t, std::set<Line>> of_groups_;
};

}  // namespace hoist::testing_support
