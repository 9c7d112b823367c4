// Steps that run a function over and over: maps, reductions, scans, iterations, and layouts by index
// functions.
//
// Each is a loop over three parts. `Feeds` puts the elements of the arrays into the function's parameters,
// the function's block runs, and `Sinks` collects its results, or `Carry` hands them to the next run. A map
// whose function is itself a view of its element needs no loop: it becomes strides (`ViewMapStep`).
//
// Accumulators that add floats are watched (`Watch`): how large intermediate sums were is part of the bound
// of rounding errors.
#include "interpret/pattern_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace hoist::interpret {
namespace {

/// Array leaves and the parameter leaves that their elements go to.
class Feeds {
 public:
  /// The parameters from `first` on.
  Feeds(std::vector<Leaf> arrays, const std::vector<Leaf>& parameters, std::size_t first)
      : length_(arrays.at(0).shape.at(0)) {
    for (std::size_t leaf = 0; leaf < arrays.size(); ++leaf) {
      feeds_.emplace_back(std::move(arrays[leaf]), parameters.at(first + leaf));
    }
  }
  /// Gives the number of elements.
  std::int64_t begin(Machine& machine) {
    for (Feed& feed : feeds_) feed.begin(machine);
    return machine.sizes[length_];
  }
  void set(Machine& machine, std::int64_t index) const {
    for (const Feed& feed : feeds_) feed.set(machine, index);
  }

 private:
  SizeSlot length_;
  std::vector<Feed> feeds_;
};

/// Result leaves of a function and the array leaves that collect them.
class Sinks {
 public:
  Sinks(const std::vector<Leaf>& elements, std::vector<Leaf> arrays) {
    for (std::size_t leaf = 0; leaf < arrays.size(); ++leaf) {
      sinks_.emplace_back(elements.at(leaf), std::move(arrays[leaf]));
    }
  }
  void begin(Machine& machine) {
    for (Sink& sink : sinks_) sink.begin(machine);
  }
  void store(const Machine& machine, std::int64_t index) const {
    for (const Sink& sink : sinks_) sink.store(machine, index);
  }

 private:
  std::vector<Sink> sinks_;
};

/// Hands the results of one run of a function to the next run as its parameters from `first` on.
class Carry {
 public:
  Carry(std::vector<Leaf> initial, const Function& function, std::size_t first = 0)
      : initial_(std::move(initial)), results_(function.results), scalars_(results_.size()) {
    for (std::size_t leaf = 0; leaf < results_.size(); ++leaf) {
      parameters_.push_back(function.parameters.at(first + leaf));
      // What is carried has the results' extents: those of an iterate differ from its parameters'.
      carried_.push_back(results_[leaf]);
      carried_.back().place = parameters_.back().place;
    }
    for (auto& buffers : buffers_) buffers = std::vector<Buffer>(results_.size());
  }
  void begin(Machine& machine) const {
    for (std::size_t leaf = 0; leaf < results_.size(); ++leaf) {
      copy_words(machine, parameters_[leaf], initial_[leaf]);
    }
  }
  /// Results may be views of the parameters or stand in their places, in any order: arrays go to the buffer
  /// that the parameters do not lie in, and all is read before anything is replaced.
  void advance(Machine& machine) {
    turn_ = 1 - turn_;
    for (std::size_t leaf = 0; leaf < results_.size(); ++leaf) {
      if (results_[leaf].is_scalar()) {
        scalars_[leaf] = machine.frame[results_[leaf].place];
      } else {
        std::byte* memory = buffers_[turn_][leaf].reserve(bytes_of(machine, results_[leaf]));
        copy_elements(machine, memory, results_[leaf]);
        scalars_[leaf].data = memory;
      }
    }
    for (std::size_t leaf = 0; leaf < results_.size(); ++leaf) {
      if (results_[leaf].is_scalar()) {
        machine.frame[carried_[leaf].place] = scalars_[leaf];
      } else {
        set_dense(machine, carried_[leaf], scalars_[leaf].data);
      }
    }
  }
  const std::vector<Leaf>& parameters() const { return parameters_; }
  const std::vector<Leaf>& results() const { return results_; }

 private:
  std::vector<Leaf> initial_, parameters_, results_, carried_;
  std::vector<Word> scalars_;
  std::vector<Buffer> buffers_[2];
  std::size_t turn_ = 0;
};

/// Keeps the magnitudes of an accumulator's floats, for the bound of rounding errors (see error_bound.hpp).
/// Accumulators that are arrays are not looked at.
class Watch {
 public:
  Watch(bool watched, const std::vector<Leaf>& accumulator) {
    if (!watched) return;
    for (const Leaf& leaf : accumulator) {
      if (leaf.is_scalar() && is_float(leaf.scalar)) places_.push_back(leaf.place);
    }
  }
  void intermediate(const Machine& machine) { keep(machine, intermediate_); }
  void result(Machine& machine) {
    if (places_.empty()) return;
    keep(machine, result_);
    if (sum_ == none) {
      sum_ = machine.sums.size();
      machine.sums.emplace_back();
    }
    machine.sums[sum_] = {intermediate_, result_};
  }

 private:
  void keep(const Machine& machine, double& largest) const {
    for (FrameIndex place : places_) {
      const double magnitude = std::fabs(machine.frame[place].real);
      if (magnitude > largest && std::isfinite(magnitude)) largest = magnitude;
    }
  }

  static constexpr std::size_t none = SIZE_MAX;
  std::vector<FrameIndex> places_;
  double intermediate_ = 0, result_ = 0;
  std::size_t sum_ = none;
};

class MapStep final : public Step {
 public:
  MapStep(std::vector<Leaf> arrays, Function function, std::vector<Leaf> results)
      : feeds_(std::move(arrays), function.parameters, 0),
        sinks_(function.results, std::move(results)),
        body_(std::move(function.body)) {}
  void run(Machine& machine) override {
    const std::int64_t length = feeds_.begin(machine);
    sinks_.begin(machine);
    for (std::int64_t i = 0; i < length; ++i) {
      feeds_.set(machine, i);
      body_.run(machine);
      sinks_.store(machine, i);
    }
  }

 private:
  Feeds feeds_;
  Sinks sinks_;
  Block body_;
};

/// A map whose function only looks at its element in another way (the windows of each row, a transposed tile)
/// is itself such a view: the distance between the results for two elements is that for any two neighbours.
class ViewMapStep final : public Step {
 public:
  ViewMapStep(std::vector<Leaf> arrays, Function function, std::vector<Leaf> results)
      : feeds_(std::move(arrays), function.parameters, 0),
        body_(std::move(function.body)),
        elements_(std::move(function.results)),
        results_(std::move(results)) {}
  bool is_view() const override { return true; }
  void run(Machine& machine) override {
    const std::int64_t length = feeds_.begin(machine);
    if (length == 0) {
      for (const Leaf& result : results_) set_dense(machine, result, nullptr);
      return;
    }
    run_body(machine, 0);
    for (std::size_t leaf = 0; leaf < results_.size(); ++leaf) {
      Word* result = &machine.frame[results_[leaf].place];
      const Word* element = &machine.frame[elements_[leaf].place];
      result[0] = element[0];
      result[1].integer = 0;
      std::copy_n(element + 1, elements_[leaf].rank(), result + 2);
    }
    if (length == 1) return;
    run_body(machine, 1);
    for (std::size_t leaf = 0; leaf < results_.size(); ++leaf) {
      Word* result = &machine.frame[results_[leaf].place];
      result[1].integer = machine.frame[elements_[leaf].place].data - result[0].data;
    }
  }

 private:
  void run_body(Machine& machine, std::int64_t index) {
    feeds_.set(machine, index);
    body_.run(machine);
  }

  Feeds feeds_;
  Block body_;
  std::vector<Leaf> elements_, results_;
};

bool is_view(const Function& function) {
  const auto& steps = function.body.steps;
  const auto& results = function.results;
  return std::all_of(steps.begin(), steps.end(), [](const auto& step) { return step->is_view(); }) &&
         std::none_of(results.begin(), results.end(), [](const Leaf& leaf) { return leaf.is_scalar(); });
}

/// Index functions take i32.
void check_indexable(const char* primitive, std::int64_t length) {
  if (length - 1 > std::numeric_limits<std::int32_t>::max()) {
    throw_unsupported(fmt::format("{}: an array of {} elements", primitive, length),
                      "indices are i32, which ends at 2147483647");
  }
}

class GenerateStep final : public Step {
 public:
  GenerateStep(Function function, std::vector<Leaf> results)
      : index_(function.parameters.at(0).place),
        length_(results.at(0).shape.at(0)),
        sinks_(function.results, std::move(results)),
        body_(std::move(function.body)) {}
  void run(Machine& machine) override {
    const std::int64_t length = machine.sizes[length_];
    check_indexable("generate", length);
    sinks_.begin(machine);
    for (std::int64_t i = 0; i < length; ++i) {
      machine.frame[index_].integer = i;
      body_.run(machine);
      sinks_.store(machine, i);
    }
  }

 private:
  FrameIndex index_;
  SizeSlot length_;
  Sinks sinks_;
  Block body_;
};

class ReduceStep final : public Step {
 public:
  ReduceStep(std::vector<Leaf> initial, std::optional<IndexRange> range, std::vector<Leaf> arrays,
             Function function, bool watched)
      : carry_(std::move(initial), function),
        range_(range),
        watch_(watched, carry_.parameters()),
        feeds_(std::move(arrays), function.parameters, function.results.size()),
        body_(std::move(function.body)) {}
  void run(Machine& machine) override {
    std::int64_t first = 0, end = feeds_.begin(machine);
    if (range_) {
      first = std::max(first, machine.frame[range_->from].integer);
      end = std::min(end, machine.frame[range_->to].integer);
    }
    carry_.begin(machine);
    for (std::int64_t i = first; i < end; ++i) {
      feeds_.set(machine, i);
      body_.run(machine);
      carry_.advance(machine);
      watch_.intermediate(machine);
    }
    watch_.result(machine);
  }

 private:
  Carry carry_;
  std::optional<IndexRange> range_;  ///< of the elements; all without one
  Watch watch_;
  Feeds feeds_;
  Block body_;
};

class ScanStep final : public Step {
 public:
  ScanStep(std::vector<Leaf> initial, std::vector<Leaf> arrays, Function function, std::vector<Leaf> results)
      : carry_(std::move(initial), function),
        feeds_(std::move(arrays), function.parameters, function.results.size()),
        sinks_(carry_.parameters(), std::move(results)),
        body_(std::move(function.body)) {}
  void run(Machine& machine) override {
    carry_.begin(machine);
    const std::int64_t length = feeds_.begin(machine);
    sinks_.begin(machine);
    for (std::int64_t i = 0; i < length; ++i) {
      feeds_.set(machine, i);
      body_.run(machine);
      carry_.advance(machine);
      sinks_.store(machine, i);
    }
  }

 private:
  Carry carry_;
  Feeds feeds_;
  Sinks sinks_;
  Block body_;
};

class KeyedReduceStep final : public Step {
 public:
  KeyedReduceStep(std::vector<Leaf> initial, Leaf keys, std::vector<Leaf> arrays, Function function,
                  bool watched, std::vector<Leaf> results)
      : initial_(std::move(initial)),
        keys_(std::move(keys)),
        watch_(watched, {function.parameters.begin(),
                         function.parameters.begin() + static_cast<std::ptrdiff_t>(results.size())}),
        elements_(std::move(arrays), function.parameters, results.size()),
        accumulators_(results, function.parameters, 0),
        combined_(std::move(function.results)),
        body_(std::move(function.body)),
        results_(std::move(results)),
        memory_(results_.size()),
        next_(results_.size()),
        first_(results_.size()) {}

  void run(Machine& machine) override {
    for (std::size_t leaf = 0; leaf < results_.size(); ++leaf) {
      first_[leaf] = memory_[leaf].reserve(bytes_of(machine, results_[leaf]));
      copy_elements(machine, first_[leaf], initial_[leaf]);
      set_dense(machine, results_[leaf], first_[leaf]);
    }
    const std::int64_t count = accumulators_.begin(machine), length = elements_.begin(machine);
    const Word* const keys = &machine.frame[keys_.place];
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t key = load_word(keys[0].data + i * keys[1].integer, keys_.scalar).integer;
      if (key < 0 || key >= count) continue;
      accumulators_.set(machine, key);
      elements_.set(machine, i);
      body_.run(machine);
      store(machine, key);
      accumulators_.set(machine, key);
      watch_.intermediate(machine);
    }
    for (std::int64_t key = 0; key < count; ++key) {
      accumulators_.set(machine, key);
      watch_.result(machine);
    }
  }

 private:
  /// What the function gives may be a view of the accumulator: all is read before anything is replaced.
  void store(const Machine& machine, std::int64_t key) {
    for (std::size_t leaf = 0; leaf < combined_.size(); ++leaf) {
      copy_elements(machine, next_[leaf].reserve(bytes_of(machine, combined_[leaf])), combined_[leaf]);
    }
    for (std::size_t leaf = 0; leaf < combined_.size(); ++leaf) {
      const std::int64_t bytes = bytes_of(machine, combined_[leaf]);
      std::memcpy(first_[leaf] + key * bytes, next_[leaf].reserve(bytes), static_cast<std::size_t>(bytes));
    }
  }

  std::vector<Leaf> initial_;
  Leaf keys_;
  Watch watch_;
  Feeds elements_, accumulators_;
  std::vector<Leaf> combined_;
  Block body_;
  std::vector<Leaf> results_;
  std::vector<Buffer> memory_, next_;  // by leaf: the results, and what the function gave
  std::vector<std::byte*> first_;      // by leaf: the results' memory
};

/// The function of gather and scatter.
class IndexFunction {
 public:
  IndexFunction(const char* primitive, Function function)
      : primitive_(primitive),
        parameter_(function.parameters.at(0).place),
        result_(function.results.at(0).place),
        body_(std::move(function.body)) {}
  std::int64_t operator()(Machine& machine, std::int64_t i, std::int64_t length) const {
    machine.frame[parameter_].integer = i;
    body_.run(machine);
    const std::int64_t index = machine.frame[result_].integer;
    if (index < 0 || index >= length) {
      throw_user(fmt::format("{}: index {} (for element {}) is outside an array of {} elements", primitive_,
                             index, i, length));
    }
    return index;
  }

 private:
  const char* primitive_;
  FrameIndex parameter_, result_;
  Block body_;
};

/// Gather and scatter: the elements of the array leaves in another order.
class Reordering : public Step {
 public:
  Reordering(std::vector<Leaf> arrays, std::vector<Leaf> results)
      : length_(arrays.at(0).shape.at(0)), results_(std::move(results)), buffers_(results_.size()) {
    for (Leaf& array : arrays) rows_.emplace_back(std::move(array));
  }

 protected:
  std::int64_t begin(Machine& machine) {
    for (std::size_t leaf = 0; leaf < rows_.size(); ++leaf) {
      rows_[leaf].begin(machine);
      memory_.resize(rows_.size());
      memory_[leaf] = buffers_[leaf].reserve(bytes_of(machine, results_[leaf]));
      set_dense(machine, results_[leaf], memory_[leaf]);
    }
    return machine.sizes[length_];
  }
  void move_element(const Machine& machine, std::int64_t from, std::int64_t to) const {
    for (std::size_t leaf = 0; leaf < rows_.size(); ++leaf) {
      rows_[leaf].copy(machine, memory_[leaf] + to * rows_[leaf].row_bytes(), from);
    }
  }

 private:
  SizeSlot length_;
  std::vector<Leaf> results_;
  std::vector<Rows> rows_;
  std::vector<Buffer> buffers_;
  std::vector<std::byte*> memory_;
};

class GatherStep final : public Reordering {
 public:
  GatherStep(Function index, std::vector<Leaf> arrays, std::vector<Leaf> results)
      : Reordering(std::move(arrays), std::move(results)), index_("gather", std::move(index)) {}
  void run(Machine& machine) override {
    const std::int64_t length = begin(machine);
    check_indexable("gather", length);
    for (std::int64_t i = 0; i < length; ++i) move_element(machine, index_(machine, i, length), i);
  }

 private:
  IndexFunction index_;
};

class ScatterStep final : public Reordering {
 public:
  ScatterStep(Function index, std::vector<Leaf> arrays, std::vector<Leaf> results)
      : Reordering(std::move(arrays), std::move(results)), index_("scatter", std::move(index)) {}
  void run(Machine& machine) override {
    const std::int64_t length = begin(machine);
    check_indexable("scatter", length);
    source_.assign(static_cast<std::size_t>(length), -1);
    for (std::int64_t i = 0; i < length; ++i) {
      const std::int64_t to = index_(machine, i, length);
      std::int64_t& source = source_[static_cast<std::size_t>(to)];
      if (source >= 0) {
        throw_user("scatter: its index function is not a permutation",
                   fmt::format("elements {} and {} both go to {}", source, i, to));
      }
      source = i;
      move_element(machine, i, to);
    }
  }

 private:
  IndexFunction index_;
  std::vector<std::int64_t> source_;  ///< the element that went to each place so far, or -1
};

class IfStep final : public Step {
 public:
  IfStep(Leaf condition, Block then_block, std::vector<Leaf> then_results, Block else_block,
         std::vector<Leaf> else_results, std::vector<Leaf> results)
      : condition_(std::move(condition)),
        then_block_(std::move(then_block)),
        else_block_(std::move(else_block)),
        then_results_(std::move(then_results)),
        else_results_(std::move(else_results)),
        results_(std::move(results)) {}
  void run(Machine& machine) override {
    const bool condition = machine.frame[condition_.place].integer != 0;
    (condition ? then_block_ : else_block_).run(machine);
    const std::vector<Leaf>& chosen = condition ? then_results_ : else_results_;
    for (std::size_t leaf = 0; leaf < results_.size(); ++leaf) {
      copy_words(machine, results_[leaf], chosen[leaf]);
    }
  }

 private:
  Leaf condition_;
  Block then_block_, else_block_;
  std::vector<Leaf> then_results_, else_results_, results_;
};

class IterateStep final : public Step {
 public:
  IterateStep(SizeSlot times, std::optional<IteratedSize> size, std::vector<Leaf> initial, Function function,
              std::vector<Leaf> results)
      : times_(times),
        size_(std::move(size)),
        carry_(std::move(initial), function),
        body_(std::move(function.body)),
        results_(std::move(results)) {}

  void run(Machine& machine) override {
    const std::int64_t times = machine.sizes[times_];
    if (times < 0) throw_user(fmt::format("iterate: the number of steps is {}, which is less than 0", times));
    // The variable may have a value already, where a function that iterates is itself iterated.
    const auto outer = size_ ? machine.sizes.current(size_->variable) : std::nullopt;
    std::int64_t extent = size_ ? machine.sizes[size_->initial] : 0;
    carry_.begin(machine);
    for (std::int64_t time = 0; time < times; ++time) {
      if (size_) machine.sizes.bind(size_->variable, extent);
      body_.run(machine);
      carry_.advance(machine);
      if (size_) extent = machine.sizes[size_->next];
      if (time + 1 == times) check_extents(machine);
    }
    if (size_) machine.sizes.bind(size_->variable, outer);
    for (std::size_t leaf = 0; leaf < results_.size(); ++leaf) {
      copy_words(machine, results_[leaf], carry_.parameters()[leaf]);
    }
  }

 private:
  /// The type of the whole was derived without running it.
  void check_extents(const Machine& machine) const {
    for (std::size_t leaf = 0; leaf < results_.size(); ++leaf) {
      for (std::size_t d = 0; d < results_[leaf].rank(); ++d) {
        const std::int64_t expected = machine.sizes[results_[leaf].shape[d]];
        const std::int64_t got = machine.sizes[carry_.results()[leaf].shape[d]];
        if (expected != got) {
          throw_user(fmt::format("iterate: the result has {} elements where its type says {}", got, expected),
                     "its function does not change the length as the type assumes");
        }
      }
    }
  }

  SizeSlot times_;
  std::optional<IteratedSize> size_;
  Carry carry_;
  Block body_;
  std::vector<Leaf> results_;
};

class IterateWhileStep final : public Step {
 public:
  IterateWhileStep(Leaf most, std::vector<Leaf> initial, Function condition, Function function,
                   std::vector<Leaf> results)
      : most_(std::move(most)),
        carry_(std::move(initial), function, 1),
        condition_(std::move(condition)),
        number_(function.parameters.at(0).place),
        body_(std::move(function.body)),
        results_(std::move(results)) {}

  void run(Machine& machine) override {
    const std::int64_t most = machine.frame[most_.place].integer;
    carry_.begin(machine);
    for (std::int64_t time = 0; time < most && holds(machine); ++time) {
      machine.frame[number_].integer = time;
      body_.run(machine);
      carry_.advance(machine);
    }
    for (std::size_t leaf = 0; leaf < results_.size(); ++leaf) {
      copy_words(machine, results_[leaf], carry_.parameters()[leaf]);
    }
  }

 private:
  bool holds(Machine& machine) {
    for (std::size_t leaf = 0; leaf < condition_.parameters.size(); ++leaf) {
      copy_words(machine, condition_.parameters[leaf], carry_.parameters()[leaf]);
    }
    condition_.body.run(machine);
    return machine.frame[condition_.results.at(0).place].integer != 0;
  }

  Leaf most_;
  Carry carry_;
  Function condition_;
  FrameIndex number_;
  Block body_;
  std::vector<Leaf> results_;
};

}  // namespace

std::unique_ptr<Step> map_step(std::vector<Leaf> arrays, Function function, std::vector<Leaf> results) {
  if (is_view(function)) {
    return std::make_unique<ViewMapStep>(std::move(arrays), std::move(function), std::move(results));
  }
  return std::make_unique<MapStep>(std::move(arrays), std::move(function), std::move(results));
}
std::unique_ptr<Step> generate_step(Function function, std::vector<Leaf> results) {
  return std::make_unique<GenerateStep>(std::move(function), std::move(results));
}
std::unique_ptr<Step> reduce_step(std::vector<Leaf> initial, std::optional<IndexRange> range,
                                  std::vector<Leaf> arrays, Function function, bool watched) {
  return std::make_unique<ReduceStep>(std::move(initial), range, std::move(arrays), std::move(function),
                                      watched);
}
std::unique_ptr<Step> scan_step(std::vector<Leaf> initial, std::vector<Leaf> arrays, Function function,
                                std::vector<Leaf> results) {
  return std::make_unique<ScanStep>(std::move(initial), std::move(arrays), std::move(function),
                                    std::move(results));
}
std::unique_ptr<Step> keyed_reduce_step(std::vector<Leaf> initial, Leaf keys, std::vector<Leaf> arrays,
                                        Function function, bool watched, std::vector<Leaf> results) {
  return std::make_unique<KeyedReduceStep>(std::move(initial), std::move(keys), std::move(arrays),
                                           std::move(function), watched, std::move(results));
}
std::unique_ptr<Step> gather_step(Function index, std::vector<Leaf> arrays, std::vector<Leaf> results) {
  return std::make_unique<GatherStep>(std::move(index), std::move(arrays), std::move(results));
}
std::unique_ptr<Step> scatter_step(Function index, std::vector<Leaf> arrays, std::vector<Leaf> results) {
  return std::make_unique<ScatterStep>(std::move(index), std::move(arrays), std::move(results));
}
std::unique_ptr<Step> if_step(Leaf condition, Block then_block, std::vector<Leaf> then_results,
                              Block else_block, std::vector<Leaf> else_results, std::vector<Leaf> results) {
  return std::make_unique<IfStep>(std::move(condition), std::move(then_block), std::move(then_results),
                                  std::move(else_block), std::move(else_results), std::move(results));
}
std::unique_ptr<Step> iterate_while_step(Leaf most, std::vector<Leaf> initial, Function condition,
                                         Function function, std::vector<Leaf> results) {
  return std::make_unique<IterateWhileStep>(std::move(most), std::move(initial), std::move(condition),
                                            std::move(function), std::move(results));
}
std::unique_ptr<Step> iterate_step(SizeSlot times, std::optional<IteratedSize> size,
                                   std::vector<Leaf> initial, Function function, std::vector<Leaf> results) {
  return std::make_unique<IterateStep>(times, std::move(size), std::move(initial), std::move(function),
                                       std::move(results));
}

}  // namespace hoist::interpret
