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
    explicit Quiet(Diagnostics& diagnostics) : diagnostics_(diagnostics), before_(diagnostics.reports_) {
      ++diagnostics_.quiet_;
    }
    ~Quiet() {
      --diagnostics_.quiet_;
      diagnostics_.reports_ = before_;  // what is tried inside of another trial may fail
    }
    Quiet(const Quiet&) = delete;
    Quiet& operator=(const Quiet&) = delete;
    /// Whether all that was tried since then works.
    bool is_clean() const { return diagnostics_.reports_ == before_; }

   private:
    Diagnostics& diagnostics_;
    std::size_t before_;
  };
  bool is_quiet() const { return quiet_ > 0; }

 private:
  std::vector<Diagnostic> diagnostics_;
  int quiet_ = 0;
  std::size_t reports_ = 0;  ///< those that are not kept, too
};

}  // namespace hoist::lang
