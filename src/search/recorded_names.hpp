#pragma once
// A recorded space by the names of its parameters.
#include <map>

#include "search/listed_space.hpp"
#include "search/named_space.hpp"
#include "search/recording.hpp"

namespace hoist::search {

/// The values of a parameter are those of the recording where all of them are whole numbers; otherwise the
/// places of its values in their order, from 0. Keeps references to both.
class RecordedNames : public NamedSpace {
 public:
  RecordedNames(const Recording& recording, const ListedSpace& space);

  const Space& space() const override { return space_; }
  const std::vector<std::string>& names() const override { return recording_.parameters; }
  bool has_all_names_always() const override { return true; }
  std::optional<Configuration> find(const NamedValues& values) const override;
  NamedValues values(const Configuration& configuration) const override;
  std::vector<std::int64_t> known_values(std::size_t name) const override;
  bool knows_all_values() const override { return true; }

 private:
  const Recording& recording_;
  const ListedSpace& space_;
  std::vector<std::vector<std::int64_t>> numbers_;            ///< by parameter and place of its value
  std::vector<std::map<std::int64_t, std::int64_t>> places_;  ///< by parameter and number
};

}  // namespace hoist::search
