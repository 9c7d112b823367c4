#include "runtime/opencl/opencl_objects.hpp"

#include <algorithm>

#include "runtime/limits.hpp"
#include "runtime/opencl/status.hpp"

namespace hoist::runtime::opencl {

void require(cl_int status, const std::string& attempted, const std::string& note) {
  if (status != CL_SUCCESS) throw Failure(status_error(status, attempted, note).value());
}

Handle<cl_command_queue> make_command_queue(const Session& session, cl_device_id device) {
  cl_int status = CL_SUCCESS;
  Handle<cl_command_queue> queue(session.functions.clCreateCommandQueue(session.context.get(), device,
                                                                        CL_QUEUE_PROFILING_ENABLE, &status),
                                 session.functions.clReleaseCommandQueue);
  require(status, fmt::format("opening a queue of device {}", session.named()));
  return queue;
}

std::optional<std::array<double, 2>> profiled(const Session& session, cl_event event) {
  cl_ulong begin = 0, end = 0;
  const auto profile = [&](cl_profiling_info which, cl_ulong& value) {
    return session.functions.clGetEventProfilingInfo(event, which, sizeof value, &value, nullptr) ==
           CL_SUCCESS;
  };
  if (!profile(CL_PROFILING_COMMAND_START, begin) || !profile(CL_PROFILING_COMMAND_END, end) || end < begin ||
      end == 0)
    return std::nullopt;
  return std::array{static_cast<double>(begin) * 1e-9, static_cast<double>(end) * 1e-9};
}

Handle<cl_mem> OpenclBuffer::make_image(const ImageArgument& shape) const {
  cl_image_format format{static_cast<cl_channel_order>(shape.channels == 4 ? CL_RGBA : CL_R),
                         static_cast<cl_channel_type>(is_float(shape.scalar) ? CL_FLOAT : CL_SIGNED_INT32)};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = shape.width;
  description.image_height = shape.height;
  cl_int status = CL_SUCCESS;
  Handle<cl_mem> memory(session_->functions.clCreateImage(session_->context.get(), CL_MEM_READ_ONLY, &format,
                                                          &description, nullptr, &status),
                        session_->functions.clReleaseMemObject);
  require(status, fmt::format("making an image of {} x {} pixels on device {}", shape.width, shape.height,
                              session_->named()));
  return memory;
}

cl_mem OpenclBuffer::image(const ImageArgument& shape, cl_command_queue queue,
                           std::span<const cl_event> after) const {
  const std::array<std::size_t, 5> wanted{static_cast<std::size_t>(shape.scalar), shape.channels, shape.width,
                                          shape.height, shape.blocks};
  if (shape.bytes() > bytes_) throw_failure(ErrorKind::Bug, "an image is larger than its buffer");
  auto image = std::find_if(images_.begin(), images_.end(),
                            [&](const Image& candidate) { return candidate.queue == queue; });
  if (image == images_.end()) image = images_.insert(images_.end(), Image{});
  if (image->queue != queue || image->shape != wanted) *image = {queue, make_image(shape), wanted, false};
  if (!image->is_current) {
    const std::size_t region[3] = {shape.width / shape.blocks, shape.height, 1};
    for (std::size_t block = 0; block < shape.blocks; ++block) {
      const std::size_t origin[3] = {block * region[0], 0, 0};
      require(session_->functions.clEnqueueCopyBufferToImage(queue, memory_.get(), image->memory.get(),
                                                             block * (shape.bytes() / shape.blocks), origin,
                                                             region, static_cast<cl_uint>(after.size()),
                                                             after.empty() ? nullptr : after.data(), nullptr),
              fmt::format("copying to an image on device {}", session_->named()));
    }
    image->is_current = true;
  }
  return image->memory.get();
}

OpenclKernel::OpenclKernel(SessionPtr session, Handle<cl_kernel> kernel, KernelCode code)
    : session_(std::move(session)), kernel_(std::move(kernel)), code_(std::move(code)) {
  max_group_size_ = property<std::size_t>(CL_KERNEL_WORK_GROUP_SIZE);
  local_memory_ = property<cl_ulong>(CL_KERNEL_LOCAL_MEM_SIZE);
  if (session_->info.platform == "NVIDIA CUDA") {
    // This driver (580) calls 256 the limit of every kernel, and yet it runs larger groups; when the
    // registers do not suffice the launch itself fails, with CL_OUT_OF_RESOURCES.
    max_group_size_ = session_->info.max_group_size;
    // It counts one byte of its own, padded to the arrays' alignment, after the kernel's local memory.
    constexpr std::size_t alignment = 16;
    local_memory_ = (std::max<std::size_t>(local_memory_, 1) - 1) / alignment * alignment;
  }
  private_memory_ = property<cl_ulong>(CL_KERNEL_PRIVATE_MEM_SIZE);
  cl_uint parameters = 0;
  require(session_->functions.clGetKernelInfo(kernel_.get(), CL_KERNEL_NUM_ARGS, sizeof parameters,
                                              &parameters, nullptr),
          fmt::format("counting the parameters of kernel {}", name()));
  parameter_count_ = parameters;
}

template <class Value>
Value OpenclKernel::property(cl_kernel_work_group_info which) const {
  Value value{};
  require(session_->functions.clGetKernelWorkGroupInfo(kernel_.get(), session_->device, which, sizeof value,
                                                       &value, nullptr),
          fmt::format("reading the limits of kernel {} on device {}", name(), session_->named()));
  return value;
}

namespace {

[[noreturn]] void throw_foreign(const Session& session, const char* what) {
  throw_failure(ErrorKind::Bug,
                fmt::format("a {} of another device was given to device {}", what, session.named()));
}

void set_arguments(const OpenclKernel& kernel, std::span<const Argument> arguments, cl_command_queue queue,
                   std::span<const cl_event> after) {
  const SessionPtr& session = kernel.session();
  if (arguments.size() != kernel.parameter_count())
    throw_failure(ErrorKind::Bug, fmt::format("kernel {} has {} parameters, {} arguments were given",
                                              kernel.name(), kernel.parameter_count(), arguments.size()));
  for (std::size_t index = 0; index < arguments.size(); ++index) {
    alignas(8) std::byte scalar[8]{};
    cl_mem memory = nullptr;
    const void* value = nullptr;
    std::size_t bytes = 0;
    if (const auto* buffer = std::get_if<const Buffer*>(&arguments[index])) {
      if (!*buffer)
        throw_failure(ErrorKind::Bug,
                      fmt::format("argument {} of kernel {} is no buffer", index, kernel.name()));
      memory = own(session, **buffer).memory();
      own(session, **buffer).may_change();
      value = &memory;
      bytes = sizeof memory;
    } else if (const auto* image = std::get_if<ImageArgument>(&arguments[index])) {
      memory = own(session, *image->buffer).image(*image, queue, after);
      value = &memory;
      bytes = sizeof memory;
    } else {
      const auto& given = std::get<ScalarValue>(arguments[index]);
      store_scalar(scalar, 0, given);
      value = scalar;
      bytes = size_of(given.type);
    }
    const cl_int status =
        session->functions.clSetKernelArg(kernel.kernel(), static_cast<cl_uint>(index), bytes, value);
    if (status != CL_SUCCESS)
      throw_failure(
          is_resource_shortage(status) ? ErrorKind::Device : ErrorKind::Bug,
          fmt::format("setting argument {} of kernel {} ({} of {}) failed: {}", index, kernel.name(),
                      memory ? "a buffer" : "a scalar", bytes_text(bytes), status_text(status)));
  }
}

}  // namespace

const OpenclBuffer& own(const SessionPtr& session, const Buffer& buffer) {
  const auto* own_buffer = dynamic_cast<const OpenclBuffer*>(&buffer);
  if (!own_buffer || own_buffer->session() != session) throw_foreign(*session, "buffer");
  return *own_buffer;
}

const OpenclKernel& own(const SessionPtr& session, const Kernel& kernel) {
  const auto* own_kernel = dynamic_cast<const OpenclKernel*>(&kernel);
  if (!own_kernel || own_kernel->session() != session) throw_foreign(*session, "kernel");
  return *own_kernel;
}

std::string launch_text(const OpenclKernel& kernel, const Range& range) {
  return fmt::format("running kernel {} on {} work-items in groups of {} on device {}", kernel.name(),
                     range_text(range.global), range_text(range.local), kernel.session()->named());
}

void enqueue_launch(const OpenclKernel& kernel, std::span<const Argument> arguments, const Range& range,
                    cl_command_queue queue, std::span<const cl_event> after, cl_event* event) {
  set_arguments(kernel, arguments, queue, after);
  const Session& session = *kernel.session();
  const auto enqueue = [&] {
    return session.functions.clEnqueueNDRangeKernel(queue, kernel.kernel(), 3, nullptr, range.global.data(),
                                                    range.local.data(), static_cast<cl_uint>(after.size()),
                                                    after.empty() ? nullptr : after.data(), event);
  };
  const cl_int status = session.info.is_pocl()
                            ? enqueue_on_pocl(session.functions, kernel.code(), range, event, enqueue)
                            : enqueue();
  if (status == CL_OUT_OF_RESOURCES)
    throw_failure(ErrorKind::Device,
                  fmt::format("{} failed: {}", launch_text(kernel, range), status_text(status)),
                  "the registers or the local memory that a group needs are more than a compute unit has",
                  "choose smaller local sizes");
  require(status, launch_text(kernel, range));
}

}  // namespace hoist::runtime::opencl
