// Steps of the layout patterns. Where other strides over the same memory say it (split, transpose, slide,
// take, drop) a step only sets the address and the strides of its result. Where no stride reaches all
// elements (pad, rotate, concat, update, and join of windows that overlap) it copies them into memory of its
// own.
//
// There is one class a pattern, each a `LeafStep` from one leaf of the array to the same leaf of the result;
// the functions that make them, which layout_steps.hpp declares, are at the end.
#include "interpret/layout_steps.hpp"

#include <fmt/format.h>

namespace hoist::interpret {
namespace {

/// A step from one array leaf to one leaf of the result.
class LeafStep : public Step {
 public:
  LeafStep(Leaf array, Leaf result) : array_(std::move(array)), result_(std::move(result)) {}

 protected:
  std::int64_t length(const Machine& machine) const { return machine.sizes[array_.shape[0]]; }
  std::int64_t result_extent(const Machine& machine, std::size_t dimension) const {
    return machine.sizes[result_.shape[dimension]];
  }
  const Leaf& array() const { return array_; }
  const Leaf& result() const { return result_; }
  static std::int64_t& stride(Machine& machine, const Leaf& leaf, std::size_t dimension) {
    return machine.frame[leaf.place + 1 + dimension].integer;
  }
  static const std::byte*& data(Machine& machine, const Leaf& leaf) { return machine.frame[leaf.place].data; }
  /// Gives the result's dimensions from `to` on the strides of the array's from `from` on.
  void keep_strides(Machine& machine, std::size_t from, std::size_t to) const {
    for (std::size_t d = 0; from + d < array_.rank(); ++d) {
      stride(machine, result_, to + d) = stride(machine, array_, from + d);
    }
  }

 private:
  Leaf array_, result_;
};

class SplitStep final : public LeafStep {
 public:
  using LeafStep::LeafStep;
  bool is_view() const override { return true; }
  void run(Machine& machine) override {
    const std::int64_t chunks = result_extent(machine, 0);
    const std::int64_t size = result_extent(machine, 1);
    if (chunks * size != length(machine)) {
      throw_user(fmt::format("split: chunks of {} elements do not cover an array of {} elements", size,
                             length(machine)));
    }
    data(machine, result()) = data(machine, array());
    stride(machine, result(), 0) = size * stride(machine, array(), 0);
    stride(machine, result(), 1) = stride(machine, array(), 0);
    keep_strides(machine, 1, 2);
  }
};

class JoinStep final : public LeafStep {
 public:
  using LeafStep::LeafStep;
  void run(Machine& machine) override {
    const std::int64_t outer = length(machine);
    const std::int64_t inner = machine.sizes[array().shape[1]];
    const std::int64_t outer_stride = stride(machine, array(), 0);
    const std::int64_t inner_stride = stride(machine, array(), 1);
    if (inner > 1 && outer > 1 && outer_stride != inner * inner_stride) {
      // Windows that overlap, columns...: no stride reaches every element.
      std::byte* memory = buffer_.reserve(bytes_of(machine, array()));
      copy_elements(machine, memory, array());
      set_dense(machine, result(), memory);
      return;
    }
    data(machine, result()) = data(machine, array());
    stride(machine, result(), 0) = inner > 1 ? inner_stride : outer_stride;
    keep_strides(machine, 2, 1);
  }

 private:
  Buffer buffer_;
};

class TransposeStep final : public LeafStep {
 public:
  using LeafStep::LeafStep;
  bool is_view() const override { return true; }
  void run(Machine& machine) override {
    data(machine, result()) = data(machine, array());
    stride(machine, result(), 0) = stride(machine, array(), 1);
    stride(machine, result(), 1) = stride(machine, array(), 0);
    keep_strides(machine, 2, 2);
  }
};

class SlideStep final : public LeafStep {
 public:
  SlideStep(SizeSlot step, Leaf array, Leaf result)
      : LeafStep(std::move(array), std::move(result)), step_(step) {}
  bool is_view() const override { return true; }
  void run(Machine& machine) override {
    const std::int64_t windows = result_extent(machine, 0);
    const std::int64_t size = result_extent(machine, 1);
    const std::int64_t step = machine.sizes[step_];
    if (step < 1 || size > length(machine) || (windows - 1) * step + size > length(machine)) {
      throw_user(
          fmt::format("slide: windows of {} elements, one every {}, do not fit an array of {} elements", size,
                      step, length(machine)));
    }
    data(machine, result()) = data(machine, array());
    stride(machine, result(), 0) = step * stride(machine, array(), 0);
    stride(machine, result(), 1) = stride(machine, array(), 0);
    keep_strides(machine, 1, 2);
  }

 private:
  SizeSlot step_;
};

class SliceStep final : public LeafStep {
 public:
  SliceStep(const char* primitive, SizeSlot first, Leaf array, Leaf result)
      : LeafStep(std::move(array), std::move(result)), primitive_(primitive), first_(first) {}
  bool is_view() const override { return true; }
  void run(Machine& machine) override {
    const std::int64_t first = machine.sizes[first_];
    const std::int64_t count = result_extent(machine, 0);
    if (first < 0 || first + count > length(machine)) {
      throw_user(fmt::format("{}: {} elements from element {} on are not in an array of {} elements",
                             primitive_, count, first, length(machine)));
    }
    data(machine, result()) = data(machine, array()) + first * stride(machine, array(), 0);
    keep_strides(machine, 0, 0);
  }

 private:
  const char* primitive_;
  SizeSlot first_;
};

/// From 0 to b - 1, for negative a too.
std::int64_t remainder(std::int64_t a, std::int64_t b) { return ((a % b) + b) % b; }

class RotateStep final : public LeafStep {
 public:
  RotateStep(SizeSlot by, const Leaf& array, Leaf result)
      : LeafStep(array, std::move(result)), by_(by), rows_(array) {}
  void run(Machine& machine) override {
    const std::int64_t count = length(machine);
    std::byte* memory = buffer_.reserve(bytes_of(machine, result()));
    set_dense(machine, result(), memory);
    const std::int64_t row_bytes = bytes_of(machine, result(), 1);
    rows_.begin(machine);
    for (std::int64_t i = 0; i < count; ++i) {
      rows_.copy(machine, memory + i * row_bytes, remainder(i + machine.sizes[by_], count));
    }
  }

 private:
  SizeSlot by_;
  Rows rows_;
  Buffer buffer_;
};

/// What all paddings share: a new array with the old one in its middle.
class Padding : public LeafStep {
 public:
  Padding(SizeSlot left, SizeSlot right, Leaf array, Leaf result)
      : LeafStep(std::move(array), std::move(result)), left_(left), right_(right) {}

  void run(Machine& machine) final {
    const std::int64_t left = machine.sizes[left_];
    const std::int64_t right = machine.sizes[right_];
    if (left < 0 || right < 0 || left + length(machine) + right != result_extent(machine, 0)) {
      throw_user(fmt::format("pad: {} elements before and {} after the array", left, right));
    }
    std::byte* memory = buffer_.reserve(bytes_of(machine, result()));
    set_dense(machine, result(), memory);
    const std::int64_t row_bytes = bytes_of(machine, result(), 1);
    begin(machine);
    for (std::int64_t i = 0; i < left; ++i) fill(machine, memory + i * row_bytes, i - left);
    copy_elements(machine, memory + left * row_bytes, array());
    for (std::int64_t i = length(machine); i < length(machine) + right; ++i) {
      fill(machine, memory + (left + i) * row_bytes, i);
    }
  }

 protected:
  virtual void begin(Machine& machine) = 0;
  /// Writes the element that stands at `index`, which is outside the array.
  virtual void fill(Machine& machine, std::byte* to, std::int64_t index) = 0;

 private:
  SizeSlot left_, right_;
  Buffer buffer_;
};

class PadStep final : public Padding {
 public:
  PadStep(SizeSlot left, SizeSlot right, ir::Boundary boundary, const Leaf& array, Leaf result)
      : Padding(left, right, array, std::move(result)), boundary_(boundary), rows_(array) {}

 protected:
  void begin(Machine& machine) override { rows_.begin(machine); }
  void fill(Machine& machine, std::byte* to, std::int64_t index) override {
    if (length(machine) == 0) throw_user("pad: an empty array has no elements to repeat");
    rows_.copy(machine, to, ir::index_inside(boundary_, index, length(machine)));
  }

 private:
  ir::Boundary boundary_;
  Rows rows_;
};

class PadValueStep final : public Padding {
 public:
  PadValueStep(SizeSlot left, SizeSlot right, Leaf value, Leaf array, Leaf result)
      : Padding(left, right, std::move(array), std::move(result)), value_(std::move(value)) {}

 protected:
  void begin(Machine&) override {}
  void fill(Machine& machine, std::byte* to, std::int64_t) override { copy_elements(machine, to, value_); }

 private:
  Leaf value_;
};

class ConcatStep final : public Step {
 public:
  ConcatStep(Leaf first, Leaf second, Leaf result)
      : first_(std::move(first)), second_(std::move(second)), result_(std::move(result)) {}
  void run(Machine& machine) override {
    std::byte* memory = buffer_.reserve(bytes_of(machine, result_));
    copy_elements(machine, memory, first_);
    copy_elements(machine, memory + bytes_of(machine, first_), second_);
    set_dense(machine, result_, memory);
  }

 private:
  Leaf first_, second_, result_;
  Buffer buffer_;
};

/// An index that must be one of an array's.
std::int64_t checked_index(const Machine& machine, const char* primitive, const Leaf& index,
                           SizeSlot length) {
  const std::int64_t value = machine.frame[index.place].integer;
  if (value < 0 || value >= machine.sizes[length]) {
    throw_user(fmt::format("{}: index {} is outside an array of {} elements", primitive, value,
                           machine.sizes[length]));
  }
  return value;
}

class UpdateStep final : public Step {
 public:
  UpdateStep(Leaf index, Leaf element, Leaf array, Leaf result)
      : index_(std::move(index)),
        element_(std::move(element)),
        array_(std::move(array)),
        result_(std::move(result)) {}
  void run(Machine& machine) override {
    const std::int64_t index = checked_index(machine, "update", index_, array_.shape[0]);
    std::byte* memory = buffer_.reserve(bytes_of(machine, result_));
    copy_elements(machine, memory, array_);
    copy_elements(machine, memory + index * bytes_of(machine, result_, 1), element_);
    set_dense(machine, result_, memory);
  }

 private:
  Leaf index_, element_, array_, result_;
  Buffer buffer_;
};

class AtStep final : public Step {
 public:
  AtStep(Leaf index, std::vector<Leaf> arrays, std::vector<Leaf> results)
      : index_(std::move(index)), length_(arrays[0].shape[0]) {
    for (std::size_t leaf = 0; leaf < arrays.size(); ++leaf) {
      feeds_.emplace_back(std::move(arrays[leaf]), std::move(results[leaf]));
    }
  }
  void run(Machine& machine) override {
    const std::int64_t index = checked_index(machine, "at", index_, length_);
    for (Feed& feed : feeds_) {
      feed.begin(machine);
      feed.set(machine, index);
    }
  }

 private:
  Leaf index_;
  SizeSlot length_;
  std::vector<Feed> feeds_;
};

class EqualLengthsStep final : public Step {
 public:
  EqualLengthsStep(SizeSlot first, SizeSlot second) : first_(first), second_(second) {}
  bool is_view() const override { return true; }
  void run(Machine& machine) override {
    if (machine.sizes[first_] != machine.sizes[second_]) {
      throw_user(fmt::format("zip: the arrays have {} and {} elements, but must be equally long",
                             machine.sizes[first_], machine.sizes[second_]));
    }
  }

 private:
  SizeSlot first_, second_;
};

}  // namespace

std::unique_ptr<Step> split_step(Leaf array, Leaf result) {
  return std::make_unique<SplitStep>(std::move(array), std::move(result));
}
std::unique_ptr<Step> join_step(Leaf array, Leaf result) {
  return std::make_unique<JoinStep>(std::move(array), std::move(result));
}
std::unique_ptr<Step> transpose_step(Leaf array, Leaf result) {
  return std::make_unique<TransposeStep>(std::move(array), std::move(result));
}
std::unique_ptr<Step> slide_step(SizeSlot step, Leaf array, Leaf result) {
  return std::make_unique<SlideStep>(step, std::move(array), std::move(result));
}
std::unique_ptr<Step> slice_step(const char* primitive, SizeSlot first, Leaf array, Leaf result) {
  return std::make_unique<SliceStep>(primitive, first, std::move(array), std::move(result));
}
std::unique_ptr<Step> rotate_step(SizeSlot by, Leaf array, Leaf result) {
  return std::make_unique<RotateStep>(by, array, std::move(result));
}
std::unique_ptr<Step> pad_step(SizeSlot left, SizeSlot right, ir::Boundary boundary, Leaf array,
                               Leaf result) {
  return std::make_unique<PadStep>(left, right, boundary, array, std::move(result));
}
std::unique_ptr<Step> pad_value_step(SizeSlot left, SizeSlot right, Leaf value, Leaf array, Leaf result) {
  return std::make_unique<PadValueStep>(left, right, std::move(value), std::move(array), std::move(result));
}
std::unique_ptr<Step> concat_step(Leaf first, Leaf second, Leaf result) {
  return std::make_unique<ConcatStep>(std::move(first), std::move(second), std::move(result));
}
std::unique_ptr<Step> update_step(Leaf index, Leaf element, Leaf array, Leaf result) {
  return std::make_unique<UpdateStep>(std::move(index), std::move(element), std::move(array),
                                      std::move(result));
}
std::unique_ptr<Step> at_step(Leaf index, std::vector<Leaf> arrays, std::vector<Leaf> results) {
  return std::make_unique<AtStep>(std::move(index), std::move(arrays), std::move(results));
}
std::unique_ptr<Step> equal_lengths_step(SizeSlot first, SizeSlot second) {
  return std::make_unique<EqualLengthsStep>(first, second);
}

}  // namespace hoist::interpret
