#pragma once
// Programs that were compiled for a device, and their runs.
#include <array>
#include <cstring>
#include <hoist/communicator.hpp>
#include <hoist/device.hpp>

namespace hoist::api {

struct CompiledState;

/// What a run reads: a number, an array in the host's memory, which each run uploads, or a Buffer. Arrays are
/// dense and row-major; host memory must live until run() returns. A `shape`, where given, is held against
/// the program's; without one only the number of elements is.
class HOIST_EXPORT Input {
 public:
  template <Element T>
  Input(T number) : type_(ScalarOf<T>::value), kind_(Kind::Number) {  // NOLINT
    std::memcpy(number_.data(), &number, sizeof(T));
  }
  template <Element T>
  Input(std::span<const T> data, std::vector<std::int64_t> shape = {})  // NOLINT
      : type_(ScalarOf<T>::value), kind_(Kind::Host), shape_(std::move(shape)), host_(std::as_bytes(data)) {}
  template <Element T>
  Input(std::span<T> data, std::vector<std::int64_t> shape = {})  // NOLINT
      : Input(std::span<const T>(data), std::move(shape)) {}
  template <Element T>
  Input(const std::vector<T>& data, std::vector<std::int64_t> shape = {})  // NOLINT
      : Input(std::span<const T>(data), std::move(shape)) {}
  Input(const Buffer& buffer, std::vector<std::int64_t> shape = {})  // NOLINT
      : type_(buffer.type()), kind_(Kind::Device), shape_(std::move(shape)), buffer_(buffer) {}

 private:
  friend struct Access;
  enum class Kind : std::uint8_t { Number, Host, Device };
  Scalar type_;
  Kind kind_;
  std::array<std::byte, 8> number_{};
  std::vector<std::int64_t> shape_;
  std::span<const std::byte> host_;
  std::optional<Buffer> buffer_;
};

/// Where a run puts an array of its result.
class HOIST_EXPORT Output {
 public:
  template <Element T>
  Output(std::span<T> data, std::vector<std::int64_t> shape = {})  // NOLINT
      : type_(ScalarOf<T>::value), shape_(std::move(shape)), host_(std::as_writable_bytes(data)) {}
  template <Element T>
  Output(std::vector<T>& data, std::vector<std::int64_t> shape = {})  // NOLINT
      : Output(std::span<T>(data), std::move(shape)) {}
  Output(const Buffer& buffer, std::vector<std::int64_t> shape = {})  // NOLINT
      : type_(buffer.type()), shape_(std::move(shape)), buffer_(buffer) {}

 private:
  friend struct Access;
  Scalar type_;
  std::vector<std::int64_t> shape_;
  std::span<std::byte> host_;
  std::optional<Buffer> buffer_;
};

/// One array (or number) of a compiled program.
struct ArrayFacts {
  std::string name;
  Scalar scalar;
  std::vector<std::int64_t> shape;  ///< outermost first; empty for one number
  std::size_t elements = 1;
};

struct KernelFacts {
  std::string name;
  std::array<std::size_t, 3> global{1, 1, 1}, local{1, 1, 1};  ///< work-items in all and per group
};

/// What a program specifies, every input byte read once and every output byte written once: divide by a run's
/// time.
struct Work {
  double bytes = 0, flops = 0;
};

/// Seconds, as the device reports them; transfers are not in `kernels`.
struct RunTimes {
  double kernels = 0;  ///< all launches together
  std::vector<double>
      each_launch;  ///< in order; a kernel in a loop is launched several times; empty in streams
  /// Of a program in streams: while at least one upload ran, or one download, and from the first command to
  /// the end of the last. What overlaps counts in each.
  double uploads = 0, downloads = 0, all = 0;
  std::size_t uploaded = 0, downloaded = 0;  ///< bytes that they moved
  /// On several devices or ranks: of the launches of each part of this process, of which `kernels` is the
  /// longest, and the bytes that these parts got from others. `all` and `uploaded` are told, too.
  std::vector<double> parts = {};
  std::size_t received = 0;
};

/// Streams of a device's driver, by their handles (CUstream), among which a run is started.
struct StartOrder {
  std::optional<std::uintptr_t> stream = {};  ///< that runs it; nothing: Device::stream()
  /// The run begins after what these have been given so far, and what they are given from then on waits for
  /// its end.
  std::vector<std::uintptr_t> beside = {};
};

/// A program's work as tasks whose transfers and kernels overlap (docs/streams.md).
struct Streams {
  std::int64_t partitions = 1;  ///< of the device, on which tasks are placed in turn
  std::int64_t tasks = 1;       ///< at least as many as partitions; 1: all at once; 0: a model chooses both,
                                ///< and both again after the second run
  std::size_t memory = 0;       ///< bytes of the device that may be taken; 0: what it has
  /// Whether runs tell when kernels and transfers ran, for which a GPU does more commands in each task. Else
  /// devices may leave `kernels`, `uploads` and `downloads` of RunTimes at 0.
  bool times = false;
};

/// How the parts of places lie beside each other: so many rows of so many parts, cut along the two outermost
/// dimensions. Without any they are cut along the outermost alone.
struct PlaceGrid {
  std::size_t rows = 0, columns = 0;
};

/// A program's work on several devices of this process, a part on each (docs/devices.md). Results are those
/// of a run on one device, up to last places where floats are added up.
struct Places {
  std::vector<Device> devices;      ///< of one language; one that is listed twice is divided
  std::vector<double> shares = {};  ///< how large the parts are beside each other; empty: even
  std::size_t steps = 1;  ///< each but the first on the results of the one before, which stay where they are
  std::string feed = {};  ///< the input that takes the result in steps; empty: the only one of its type
  PlaceGrid grid = {};    ///< its product is how many devices there are
};

/// Which elements of arrays a rank gives and gets.
enum class Spread : std::uint8_t {
  /// A block of the rows of each array (Compiled::input_parts, output_parts); numbers whole.
  Parts,
  /// All of each input, of which it uses what it needs. Rank 0 gets the whole result, the others give no
  /// outputs.
  Whole
};

/// The same on the ranks of a communicator, on a device of each. All ranks compile and run together, with
/// programs, sizes, steps and numbers that are the same.
struct Ranks {
  Communicator communicator;
  Device device;  ///< of this rank; all are of one language
  Spread spread = Spread::Parts;
  double share = 1;  ///< how large this rank's part is beside the others'
  std::size_t steps = 1;
  std::string feed = {};
  PlaceGrid grid = {};  ///< its product is how many ranks there are
};

/// Rows of an array: elements of its outermost dimension.
struct Part {
  std::int64_t first = 0, rows = 0;
};

/// A program on a device. Its memory is allocated by the first run and used again by every later one; what is
/// bound to a Buffer of the caller's takes none. Copies stand for the same one.
class HOIST_EXPORT Compiled {
 public:
  const std::vector<ArrayFacts>& inputs() const;
  const std::vector<ArrayFacts>& outputs() const;
  const std::vector<KernelFacts>& kernels() const;
  /// The kernels as the device's compiler got them: OpenCL C, or C++ for the host.
  const std::string& source() const;
  /// The program in low-level patterns, which say how its kernels compute it.
  const std::string& mapping() const;
  /// What stayed sequential, and why; the kernel, where it is not the default mapping's.
  const std::vector<std::string>& notes() const;
  const Work& work() const;
  double build_seconds() const;
  /// How it runs in tasks, with the partitions and tasks that a model chose where it was asked to; nothing
  /// where it runs at once. Sizes are compiled in, so a choice is kept. The model chooses once more when the
  /// second run has told it what transfers and kernels take, unless memory is short: that run may then take a
  /// build's time, and leaves this, kernels(), source(), build_seconds() and notes() those of the third run.
  const std::optional<Streams>& streams() const;
  /// The rows of each input that this process gives to a run, and of each output that it gets, in the order
  /// of inputs() and outputs(). On ranks with Spread::Parts rank r of equal shares has those from
  /// round(rows * r / ranks) on, the same of all arrays and programs, so that the result of one is an input
  /// of the next. Elsewhere they are all rows. A number has one.
  const std::vector<Part>& input_parts() const;
  const std::vector<Part>& output_parts() const;

  /// Runs once and waits for the end. Inputs and outputs in the order of inputs() and outputs(). Devices that
  /// are processors use the host's memory as it is, without a copy, unless an output lies in the memory of
  /// another array. User errors:
  /// their number, a type or shape that differs, a buffer that is an output and something else too, a program
  /// that reads outside an array or divides an integer by zero, a buffer that is an input and holds nothing
  /// in places, a call while another thread uses the device. In streams also an output in the memory of an
  /// input. Until run() returns nobody else may use, change or free any of the arrays; where
  /// HOIST_CHECK_ARRAYS is set, an input that changed is a user error. Where a run in streams fails, the
  /// error says which outputs are whole; buffers that were to be outputs hold nothing then.
  ///
  /// On several devices and on ranks arrays are in the host's memory, and an output in the memory of another
  /// array is a user error. All ranks call it; where one is given what is wrong, or its part has no result,
  /// all have the error, which names that rank. A device that fails at one rank while others wait for its
  /// messages ends the job (MPI_Abort), with the error on standard error.
  Result<RunTimes> run(const std::vector<Input>& inputs, const std::vector<Output>& outputs);

  /// The same without waiting for the end. Runs that use the same buffers, or need the program's own memory,
  /// are ordered one behind the other, whatever streams they are on; other calls with these buffers, reading
  /// or freeing them for example, wait as long as they must. What fails after start() has returned is the
  /// error of the first of them, and names the program. Memory of somebody else's (Buffer::at) is used in the
  /// order of the streams alone, and outlives the run.
  ///
  /// It waits, and is a run(), where there is something to do for the host: an array in its memory, an index
  /// or a division that kernels check, a number of steps that they compute, HOIST_CAPTURE or
  /// HOIST_CHECK_ARRAYS, streams, several devices, ranks; where kernels read images; and on devices that are
  /// not CUDA's. User errors: those of run(); a stream on a device that is not CUDA's.
  Result<void> start(const std::vector<Input>& inputs, const std::vector<Output>& outputs,
                     const StartOrder& order = {});

 private:
  friend struct Access;
  explicit Compiled(std::shared_ptr<CompiledState> state) : state_(std::move(state)) {}
  std::shared_ptr<CompiledState> state_;
};

/// Compiles for a device, with values for all size variables and tuning parameters. User errors: one that is
/// missing, unknown or breaks an assumption. Device errors: what does not fit. Where the arrays are larger
/// than the device's memory the program runs in tasks; Compiled::streams() and a note tell so.
HOIST_EXPORT Result<Compiled> compile(const Program& program, const Device& device, const Sizes& sizes = {});

/// The same as tasks. User errors also: a program that cannot be cut into so many (with the reason),
/// partitions that the device cannot have, data of which not even one task fits the memory. Unsupported: no
/// model of such devices that could choose.
HOIST_EXPORT Result<Compiled> compile(const Program& program, const Device& device, const Sizes& sizes,
                                      const Streams& streams);

/// The same on several devices. User errors also: no device, devices of different languages, shares that are
/// not a number above 0 for each, a program that cannot be cut into so many parts (with the reason), steps of
/// a program whose result is none of its inputs.
HOIST_EXPORT Result<Compiled> compile(const Program& program, const Places& places, const Sizes& sizes = {});

/// The same on ranks; all of the communicator call it, and where it fails at one it does at all. User errors
/// also: more ranks than rows, ranks that differ in what must be the same.
HOIST_EXPORT Result<Compiled> compile(const Program& program, const Ranks& ranks, const Sizes& sizes = {});

/// Values of all size variables and tuning parameters: those in `sizes`, and those that follow from the
/// arrays that a run is to have as inputs, as `hoist run` finds them. An array without a shape tells how many
/// elements it has: of x: [N]f32 that is N, of [M][N]f32 the product of both. User errors: arrays that
/// contradict each other or `sizes` (the message names both), a size that nothing tells, as many inputs as
/// the program does not have.
HOIST_EXPORT Result<Sizes> infer_sizes(const Program& program, const std::vector<Input>& inputs,
                                       const Sizes& sizes = {});

/// The same from the rows that each rank gives of the arrays; all ranks call it. Arrays of several dimensions
/// come with their shapes, those of this rank's rows. User errors, at all ranks, also: a shape that is
/// missing.
HOIST_EXPORT Result<Sizes> infer_sizes(const Program& program, const Communicator& communicator,
                                       const std::vector<Input>& inputs, const Sizes& sizes = {});

/// Compiles for runs on arrays like these, whose sizes are inferred: only those need be in `sizes` that do
/// not follow from the inputs. Errors: those of infer_sizes and compile.
HOIST_EXPORT Result<Compiled> compile_for(const Program& program, const Device& device,
                                          const std::vector<Input>& inputs, const Sizes& sizes = {});

HOIST_EXPORT Result<Compiled> compile_for(const Program& program, const Places& places,
                                          const std::vector<Input>& inputs, const Sizes& sizes = {});
HOIST_EXPORT Result<Compiled> compile_for(const Program& program, const Ranks& ranks,
                                          const std::vector<Input>& inputs, const Sizes& sizes = {});

/// Evaluates by the reference interpreter, slowly and exactly as the language says: for checking. Takes no
/// Buffers. Sizes that are not in `sizes` are inferred from the inputs (infer_sizes).
HOIST_EXPORT Result<void> evaluate(const Program& program, const Sizes& sizes,
                                   const std::vector<Input>& inputs, const std::vector<Output>& outputs);

}  // namespace hoist::api
