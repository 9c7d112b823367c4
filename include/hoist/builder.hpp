#pragma once
// Programs built in C++: expressions over arrays, with functions as lambdas.
//
//   hoist::Builder program("scaledSum");
//   hoist::Size N = program.size("N");
//   hoist::Value x = program.input("x", hoist::array({N}, hoist::f32));
//   auto sum = program.returns(reduce("+", 0.0f, map([](hoist::Value e) { return 2.0f * e; }, x)));
//
// The functions are the primitives and definitions of the language, their arguments in its order, the data
// last (docs/language.md). Nothing is checked before Builder::returns, which gives the program or says what
// is wrong with it. A Value that is used several times is computed once.
#include <concepts>
#include <functional>
#include <hoist/device.hpp>
#include <initializer_list>

namespace hoist::api {

inline constexpr Scalar f32 = Scalar::F32, f64 = Scalar::F64, i32 = Scalar::I32, u32 = Scalar::U32,
                        i64 = Scalar::I64, u8 = Scalar::U8, i8 = Scalar::I8, i16 = Scalar::I16,
                        u16 = Scalar::U16, u64 = Scalar::U64;

struct Expression;  // inside
using ExpressionPtr = std::shared_ptr<const Expression>;

/// A number of elements: a constant, a size variable, a tuning parameter, or what is computed of them.
class HOIST_EXPORT Size {
 public:
  template <std::integral Integer>
  Size(Integer number) : text_(std::to_string(number)) {}  // NOLINT: numbers are sizes
  /// As the language writes it: "N / 2 + 1".
  static Size written(std::string text) { return Size("(" + std::move(text) + ")"); }
  const std::string& text() const { return text_; }

  friend Size operator+(const Size& a, const Size& b) { return Size("(" + a.text_ + " + " + b.text_ + ")"); }
  friend Size operator-(const Size& a, const Size& b) { return Size("(" + a.text_ + " - " + b.text_ + ")"); }
  friend Size operator*(const Size& a, const Size& b) { return Size("(" + a.text_ + " * " + b.text_ + ")"); }
  friend Size operator/(const Size& a, const Size& b) { return Size("(" + a.text_ + " / " + b.text_ + ")"); }
  friend Size operator%(const Size& a, const Size& b) { return Size("(" + a.text_ + " % " + b.text_ + ")"); }
  /// a / b rounded up.
  friend Size ceiling_quotient(const Size& a, const Size& b) {
    return Size("ceildiv(" + a.text_ + ", " + b.text_ + ")");
  }

 private:
  friend class Builder;
  explicit Size(std::string text) : text_(std::move(text)) {}
  std::string text_;
};

/// A type of data.
class HOIST_EXPORT Type {
 public:
  Type(Scalar scalar) : text_(name_of(scalar)) {}  // NOLINT: scalars are types
  /// As the language writes it: "[H][W](f32, i32)".
  static Type written(std::string text) { return Type(std::move(text)); }
  const std::string& text() const { return text_; }

  friend Type array(std::initializer_list<Size> shape, const Type& element) {
    std::string text;
    for (const Size& extent : shape) text += "[" + extent.text() + "]";
    return Type(text + element.text_);
  }
  friend Type tuple_type(std::initializer_list<Type> components) {
    std::string text;
    for (const Type& each : components) text += (text.empty() ? "" : ", ") + each.text_;
    return Type("(" + text + ")");
  }

 private:
  explicit Type(std::string text) : text_(std::move(text)) {}
  std::string text_;
};
Type array(std::initializer_list<Size> shape, const Type& element);
Type tuple_type(std::initializer_list<Type> components);

/// What a program computes with: a number, a tuple, an array.
class HOIST_EXPORT Value {
 public:
  template <Element T>
  Value(T number) : Value(literal(ScalarOf<T>::value, &number)) {}  // NOLINT: numbers are values
  /// A size as an i32.
  Value(const Size& size);  // NOLINT
  explicit Value(ExpressionPtr expression) : expression_(std::move(expression)) {}
  /// Numbers that take the type that their place asks for; f32 and i32 where nothing asks.
  static Value untyped(double number);
  static Value untyped(std::int64_t number);

  /// An array's element.
  Value operator[](const Value& index) const;
  /// A tuple's component, from 0.
  Value component(int index) const;
  /// Converted to another type of numbers.
  Value as(Scalar type) const;
  const ExpressionPtr& expression() const { return expression_; }

 private:
  static ExpressionPtr literal(Scalar type, const void* number);
  ExpressionPtr expression_;
};

HOIST_EXPORT Value operator+(const Value& a, const Value& b);
HOIST_EXPORT Value operator-(const Value& a, const Value& b);
HOIST_EXPORT Value operator*(const Value& a, const Value& b);
HOIST_EXPORT Value operator/(const Value& a, const Value& b);
HOIST_EXPORT Value operator%(const Value& a, const Value& b);
HOIST_EXPORT Value operator<(const Value& a, const Value& b);
HOIST_EXPORT Value operator<=(const Value& a, const Value& b);
HOIST_EXPORT Value operator>(const Value& a, const Value& b);
HOIST_EXPORT Value operator>=(const Value& a, const Value& b);
HOIST_EXPORT Value operator==(const Value& a, const Value& b);
HOIST_EXPORT Value operator!=(const Value& a, const Value& b);
HOIST_EXPORT Value operator&&(const Value& a, const Value& b);
HOIST_EXPORT Value operator||(const Value& a, const Value& b);
HOIST_EXPORT Value operator!(const Value& a);
HOIST_EXPORT Value operator-(const Value& a);
// Of integers, bit by bit.
HOIST_EXPORT Value operator&(const Value& a, const Value& b);
HOIST_EXPORT Value operator|(const Value& a, const Value& b);
HOIST_EXPORT Value operator^(const Value& a, const Value& b);
HOIST_EXPORT Value operator<<(const Value& a, const Value& b);
HOIST_EXPORT Value operator>>(const Value& a, const Value& b);
HOIST_EXPORT Value operator~(const Value& a);
HOIST_EXPORT Value if_then_else(const Value& condition, const Value& then_value, const Value& else_value);
HOIST_EXPORT Value tuple(const std::vector<Value>& components);

/// A function that is given to a pattern: a callable of one to four Values, or text of the language: "+",
/// "max", "split(4)".
class HOIST_EXPORT Function {
 public:
  Function(const char* text);  // NOLINT
  template <class F>
  requires(std::is_invocable_r_v<Value, F&, Value>) Function(F f)  // NOLINT: callables are functions
      : Function(1, [f](const std::vector<Value>& v) mutable -> Value { return f(v[0]); }) {}
  template <class F>
  requires(std::is_invocable_r_v<Value, F&, Value, Value>) Function(F f)  // NOLINT
      : Function(2, [f](const std::vector<Value>& v) mutable -> Value { return f(v[0], v[1]); }) {}
  template <class F>
  requires(std::is_invocable_r_v<Value, F&, Value, Value, Value>) Function(F f)  // NOLINT
      : Function(3, [f](const std::vector<Value>& v) mutable -> Value { return f(v[0], v[1], v[2]); }) {}
  template <class F>
  requires(std::is_invocable_r_v<Value, F&, Value, Value, Value, Value>) Function(F f)  // NOLINT
      : Function(4, [f](const std::vector<Value>& v) mutable -> Value { return f(v[0], v[1], v[2], v[3]); }) {
  }
  /// With a stated parameter type, which names the length that iterate's function changes: "[k]f32".
  static Function typed(const std::string& parameter_type, const std::function<Value(Value)>& f);
  /// Of any number of parameters.
  Function(std::size_t parameters, const std::function<Value(const std::vector<Value>&)>& body,
           const std::string& parameter_type = {});
  const ExpressionPtr& expression() const { return expression_; }

 private:
  ExpressionPtr expression_;
};

/// How an array goes on beyond its ends.
enum class Boundary : std::uint8_t { Clamp, Mirror, Wrap, Reflect };

/// Anything that a primitive or a definition of the prelude takes.
class HOIST_EXPORT Operand {
 public:
  Operand(const Value& value) : expression_(value.expression()) {}           // NOLINT
  Operand(const Function& function) : expression_(function.expression()) {}  // NOLINT
  Operand(const Size& size);                                                 // NOLINT
  Operand(Boundary boundary);                                                // NOLINT
  template <class T>
  requires(Element<T>) Operand(T number) : Operand(Value(number)) {}  // NOLINT
  template <class T>
  requires(!Element<T> && std::is_constructible_v<Function, T>) Operand(const T& function)
      : Operand(Function(function)) {}  // NOLINT
  const ExpressionPtr& expression() const { return expression_; }

 private:
  ExpressionPtr expression_;
};

/// Any primitive or definition of the prelude by its name: apply("mapGlb2", {f, x}).
HOIST_EXPORT Value apply(const std::string& name, const std::vector<Operand>& operands);

// ---- Patterns.
inline Value map(const Function& f, const Value& x) { return apply("map", {f, x}); }
inline Value map2(const Function& f, const Value& x) { return apply("map2", {f, x}); }
inline Value map3(const Function& f, const Value& x) { return apply("map3", {f, x}); }
inline Value reduce(const Function& f, const Value& init, const Value& x) {
  return apply("reduce", {f, init, x});
}
inline Value scan(const Function& f, const Value& init, const Value& x) {
  return apply("scan", {f, init, x});
}
inline Value iterate(const Size& times, const Function& f, const Value& x) {
  return apply("iterate", {times, f, x});
}
/// As long as `condition` holds of the value, `most` times at the most.
inline Value iterateWhile(const Function& condition, const Size& most, const Function& f, const Value& x) {
  return apply("iterateWhile", {condition, most, f, x});
}
inline Value generate(const Size& n, const Function& f) { return apply("generate", {n, f}); }

// ---- Layout.
template <class... Arrays>
Value zip(const Arrays&... arrays) {
  return apply("zip", {Operand(arrays)...});
}
template <class... Arrays>
Value zip2(const Arrays&... arrays) {
  return apply("zip2", {Operand(arrays)...});
}
inline Value unzip(const Value& x) { return apply("unzip", {x}); }
inline Value split(const Size& s, const Value& x) { return apply("split", {s, x}); }
inline Value join(const Value& x) { return apply("join", {x}); }
inline Value transpose(const Value& x) { return apply("transpose", {x}); }
inline Value slide(const Size& w, const Size& s, const Value& x) { return apply("slide", {w, s, x}); }
inline Value slide2(const Size& w, const Size& s, const Value& x) { return apply("slide2", {w, s, x}); }
inline Value slide3(const Size& w, const Size& s, const Value& x) { return apply("slide3", {w, s, x}); }
inline Value pad(const Size& l, const Size& r, Boundary b, const Value& x) {
  return apply("pad", {l, r, b, x});
}
inline Value pad(const Size& l, const Size& r, const Value& v, const Value& x) {
  return apply("pad", {l, r, v, x});
}
inline Value pad2(const Size& l, const Size& r, Boundary b, const Value& x) {
  return apply("pad2", {l, r, b, x});
}
inline Value pad3(const Size& l, const Size& r, Boundary b, const Value& x) {
  return apply("pad3", {l, r, b, x});
}
inline Value gather(const Function& f, const Value& x) { return apply("gather", {f, x}); }
inline Value scatter(const Function& f, const Value& x) { return apply("scatter", {f, x}); }
inline Value take(const Size& k, const Value& x) { return apply("take", {k, x}); }
inline Value drop(const Size& k, const Value& x) { return apply("drop", {k, x}); }
inline Value rotate(const Size& k, const Value& x) { return apply("rotate", {k, x}); }
inline Value concat(const Value& x, const Value& y) { return apply("concat", {x, y}); }

// ---- Scalar functions.
inline Value min(const Value& a, const Value& b) { return apply("min", {a, b}); }
inline Value max(const Value& a, const Value& b) { return apply("max", {a, b}); }
inline Value pow(const Value& a, const Value& b) { return apply("pow", {a, b}); }
inline Value fma(const Value& a, const Value& b, const Value& c) { return apply("fma", {a, b, c}); }
inline Value abs(const Value& a) { return apply("abs", {a}); }
inline Value sqrt(const Value& a) { return apply("sqrt", {a}); }
inline Value rsqrt(const Value& a) { return apply("rsqrt", {a}); }
inline Value exp(const Value& a) { return apply("exp", {a}); }
inline Value log(const Value& a) { return apply("log", {a}); }
inline Value sin(const Value& a) { return apply("sin", {a}); }
inline Value cos(const Value& a) { return apply("cos", {a}); }
inline Value tanh(const Value& a) { return apply("tanh", {a}); }
inline Value floor(const Value& a) { return apply("floor", {a}); }

/// Declares what a program is called with, and makes it.
class HOIST_EXPORT Builder {
 public:
  explicit Builder(std::string name) : name_(std::move(name)) {}

  /// A size variable; the type of an input must mention it.
  Size size(const std::string& name);
  /// A tuning parameter, which compile is given like a size.
  Size parameter(const std::string& name);
  Value input(const std::string& name, const Type& type);

  /// The program that computes `value`. Errors as Program::parse finds them in the text that the expressions
  /// mean; their excerpts show it.
  Result<Program> returns(const Value& value) const;

 private:
  struct Input {
    std::string name, type;
  };
  std::string name_;
  std::vector<std::string> size_names_;
  std::vector<Input> inputs_;
};

}  // namespace hoist::api
