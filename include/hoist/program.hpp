#pragma once
// Programs: what is to be computed.
#include <cstdint>
#include <hoist/result.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace hoist::api {

// Inside Hoist.
struct ProgramState;
struct Access;

/// The language's scalar types; f32 is float, u8 is std::uint8_t, and so on.
enum class Scalar : std::uint8_t { F32, F64, I32, U32, I64, U8, Bool, I8, I16, U16, U64 };
/// The name in the language: "f32".
HOIST_EXPORT std::string name_of(Scalar type);
/// Bytes of one element.
HOIST_EXPORT std::size_t size_of(Scalar type);

/// Values of size variables and tuning parameters by name: {{"N", 1024}}.
using Sizes = std::map<std::string, std::int64_t>;

/// An array or a scalar of a program: a parameter, or of a tuple one component ("bodies.1").
struct ArrayType {
  std::string name;
  std::string type;                ///< in the language: "[N + 2]f32"
  Scalar scalar;                   ///< of its elements
  std::vector<std::string> shape;  ///< size expressions, outermost first; empty for one number
};

struct Parameter {
  std::string name;
  std::string type;  ///< "[N](f32, f32)"
};

/// A program whose types are right. A value that is cheap to copy.
class HOIST_EXPORT Program {
 public:
  /// From text in Hoist's language (docs/language.md). `entry` names the definition that is the program;
  /// empty: the last. `name` stands for the text in errors.
  static Result<Program> parse(const std::string& text, const std::string& entry = {},
                               const std::string& name = "program");
  /// From a file.
  static Result<Program> load(const std::string& path, const std::string& entry = {});

  const std::string& name() const;
  /// The text that it was made from.
  const std::string& text() const;
  /// What parse or load was given as `entry`, and as the name of the text.
  const std::string& entry() const;
  const std::string& source_name() const;
  /// The comment above its definition, without the slashes; empty where there is none.
  const std::string& documentation() const;
  const std::vector<Parameter>& parameters() const;
  /// The result's type: "([N]f32, f32)".
  const std::string& result_type() const;
  /// Arrays and scalars as a run takes them, tuples flattened: an array of pairs is two arrays.
  const std::vector<ArrayType>& inputs() const;
  /// A result that is one number is an array of one.
  const std::vector<ArrayType>& outputs() const;
  /// Size variables, which are given or inferred (infer_sizes), in the order of the text.
  const std::vector<std::string>& size_variables() const;
  /// Tuning parameters, without their question marks.
  const std::vector<std::string>& tuning_parameters() const;
  /// What is assumed of the sizes and held against them by compile: "split(4): 4 must divide N".
  const std::vector<std::string>& assumptions() const;

 private:
  friend struct Access;
  explicit Program(std::shared_ptr<const ProgramState> state) : state_(std::move(state)) {}
  std::shared_ptr<const ProgramState> state_;
};

/// A user error about an input, which is one of program.inputs(), with its place in the program's text: for
/// bindings that read what callers of other languages give.
HOIST_EXPORT Error input_error(const Program& program, std::size_t input, const std::string& message,
                               const std::string& note = {}, const std::string& help = {});

}  // namespace hoist::api
