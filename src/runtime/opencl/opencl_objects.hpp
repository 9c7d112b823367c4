#pragma once
// What a device of OpenCL, its buffers, kernels and queues share.
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/device.hpp"
#include "runtime/opencl/loader.hpp"
#include "runtime/opencl/pocl_launches.hpp"

namespace hoist::runtime::opencl {

/// One device that is open. Each of its objects holds the session.
struct Session {
  Functions functions;
  cl_device_id device = nullptr;
  target::Target info;
  std::string build_options, pci_address;
  Handle<cl_context> context;
  Handle<cl_command_queue> queue;
  std::size_t allocated = 0;  ///< bytes in live buffers
  /// Sub-devices by their numbers of compute units. They stay as long as the device: threads of PoCL let go
  /// of commands after these have ended, and crash where the sub-device is gone by then.
  std::map<std::vector<std::size_t>, std::vector<std::shared_ptr<Handle<cl_device_id>>>> parts;
  /// Added to the device's clock, in seconds, it gives the host's; nothing before it was asked for, or where
  /// the device tells no times.
  std::optional<double> clock_offset;

  std::string named() const { return fmt::format("{} ({})", info.id, info.name); }
};
using SessionPtr = std::shared_ptr<Session>;

/// Throws a Failure when the status is no success.
void require(cl_int status, const std::string& attempted, const std::string& note = {});

/// A queue that runs commands in order and measures them, of the device or one of its parts. Throws Failure.
Handle<cl_command_queue> make_command_queue(const Session& session, cl_device_id device);

/// When the device began and ended a command that has ended, in seconds of its own clock; nothing where it
/// does not tell.
std::optional<std::array<double, 2>> profiled(const Session& session, cl_event event);

class OpenclBuffer : public Buffer {
 public:
  OpenclBuffer(SessionPtr session, Handle<cl_mem> memory, std::size_t bytes)
      : session_(std::move(session)), memory_(std::move(memory)), bytes_(bytes) {
    session_->allocated += bytes_;
  }
  /// Memory that the device and the host both use, which is the caller's.
  OpenclBuffer(SessionPtr session, Handle<cl_mem> memory, std::span<std::byte> shared)
      : session_(std::move(session)),
        memory_(std::move(memory)),
        shared_(shared.data()),
        bytes_(shared.size()) {}
  ~OpenclBuffer() override {
    if (shared_ == nullptr) session_->allocated -= bytes_;
  }
  /// The caller's memory; null where the buffer has memory of its own.
  const std::byte* shared() const { return shared_; }
  std::size_t bytes() const override { return bytes_; }
  cl_mem memory() const { return memory_.get(); }
  const SessionPtr& session() const { return session_; }

  /// Must be called where the contents may change: the images, if there are any, are then copied again.
  void may_change() const {
    for (Image& image : images_) image.is_current = false;
  }
  /// Returns an image of this shape with the buffer's contents, for a kernel in this queue. They are copied
  /// there in the queue, after these events, unless they already were. Queues have images of their own, since
  /// nothing orders their copies.
  cl_mem image(const ImageArgument& shape, cl_command_queue queue, std::span<const cl_event> after) const;

 private:
  struct Image {
    cl_command_queue queue = nullptr;
    Handle<cl_mem> memory;
    std::array<std::size_t, 5> shape{};  // scalar, channels, width, height, blocks
    bool is_current = false;
  };
  Handle<cl_mem> make_image(const ImageArgument& shape) const;

  SessionPtr session_;
  Handle<cl_mem> memory_;
  std::byte* shared_ = nullptr;
  std::size_t bytes_;
  mutable std::vector<Image> images_;
};

class OpenclKernel : public Kernel {
 public:
  /// Throws Failure.
  OpenclKernel(SessionPtr session, Handle<cl_kernel> kernel, KernelCode code);
  std::size_t max_group_size() const override { return max_group_size_; }
  std::size_t local_memory() const override { return local_memory_; }
  std::size_t private_memory() const override { return private_memory_; }
  std::size_t parameter_count() const { return parameter_count_; }
  cl_kernel kernel() const { return kernel_.get(); }
  const std::string& name() const { return code_.name; }
  const KernelCode& code() const { return code_; }
  const SessionPtr& session() const { return session_; }

 private:
  template <class Value>
  Value property(cl_kernel_work_group_info which) const;

  SessionPtr session_;
  Handle<cl_kernel> kernel_;
  KernelCode code_;
  std::size_t max_group_size_ = 0, local_memory_ = 0, private_memory_ = 0, parameter_count_ = 0;
};

/// The buffer, the kernel, seen to be this session's. Throw Failure.
const OpenclBuffer& own(const SessionPtr& session, const Buffer& buffer);
const OpenclKernel& own(const SessionPtr& session, const Kernel& kernel);

/// What a launch does, for messages.
std::string launch_text(const OpenclKernel& kernel, const Range& range);
/// Sets a kernel's arguments and gives its launch to a queue, after these events; `event` becomes the
/// launch's. Throws Failure.
void enqueue_launch(const OpenclKernel& kernel, std::span<const Argument> arguments, const Range& range,
                    cl_command_queue queue, std::span<const cl_event> after, cl_event* event);

}  // namespace hoist::runtime::opencl
