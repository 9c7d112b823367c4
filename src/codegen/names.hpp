#pragma once
// Identifiers for the names of a kernel: valid in the target language, and different for different names.
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace hoist::codegen {

class Names {
 public:
  /// Words that no name may become; the span's memory must be there as long as the program runs.
  void reserve(std::span<const std::string_view> words);
  bool is_taken(const std::string& word) const;

  /// The identifier of a name of the IR; the same name always gives the same identifier.
  const std::string& of(const std::string& name);
  /// Lets a name stand for another text; returns what it stood for.
  std::string replace(const std::string& name, std::string text);
  /// How often that was done: texts made with the names before may be others now.
  std::size_t replacements() const { return replacements_; }
  /// An identifier that nothing else has.
  std::string fresh(std::string_view base);

 private:
  std::unordered_map<std::string, std::string> identifiers_;
  std::unordered_set<std::string> taken_;
  using Words = std::unordered_set<std::string_view>;
  std::vector<const Words*> reserved_;
  std::size_t replacements_ = 0;
};

/// Keywords of C and C++, which every dialect keeps away from.
std::span<const std::string_view> c_keywords();
/// char2 to double16, the vector types of OpenCL C, by which all printers call theirs.
std::span<const std::string_view> vector_types();
/// Functions of C's library, whose names no kernel with C linkage may have beside it.
std::span<const std::string_view> c_library_functions();

}  // namespace hoist::codegen
