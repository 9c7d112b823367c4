// What exported C code does by CUDA's driver API and NVRTC: the functions that CText (c_text.hpp) leaves
// open.
//
// `helpers` is most of it: the C functions that open a device, build the kernels, allocate memory and copy
// arrays. `launch_body` prints how one kernel is launched, on the default stream, which runs launches in
// order; `finish` waits for the last. The kernels' source stands in the C file; NAME_create has NVRTC
// compile it to machine code of the device that it finds.
//
// The device's primary context is made current by each function that calls the driver, and the thread gets
// back the one that it had (`enter`, `leave`). A kernel with dynamic shared memory must be allowed to have
// it (`more_than_static`); each of its launches says how much.
#include "export/c_text.hpp"
#include "export/runtime_text.hpp"

namespace hoist::exporting {

namespace {

class CudaText : public CText {
 public:
  using CText::CText;

 private:
  std::string dialect_name() const override { return "CUDA"; }
  std::string how_to_build() const override {
    return "compile $n.c as C99 and link the driver and its compiler: cc -std=c99 -c $n.c; ... -lcuda "
           "-lnvrtc";
  }
  std::string header_includes() const override { return "\n#include <cuda.h>\n"; }
  std::string create_comment() const override {
    return R"(/* Opens the device by its number, from 0, in its primary context, which runtime and driver API share; builds the kernels for
 * it and allocates what is between them. On failure *handle is NULL.
 */
)";
  }
  std::vector<std::pair<std::string, std::string>> create_parameters() const override {
    return {{"int", "device"}};
  }
  std::string device_array(const CArgument&) const override { return "CUdeviceptr"; }
  std::string memory_type() const override { return "CUdeviceptr"; }
  std::string source_includes() const override {
    return "#include \"$n.h\"\n\n#include <nvrtc.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include "
           "<string.h>\n";
  }
  std::string state_members() const override {
    return fmt::format(
        "  CUdevice device;\n  CUcontext context;\n  CUmodule module;\n  CUfunction kernels[{}];\n",
        plan_.kernels.size());
  }
  std::string open() const override {
    return "  status = open_device(h, device);\n  if (!status) status = build(h);\n";
  }
  std::string enter() const override { return "  if (enter(handle)) return $N_NO_DEVICE;\n"; }
  std::string leave() const override { return "  cuCtxPopCurrent(NULL);\n"; }

  /// Prints the calls that allow kernels their dynamic shared memory: without them the driver refuses more
  /// than a default amount.
  std::string more_than_static() const {
    std::string bytes;
    bool is_any = false;
    for (std::size_t each : exported_.dynamic_local_memory) {
      bytes += fmt::format("{}{}", bytes.empty() ? "" : ", ", each);
      is_any = is_any || each > 0;
    }
    if (!is_any) return {};
    return "    {\n      static const int dynamic_bytes[] = {" + bytes + R"(};
      if (dynamic_bytes[i] > 0 &&
          cuFuncSetAttribute(h->kernels[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, dynamic_bytes[i]) != CUDA_SUCCESS) {
        return $N_BUILD_FAILED;
      }
    }
)";
  }

  std::string helpers() const override {
    std::string names;
    for (const execute::LaunchPlan::Kernel& kernel : plan_.kernels)
      names += (names.empty() ? "\"" : ", \"") + kernel.name + "\"";
    std::string text = memory_bytes() + R"(static int enter($n_handle *h) {
  return cuCtxPushCurrent(h->context) == CUDA_SUCCESS ? $N_OK : $N_NO_DEVICE;
}

static int open_device($n_handle *h, int device) {
  if (cuInit(0) != CUDA_SUCCESS || cuDeviceGet(&h->device, device) != CUDA_SUCCESS) return $N_NO_DEVICE;
  if (cuDevicePrimaryCtxRetain(&h->context, h->device) != CUDA_SUCCESS) {
    h->context = NULL;
    return $N_NO_DEVICE;
  }
  if (enter(h)) {
    cuDevicePrimaryCtxRelease(h->device);
    h->context = NULL;
    return $N_NO_DEVICE;
  }
  return $N_OK;
}

/* The source as one text; NULL without memory. The caller frees it. */
static char *joined_source(void) {
  size_t length = 1;
  char *text, *end;
  for (size_t i = 0; i < sizeof source / sizeof source[0]; ++i) length += strlen(source[i]);
  text = end = (char *)malloc(length);
  if (!text) return NULL;
  for (size_t i = 0; i < sizeof source / sizeof source[0]; ++i) {
    const size_t part = strlen(source[i]);
    memcpy(end, source[i], part);
    end += part;
  }
  *end = '\0';
  return text;
}

/* Compiles for the device's own architecture: to its binary. NULL when that fails. The caller frees it. */
static char *compiled(CUdevice device) {
  int major = 0, minor = 0;
  char architecture[64];
  const char *options[] = {architecture, "--std=c++17", "--prec-div=false", "--prec-sqrt=false"};
  char *text = joined_source(), *binary = NULL;
  nvrtcProgram program = NULL;
  size_t bytes = 0;
  cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
  snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d%d", major, minor);
  if (text && nvrtcCreateProgram(&program, text, "$n.cu", 0, NULL, NULL) == NVRTC_SUCCESS &&
      nvrtcCompileProgram(program, 4, options) == NVRTC_SUCCESS && nvrtcGetCUBINSize(program, &bytes) == NVRTC_SUCCESS) {
    binary = (char *)malloc(bytes);
    if (binary && nvrtcGetCUBIN(program, binary) != NVRTC_SUCCESS) {
      free(binary);
      binary = NULL;
    }
  }
  if (program) nvrtcDestroyProgram(&program);
  free(text);
  return binary;
}

static int build($n_handle *h) {
  static const char *const names[] = {)" +
                       names + R"(};
  char *binary = compiled(h->device);
  const int is_loaded = binary && cuModuleLoadData(&h->module, binary) == CUDA_SUCCESS;
  free(binary);
  if (!is_loaded) {
    h->module = NULL;
    return $N_BUILD_FAILED;
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    if (cuModuleGetFunction(&h->kernels[i], h->module, names[i]) != CUDA_SUCCESS) return $N_BUILD_FAILED;
)" + more_than_static() +
                       R"(  }
  return $N_OK;
}

static int allocate($n_handle *h, size_t i) {
  if (h->memory[i]) return $N_OK;
  return cuMemAlloc(&h->memory[i], memory_bytes[i]) == CUDA_SUCCESS ? $N_OK : $N_NO_MEMORY;
}

/* The context is the thread's current one. */
static void close_device($n_handle *h) {
  if (!h->context) return;
  for (size_t i = 0; i < sizeof h->memory / sizeof h->memory[0]; ++i) {
    if (h->memory[i]) cuMemFree(h->memory[i]);
  }
  if (h->module) cuModuleUnload(h->module);
  cuCtxPopCurrent(NULL);
  cuDevicePrimaryCtxRelease(h->device);
}

)";
    if (has_input_arrays()) {
      text += R"(static int upload($n_handle *h, CUdeviceptr to, const void *from, size_t bytes) {
  (void)h;
  return cuMemcpyHtoD(to, from, bytes) == CUDA_SUCCESS ? $N_OK : $N_TRANSFER_FAILED;
}

)";
    }
    text += R"(static int download($n_handle *h, void *to, CUdeviceptr from, size_t bytes) {
  (void)h;
  return cuMemcpyDtoH(to, from, bytes) == CUDA_SUCCESS ? $N_OK : $N_TRANSFER_FAILED;
}

)";
    if (uses_copies()) {
      text += R"(static int copy_array($n_handle *h, CUdeviceptr from, CUdeviceptr to, size_t bytes) {
  (void)h;
  return cuMemcpyDtoD(to, from, bytes) == CUDA_SUCCESS ? $N_OK : $N_TRANSFER_FAILED;
}

)";
    }
    if (plan_.faults) {
      text += R"(static int clear_faults($n_handle *h, CUdeviceptr faults) {
  (void)h;
  return cuMemsetD32(faults, 0, 1) == CUDA_SUCCESS ? $N_OK : $N_TRANSFER_FAILED;
}

static int read_faults($n_handle *h, CUdeviceptr faults) {
  int32_t found = 0;
  const int status = download(h, &found, faults, sizeof found);
  return status ? status : fault_status(found);
}

)";
    }
    return text +
           R"(static int finish(void) { return cuStreamSynchronize(NULL) == CUDA_SUCCESS ? $N_OK : $N_LAUNCH_FAILED; }

)";
  }

  std::string launch_body(std::size_t kernel, const std::vector<CArgument>& arguments) const override {
    const runtime::Range& range = plan_.kernels[kernel].range;
    std::string list;
    for (const CArgument& each : arguments) list += (list.empty() ? "&" : ", &") + each.name;
    return fmt::format(R"(  void *arguments[] = {{{}}};
  return cuLaunchKernel(h->kernels[{}], {}, {}, {}, {}, {}, {}, {}, NULL, arguments, NULL) == CUDA_SUCCESS
             ? $N_OK
             : $N_LAUNCH_FAILED;
)",
                       list, kernel, range.global[0] / range.local[0], range.global[1] / range.local[1],
                       range.global[2] / range.local[2], range.local[0], range.local[1], range.local[2],
                       exported_.dynamic_local_memory[kernel]);
  }

  std::string finish() const override { return "finish()"; }

  std::string stream_includes() const override { return source_includes(); }
  std::string stream_device() const override {
    std::string text;
    for (const char* part : {"queues_cuda", "compile_cuda", "nodes", "cuda", "failure"})
      text += runtime_text(part);
    return text;
  }
  std::string stream_open() const override {
    return "  status = open_device(&h->streams, plans, PLANS, device);\n  if (!status) status = "
           "build(&h->streams);\n";
  }
  std::string stream_launch_body(const StreamLaunch& launch) const override {
    const runtime::Range& range = launch.range;
    std::string list;
    for (const StreamLaunch::Argument& each : launch.arguments)
      list += (list.empty() ? "&" : ", &") + each.expression;
    return fmt::format(
        "  const unsigned local[3] = {{{}, {}, {}}};\n{}  void *arguments[] = {{{}}};\n"
        "  return device_launch(s, n, {}, items, local, arguments);\n",
        range.local[0], range.local[1], range.local[2], launch.declarations, list, launch.kernel);
  }
  std::string further_stream_declarations() const override {
    return R"(
/* Transfers overlap kernels where arrays are in memory that the driver has pinned. These two pin memory of the caller for as long as
 * it is to be used, and let go of it, which must be done before the memory is freed. They take time; arrays that are used once
 * are better left as they are. */
int $n_pin($n_handle *handle, const void *data, size_t bytes);
int $n_unpin($n_handle *handle, const void *data);
)";
  }
  std::string further_stream_functions() const override {
    return R"(int $n_pin($n_handle *handle, const void *data, size_t bytes) {
  CUresult result;
  if (!handle || !data) return $N_INVALID_ARGUMENT;
  if (enter(&handle->streams)) return $N_NO_DEVICE;
  result = cuMemHostRegister((void *)data, bytes, 0);
  cuCtxPopCurrent(NULL);
  return result == CUDA_SUCCESS ? $N_OK : $N_NO_MEMORY;
}

int $n_unpin($n_handle *handle, const void *data) {
  CUresult result;
  if (!handle || !data) return $N_INVALID_ARGUMENT;
  if (enter(&handle->streams)) return $N_NO_DEVICE;
  result = cuMemHostUnregister((void *)data);
  cuCtxPopCurrent(NULL);
  return result == CUDA_SUCCESS ? $N_OK : $N_INVALID_ARGUMENT;
}

)";
  }
};

}  // namespace

std::unique_ptr<CText> cuda_text(const Exported& exported) { return std::make_unique<CudaText>(exported); }

}  // namespace hoist::exporting
