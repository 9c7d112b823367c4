#include "runtime/cuda/cuda_objects.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/need.hpp"
#include "runtime/limits.hpp"

namespace hoist::runtime::cuda {

CudaBuffer::CudaBuffer(SessionPtr session, std::size_t bytes) : session_(std::move(session)), bytes_(bytes) {
  const Driver& driver = session_->driver();
  session_->enter();
  // CUDA has no empty buffers.
  const CUresult status = driver.cuMemAlloc_v2(&memory_, std::max<std::size_t>(bytes, 1));
  generation_ = session_->generation();
  if (status != CUDA_ERROR_OUT_OF_MEMORY) {
    session_->require(status,
                      fmt::format("allocating {} on device {}", bytes_text(bytes), session_->named()));
    return;
  }
  std::size_t free = 0, total = 0;
  driver.cuMemGetInfo_v2(&free, &total);
  throw_failure(
      ErrorKind::Device,
      fmt::format("a buffer of {}: device {} has {} of memory, of which {} are free", bytes_text(bytes),
                  session_->named(), bytes_text(total), bytes_text(free)),
      status_text(driver, status),
      "run in tasks (--streams auto), use smaller arrays, or free memory that other programs hold on "
      "the device");
}

CudaBuffer::CudaBuffer(SessionPtr session, CUdeviceptr memory, std::size_t bytes)
    : session_(std::move(session)),
      memory_(memory),
      is_owned_(false),
      bytes_(bytes),
      generation_(session_->generation()) {}

CudaBuffer::~CudaBuffer() {
  if (generation_ != session_->generation()) return;  // it went with its context
  if (session_->driver().cuCtxSetCurrent(session_->context()) != CUDA_SUCCESS) return;
  for (const Texture& each : textures_) session_->driver().cuTexObjectDestroy(each.object);
  if (is_owned_) session_->driver().cuMemFree_v2(memory_);
}

CUtexObject CudaBuffer::texture(const ImageArgument& image) const {
  for (const Texture& each : textures_) {
    if (each.scalar == image.scalar && each.channels == image.channels && each.bytes == image.bytes())
      return each.object;
  }
  if (image.bytes() > bytes_) throw_failure(ErrorKind::Bug, "an image is larger than its buffer");
  CUDA_RESOURCE_DESC resource;
  resource.res.linear = {memory_, is_float(image.scalar) ? CU_AD_FORMAT_FLOAT : CU_AD_FORMAT_SIGNED_INT32,
                         static_cast<unsigned int>(image.channels), image.bytes()};
  CUDA_TEXTURE_DESC description;
  if (!is_float(image.scalar)) description.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject object = 0;
  session_->require(session_->driver().cuTexObjectCreate(&object, &resource, &description, nullptr),
                    fmt::format("making a texture of {} x {} pixels on device {}", image.width, image.height,
                                session_->named()));
  textures_.push_back({image.scalar, image.channels, image.bytes(), object});
  return object;
}

Module::Module(SessionPtr session, const Image& image)
    : session_(std::move(session)), generation_(session_->generation()) {
  std::string log(log_bytes, '\0');
  int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log.data(), reinterpret_cast<void*>(log_bytes)};
  const CUresult status = session_->driver().cuModuleLoadDataEx(&module_, image.code.c_str(),
                                                                std::size(options), options, values);
  log.resize(std::min(log.find('\0'), log.size()));
  const bool is_refused = status == CUDA_ERROR_INVALID_IMAGE || status == CUDA_ERROR_NO_BINARY_FOR_GPU ||
                          status == CUDA_ERROR_INVALID_PTX || status == CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  session_->require(
      status, fmt::format("loading code for {} on device {}", image.architecture, session_->named()), log,
      is_refused ? "the driver may be older than NVRTC: update it, or name an older NVRTC in "
                   "HOIST_NVRTC_LIBRARY"
                 : "");
}

Module::~Module() {
  if (!module_ || generation_ != session_->generation()) return;
  if (session_->driver().cuCtxSetCurrent(session_->context()) == CUDA_SUCCESS)
    session_->driver().cuModuleUnload(module_);
}

CudaKernel::CudaKernel(std::shared_ptr<Module> module, std::string name, std::size_t dynamic_local_memory)
    : module_(std::move(module)), name_(std::move(name)), dynamic_(dynamic_local_memory) {
  Session& own = session();
  own.require_alive(module_->generation(), "the program of kernel " + name_);
  own.enter();
  const CUresult status = own.driver().cuModuleGetFunction(&function_, module_->get(), name_.c_str());
  if (status == CUDA_ERROR_NOT_FOUND)
    throw_failure(ErrorKind::Bug, fmt::format("the program has no kernel {}", name_));
  own.require(status, fmt::format("looking for kernel {} on device {}", name_, own.named()));
  max_group_size_ = attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  declared_ = attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  private_memory_ = attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  registers_ = attribute(CU_FUNC_ATTRIBUTE_NUM_REGS);
  // More than the device has is refused, with words, when the kernel is launched.
  if (dynamic_ == 0 || local_memory() > own.info().local_memory) return;
  own.require(own.driver().cuFuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              static_cast<int>(dynamic_)),
              fmt::format("giving kernel {} {} of shared memory on device {}", name_, bytes_text(dynamic_),
                          own.named()));
}

std::optional<KernelFacts> CudaKernel::facts(std::size_t group_size) const {
  const Session& own = *module_->session();
  if (module_->generation() != own.generation()) return std::nullopt;
  KernelFacts facts{.registers = registers_,
                    .private_memory = private_memory_,
                    .local_memory = local_memory(),
                    .max_group_size = max_group_size_,
                    .groups_per_unit = 0};
  int groups = 0;
  if (own.driver().cuCtxSetCurrent(own.context()) != CUDA_SUCCESS ||
      own.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
          &groups, function_, static_cast<int>(group_size), dynamic_) != CUDA_SUCCESS)
    return std::nullopt;
  facts.groups_per_unit = static_cast<std::size_t>(groups);
  return facts;
}

std::size_t CudaKernel::attribute(int which) const {
  int value = 0;
  session().require(session().driver().cuFuncGetAttribute(&value, which, function_),
                    fmt::format("reading the limits of kernel {} on device {}", name_, session().named()));
  return static_cast<std::size_t>(value);
}

namespace {

[[noreturn]] void throw_foreign(const Session& session, const char* what) {
  throw_failure(ErrorKind::Bug,
                fmt::format("a {} of another device was given to device {}", what, session.named()));
}

const CudaKernel& own(const SessionPtr& session, const Kernel& kernel) {
  const auto* own_kernel = dynamic_cast<const CudaKernel*>(&kernel);
  if (!own_kernel || &own_kernel->session() != session.get()) throw_foreign(*session, "kernel");
  if (own_kernel->generation() != session->generation())
    session->require_alive(own_kernel->generation(), "kernel " + own_kernel->name());
  return *own_kernel;
}

}  // namespace

const CudaBuffer& own(const SessionPtr& session, const Buffer& buffer) {
  const auto* own_buffer = dynamic_cast<const CudaBuffer*>(&buffer);
  if (!own_buffer || own_buffer->session() != session) throw_foreign(*session, "buffer");
  session->require_alive(own_buffer->generation(), "a buffer");
  session->enter();
  return *own_buffer;
}

const CudaBuffer& any(const SessionPtr& session, const Buffer& buffer) {
  const auto* known = dynamic_cast<const CudaBuffer*>(&buffer);
  return own(known ? known->session() : session, buffer);
}

CudaLaunch::CudaLaunch(const SessionPtr& session, const Kernel& kernel, std::span<const Argument> arguments,
                       const Range& range)
    : session_(*session),
      kernel_(own(session, kernel)),
      range_(range),
      is_empty_(work_items(range.global) == 0),
      values_(arguments.size()) {
  need(check_launch(session_.info(), kernel, kernel_.name(), range));
  if (is_empty_) return;
  session_.enter();
  const std::array<std::size_t, 3> most_groups = session_.info().most_groups();
  for (std::size_t at = 0; at < 3; ++at) {
    const std::size_t count = range.global[at] / range.local[at];
    if (count > most_groups[at])
      throw_failure(ErrorKind::Device,
                    fmt::format("{} groups in dimension {}: device {} allows at most {} there", count, at,
                                session_.named(), most_groups[at]),
                    fmt::format("kernel {} was to run on {} work-items in groups of {}", kernel_.name(),
                                range_text(range.global), range_text(range.local)),
                    "choose fewer groups in this dimension");
    groups_[at] = static_cast<unsigned int>(count);
    group_[at] = static_cast<unsigned int>(range.local[at]);
  }
  for (std::size_t at = 0; at < arguments.size(); ++at) {
    if (const auto* buffer = std::get_if<const Buffer*>(&arguments[at])) {
      if (!*buffer)
        throw_failure(ErrorKind::Bug,
                      fmt::format("argument {} of kernel {} is no buffer", at, kernel_.name()));
      const CUdeviceptr memory = own(session, **buffer).memory();
      std::memcpy(values_[at].data(), &memory, sizeof memory);
    } else if (const auto* scalar = std::get_if<ScalarValue>(&arguments[at])) {
      store_scalar(values_[at].data(), 0, *scalar);
    } else {
      const auto& image = std::get<ImageArgument>(arguments[at]);
      const CUtexObject texture = own(session, *image.buffer).texture(image);
      std::memcpy(values_[at].data(), &texture, sizeof texture);
    }
  }
}

std::string CudaLaunch::attempted() const {
  return fmt::format("running kernel {} on {} work-items in groups of {} on device {}", kernel_.name(),
                     range_text(range_.global), range_text(range_.local), session_.named());
}

void CudaLaunch::start(CUstream stream) {
  // The driver reads each argument where its parameter's pointer points, eight bytes at most.
  std::vector<void*> parameters;
  for (auto& value : values_) parameters.push_back(value.data());
  const CUresult status = session_.driver().cuLaunchKernel(
      kernel_.function(), groups_[0], groups_[1], groups_[2], group_[0], group_[1], group_[2],
      static_cast<unsigned int>(kernel_.dynamic_local_memory()), stream, parameters.data(), nullptr);
  if (status == CUDA_SUCCESS) return;
  session_.require(
      status, attempted() + (is_sticky(status) ? ", or what was given before it," : ""),
      fmt::format("a work-item of it has {} registers and {} of private memory, a group {} of local "
                  "memory; the driver allows groups of at most {} work-items",
                  kernel_.registers(), bytes_text(kernel_.private_memory()),
                  bytes_text(kernel_.local_memory()), kernel_.max_group_size()),
      "choose smaller local sizes");
}

}  // namespace hoist::runtime::cuda
