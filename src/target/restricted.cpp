#include "target/restricted.hpp"

namespace hoist::target {

Target with_instruction_set(Target target, const InstructionSet& set) {
  target.instruction_set = set.name;
  if (!target.name.empty()) target.name += " (" + std::string(set.name) + ")";
  target.preferred_f32_vector = set.f32_vector;
  const Profile profile = target.profile;
  return with_profile(completed(std::move(target)), profile);
}

}  // namespace hoist::target
