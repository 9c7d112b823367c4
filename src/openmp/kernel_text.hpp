#pragma once
// Loops as kernels: text of OpenCL C or CUDA C++.
#include <string>

#include "openmp/loop.hpp"

namespace hoist::openmp {

enum class Language { OpenCL, Cuda };

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
  class Printer;
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace hoist::openmp
