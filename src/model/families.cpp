// Which programs are relatives. A program that is left out is not unseen while its twin is learned from:
// launches, accesses and loops of gradient's candidates are those of jacobi2d5's, of which only the
// arithmetic differs. What counts as a family is a judgement, so it is told (data/families.json); twins are a
// fact, so they are found in the measurements, too.
//
// Read `families_of` first: each program begins as a family of its own, and families are joined by what is
// told and by what `are_twins` finds (the connected components of both relations).
#include "model/families.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/need.hpp"
#include "model/files.hpp"

namespace hoist::model {

namespace {

using Rows = std::multiset<std::vector<double>>;

/// Two programs are twins when more than this share of the rows of the one with fewer rows is among the
/// other's.
constexpr double share_of_twins = 0.5;

std::map<std::string, Rows> rows_by_program(const Dataset& dataset, std::string_view group) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < dataset.schema.features.size(); ++i) {
    if (dataset.schema.features[i].group == group) columns.push_back(i);
  }
  if (columns.empty()) throw Bug(fmt::format("no features are of the group '{}'", group));
  std::map<std::string, Rows> rows;
  for (std::size_t i = 0; i < dataset.measurements.size(); ++i) {
    std::vector<double> row;
    for (const std::size_t column : columns) row.push_back(dataset.features.at(i, column));
    rows[dataset.tasks[dataset.measurements[i].task].program].insert(std::move(row));
  }
  return rows;
}

bool are_twins(const Rows& one, const Rows& other) {
  const Rows& fewer = one.size() <= other.size() ? one : other;
  const Rows& more = one.size() <= other.size() ? other : one;
  const auto equal =
      std::count_if(fewer.begin(), fewer.end(), [&](const auto& row) { return more.contains(row); });
  return static_cast<double>(equal) > share_of_twins * static_cast<double>(fewer.size());
}

/// Disjoint sets of programs.
class Relatives {
 public:
  const std::string& first_of(const std::string& program) {
    std::string& parent = parents_.try_emplace(program, program).first->second;
    if (parent != program) parent = first_of(parent);
    return parent;
  }
  void join(const std::string& one, const std::string& other) {
    const std::string first = first_of(one), second = first_of(other);
    parents_[std::max(first, second)] = std::min(first, second);
  }

 private:
  std::map<std::string, std::string> parents_;
};

/// The names of the told families that these programs are of; without any, the programs' own.
std::string name_of(const std::vector<std::string>& programs, const Families& told) {
  std::set<std::string> names;
  for (const auto& [family, members] : told) {
    const auto is_member = [&](const std::string& program) {
      return std::find(members.begin(), members.end(), program) != members.end();
    };
    if (std::any_of(programs.begin(), programs.end(), is_member)) names.insert(family);
  }
  if (names.empty()) names.insert(programs.begin(), programs.end());
  return fmt::format("{}", fmt::join(names, "+"));
}

}  // namespace

Result<Families> read_families(const std::string& path) {
  return catch_failure([&] {
    const auto json = nlohmann::json::parse(need(read_file(path)), nullptr, false);
    Families families;
    try {
      families = json.get<Families>();
    } catch (const nlohmann::json::exception&) {
      throw_user(fmt::format("'{}' does not list families of programs", path), {},
                 R"(write {"family": ["program", "another"]})");
    }
    std::map<std::string, std::string> family_of;
    for (const auto& [family, programs] : families) {
      for (const std::string& program : programs) {
        const auto [place, is_new] = family_of.try_emplace(program, family);
        if (!is_new)
          throw_user(fmt::format("'{}' lists '{}' in two families, '{}' and '{}'", path, program,
                                 place->second, family),
                     {}, "leave it in one of them, or make both one family");
      }
    }
    return families;
  });
}

Families families_of(const Dataset& dataset, const Families& told, std::string_view group) {
  Relatives relatives;
  for (const auto& [family, programs] : told) {
    for (const std::string& program : programs) relatives.join(programs.front(), program);
  }
  const std::map<std::string, Rows> rows = rows_by_program(dataset, group);
  for (auto one = rows.begin(); one != rows.end(); ++one) {
    for (auto other = std::next(one); other != rows.end(); ++other) {
      if (are_twins(one->second, other->second)) relatives.join(one->first, other->first);
    }
  }
  std::map<std::string, std::vector<std::string>> members;
  for (const auto& [program, unused] : rows) members[relatives.first_of(program)].push_back(program);
  Families families;
  for (const auto& [unused, programs] : members) {
    auto& family = families[name_of(programs, told)];
    family.insert(family.end(), programs.begin(), programs.end());  // a program may be named like a family
  }
  return families;
}

std::vector<Split> leave_families_out(const Dataset& dataset, const Families& families) {
  std::map<std::string, std::string> family_of;
  for (const auto& [family, programs] : families) {
    for (const std::string& program : programs) family_of[program] = family;
  }
  return leave_out(dataset, [&](const Task& task) { return family_of.at(task.program); });
}

}  // namespace hoist::model
