#include "openmp/kernel_text.hpp"

#include "openmp/kernel_printer.hpp"

namespace hoist::openmp {

using namespace clang;

KernelText::KernelText(Language language, ASTContext& context)
    : state_(std::make_unique<KernelState>(language, context)) {}
KernelText::~KernelText() = default;

void KernelText::add(const Loop& loop) {
  std::map<const VarDecl*, Role> roles;
  for (const VarDecl* each : loop.arrays) roles[each] = Role::Array;
  for (const VarDecl* each : loop.values) roles[each] = Role::Value;
  for (const VarDecl* each : loop.changed) roles[each] = Role::Changed;
  for (const VarDecl* each : loop.privates) roles[each] = Role::Own;
  for (const Reduction& each : loop.reductions) roles[each.variable] = Role::Own;
  for (const VarDecl* each : loop.firsts) roles[each] = Role::Own;
  auto before = std::make_unique<KernelState>(*state_);
  try {
    KernelPrinter printer(*state_, roles, {});
    state_->kernels += printer.kernel(loop);
  } catch (const Untranslatable&) {
    state_ = std::move(before);
    throw;
  }
}

std::string KernelText::text() const {
  const bool is_cuda = state_->language == Language::Cuda;
  std::string text;
  if (!is_cuda && state_->uses_doubles) text += "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
  if (!is_cuda) text += "#pragma OPENCL FP_CONTRACT OFF\n\n";
  // What math.h has beside functions, which NVRTC does not read.
  if (is_cuda) {
    text += "#ifndef INFINITY\n#define INFINITY ((float)(1e308 * 10))\n#endif\n";
    text += "#ifndef NAN\n#define NAN (INFINITY - INFINITY)\n#endif\n\n";
  }
  text += state_->atomics.definitions();
  if (!state_->enumerators.empty()) {
    std::string names;
    for (const auto& [name, value] : state_->enumerators)
      names += (names.empty() ? "" : ", ") + name + " = " + value;
    text += "enum { " + names + " };\n\n";
  }
  return text + state_->records + state_->functions + state_->kernels;
}

}  // namespace hoist::openmp
