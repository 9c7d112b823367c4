#pragma once
// Identifiers for the names of a kernel: valid in the target language, and different for different names.
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace hoist::codegen {

class Names {
 public:
  /// Words that no name may become.
  void reserve(std::span<const std::string_view> words);
  bool is_taken(std::string_view word) const { return taken_.contains(std::string(word)); }

  /// The identifier of a name of the IR; the same name always gives the same identifier.
  const std::string& of(const std::string& name);
  /// Lets a name stand for another text; returns what it stood for.
  std::string replace(const std::string& name, std::string text);
  /// An identifier that nothing else has.
  std::string fresh(std::string_view base);

 private:
  std::unordered_map<std::string, std::string> identifiers_;
  std::unordered_set<std::string> taken_;
};

/// Keywords of C and C++, which every dialect keeps away from.
std::span<const std::string_view> c_keywords();
/// Functions of C's library, whose names no kernel with C linkage may have beside it.
std::span<const std::string_view> c_library_functions();

}  // namespace hoist::codegen
