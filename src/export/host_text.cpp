#include "export/c_text.hpp"

namespace hoist::exporting {

namespace {

/// The kernels are C++ in a file of their own: vectors as operands, functions for every scalar type and the
/// minimum of wide integers have no form in C99 that compilers make as good code from. All else is C.
class HostText : public CText {
 public:
  using CText::CText;

 private:
  std::string dialect_name() const override { return "the host's processor"; }
  std::string how_to_build() const override {
    return "compile $n.c as C99, and $n_kernels.cpp as C++17 or later,\n"
           " * -O3 -march=native, and -fopenmp for more than one thread";
  }
  std::string header_includes() const override { return {}; }
  std::string create_comment() const override {
    return "/* Allocates what is between kernels. On failure *handle is NULL. */\n";
  }
  std::string device_array(const CArgument& argument) const override {
    return (argument.is_output ? "" : "const ") + argument.type + " *";
  }
  std::string memory_type() const override { return "void *"; }
  std::string source_includes() const override {
    return "#include \"$n.h\"\n\n#include <stdlib.h>\n#include <string.h>\n";
  }
  std::string state_members() const override { return {}; }
  bool shares_memory() const override { return true; }
  std::string open() const override { return "  status = $N_OK;\n"; }

  std::string kernels() const override {
    std::string text = expand("/* In $n_kernels.cpp. */\n");
    for (const execute::LaunchPlan::Kernel& kernel : plan_.kernels) {
      text += fmt::format("void {}(void *const *arguments, const size_t *range);\n", kernel.name);
    }
    return text;
  }

  std::string helpers() const override {
    std::string text;
    if (first_between() < plan_.memory.size()) {
      text += memory_bytes() + R"(static int allocate($n_handle *h, size_t i) {
  h->memory[i] = malloc(memory_bytes[i]);
  return h->memory[i] ? $N_OK : $N_NO_MEMORY;
}

)";
    }
    text += R"(static void close_device($n_handle *h) {
  for (size_t i = 0; i < sizeof h->memory / sizeof h->memory[0]; ++i) free(h->memory[i]);
}

)";
    if (reads_while_running()) {
      text += R"(static int download($n_handle *h, void *to, const void *from, size_t bytes) {
  (void)h;
  memcpy(to, from, bytes);
  return $N_OK;
}

)";
    }
    if (uses_copies()) {
      text += R"(static int copy_array($n_handle *h, const void *from, void *to, size_t bytes) {
  (void)h;
  memcpy(to, from, bytes);
  return $N_OK;
}

)";
    }
    if (plan_.faults) {
      text += R"(static int clear_faults($n_handle *h, int32_t *faults) {
  (void)h;
  *faults = 0;
  return $N_OK;
}

static int read_faults($n_handle *h, const int32_t *faults) {
  (void)h;
  return fault_status(*faults);
}

)";
    }
    return text;
  }

  std::string launch_body(std::size_t kernel, const std::vector<CArgument>& arguments) const override {
    const runtime::Range& range = plan_.kernels[kernel].range;
    std::string list;
    for (const CArgument& each : arguments) {
      list += (list.empty() ? "" : ", ") + std::string(each.is_array ? "(void *)" : "&") + each.name;
    }
    return fmt::format(R"(  void *arguments[] = {{{}}};
  const size_t range[6] = {{{}, {}, {}, {}, {}, {}}};
  (void)h;
  {}(arguments, range);
  return $N_OK;
)",
                       list, range.global[0], range.global[1], range.global[2], range.local[0],
                       range.local[1], range.local[2], plan_.kernels[kernel].name);
  }

  std::vector<ExportedFile> further_files() const override {
    return {{exported_.name + "_kernels.cpp",
             expand("// $n_kernels.cpp: made by `hoist export`; $n.h says how to build it.\n") +
                 exported_.kernels}};
  }
};

}  // namespace

std::unique_ptr<CText> host_text(const Exported& exported) { return std::make_unique<HostText>(exported); }

}  // namespace hoist::exporting
