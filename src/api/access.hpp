#pragma once
// What the interface's types hold, for the files of this layer; include after Hoist's own headers.
#include <atomic>
#include <hoist/compiled.hpp>

#include "base/need.hpp"
#include "driver/compile.hpp"
#include "execute/tracked_array.hpp"
#include "ir/term.hpp"
#include "lang/lang.hpp"
#include "ranks/communicator.hpp"
#include "runtime/device.hpp"
#include "runtime/queue.hpp"

namespace hoist::api {

struct ProgramState {
  Source source;
  std::string entry, name, result_type;
  std::vector<Parameter> parameters;
  std::vector<ArrayType> inputs, outputs;
  std::vector<std::string> size_variables, tuning_parameters, assumptions;
  lang::Outline outline;
};

struct DeviceState {
  std::unique_ptr<runtime::Device> device;
  DeviceFacts facts;
  std::atomic<bool> is_in_use = false;  ///< by a call of some thread
};

/// A thread's turn on a device, for as long as a call lasts. Throws a user error where another thread has it.
class Turn {
 public:
  explicit Turn(DeviceState& device);
  ~Turn() { device_.is_in_use = false; }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  DeviceState& device_;
};

/// A queue on a stream of the device's driver. Throws a user error where the device has none.
std::unique_ptr<runtime::Queue> queue_on(DeviceState& device, std::uintptr_t stream);

struct CommunicatorState {
  std::unique_ptr<ranks::Communicator> communicator;
  std::uint64_t id;
};

struct BufferState {
  std::shared_ptr<DeviceState> device;  ///< the array must not outlive it
  execute::TrackedArray array;
};

/// Opens what the interface keeps closed.
struct Access {
  static const std::shared_ptr<const ProgramState>& shared(const Program& program) { return program.state_; }
  static const ProgramState& state(const Program& program) { return *program.state_; }
  static Program program(ProgramState state) {
    return Program(std::make_shared<const ProgramState>(std::move(state)));
  }
  static const std::shared_ptr<DeviceState>& state(const Device& device) { return device.state_; }
  static BufferState& state(const Buffer& buffer) { return *buffer.state_; }
  static const std::shared_ptr<CommunicatorState>& state(const Communicator& communicator) {
    return communicator.state_;
  }
  static Communicator communicator(std::unique_ptr<ranks::Communicator> communicator) {
    static std::atomic<std::uint64_t> made = 0;
    return Communicator(
        std::make_shared<CommunicatorState>(CommunicatorState{std::move(communicator), ++made}));
  }
  static Compiled compiled(std::shared_ptr<CompiledState> state) { return Compiled(std::move(state)); }

  using InputKind = Input::Kind;
  static InputKind kind(const Input& input) { return input.kind_; }
  static Scalar type(const auto& array) { return array.type_; }
  static const std::vector<std::int64_t>& shape(const auto& array) { return array.shape_; }
  static const std::optional<Buffer>& buffer(const auto& array) { return array.buffer_; }
  static void set_shape(Input& input, std::vector<std::int64_t> shape) { input.shape_ = std::move(shape); }
  static std::span<const std::byte> bytes(const Input& input) {
    return input.kind_ == InputKind::Number ? std::span(input.number_).first(size_of(input.type_))
                                            : input.host_;
  }
  static std::span<std::byte> bytes(const Output& output) { return output.host_; }
};

/// The error as the interface tells it, with places in `source` where it has any.
Error told(const hoist::Error& error, const Source* source = nullptr);
inline hoist::Scalar inner(Scalar type) { return static_cast<hoist::Scalar>(type); }
inline Scalar outer(hoist::Scalar type) { return static_cast<Scalar>(type); }

/// Where the program's text names the parameter that an input ("x", "bodies.1") belongs to.
std::optional<Span> place_of(const ProgramState& state, const std::string& input);
/// Throws a user error about an input, at its place.
[[noreturn]] void throw_about(const ProgramState& state, const std::string& input, std::string message,
                              std::string note = {}, std::string help = {});

/// The program as a term, in the thread's current arena.
ir::Program read(const ProgramState& state);

Error bug(const std::string& what);
Error no_memory();

template <class T>
struct ResultOf {
  using Type = Result<T>;
};
template <class T>
struct ResultOf<Result<T>> {
  using Type = Result<T>;
};

/// Runs `body`, which may throw any of Hoist's failures, and turns them into errors: the boundary of the
/// interface.
template <class Body>
auto guarded(const Source* source, Body&& body) -> typename ResultOf<decltype(body())>::Type {
  try {
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return {};
    } else {
      return body();
    }
  } catch (const Failure& failure) {
    return told(failure.error(), source);
  } catch (const std::bad_alloc&) {
    return no_memory();
  } catch (const std::exception& failure) {
    return bug(failure.what());
  }
}

}  // namespace hoist::api
