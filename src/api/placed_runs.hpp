#pragma once
// Runs of a program that is cut for several devices of this process, or for ranks, of which this process is
// one (execute/placed_executable.hpp).
//
// Callers have arrays in blocks of rows that do not depend on how the program was cut, places read and write
// ranges that do. On two ranks of a stencil with 9 rows, each place reads a row of the other's block:
//
//   rank 0: has rows 0-3 of u, reads 0-4        rank 1: has rows 4-8 of u, reads 3-8
//
// What a process reads and does not have is sent to it before a run (`bring`), and what it has computed of
// another's block afterwards (`hand_out`). Where the caller has all of an array nothing is sent.
#include <hoist/compiled.hpp>
#include <map>
#include <memory>
#include <optional>

#include "api/access.hpp"
#include "execute/placed_executable.hpp"

namespace hoist::api {

struct PlacedOptions {
  /// By place of this process; one that is there twice is divided.
  std::vector<std::shared_ptr<DeviceState>> devices;
  std::shared_ptr<CommunicatorState> ranks;  ///< null: all places are this process's
  Spread spread = Spread::Whole;
  std::vector<double> shares;  ///< by place of all
  std::size_t steps = 1;
  std::size_t fed = 0;  ///< the first input that takes a result, flattened
  std::optional<execute::PlaceGrid> grid;

  ranks::Communicator* communicator() const { return ranks ? ranks->communicator.get() : nullptr; }
};

/// Bytes of an array, or of a number, that is in the memory of the caller.
using InputBytes = std::vector<std::span<const std::byte>>;
using OutputBytes = std::vector<std::span<std::byte>>;

class PlacedRuns {
 public:
  /// Throws Failure: those of PlacedExecutable::prepare. `inputs` and `outputs` are those of the whole
  /// program.
  PlacedRuns(const driver::Compiled& compiled, PlacedOptions options, const std::vector<ArrayFacts>& inputs,
             const std::vector<ArrayFacts>& outputs);

  const PlacedOptions& options() const { return options_; }
  const execute::PlacedExecutable& executable() const { return *executable_; }
  /// Of devices that could not be divided.
  const std::vector<std::string>& notes() const { return notes_; }
  const std::vector<Part>& input_parts() const { return input_parts_; }
  const std::vector<Part>& output_parts() const { return output_parts_; }
  /// The arrays that this process gives to a run.
  const std::vector<ArrayFacts>& given_inputs() const { return given_inputs_; }
  const std::vector<ArrayFacts>& given_outputs() const { return given_outputs_; }

  /// All ranks run at once, with arrays that are right at each. Throws Failure where the result has a fault
  /// at some rank.
  RunTimes run(const InputBytes& inputs, const OutputBytes& outputs);

 private:
  using Interval = tasks::Interval;
  /// Rows of a flattened input or output that the places of a process read, or have computed.
  struct Range {
    std::size_t process, array;
    runtime::Rows rows;
    /// Of one of this process that is not in its block: from the first byte to the last.
    std::vector<std::byte> memory = {};

    Interval bytes() const;  ///< from the first to the last
    /// Calls see(bytes) for each row.
    template <class See>
    void for_each_row(See&& see) const;
  };
  /// Part of a row of a range that another process has the block of.
  struct Transfer {
    std::size_t range, owner;
    Interval bytes;
  };
  /// All flattened inputs, or all outputs.
  struct Side {
    std::vector<std::vector<Interval>> blocks;  ///< of bytes, by array and process
    std::vector<Range> ranges;
    std::vector<Transfer> transfers;
    /// A range of this process that has memory here.
    Range& find(std::size_t array, const runtime::Rows& rows);
  };

  std::size_t own() const { return options_.communicator() ? options_.communicator()->rank() : 0; }
  std::size_t processes() const { return options_.communicator() ? options_.communicator()->size() : 1; }
  Part part_of(const ArrayFacts& array, bool is_output, std::size_t process) const;
  void lay_out(const std::vector<ArrayFacts>& arrays, bool is_output, Side& side, std::vector<Part>& parts,
               std::vector<ArrayFacts>& given) const;
  void list_ranges();
  void add_transfers(Side& side, bool is_output) const;
  void take_memory(Side& side) const;
  void bring(const InputBytes& inputs);
  void hand_out(const OutputBytes& outputs);
  /// What a library cannot come back from: other ranks wait.
  template <class T>
  T need_or_end(hoist::Result<T> result) const;

  PlacedOptions options_;
  std::vector<runtime::Partitioning> partitionings_;  ///< by device, each once
  std::vector<std::string> notes_;
  std::optional<execute::PlacedExecutable> executable_;  // gone before what it uses
  std::vector<Part> input_parts_, output_parts_;
  std::vector<ArrayFacts> given_inputs_, given_outputs_;
  Side inputs_, outputs_;
};

}  // namespace hoist::api
