#pragma once
// A program's variants by the names of their coordinates, for searches that a specification file describes.
#include <map>
#include <set>

#include "driver/compile.hpp"
#include "ir/term.hpp"
#include "search/named_space.hpp"
#include "tuner/search_space.hpp"
#include "variants/variants.hpp"

namespace hoist::tuner {

/// The names are those of variants::Coordinate; of a program in parts each has the number of its part: "t.1".
/// Where there is one derivation only, it has no name. Variants of different derivations may have different
/// names. Keeps references to both.
class NamedVariants : public search::NamedSpace {
 public:
  NamedVariants(const variants::Variants& variants, const SearchSpace& space);

  const search::Space& space() const override { return space_; }
  const std::vector<std::string>& names() const override { return names_; }
  bool has_all_names_always() const override { return has_all_names_always_; }
  std::optional<search::Configuration> find(const search::NamedValues& values) const override;
  search::NamedValues values(const search::Configuration& configuration) const override;
  /// Those of a few variants, and of what differs from one of them in this coordinate.
  std::vector<std::int64_t> known_values(std::size_t name) const override;
  bool knows_all_values() const override { return false; }

 private:
  /// The places, among the names, of the coordinates of one derivation of one part; `unnamed` of a
  /// derivation that is the only one.
  using Places = std::vector<std::size_t>;
  static constexpr std::size_t unnamed = static_cast<std::size_t>(-1);

  void add_part(const variants::Variants& part, std::size_t number, std::size_t parts);
  std::set<std::size_t> named_always(std::size_t way) const;
  std::size_t place_of(const std::string& name);
  std::vector<std::size_t> places_of(const variants::CandidateId& id) const;

  const variants::Variants& variants_;
  const SearchSpace& space_;
  std::vector<std::string> names_;
  std::map<std::string, std::size_t> places_;
  std::size_t way_place_ = unnamed;
  struct Part {
    std::vector<Places> derivations;
    std::size_t derivation_place = unnamed;
  };
  std::vector<std::vector<Part>> ways_;
  bool has_all_names_always_ = true;
  mutable std::map<std::size_t, std::vector<std::int64_t>> known_values_;  ///< by name, as far as asked for
};

/// The lengths of a program's result by the names that specifications have for them, all sizes put in: NX of
/// its innermost dimension, NY and NZ of those around it, 1 where it has none. Of a tuple, its first array's.
driver::NamedSizes result_sizes(const ir::Program& program);

}  // namespace hoist::tuner
