#pragma once
// The C code that all dialects share; what a runtime does differently is filled in by a class for each.
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>

#include "export/exported.hpp"

namespace hoist::exporting {

/// What a kernel of a program in tasks is launched with, as expressions of C.
struct StreamLaunch {
  std::size_t kernel;
  std::string name;
  runtime::Range range;
  /// Statements that declare variables with the numbers among the arguments.
  std::string declarations;
  struct Argument {
    std::string expression;  ///< of memory, or the name of a variable
    bool is_array;
  };
  std::vector<Argument> arguments;
};

/// An array or scalar in C.
struct CArgument {
  std::string name;
  std::string type;  ///< of an element: "float"
  bool is_array = true;
  bool is_output = false;
  std::size_t array = 0;  ///< in the plan; arrays only
};

class CText {
 public:
  explicit CText(const Exported& exported);
  virtual ~CText() = default;

  std::vector<ExportedFile> files() const;

 protected:
  // ---- What a dialect fills in. In texts, $n is the name that was given and $N the same in capitals.
  virtual std::string dialect_name() const = 0;  ///< "OpenCL"
  virtual std::string header_includes() const = 0;
  virtual std::string how_to_build() const = 0;
  virtual std::string create_comment() const = 0;
  /// What $n_create takes besides the handle: {"cl_device_id", "device"}.
  virtual std::vector<std::pair<std::string, std::string>> create_parameters() const { return {}; }
  /// Declarations and definitions of further functions.
  virtual std::string further_declarations() const { return {}; }
  virtual std::string further_functions() const { return {}; }
  virtual std::string device_array(
      const CArgument& argument) const = 0;     ///< the type: "cl_mem", "const float *"
  virtual std::string memory_type() const = 0;  ///< of memory that the handle owns
  virtual std::string source_includes() const = 0;
  virtual std::string state_members() const = 0;
  /// The kernels, or what makes them known to C.
  virtual std::string kernels() const { return source_lines("source", exported_.kernels); }
  /// close_device(h) and, as far as they are used, allocate(h, i), upload, download, copy_array, clear_faults
  /// and read_faults; but the first they return a status.
  virtual std::string helpers() const = 0;
  /// Sets `status`; `h` holds zeros yet.
  virtual std::string open() const = 0;
  virtual std::string launch_body(std::size_t kernel, const std::vector<CArgument>& arguments) const = 0;
  /// Around what calls the runtime: the CUDA context of the thread.
  virtual std::string enter() const { return {}; }
  virtual std::string leave() const { return {}; }
  /// Waits for what was launched; an expression of a status, or nothing.
  virtual std::string finish() const { return {}; }
  /// Whether the device reads the host's memory, so that nothing is copied.
  virtual bool shares_memory() const { return false; }
  virtual std::vector<ExportedFile> further_files() const { return {}; }

  // ---- The same of a program in tasks.
  virtual std::string stream_includes() const = 0;
  /// The parts of the run time that know the device (runtime_text.hpp).
  virtual std::string stream_device() const = 0;
  /// Statements that open the device and build the kernels, of `h`; they set `status`.
  virtual std::string stream_open() const = 0;
  virtual std::string stream_launch_body(const StreamLaunch& launch) const = 0;
  virtual std::string stream_kernels(const ExportedStreams& streams) const {
    return source_lines("source" + streams.kernels_suffix, streams.kernels);
  }
  virtual bool stream_builds_kernels() const { return true; }
  virtual std::string further_stream_declarations() const { return {}; }
  virtual std::string further_stream_functions() const { return {}; }

  std::string expand(std::string text) const;
  /// Kernels' source as an array of strings.
  static std::string source_lines(const std::string& name, std::string_view source);
  bool uses_copies() const;
  bool reads_while_running() const;  ///< how often to repeat, or whether to go on
  bool has_input_arrays() const;
  /// The plan's memory from here on is between kernels.
  std::size_t first_between() const;
  std::string memory_bytes() const;

  const Exported& exported_;
  const execute::LaunchPlan& plan_;

 private:
  std::string header() const;
  std::string source() const;
  std::string parameters(bool on_device) const;
  std::string launch_functions() const;
  std::string steps_function() const;
  std::string steps(const std::vector<execute::LaunchPlan::Task>& steps, const std::string& margin,
                    int depth) const;
  std::string create_function() const;
  std::string run_functions() const;
  std::string invalid_arguments() const;
  std::string error_function() const;
  std::string fault_status() const;
  std::vector<CArgument> kernel_arguments(std::size_t kernel) const;
  std::string fresh(const std::string& wanted);

  // ---- stream_text.cpp
  bool is_in_tasks() const { return !exported_.streams.empty(); }
  std::string stream_declarations() const;
  std::string stream_source() const;
  std::string stream_state() const;
  std::string stream_tables(const ExportedStreams& streams) const;
  std::string stream_launches(const ExportedStreams& streams) const;
  std::string stream_loops(const ExportedStreams& streams) const;
  std::string stream_loop(const ExportedStreams& streams, const std::vector<execute::LaunchPlan::Task>& steps,
                          const std::string& margin, int depth) const;
  std::string stream_plans() const;
  std::string stream_run_function() const;
  std::string stream_further_functions() const;

  // ---- ranks_text.cpp
  bool is_on_ranks() const { return exported_.ranks.has_value(); }
  bool is_spread(std::size_t argument) const;
  std::string ranks_declarations() const;
  std::string ranks_parameters() const;
  std::string ranks_tables() const;
  std::string ranks_functions() const;
  std::string ranks_source() const;

  std::string capitals_;
  std::set<std::string> taken_;
  std::vector<CArgument> arguments_;            ///< inputs, then outputs
  std::map<std::size_t, std::string> arrays_;   ///< names by the plan's arrays
  std::map<std::size_t, std::string> scalars_;  ///< names by the plan's scalars
};

std::unique_ptr<CText> opencl_text(const Exported& exported);
std::unique_ptr<CText> cuda_text(const Exported& exported);
std::unique_ptr<CText> host_text(const Exported& exported);

/// The type of an element in C.
std::string c_type(Scalar scalar);
/// Whether C and C++ take it as a name.
bool is_c_identifier(const std::string& name);

}  // namespace hoist::exporting
