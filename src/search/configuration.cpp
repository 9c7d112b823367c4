#include "search/configuration.hpp"

namespace hoist::search {

std::size_t ConfigurationHash::operator()(const Configuration& configuration) const {
  std::uint64_t hash = configuration.size();
  for (const std::int64_t value : configuration) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

std::string_view name_of(FailureKind failure) {
  switch (failure) {
    case FailureKind::DoesNotFit:
      return "does not fit";
    case FailureKind::Compile:
      return "compile error";
    case FailureKind::Run:
      return "run error";
    case FailureKind::Timeout:
      return "timeout";
    case FailureKind::WrongResult:
      return "wrong result";
  }
  return "";
}

}  // namespace hoist::search
