#pragma once
// Loops as kernels: text of OpenCL C or CUDA C++.
#include <memory>
#include <string>

#include "openmp/language.hpp"
#include "openmp/loop.hpp"

namespace hoist::openmp {

struct KernelState;

/// The texts of kernels of one file, with what they share: structures, constants, functions, atomic
/// operations.
class KernelText {
 public:
  KernelText(Language language, clang::ASTContext& context);
  ~KernelText();
  KernelText(const KernelText&) = delete;
  KernelText& operator=(const KernelText&) = delete;

  /// Adds the kernel of a loop. Throws Untranslatable and adds nothing then.
  void add(const Loop& loop);
  /// All that was added.
  std::string text() const;

 private:
  std::unique_ptr<KernelState> state_;
};

}  // namespace hoist::openmp
