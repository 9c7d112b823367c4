#include "export/c_text.hpp"
#include "export/runtime_text.hpp"

namespace hoist::exporting {

namespace {

/// How many threads the calling thread's kernels have.
constexpr const char* threads_function = R"(
#ifdef _OPENMP
#include <omp.h>
extern "C" void $n_kernel_threads(int count) { omp_set_num_threads(count); }
#else
extern "C" void $n_kernel_threads(int) {}
#endif
)";

/// The kernels are C++ in a file of their own: vectors as operands, functions for every scalar type and the
/// minimum of wide integers have no form in C99 that compilers make as good code from. All else is C.
class HostText : public CText {
 public:
  using CText::CText;

 private:
  std::string dialect_name() const override { return "the host's processor"; }
  std::string how_to_build() const override {
    if (exported_.ranks)
      return "compile $n.c as C99 by mpicc, and $n_kernels.cpp as C++17 or later,\n"
             " * -O3 -march=native -ffp-contract=off, and -fopenmp for more than one thread of a rank; link "
             "by mpicxx";
    if (!exported_.streams.empty())
      return "compile $n.c as C99, and the files of kernels as C++17 or later,\n"
             " * -O3 -march=native -ffp-contract=off, and -fopenmp for more than one thread of a partition; "
             "link with -pthread";
    return "compile $n.c as C99, and $n_kernels.cpp as C++17 or later,\n"
           " * -O3 -march=native -ffp-contract=off, and -fopenmp for more than one thread";
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

  std::string stream_includes() const override {
    return "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE /* threads keep to processors */\n#endif\n#include "
           "\"$n.h\"\n\n"
           "#include <pthread.h>\n#include <sched.h>\n#include <stdlib.h>\n#include <string.h>\n#include "
           "<unistd.h>\n";
  }
  std::string stream_kernels(const ExportedStreams& streams) const override {
    std::string text = "/* In $n" + streams.kernels_suffix + "_kernels.cpp. */\n";
    for (const execute::LaunchPlan::Kernel& kernel : streams.plan.launch.kernels)
      text += fmt::format("void {}(void *const *arguments, const size_t *range);\n", kernel.name);
    if (!exported_.streams.empty() && &streams == &exported_.streams.front())
      text += "void $n_kernel_threads(int count);\n";
    return text;
  }
  bool stream_builds_kernels() const override { return false; }
  std::string stream_device() const override {
    return expand("static void kernel_threads(int count) { $n_kernel_threads(count); }\n\n") +
           std::string(runtime_text("nodes")) + std::string(runtime_text("host")) + "\n" +
           std::string(runtime_text("host_memory"));
  }
  std::string stream_open() const override { return "  status = open_device(&h->streams, plans, PLANS);\n"; }
  std::string stream_launch_body(const StreamLaunch& launch) const override {
    const runtime::Range& range = launch.range;
    std::string list;
    for (const StreamLaunch::Argument& each : launch.arguments)
      list += (list.empty() ? "" : ", ") + std::string(each.is_array ? "" : "&") + each.expression;
    return fmt::format(R"({}  void *arguments[] = {{{}}};
  const size_t range[6] = {{items[0], items[1], items[2], {}, {}, {}}};
  (void)n;
  {}(arguments, range);
  return STREAMS_OK;
)",
                       launch.declarations, list, range.local[0], range.local[1], range.local[2],
                       launch.name);
  }

  std::vector<ExportedFile> further_files() const override {
    const std::string head = expand("// Made by `hoist export`; $n.h says how to build it.\n");
    std::vector<ExportedFile> files;
    for (const ExportedStreams& each : exported_.streams) {
      if (each.kernels.empty()) continue;
      const std::string threads = files.empty() ? expand(threads_function) : "";
      files.push_back({exported_.name + each.kernels_suffix + "_kernels.cpp", head + each.kernels + threads});
    }
    if (!files.empty()) return files;
    return {{exported_.name + "_kernels.cpp",
             expand("// $n_kernels.cpp: made by `hoist export`; $n.h says how to build it.\n") +
                 exported_.kernels}};
  }
};

}  // namespace

std::unique_ptr<CText> host_text(const Exported& exported) { return std::make_unique<HostText>(exported); }

}  // namespace hoist::exporting
