#pragma once
// Collects what is wrong with one text.
#include <string>
#include <vector>

#include "base/error.hpp"

namespace hoist::lang {

/// Reading goes on after an error; whatever depends on an erroneous part stays silent. Of several messages
/// about one place the first is kept: a definition that is used often is elaborated often, and what comes
/// later tends to follow from what came first.
class Diagnostics {
 public:
  void report(Span span, std::string message, std::string note = {}, std::string help = {});
  bool empty() const { return diagnostics_.empty(); }
  std::size_t size() const { return diagnostics_.size(); }
  /// All of them, in the order of the text.
  Error take();

  /// While it lives nothing is kept: for trying what may not work.
  class Quiet {
   public:
    explicit Quiet(Diagnostics& diagnostics) : diagnostics_(diagnostics) { ++diagnostics_.quiet_; }
    ~Quiet() { --diagnostics_.quiet_; }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;

   private:
    Diagnostics& diagnostics_;
  };
  bool is_quiet() const { return quiet_ > 0; }

 private:
  std::vector<Diagnostic> diagnostics_;
  int quiet_ = 0;
};

}  // namespace hoist::lang
