#pragma once
// An array that programs run on, in the host's memory and on a device, and which of both holds which of its
// elements: so that what is valid where it is needed is not moved, and what is moved are ranges.
//
// Example. `x` was written by the host; a program reads its first half on the device and writes all of `y`:
//
//                          x on the host   x on the device   y on the host   y on the device
//   x.write(all)           all             -                 -               -
//   run                    all             first half        -               all
//   y.read(first row)      all             first half        first row       all
//   x.write(row 0)         all             first half less   first row       all
//                                          row 0
//
// The next run uploads row 0 of x alone.
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "execute/started_work.hpp"
#include "runtime/device.hpp"
#include "runtime/queue.hpp"
#include "tasks/interval.hpp"

namespace hoist::execute {

/// The bytes of an array that each place holds.
class ValidRanges {
 public:
  enum class Place : std::uint8_t { Host, Device };

  /// The parts of a range that a place does not hold, in order.
  std::vector<tasks::Interval> missing(Place place, const tasks::Interval& range) const {
    return of(place).missing(range);
  }
  /// Those that it holds.
  std::vector<tasks::Interval> held(Place place, const tasks::Interval& range) const {
    return of(place).within(range);
  }
  /// Those that neither holds: nobody has written them.
  std::vector<tasks::Interval> unwritten(const tasks::Interval& range) const;

  /// A place has new contents, which the other one lacks.
  void wrote(Place place, const tasks::Interval& range);
  /// A place got what the other one holds.
  void copied_to(Place place, const tasks::Interval& range) { of(place).add(range); }
  /// What a place holds is not to be used any more.
  void dropped(Place place, const tasks::Interval& range) { of(place).remove(range); }

 private:
  tasks::IntervalSet& of(Place place) { return place == Place::Host ? host_ : device_; }
  const tasks::IntervalSet& of(Place place) const { return place == Place::Host ? host_ : device_; }

  tasks::IntervalSet host_, device_;
};

/// An array with memory in both places, each allocated when it is first needed. Ranges are in bytes. Must not
/// outlive its device.
class TrackedArray {
 public:
  using Place = ValidRanges::Place;

  TrackedArray(runtime::Device& device, Scalar scalar, std::size_t elements)
      : device_(&device), scalar_(scalar), bytes_(elements * size_of(scalar)) {}
  /// Takes memory of the host's that holds the array; `owner` keeps it.
  TrackedArray(runtime::Device& device, Scalar scalar, std::shared_ptr<void> owner,
               std::span<std::byte> memory);

  /// Takes memory of the device that holds the array, and is somebody else's: who frees it waits for what was
  /// started on it.
  TrackedArray(runtime::Device& device, Scalar scalar, std::unique_ptr<runtime::Buffer> memory);

  Scalar scalar() const { return scalar_; }
  std::size_t bytes() const { return bytes_; }
  tasks::Interval all() const { return {0, static_cast<std::int64_t>(bytes_)}; }
  const ValidRanges& valid() const { return valid_; }

  /// User error where nobody has written part of the range.
  Result<void> check_written(const tasks::Interval& range) const;
  /// Memory of the host that holds the range: what it lacks is downloaded. It stays until the array goes.
  /// User error as for check_written.
  Result<std::span<const std::byte>> read(const tasks::Interval& range);
  /// Memory of the host for new contents of the range: the device holds none of it any more.
  Result<std::span<std::byte>> write(const tasks::Interval& range);
  /// Copies from an address of the caller's to the device ...
  Result<void> upload(std::size_t offset, std::span<const std::byte> from);
  /// ... and to one, each part from where it is held. User error as for check_written.
  Result<void> download(std::size_t offset, std::span<std::byte> to) const;

  /// The memory on the device, whatever it holds, after waiting for what was started on it.
  Result<runtime::Buffer*> on_device();
  /// The same without waiting.
  Result<runtime::Buffer*> memory_on_device();
  /// The memory of the host, whatever it holds, for transfers: pinned where the device needs that and has it.
  Result<std::span<std::byte>> on_host();
  /// Uploads what the device lacks of the range. User error as for check_written.
  Result<void> bring_to_device(const tasks::Interval& range);
  /// Tells what a run has done.
  ValidRanges& changed() { return valid_; }

  /// Waits for what was started on it. The failure names the program.
  Result<void> wait() const;
  /// Appends what a run waits for that reads the array, or writes it, or what others wait for who use it ...
  void append_writes_to(std::vector<runtime::Event>& events) const { writes_.append_to(events); }
  void append_uses_to(std::vector<runtime::Event>& events) const;
  /// ... and notes such a run of a program, which is behind all of that.
  void add_read(const runtime::Event& end, const std::shared_ptr<const std::string>& program);
  void add_write(const runtime::Event& end, const std::shared_ptr<const std::string>& program);

  /// Where HOIST_CHECK_ARRAYS is set: notes what the host holds of what both places hold ...
  void seal();
  /// ... and finds out whether it is still that. User error where somebody changed it without write().
  Result<void> check_seal() const;

 private:
  std::string elements_text(const tasks::Interval& range) const;

  runtime::Device* device_;
  Scalar scalar_;
  std::size_t bytes_;
  ValidRanges valid_;
  std::shared_ptr<void> owner_;  ///< of memory that was taken
  std::span<std::byte> host_;    ///< empty: there is none yet
  /// The array's own memory on the host, or the handle that pins what was taken.
  std::unique_ptr<runtime::HostMemory> memory_;
  bool is_pin_tried_ = false;
  std::unique_ptr<runtime::Buffer> buffer_;
  /// The run that wrote it last, and those that have read it since.
  mutable StartedWork writes_, reads_;
  struct Seal {
    tasks::Interval range;
    std::uint64_t hash;
  };
  std::vector<Seal> seals_;
};

/// Whether HOIST_CHECK_ARRAYS is set.
bool checks_arrays();
/// A number that tells whether memory has changed.
std::uint64_t hash_of(std::span<const std::byte> bytes);

}  // namespace hoist::execute
