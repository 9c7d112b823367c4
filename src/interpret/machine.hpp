#pragma once
// What a compiled term runs on: a frame of words, blocks of steps, sizes that have become numbers.
//
// A value is its leaves (see base/tensor.hpp). A leaf of rank 0 is one word that holds the scalar. A leaf of
// rank r is 1 + r words: where its first element lies, then one stride in bytes for each dimension. Its
// extents belong to its type, so they are slots of the size table. Layout patterns are mostly other strides
// over the same memory.
//
// A step that makes new elements owns the memory they lie in and overwrites it when it runs again. That is
// sound because no value outlives the run of the block that made it: patterns that keep results of a function
// across its runs (map, reduce, iterate...) copy them.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/scalar.hpp"
#include "interpret/counts.hpp"
#include "interpret/sizes.hpp"

namespace hoist::interpret {

/// One word of the frame; which alternative it holds follows from the type of the leaf it belongs to.
union Word {
  double real;  ///< f32 (already rounded) and f64
  std::int64_t integer;
  const std::byte* data;
};

using FrameIndex = std::uint32_t;  ///< an index into the frame

struct Leaf {
  Scalar scalar = Scalar::F32;
  std::vector<SizeSlot> shape;  ///< outermost first; a vector's width is the last
  FrameIndex place = 0;         ///< the scalar, or the address followed by the strides

  std::size_t rank() const { return shape.size(); }
  bool is_scalar() const { return shape.empty(); }
};

/// The largest float in any intermediate and in any final result of one reduction, over all its runs.
struct Magnitudes {
  double intermediate = 0;
  double result = 0;
  double cancellation() const;
};

struct Machine {
  std::vector<Word> frame;
  SizeTable sizes;
  Counts counts;
  std::vector<Magnitudes> sums;  ///< of the reductions that add floats
  std::uint64_t max_operations = UINT64_MAX;
  std::uint64_t noise = 0;             ///< Options::noise, and then the state of what is random
  std::function<bool()> is_over = {};  ///< may be empty

  void count(std::uint64_t operations, std::uint64_t flops) {
    counts.operations += operations;
    counts.flops += flops;
    if (counts.operations > max_operations) stop();
  }
  /// Whether somebody wants it to end: to be called wherever a loop comes round.
  void look_around() {
    if (--blocks_to_look_ == 0) ask_whether_over();
  }
  [[noreturn]] void stop() const;

 private:
  void ask_whether_over();

  static constexpr unsigned looks_after = 64;  ///< blocks: asking for the time costs as much as some steps
  unsigned blocks_to_look_ = looks_after;
};

/// One action on the frame.
class Step {
 public:
  Step() = default;
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;
  virtual ~Step() = default;
  virtual void run(Machine& machine) = 0;
  /// Whether it only looks at the same memory in another way: what it gives are the addresses that it is
  /// given, each moved by a distance that does not depend on them, and strides.
  virtual bool is_view() const { return false; }
};

/// Steps in order: a program, the body of a function, a branch.
struct Block {
  std::vector<std::unique_ptr<Step>> steps;
  void run(Machine& machine) const {
    machine.look_around();
    for (const auto& step : steps) step->run(machine);
  }
};

/// Memory that a step owns; it grows and never shrinks.
class Buffer {
 public:
  /// At least `bytes` of memory; what was there is lost. A Device error where the machine has not that much.
  std::byte* reserve(std::int64_t bytes);

 private:
  std::unique_ptr<std::byte[]> memory_;
  std::int64_t capacity_ = 0;
};

Word load_word(const std::byte* memory, Scalar scalar);
void store_word(std::byte* memory, Scalar scalar, Word word);
ScalarValue to_value(Word word, Scalar scalar);
Word to_word(const ScalarValue& value);

/// Bytes of the leaf's elements without its first `skip` dimensions. A Device error when they overflow.
std::int64_t bytes_of(const Machine& machine, const Leaf& leaf, std::size_t skip = 0);
/// Points the leaf at dense memory.
void set_dense(Machine& machine, const Leaf& leaf, const std::byte* data);
/// Copies the words of one leaf (a scalar, or a view of an array: not its elements).
void copy_words(Machine& machine, const Leaf& to, const Leaf& from);
/// Writes the leaf's elements (rank 0: its scalar) densely to `to`.
void copy_elements(const Machine& machine, std::byte* to, const Leaf& from);

/// The elements of an array leaf, for copying.
class Rows {
 public:
  explicit Rows(Leaf array) : array_(std::move(array)) {}
  void begin(const Machine& machine);
  std::int64_t row_bytes() const { return row_bytes_; }
  const Leaf& array() const { return array_; }
  /// Writes element `index` densely to `to`.
  void copy(const Machine& machine, std::byte* to, std::int64_t index) const;

 private:
  Leaf array_;
  const std::byte* first_ = nullptr;
  std::int64_t stride_ = 0, row_bytes_ = 0;
};

/// Puts one element of an array leaf where a function expects its parameter.
class Feed {
 public:
  Feed(Leaf array, Leaf element) : array_(std::move(array)), element_(std::move(element)) {}
  void begin(Machine& machine);
  void set(Machine& machine, std::int64_t index) const;

 private:
  Leaf array_, element_;
  const std::byte* first_ = nullptr;
  std::int64_t stride_ = 0;
};

/// Collects the results of a function into a dense array leaf.
class Sink {
 public:
  Sink(Leaf element, Leaf array) : element_(std::move(element)), array_(std::move(array)) {}
  void begin(Machine& machine);
  void store(const Machine& machine, std::int64_t index) const;

 private:
  Leaf element_, array_;
  Buffer buffer_;
  std::byte* first_ = nullptr;
  std::int64_t row_bytes_ = 0;
};

}  // namespace hoist::interpret
