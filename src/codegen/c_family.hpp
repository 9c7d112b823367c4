#pragma once
// What OpenCL C, C++ for the host and other dialects of C have in common when a kernel is printed.
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/overloaded.hpp"
#include "codegen/code.hpp"
#include "codegen/codegen.hpp"
#include "codegen/names.hpp"
#include "loop/kernel.hpp"
#include "loop/syntax.hpp"

namespace hoist::codegen {

/// Prints kernels in a language whose expressions, statements and vector operators look like C's. A dialect
/// says what differs. The types have the same names in all dialects: float double char short int long uchar
/// ushort uint ulong bool, and with a width float4, ...
///
/// A bool vector is kept, in variables and in memory, as a vector of uchar that are 0 or 1. Operators use
/// masks instead: vectors of signed integers as wide as the scalars that they select, each 0 or -1.
class CFamily {
 public:
  explicit CFamily(const Options& options) : options_(options) {}
  virtual ~CFamily() = default;
  CFamily(const CFamily&) = delete;
  CFamily& operator=(const CFamily&) = delete;

  /// The text of all kernels, after the declarations that they need.
  std::string plan(const loop::Plan& plan);
  /// Whether it is an identifier that the language has no use of its own for.
  bool may_name_kernel(const std::string& name);

 protected:
  struct MemoryOperand {
    const loop::Buffer& buffer;
    arith::Expr index;
  };

  // ---- What a dialect provides.

  /// Words that no identifier may be, beside C's keywords.
  virtual std::span<const std::string_view> reserved_words() const = 0;
  /// Functions of the language's library: names that no kernel may have.
  virtual std::span<const std::string_view> reserved_functions() const = 0;
  /// What precedes `text`, the helper functions and kernels.
  virtual std::string preamble(const std::string& text) = 0;
  /// What follows the kernels.
  virtual std::string epilogue() { return {}; }
  virtual void print_kernel(const loop::Kernel& kernel) = 0;

  /// A vector of the type of this name from one scalar, or from all its components.
  virtual Code splat(const std::string& type, const Code& scalar) = 0;
  virtual Code vector_of(const std::string& type, const std::vector<Code>& components) = 0;
  /// A vector of components of others, where the language has one operation for it.
  virtual std::optional<Code> shuffled(loop::ValueType, const loop::MakeVector&) { return std::nullopt; }
  virtual Code component(const Code& vector, int index) = 0;
  /// `mask ? yes : no` by component; the mask's and the operands' scalars have the same size.
  virtual Code vector_select(const Code& mask, const Code& yes, const Code& no) = 0;
  /// Conversion between vectors of types given by name; no floats to integers.
  virtual Code converted_vector(const std::string& type, const Code& vector) = 0;
  /// A float to an integer: out of range saturates, NaN gives 0.
  virtual Code saturated(loop::ValueType to, loop::ValueType from, const Code& operand) = 0;
  /// An operation that has no operator in C; operands have `type`, but for literal ones of narrow types.
  virtual Code function(ScalarOp op, loop::ValueType type, const std::vector<Code>& operands) = 0;
  /// A sum or difference of floats that takes a product, in one operation that rounds once, where the
  /// language leaves it to the text and not to its compilers.
  virtual std::optional<Code> fused_sum(const loop::Operation&, loop::ValueType) { return std::nullopt; }
  /// A division or remainder of integers that wraps for the smallest integer and -1, and gives 0 for a
  /// divisor of 0.
  virtual Code guarded_division(ScalarOp op, loop::ValueType type, const Code& dividend,
                                const Code& divisor) = 0;
  /// The smaller or larger of two indices.
  virtual Code index_extremum(bool is_minimum, const Code& left, const Code& right) = 0;
  /// The larger of a signed integer and 0, so that the device's compiler does not know it for a maximum; only
  /// asked for after `avoid_nvidia_faults`.
  virtual Code positive_part(loop::ValueType type, const Code& operand);
  /// Base to a non-negative power, where that is no shift.
  virtual Code index_power(const Code& base, const Code& exponent) = 0;
  /// Scalars of global, local or private memory as a vector; `type` is that of memory (bool as uchar).
  virtual Code load_vector(const loop::Buffer& buffer, arith::Expr index, loop::ValueType type) = 0;
  virtual void store_vector(const loop::Buffer& buffer, arith::Expr index, loop::ValueType type,
                            const Code& vector) = 0;
  /// What is loaded, where `place` is printed for it.
  virtual Code loaded(const loop::Load&, const Code& place) { return place; }
  /// Whether a buffer is read as an image in this language.
  virtual bool is_image(const loop::Buffer&) const { return false; }
  /// A pixel of an image, numbered by rows: a scalar, or a vector of four.
  virtual Code pixel(const loop::Buffer& image, arith::Expr number);
  /// A component, only known when the kernel runs, of a private buffer of vectors.
  virtual Code dynamic_component(const loop::Buffer& buffer, arith::Expr index) = 0;

  /// What `operand` is for another work-item of the warp (see loop::Shuffle).
  virtual Code shuffle(loop::ValueType type, const Code& operand, int mask);
  /// A vector's bits as a vector type of scalars as large.
  virtual Code reinterpreted(const std::string& type, const Code& vector) = 0;
  /// Whether the operators on vectors of signed integers wrap.
  virtual bool vector_operators_wrap() const { return false; }
  /// Where in its memory a buffer's element is.
  virtual arith::Expr element_position(const loop::Buffer&, arith::Expr element) { return element; }

  /// Declares and sets two variables, the sine and the cosine of a scalar.
  virtual void sine_and_cosine(Scalar type, const std::string& angle, const std::string& sine,
                               const std::string& cosine) = 0;
  /// Before a loop whose iterations the device's compiler is asked to put together.
  virtual void unroll_hint(std::int64_t factor) { write_pragma(fmt::format("unroll {}", factor)); }
  /// Whether the language copies from this memory to local memory while the work-item goes on. Where it does
  /// not, stores are done at once; where it never does, nobody waits.
  virtual bool has_asynchronous_copies(const loop::Buffer&) const { return false; }
  /// Such a copy of 4, 8 or 16 bytes, a scalar or an aligned vector; zeros where the condition, if there is
  /// one, does not hold.
  virtual void asynchronous_copy(const MemoryOperand& /*to*/, const MemoryOperand& /*from*/, loop::ValueType,
                                 const Code& /*condition*/) {}
  virtual void commit() {}
  virtual void await(const loop::Await&) {}
  /// Combines what is in global or local memory with a scalar, indivisibly (see loop::Store).
  virtual void atomic_update(const MemoryOperand& place, ScalarOp op, Scalar type, const Code& operand) = 0;
  virtual void parallel_loop(const loop::For& loop) = 0;
  virtual void sequential_loop(const loop::For& loop);
  virtual void barrier(const loop::Barrier& barrier) = 0;
  virtual void allocate(const loop::Allocate& allocate) = 0;
  virtual void alias(const loop::Alias& alias) = 0;
  virtual void swap(const loop::Swap& swap) = 0;
  virtual void let(const loop::Let& let);

  // ---- Types.

  static std::string scalar_name(Scalar type);
  static std::string type_name(loop::ValueType type);
  /// The same, but in memory a bool is a uchar.
  static std::string memory_name(loop::ValueType type);
  /// The vector type of masks for scalars of `lane_bytes`.
  static std::string mask_name(int lane_bytes, int width);
  std::string index_name() const { return scalar_name(index_type_); }
  /// Unsupported where no dialect has vectors of this width.
  static void check_width(loop::ValueType type);
  /// How many scalars a buffer holds. Unsupported where that is not known yet.
  static std::int64_t constant_scalars(const loop::Buffer& buffer);
  /// The dimensions whose group's length the kernel learns at its launch, each name once.
  std::vector<std::size_t> learned_dimensions() const;
  static bool has_barrier(const loop::Block& block);
  /// The function of C's library for an operation on floats.
  static std::string c_function(ScalarOp op);

  // ---- Values.

  Code value(const loop::ValuePtr& value);
  /// A bool value, repeated if it is a scalar, as a mask.
  Code mask(const loop::ValuePtr& value, int width, int lane_bytes);
  static Code literal(const ScalarValue& value);
  Code index(arith::Expr e);
  Code predicate(const arith::Predicate& predicate);
  /// An operand that has exactly `type`.
  Code argument(const loop::ValuePtr& value, loop::ValueType type);
  /// `buffer[index]`, an element of memory or of a private buffer of vectors.
  Code element(const loop::Buffer& buffer, arith::Expr index);
  /// A component of a private buffer of vectors.
  Code register_component(const loop::Buffer& buffer, arith::Expr index);

  // ---- Statements.

  void block(const loop::Block& block);
  void statement(const loop::Statement& statement);
  void branch(const loop::If& branch);
  void assign(const loop::Assign& assign);
  virtual void store(const loop::Store& store);
  void asynchronous_store(const loop::Store& store);
  /// What an atomic update computes.
  Code updated(ScalarOp op, Scalar type, const Code& old, const Code& operand);
  void comment(const loop::Comment& comment);
  /// `for (int i = start; i < stop; i += step) {`; an empty step is 1.
  void open_for(const std::string& variable, const Code& start, const Code& stop, const Code& step,
                const loop::ValuePtr& condition = nullptr);
  void close() { outdent("}"); }
  void close_then_open(std::string_view text) {
    outdent(text);
    ++depth_;
  }

  template <class... Arguments>
  void line(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    text_.append(2 * static_cast<std::size_t>(depth_), ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    text_ += '\n';
  }
  /// Prints a line that opens a block, or the one that closes it.
  template <class... Arguments>
  void indent(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    line(format, std::forward<Arguments>(arguments)...);
    ++depth_;
  }
  void outdent(std::string_view text) {
    --depth_;
    write(text);
  }
  void write(std::string_view text);
  void write_pragma(std::string_view text) { text_ += fmt::format("#pragma {}\n", text); }

  /// Adds a helper function to the text, once, before those added later.
  void need(const std::string& helper, const std::string& text);

  // ---- The kernel being printed.

  /// Forgets the last kernel and knows the names and types in this one.
  void begin(const loop::Kernel& kernel);
  const std::string& name(const std::string& name) { return names_.of(name); }
  const std::string& name(const loop::Buffer& buffer) { return names_.of(buffer.name); }
  const std::string& name(const loop::Variable& variable) { return names_.of(variable.name); }
  const std::string& name(arith::Expr variable) { return names_.of(variable->name); }

  /// Whether a vector may be accessed as one at this index: its scalars begin at a multiple of its width.
  static bool is_aligned(arith::Expr index, int width) { return arith::is_divisor(width, index); }

  /// Whether memory is accessed there as a vector of this type: vectors of three are aligned like four.
  static bool has_vector_form(const loop::Buffer& buffer, arith::Expr index, loop::ValueType type) {
    return buffer.space != loop::AddressSpace::Private && type.width != 3 && is_aligned(index, type.width);
  }

  const Options& options() const { return options_; }
  const loop::Kernel& kernel() const { return *kernel_; }
  bool uses(Scalar type) const { return used_scalars_.contains(type); }
  /// The type that index expressions have: int or long.
  Scalar index_type_ = Scalar::I32;
  Names names_;
  bool is_written(const loop::Buffer& buffer) const { return written_.contains(&buffer); }
  /// Whether the compiler is promised that nothing else names a parameter's memory.
  bool is_restricted(const loop::Buffer& buffer) const { return !may_merge_loads_ || is_written(buffer); }
  /// Prints this kernel so that NVIDIA's compilers get it right (nvidia_faults.hpp).
  void avoid_nvidia_faults();

 private:
  Code print(const loop::Literal& literal, loop::ValueType type);
  Code print(const loop::IndexValue& index, loop::ValueType type);
  Code print(const loop::Operation& operation, loop::ValueType type);
  Code arithmetic(const loop::Operation& operation, loop::ValueType type);
  /// C leaves the overflow of signed integers undefined, but that of unsigned ones wraps, as the language
  /// says: arithmetic on signed integers is printed unsigned.
  Code wrapping_arithmetic(const loop::Operation& operation, loop::ValueType type);
  Code unsigned_arithmetic(const loop::Operation& operation, loop::ValueType type);
  bool must_wrap(const loop::Operation& operation, loop::ValueType type) const;
  Code logic(const loop::Operation& operation);
  Code select(const loop::Operation& operation, loop::ValueType type);
  Code print(const loop::Cast& cast, loop::ValueType type);
  Code print(const loop::Load& load, loop::ValueType type);
  Code image_load(const loop::Load& load, loop::ValueType type);
  Code print(const loop::MakeVector& vector, loop::ValueType type);
  Code print(const loop::Component& component);
  /// Operands of an infix operator: beside a vector, what is repeated stays a scalar.
  std::vector<Code> operands(const loop::Operation& operation);
  /// The width of the masks that a bool vector is made from at no cost.
  static int natural_lane(const loop::Value& value);
  Code natural_mask(const loop::Operation& operation, int width);
  Code from_mask(const Code& mask, int width);

  Code print_index(arith::Expr e);
  Code print_new_index(arith::Expr e);
  Code extremum(arith::Expr e);
  Code sum(arith::Expr e);
  Code product(arith::Expr e);
  Code quotient(arith::Expr dividend, arith::Expr divisor, bool is_exact);
  Code remainder(arith::Expr dividend, arith::Expr divisor);
  Code power(arith::Expr base, arith::Expr exponent);
  /// An operand that must have exactly the type of indices.
  Code typed_index(arith::Expr e);
  /// k where e is 2 ** k; empty where it is not, or is a constant.
  static arith::Expr binary_logarithm(arith::Expr e);

  /// `target = value;`, or `target += value;` and the like where the target is itself the left operand.
  void set(const Code& target, const loop::ValuePtr& value,
           const std::function<bool(const loop::Value&)>& is_target);
  static bool is_one_copy(const MemoryOperand& to, const MemoryOperand& from, loop::ValueType type);
  /// Copies `type` from global to local memory, in parts that can be asynchronous copies.
  void copy_by_parts(const MemoryOperand& to, const MemoryOperand& from, loop::ValueType type,
                     const Code& condition);
  void declare_names(const loop::Kernel& kernel);
  void find_angles(const loop::Kernel& kernel);
  /// The variable that holds it, where both are computed together.
  std::optional<Code> sine_or_cosine(const loop::Operation& operation) const;

  Options options_;
  const loop::Kernel* kernel_ = nullptr;
  std::set<const loop::Buffer*> written_;  ///< in the kernel
  bool may_merge_loads_ = false, hides_positive_parts_ = false;
  std::string text_;
  int depth_ = 0;
  /// The texts of indices that were printed: unrolled loops have the same subexpressions many times.
  std::unordered_map<const arith::Node*, Code> index_texts_;
  std::size_t index_texts_at_ = 0;                   ///< Names::replacements() when they were printed
  std::map<std::string, Scalar> integer_variables_;  // what Data variables are in C
  std::set<Scalar> used_scalars_;                    // in any kernel
  std::vector<std::string> helpers_;
  std::set<std::string> helper_names_;
  /// The names of the sine and the cosine of a variable.
  std::map<const loop::Variable*, std::pair<std::string, std::string>> angles_;
};

}  // namespace hoist::codegen
