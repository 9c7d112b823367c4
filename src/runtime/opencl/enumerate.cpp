// Finds OpenCL's devices: asks the loader for platforms (drivers), each platform for its devices, and each
// device for its properties, which become a target::Target.
//
// Read `Enumerator::run` first, then `add_devices_of`, which numbers the devices of all platforms through
// (opencl:0, opencl:1, ...), and `read_info`, which says where each number of a target comes from. A device
// that cannot be used keeps its number but is left out, and a note says why.
//
// OpenCL 1.2 lacks some queries that Hoist needs: the width of a warp, wavefront or sub-group, and the place
// on the PCI bus, by which NVIDIA's management library finds a device. These are asked by the vendors' own
// numbers, or those of later versions, in the constants below; a driver that does not know one answers with
// an error, and `DeviceQueries::find` then gives nothing. `sub_group_sizes` decides from them whether
// kernels may exchange registers (shuffles), and `build_options_for` what the device's compiler is told.
#include "runtime/opencl/enumerate.hpp"

#include <algorithm>
#include <optional>

#include "runtime/opencl/build_options.hpp"
#include "runtime/opencl/pci_address.hpp"
#include "runtime/opencl/status.hpp"

namespace hoist::runtime::opencl {

namespace {

// These queries ask for the width of a warp or sub-group. They are vendors' own or later than OpenCL 1.2; a
// device that does not know one answers with an error.
constexpr cl_device_info nvidia_warp_query = 0x4003;    // CL_DEVICE_WARP_SIZE_NV
constexpr cl_device_info amd_wavefront_query = 0x4043;  // CL_DEVICE_WAVEFRONT_WIDTH_AMD
constexpr cl_device_info preferred_group_multiple_query =
    0x1067;                                               // CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE
constexpr cl_device_info most_sub_groups_query = 0x105C;  // CL_DEVICE_MAX_NUM_SUB_GROUPS
constexpr cl_device_info sub_group_sizes_query = 0x4108;  // CL_DEVICE_SUB_GROUP_SIZES_INTEL

// CL_DEVICE_PCI_BUS_INFO_KHR, and CL_DEVICE_PCI_BUS_ID_NV, _SLOT_ID_NV, _DOMAIN_ID_NV
constexpr cl_device_info pci_bus_info_query = 0x410F;
constexpr cl_device_info nvidia_bus_query = 0x4008, nvidia_slot_query = 0x4009, nvidia_domain_query = 0x400A;

/// Reads one device's properties; throws Failure when the driver refuses one that OpenCL 1.2 promises.
class DeviceQueries {
 public:
  DeviceQueries(const Functions& functions, cl_device_id device) : functions_(functions), device_(device) {}

  template <class Value>
  std::optional<Value> find(cl_device_info property) const {
    Value value{};
    if (functions_.clGetDeviceInfo(device_, property, sizeof value, &value, nullptr) != CL_SUCCESS)
      return std::nullopt;
    return value;
  }

  /// Reads a list of sizes, which is empty where the device does not know the property.
  std::vector<std::size_t> list(cl_device_info property) const {
    std::size_t bytes = 0;
    if (functions_.clGetDeviceInfo(device_, property, 0, nullptr, &bytes) != CL_SUCCESS) return {};
    std::vector<std::size_t> values(bytes / sizeof(std::size_t));
    if (functions_.clGetDeviceInfo(device_, property, bytes, values.data(), nullptr) != CL_SUCCESS) return {};
    return values;
  }

  template <class Value>
  Value get(cl_device_info property) const {
    Value value{};
    check(functions_.clGetDeviceInfo(device_, property, sizeof value, &value, nullptr), property);
    return value;
  }

  std::string text(cl_device_info property) const {
    std::size_t bytes = 0;
    check(functions_.clGetDeviceInfo(device_, property, 0, nullptr, &bytes), property);
    std::string value(bytes, '\0');
    check(functions_.clGetDeviceInfo(device_, property, bytes, value.data(), nullptr), property);
    return value.substr(0, value.find('\0'));
  }

 private:
  static void check(cl_int status, cl_device_info property) {
    if (status != CL_SUCCESS)
      throw Failure(status_error(status, fmt::format("reading device property {:#x}", property)).value());
  }

  const Functions& functions_;
  cl_device_id device_;
};

std::string platform_text(const Functions& functions, cl_platform_id platform, cl_platform_info property) {
  std::size_t bytes = 0;
  if (functions.clGetPlatformInfo(platform, property, 0, nullptr, &bytes) != CL_SUCCESS) return "unnamed";
  std::string value(bytes, '\0');
  if (functions.clGetPlatformInfo(platform, property, bytes, value.data(), nullptr) != CL_SUCCESS)
    return "unnamed";
  return value.substr(0, value.find('\0'));
}

target::Type type_of(cl_device_type type) {
  if (type & CL_DEVICE_TYPE_GPU) return target::Type::Gpu;
  if (type & CL_DEVICE_TYPE_CPU) return target::Type::Cpu;
  if (type & CL_DEVICE_TYPE_ACCELERATOR) return target::Type::Accelerator;
  return target::Type::Other;
}

std::size_t group_multiple(const DeviceQueries& queries) {
  for (const cl_device_info query : {nvidia_warp_query, amd_wavefront_query}) {
    if (const auto width = queries.find<cl_uint>(query); width && *width > 0) return *width;
  }
  const auto multiple = queries.find<std::size_t>(preferred_group_multiple_query);
  return multiple && *multiple > 0 ? *multiple : 1;
}

/// Tells how many work-items a sub-group may have, on devices whose sub-groups can exchange registers; empty
/// on others. Throws Failure.
std::vector<std::size_t> sub_group_sizes(const DeviceQueries& queries) {
  const std::string extensions = " " + queries.text(CL_DEVICE_EXTENSIONS) + " ";
  const auto has = [&](const char* name) {
    return extensions.find(fmt::format(" {} ", name)) != std::string::npos;
  };
  const auto width = [&](cl_device_info query) -> std::vector<std::size_t> {
    const auto items = queries.find<cl_uint>(query);
    if (!items || *items == 0) return {};
    return {*items};
  };
  // NVIDIA's OpenCL has no sub-groups, but its compiler takes the instruction that exchanges registers.
  if (has("cl_nv_device_attribute_query")) return width(nvidia_warp_query);
  const bool has_sub_groups =
      has("cl_khr_subgroups") || queries.find<cl_uint>(most_sub_groups_query).value_or(0) > 0;
  if (!has_sub_groups || !has("cl_khr_subgroup_shuffle")) return {};
  if (has("cl_intel_required_subgroup_size")) return queries.list(sub_group_sizes_query);
  return width(amd_wavefront_query);
}

std::string pci_address_of(const DeviceQueries& queries) {
  return pci_address({.bus_info = queries.find<std::array<cl_uint, 4>>(pci_bus_info_query),
                      .nvidia_domain = queries.find<cl_uint>(nvidia_domain_query),
                      .nvidia_bus = queries.find<cl_uint>(nvidia_bus_query),
                      .nvidia_slot = queries.find<cl_uint>(nvidia_slot_query)});
}

/// Chooses the options for the device's compiler. Sub-groups came with OpenCL C 2.0, which also lets the last
/// group be smaller. There are no fast-math options, since results are compared with an interpreter's.
/// Contraction to fma is the default.
std::string build_options_for(const target::Target& info, const DeviceQueries& queries) {
  const bool is_nvidia = info.version.find("CUDA") != std::string::npos;
  if (info.sub_group_sizes.empty() || is_nvidia) {
    const bool has_copies = is_nvidia && queries.find<cl_uint>(nvidia_capability_query).value_or(0) >=
                                             first_capability_with_copies;
    return has_copies ? build_options_with_copies : usual_build_options;
  }
  const bool is_third = info.version.rfind("OpenCL 3", 0) == 0;
  return fmt::format("-cl-std=CL{} -cl-uniform-work-group-size", is_third ? "3.0" : "2.0");
}

/// Describes a device. Throws Failure where the device cannot be used.
target::Target read_info(const DeviceQueries& queries) {
  if (!queries.get<cl_bool>(CL_DEVICE_AVAILABLE))
    throw_failure(ErrorKind::Device, "the device is not available");
  if (!queries.get<cl_bool>(CL_DEVICE_COMPILER_AVAILABLE))
    throw_failure(ErrorKind::Device, "the platform has no compiler");
  target::Target info;
  info.name = queries.text(CL_DEVICE_NAME);
  info.vendor = queries.text(CL_DEVICE_VENDOR);
  info.version = queries.text(CL_DEVICE_VERSION);
  info.driver = queries.text(CL_DRIVER_VERSION);
  info.language = target::Language::OpenCL;
  info.type = type_of(queries.get<cl_device_type>(CL_DEVICE_TYPE));
  info.compute_units = queries.get<cl_uint>(CL_DEVICE_MAX_COMPUTE_UNITS);
  info.global_memory = queries.get<cl_ulong>(CL_DEVICE_GLOBAL_MEM_SIZE);
  info.largest_buffer = queries.get<cl_ulong>(CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.local_memory = queries.get<cl_ulong>(CL_DEVICE_LOCAL_MEM_SIZE);
  info.local_memory_is_dedicated =
      queries.get<cl_device_local_mem_type>(CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
  info.cache_line = queries.get<cl_uint>(CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE);
  info.max_group_size = queries.get<std::size_t>(CL_DEVICE_MAX_WORK_GROUP_SIZE);
  // A device may have more dimensions than three, and then refuses to write only three of them.
  const auto dimensions = queries.get<cl_uint>(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS);
  if (dimensions < 3 || dimensions > 8)
    throw_failure(ErrorKind::Device, fmt::format("the device has {} dimensions, not 3", dimensions));
  const auto sizes = queries.get<std::array<std::size_t, 8>>(CL_DEVICE_MAX_WORK_ITEM_SIZES);
  std::copy_n(sizes.begin(), 3, info.max_group_sizes.begin());
  info.preferred_group_multiple = group_multiple(queries);
  info.sub_group_sizes = sub_group_sizes(queries);
  if (queries.get<cl_bool>(CL_DEVICE_IMAGE_SUPPORT)) {
    info.largest_image = {queries.get<std::size_t>(CL_DEVICE_IMAGE2D_MAX_WIDTH),
                          queries.get<std::size_t>(CL_DEVICE_IMAGE2D_MAX_HEIGHT)};
  }
  info.preferred_f32_vector = static_cast<int>(queries.get<cl_uint>(CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT));
  info.has_f64 = queries.find<cl_device_fp_config>(CL_DEVICE_DOUBLE_FP_CONFIG).value_or(0) != 0;
  info.clock_mhz = static_cast<int>(queries.get<cl_uint>(CL_DEVICE_MAX_CLOCK_FREQUENCY));
  return completed(std::move(info));
}

class Enumerator {
 public:
  Enumeration run() {
    auto functions = load_functions();
    if (!functions) {
      const Diagnostic& why = functions.error().diagnostics.front();
      note(fmt::format("OpenCL: {}{}; {}", why.message, why.note.empty() ? "" : " (" + why.note + ")",
                       why.help));
      return std::move(found_);
    }
    found_.functions = *functions;
    for (cl_platform_id platform : platforms()) add_devices_of(platform);
    return std::move(found_);
  }

 private:
  void note(std::string text) { found_.notes.push_back(std::move(text)); }

  std::vector<cl_platform_id> platforms() {
    cl_uint count = 0;
    cl_int status = found_.functions.clGetPlatformIDs(0, nullptr, &count);
    std::vector<cl_platform_id> platforms(count);
    if (status == CL_SUCCESS && count > 0)
      status = found_.functions.clGetPlatformIDs(count, platforms.data(), nullptr);
    if (status != CL_SUCCESS || count == 0) {
      note(
          fmt::format("OpenCL: {}; install a driver (Debian: pocl-opencl-icd for processors), or check that "
                      "the driver has a file in /etc/OpenCL/vendors",
                      status == CL_SUCCESS ? "the loader found no driver" : status_text(status)));
      return {};
    }
    return platforms;
  }

  void add_devices_of(cl_platform_id platform) {
    const std::string name = platform_text(found_.functions, platform, CL_PLATFORM_NAME);
    cl_uint count = 0;
    cl_int status = found_.functions.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    std::vector<cl_device_id> devices(status == CL_SUCCESS ? count : 0);
    if (!devices.empty())
      status = found_.functions.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr);
    if (status != CL_SUCCESS || devices.empty()) {
      const bool none = status == CL_DEVICE_NOT_FOUND || status == CL_SUCCESS;
      note(fmt::format("OpenCL platform \"{}\": {}", name, none ? "it has no device" : status_text(status)));
      return;
    }
    for (cl_device_id device : devices) {
      const std::string id = fmt::format("opencl:{}", next_number_++);
      const DeviceQueries queries(found_.functions, device);
      auto info = catch_failure([&] { return read_info(queries); });
      if (!info) {
        note(fmt::format("{} (platform \"{}\") is left out: {}", id, name,
                         info.error().diagnostics.front().message));
        continue;
      }
      info->id = id;
      info->platform = name;
      std::string options = build_options_for(*info, queries);
      found_.devices.push_back({device, std::move(*info), std::move(options), pci_address_of(queries)});
    }
  }

  Enumeration found_;
  int next_number_ = 0;
};

}  // namespace

Enumeration enumerate() { return Enumerator().run(); }

}  // namespace hoist::runtime::opencl
