#pragma once
// What workers do when they are asked: build a candidate, or run, check and time it.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "driver/compile.hpp"
#include "execute/executable.hpp"
#include "measure/worker/messages.hpp"
#include "runtime/shared_memory.hpp"
#include "target/target.hpp"

namespace hoist::measure {

/// Why a candidate is given up; thrown and caught inside a worker.
struct GivenUp {
  OutcomeKind kind;
  std::string message;
};

/// The first message of an error, and its note.
std::string words_of(const Error& error);

/// Gives the candidate up where there is an error.
template <class T>
T need_or_give_up(Result<T> result, OutcomeKind otherwise) {
  if (!result) throw GivenUp{otherwise, words_of(result.error())};
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// Where a device's compiler, or the loading of what it made, ends with an error.
OutcomeKind kind_of_build_failure(const Error& error, const target::Target& device);

/// Answers messages, which are objects. {"ask": "setup", ...} says the task, and is answered by an object
/// that has an "error" where that is not possible. {"ask": "candidate", ...} is answered by an outcome,
/// whatever happens, with what the next worker needs as "more".
class Duty {
 public:
  explicit Duty(runtime::SharedMemory memory) : memory_(std::move(memory)) {}
  virtual ~Duty() = default;
  Duty(const Duty&) = delete;
  Duty& operator=(const Duty&) = delete;

  std::string answer(const std::string& request);

 protected:
  using Json = messages::Json;
  /// Opens the device.
  virtual Result<void> open(const Json& task) = 0;
  /// Throws GivenUp; what the outcome had by then is kept.
  virtual void candidate(const Json& request, Outcome& outcome, Json& more) = 0;

  Result<void> read_options(const Json& task, const target::Target& device);
  /// Throws GivenUp. What was built with others has their common "source", in which the names of its kernels
  /// end with its "suffix".
  driver::Compiled compiled(const Json& request) const;
  const runtime::SharedMemory& memory() const { return memory_; }
  /// Prepares a candidate. Candidates that were built together follow each other, as a rule: the next one
  /// takes the program that the last one had, where that is of the same source.
  Result<execute::Executable> prepare(runtime::Device& device, const driver::Compiled& made,
                                      execute::PrepareOptions options = {});

 private:
  runtime::SharedMemory memory_;
  lower::Options lowering_;
  std::string last_source_;
  std::shared_ptr<runtime::Program> last_program_;  ///< of that source
};

/// What a building worker is asked to do with a candidate (building_duty.cpp): the request's "step".
enum class BuildingStep : std::uint8_t { Build, Share, Print, Rehearse };

/// Its "more" is, where it built, the "binary", and "can_rehearse": whether a rehearsal is of use.
std::unique_ptr<Duty> building_duty(runtime::SharedMemory memory);
/// Takes the "binary"; its "more" is, where the output was asked for, where that is in shared memory.
std::unique_ptr<Duty> measuring_duty(runtime::SharedMemory memory);

}  // namespace hoist::measure
