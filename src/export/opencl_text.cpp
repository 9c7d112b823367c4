// What exported C code does by OpenCL: the functions that CText (c_text.hpp) leaves open.
//
// `helpers` is most of it: the C functions that open a device, build the kernels, allocate memory and copy
// arrays. Some of them are left out where the program does not need them. `launch_body` prints how one
// kernel is launched: an argument after the other, then the launch on the handle's command queue. The queue
// runs commands in order, so nothing else orders them, and `finish` waits for the last.
//
// The kernels' source stands in the C file, and NAME_create has it built by the device's own compiler: the
// same file serves every device. The options for that compiler are Hoist's own. Where kernels copy to local
// memory asynchronously, the C code asks the device whether it can (`build_options_function`).
#include <algorithm>

#include "export/c_text.hpp"
#include "export/runtime_text.hpp"
#include "runtime/opencl/build_options.hpp"

namespace hoist::exporting {

namespace {

namespace opencl = runtime::opencl;

class OpenclText : public CText {
 public:
  using CText::CText;

 private:
  std::string dialect_name() const override { return "OpenCL"; }
  std::string how_to_build() const override {
    return "compile $n.c as C99 and link the OpenCL loader: cc -std=c99 -c $n.c; ... -lOpenCL";
  }
  std::string header_includes() const override {
    return R"(
#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>
)";
  }
  std::string create_comment() const override {
    return R"(/* Opens the device, builds the kernels for it and allocates what is between them. Without a device (NULL) it takes the first
 * GPU, or else the first device; without a context (NULL) it makes one. On failure *handle is NULL.
 */
)";
  }
  std::vector<std::pair<std::string, std::string>> create_parameters() const override {
    return {{"cl_device_id", "device"}, {"cl_context", "context"}};
  }
  std::string further_declarations() const override {
    return R"(/* Where $n_run_device's arrays must be allocated; it lives as long as the handle. What other queues write to them must be
 * finished before. */
cl_context $n_context(const $n_handle *handle);
)";
  }
  std::string further_functions() const override {
    return "cl_context $n_context(const $n_handle *handle) { return handle ? handle->context : NULL; }\n\n";
  }
  std::string device_array(const CArgument&) const override { return "cl_mem"; }
  std::string memory_type() const override { return "cl_mem"; }
  std::string source_includes() const override {
    return "#define CL_USE_DEPRECATED_OPENCL_1_2_APIS\n#include \"$n.h\"\n\n#include <stdlib.h>\n";
  }
  std::string state_members() const override {
    return fmt::format(
        "  cl_device_id device;\n  cl_context context;\n  cl_command_queue queue;\n  cl_program program;\n  "
        "cl_kernel kernels[{}];\n",
        plan_.kernels.size());
  }

  std::string open() const override {
    return "  status = open_device(h, device, context);\n  if (!status) status = build(h);\n";
  }

  bool copies_asynchronously() const {
    const auto is_in = [](const std::string& source) {
      return source.find("HOIST_CP_ASYNC") != std::string::npos;
    };
    return is_in(exported_.kernels) ||
           std::ranges::any_of(exported_.streams, is_in, &ExportedStreams::kernels);
  }
  /// Writes options, with which Hoist itself builds kernels, as an expression of C.
  static std::string quoted_options(const char* options) { return fmt::format("\"{}\"", options); }
  std::string build_options(const std::string& device = "h->device") const {
    return copies_asynchronously() ? "build_options(" + device + ")"
                                   : quoted_options(opencl::usual_build_options);
  }
  std::string build_options_function() const {
    if (!copies_asynchronously()) return {};
    return fmt::format(
        R"(/* Devices of compute capability {0}.0 or later, which NVIDIA's alone tell, copy to local memory asynchronously. */
static const char *build_options(cl_device_id device) {{
  const cl_device_info compute_capability_major = {1:#x};
  cl_uint major = 0;
  if (clGetDeviceInfo(device, compute_capability_major, sizeof major, &major, NULL) != CL_SUCCESS) major = 0;
  return major >= {0} ? {2} : {3};
}}

)",
        opencl::first_capability_with_copies, opencl::nvidia_capability_query,
        quoted_options(opencl::build_options_with_copies), quoted_options(opencl::usual_build_options));
  }

  std::string helpers() const override {
    std::string names;
    for (const execute::LaunchPlan::Kernel& kernel : plan_.kernels)
      names += (names.empty() ? "\"" : ", \"") + kernel.name + "\"";
    std::string text = memory_bytes() + R"(static int find_device(cl_device_id *device) {
  static const cl_device_type types[] = {CL_DEVICE_TYPE_GPU, CL_DEVICE_TYPE_ALL};
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return $N_NO_DEVICE;
  if (count > 16) count = 16;
  for (int t = 0; t < 2; ++t) {
    for (cl_uint p = 0; p < count; ++p) {
      if (clGetDeviceIDs(platforms[p], types[t], 1, device, NULL) == CL_SUCCESS) return $N_OK;
    }
  }
  return $N_NO_DEVICE;
}

static int open_device($n_handle *h, cl_device_id device, cl_context context) {
  cl_int result;
  if (!device && context) return $N_INVALID_ARGUMENT;
  if (!device && find_device(&device) != $N_OK) return $N_NO_DEVICE;
  h->device = device;
  if (!context) {
    h->context = clCreateContext(NULL, 1, &device, NULL, NULL, &result);
    if (!h->context) return $N_NO_DEVICE;
  } else {
    if (clRetainContext(context) != CL_SUCCESS) return $N_NO_DEVICE;
    h->context = context;
  }
  h->queue = clCreateCommandQueue(h->context, device, 0, &result);
  return h->queue ? $N_OK : $N_NO_DEVICE;
}

)" + build_options_function() +
                       R"(static int build($n_handle *h) {
  static const char *const names[] = {)" +
                       names + R"(};
  cl_int result;
  h->program = clCreateProgramWithSource(h->context, sizeof source / sizeof source[0], (const char **)source, NULL, &result);
  if (!h->program) return $N_NO_MEMORY;
  if (clBuildProgram(h->program, 1, &h->device, )" +
                       build_options() +
                       R"(, NULL, NULL) != CL_SUCCESS) return $N_BUILD_FAILED;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    h->kernels[i] = clCreateKernel(h->program, names[i], &result);
    if (!h->kernels[i]) return $N_BUILD_FAILED;
  }
  return $N_OK;
}

static int allocate($n_handle *h, size_t i) {
  cl_int result;
  if (h->memory[i]) return $N_OK;
  h->memory[i] = clCreateBuffer(h->context, CL_MEM_READ_WRITE, memory_bytes[i], NULL, &result);
  return h->memory[i] ? $N_OK : $N_NO_MEMORY;
}

static void close_device($n_handle *h) {
  for (size_t i = 0; i < sizeof h->memory / sizeof h->memory[0]; ++i) {
    if (h->memory[i]) clReleaseMemObject(h->memory[i]);
  }
  for (size_t i = 0; i < sizeof h->kernels / sizeof h->kernels[0]; ++i) {
    if (h->kernels[i]) clReleaseKernel(h->kernels[i]);
  }
  if (h->program) clReleaseProgram(h->program);
  if (h->queue) clReleaseCommandQueue(h->queue);
  if (h->context) clReleaseContext(h->context);
}

)";
    if (has_input_arrays() || plan_.faults) {
      text += R"(static int upload($n_handle *h, cl_mem to, const void *from, size_t bytes) {
  const cl_int result = clEnqueueWriteBuffer(h->queue, to, CL_TRUE, 0, bytes, from, 0, NULL, NULL);
  return result == CL_SUCCESS ? $N_OK : $N_TRANSFER_FAILED;
}

)";
    }
    text += R"(static int download($n_handle *h, void *to, cl_mem from, size_t bytes) {
  const cl_int result = clEnqueueReadBuffer(h->queue, from, CL_TRUE, 0, bytes, to, 0, NULL, NULL);
  return result == CL_SUCCESS ? $N_OK : $N_TRANSFER_FAILED;
}

)";
    if (uses_copies()) {
      text += R"(static int copy_array($n_handle *h, cl_mem from, cl_mem to, size_t bytes) {
  const cl_int result = clEnqueueCopyBuffer(h->queue, from, to, 0, 0, bytes, 0, NULL, NULL);
  return result == CL_SUCCESS ? $N_OK : $N_TRANSFER_FAILED;
}

)";
    }
    if (plan_.faults) {
      text += R"(static int clear_faults($n_handle *h, cl_mem faults) {
  const cl_int none = 0;
  return upload(h, faults, &none, sizeof none);
}

static int read_faults($n_handle *h, cl_mem faults) {
  cl_int found = 0;
  const int status = download(h, &found, faults, sizeof found);
  return status ? status : fault_status(found);
}

)";
    }
    return text +
           R"(static int finish($n_handle *h) { return clFinish(h->queue) == CL_SUCCESS ? $N_OK : $N_LAUNCH_FAILED; }

)";
  }

  std::string launch_body(std::size_t kernel, const std::vector<CArgument>& arguments) const override {
    const runtime::Range& range = plan_.kernels[kernel].range;
    std::string text = fmt::format("  const size_t global[3] = {{{}, {}, {}}}, local[3] = {{{}, {}, {}}};\n",
                                   range.global[0], range.global[1], range.global[2], range.local[0],
                                   range.local[1], range.local[2]);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      text += fmt::format(
          "  if (clSetKernelArg(h->kernels[{}], {}, sizeof {}, &{}) != CL_SUCCESS) return "
          "$N_LAUNCH_FAILED;\n",
          kernel, i, arguments[i].name, arguments[i].name);
    }
    return text +
           fmt::format(
               R"(  return clEnqueueNDRangeKernel(h->queue, h->kernels[{}], 3, NULL, global, local, 0, NULL, NULL) == CL_SUCCESS
             ? $N_OK
             : $N_LAUNCH_FAILED;
)",
               kernel);
  }

  std::string finish() const override { return "finish(h)"; }

  std::string stream_includes() const override {
    return "#define CL_USE_DEPRECATED_OPENCL_1_2_APIS\n#include \"$n.h\"\n\n#include <stdio.h>\n#include "
           "<stdlib.h>\n#include <string.h>\n";
  }
  std::string stream_device() const override {
    std::string text;
    for (const char* part : {"queues_opencl", "nodes", "opencl", "failure"}) text += runtime_text(part);
    return text + build_options_function();
  }
  std::string stream_open() const override {
    return "  status = open_device(&h->streams, plans, PLANS, device, context);\n  if (!status) status = "
           "build(&h->streams, " +
           build_options("h->streams.queues.device") + ");\n";
  }
  std::string stream_launch_body(const StreamLaunch& launch) const override {
    const runtime::Range& range = launch.range;
    std::string text = fmt::format("  const size_t local[3] = {{{}, {}, {}}};\n", range.local[0],
                                   range.local[1], range.local[2]);
    text += fmt::format("  const cl_kernel kernel = s->kernels[{}];\n{}  cl_int result = CL_SUCCESS;\n",
                        launch.kernel, launch.declarations);
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const std::string& expression = launch.arguments[i].expression;
      text += fmt::format("  if (!result) result = clSetKernelArg(kernel, {}, sizeof {}, &{});\n", i,
                          expression, expression);
    }
    return text +
           "  if (result) return failed(s, n, STREAMS_LAUNCH_FAILED, (int)result);\n"
           "  return device_launch(s, n, kernel, items, local);\n";
  }
};

}  // namespace

std::unique_ptr<CText> opencl_text(const Exported& exported) {
  return std::make_unique<OpenclText>(exported);
}

}  // namespace hoist::exporting
