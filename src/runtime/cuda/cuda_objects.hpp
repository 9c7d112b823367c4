#pragma once
// Buffers, code, kernels and launches of CUDA. Each object notes the generation of the context in which it
// was made, because a kernel that fails takes the context with it: an object of an earlier one is refused
// (Session::require_alive), and its destructor frees nothing.
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/cuda/compiler.hpp"
#include "runtime/cuda/session.hpp"
#include "runtime/device.hpp"

namespace hoist::runtime::cuda {

class CudaBuffer : public Buffer {
 public:
  /// Throws Failure, which names the bytes asked and free, when it does not fit.
  CudaBuffer(SessionPtr session, std::size_t bytes);
  /// Memory that somebody else allocated.
  CudaBuffer(SessionPtr session, CUdeviceptr memory, std::size_t bytes);
  ~CudaBuffer() override;
  std::size_t bytes() const override { return bytes_; }
  CUdeviceptr memory() const { return memory_; }
  /// A texture object over this memory, for kernels that read it as an image of this shape. What it reads is
  /// what the buffer holds when a kernel starts. Throws Failure.
  CUtexObject texture(const ImageArgument& image) const;
  std::uint64_t generation() const { return generation_; }
  const SessionPtr& session() const { return session_; }

 private:
  struct Texture {
    Scalar scalar;
    std::size_t channels, bytes;
    CUtexObject object;
  };

  SessionPtr session_;
  CUdeviceptr memory_ = 0;
  bool is_owned_ = true;
  std::size_t bytes_;
  std::uint64_t generation_ = 0;
  mutable std::vector<Texture> textures_;  ///< those that were asked for
};

/// Code that is loaded in a context. It is unloaded when neither its program nor a kernel of it is left.
class Module {
 public:
  /// Throws Failure.
  Module(SessionPtr session, const Image& image);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  CUmodule get() const { return module_; }
  std::uint64_t generation() const { return generation_; }
  const SessionPtr& session() const { return session_; }

 private:
  static constexpr std::size_t log_bytes = 8192;
  SessionPtr session_;
  std::uint64_t generation_;
  CUmodule module_ = nullptr;
};

class CudaKernel : public Kernel {
 public:
  /// Throws Failure.
  CudaKernel(std::shared_ptr<Module> module, std::string name, std::size_t dynamic_local_memory);
  std::size_t max_group_size() const override { return max_group_size_; }
  std::size_t local_memory() const override { return declared_ + dynamic_; }
  std::size_t private_memory() const override { return private_memory_; }
  std::optional<KernelFacts> facts(std::size_t group_size) const override;

  CUfunction function() const { return function_; }
  std::size_t dynamic_local_memory() const { return dynamic_; }
  std::size_t registers() const { return registers_; }
  const std::string& name() const { return name_; }
  std::uint64_t generation() const { return module_->generation(); }
  Session& session() const { return *module_->session(); }

 private:
  std::size_t attribute(int which) const;

  std::shared_ptr<Module> module_;
  std::string name_;
  CUfunction function_ = nullptr;
  std::size_t dynamic_;
  std::size_t max_group_size_ = 0, declared_ = 0, private_memory_ = 0, registers_ = 0;
};

/// The buffer, seen to be this session's and not lost with its context, which becomes current. Throws
/// Failure.
const CudaBuffer& own(const SessionPtr& session, const Buffer& buffer);
/// The same of a buffer that may be of another device of CUDA's, whose context becomes current.
const CudaBuffer& any(const SessionPtr& session, const Buffer& buffer);

/// A kernel with its arguments, checked and copied: what only has to be started.
class CudaLaunch {
 public:
  /// Makes the context current. Throws Failure.
  CudaLaunch(const SessionPtr& session, const Kernel& kernel, std::span<const Argument> arguments,
             const Range& range);

  bool is_empty() const { return is_empty_; }
  const std::string& name() const { return kernel_.name(); }
  /// What it does, for messages.
  std::string attempted() const;
  /// Gives the launch to a stream. Throws Failure.
  void start(CUstream stream);

 private:
  Session& session_;
  const CudaKernel& kernel_;
  Range range_;
  bool is_empty_;
  std::array<unsigned int, 3> groups_{}, group_{};
  std::vector<std::array<std::byte, 8>> values_;
};

}  // namespace hoist::runtime::cuda
