#pragma once
// Index expressions as numbers that features can be computed from: sums of multiples of symbols. A symbol is
// the counter of a loop, or a part of an index that is not linear.
#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "arith/expr.hpp"
#include "arith/small_vector.hpp"
#include "features/key_map.hpp"
#include "loop/kernel.hpp"

namespace hoist::features {

struct Term {
  std::uint32_t symbol = 0;
  std::int64_t coefficient = 0;
  bool operator==(const Term&) const = default;
};

/// constant + the sum of its terms, which are ordered by symbol, each symbol once, no coefficient 0.
struct Form {
  arith::SmallVector<Term, 6> terms;
  std::int64_t constant = 0;

  void add(const Form& other, std::int64_t factor);
  void add(Term term);
  bool is_constant() const { return terms.empty(); }
};

struct Symbol {
  enum class Kind : std::uint8_t {
    Counter,  ///< of a loop: 0, 1, ... trips - 1
    Quotient,
    Remainder,
    CeilingQuotient,
    Product,
    Power,
    Minimum,
    Maximum,
    Conditional,
    Data,  ///< only the run knows it
  };
  Kind kind = Kind::Data;
  // The fields of a Counter.
  loop::Parallelism parallelism = loop::Parallelism::Sequential;
  std::size_t dimension = 0;
  std::int64_t trips = 1;
  // The operands of the other kinds; a Conditional is `test` relation 0 ? first : second.
  Form first, second, test;
  arith::Relation relation{};
  /// Its value in the middle of all iterations.
  std::int64_t centre = 0;
  bool is_by_lane = false;  ///< work-items of a group may have different values at a time
  bool is_data = false;     ///< depends on Data
};

/// An index in the common case, without its constant: the same number, the same terms.
struct CommonForm {
  std::uint32_t number = 0;
  std::int64_t constant = 0;
  int operations = 0;  ///< operators in the text of the index, but for one that adds a constant
};

/// From..to, both included.
struct Interval {
  std::int64_t from = 0, to = 0;
  std::int64_t length() const { return to - from + 1; }
};

/// Where a loop ends: at `most`, or before that at one of the others.
struct LoopStop {
  arith::Expr most;
  std::vector<arith::Expr> others;
};
/// Of a sequential loop to min(512, n - g), 512 and n - g; of others where they say that they end.
LoopStop stop_of(const loop::For& loop);

/// The symbols of one kernel.
class Places {
 public:
  explicit Places(const std::array<std::int64_t, 3>& local);

  /// Makes the counter of a loop around; its variable then is start + step * counter.
  std::uint32_t enter(const loop::For& loop);
  /// The variable stands for this value from now on.
  void define(arith::Expr variable, arith::Expr value);
  /// Defines a variable that is loaded: it may differ between work-items, or is the same for all.
  void define_data(arith::Expr variable, bool is_by_lane);

  Form form(arith::Expr e) { return form(e, Case::All); }
  /// The form in the common case: each choice in it (the edges that `pad` and guards make) is what it is in
  /// the middle of all iterations. Quick where an index that differs by a constant was asked for before.
  CommonForm common_of(arith::Expr e);
  const Form& common_form(std::uint32_t number) const { return common_forms_[number]; }

  const Symbol& operator[](std::uint32_t symbol) const { return symbols_[symbol]; }
  std::size_t size() const { return symbols_.size(); }

  bool is_by_lane(const Form& form) const;
  bool is_data(const Form& form) const;
  std::int64_t centre(const Form& form) const;
  /// The value where counters are as given, by symbol.
  std::int64_t at(const Form& form, const std::vector<std::int64_t>& counters) const;
  /// What the value lies in where counters lie in the box, by symbol.
  Interval bounds(const Form& form, const std::vector<Interval>& box) const;
  /// The box of all iterations.
  const std::vector<Interval>& whole() const { return whole_; }

 private:
  enum class Case : std::uint8_t { All, Common };

  Form form(arith::Expr e, Case which) {
    Form result;
    accumulate(e, 1, which, result);
    return result;
  }
  /// Adds a multiple of the expression.
  void accumulate(arith::Expr e, std::int64_t factor, Case which, Form& into);
  void accumulate_product(arith::Expr e, std::int64_t factor, Case which, Form& into);
  /// The form of an expression that is neither a sum nor a product.
  const Form& remembered(arith::Expr e, Case which);
  Form operation(arith::Expr e, Case which);
  Form operation(Symbol::Kind kind, arith::Expr e, Case which);
  Form choice(arith::Expr e, Case which);
  /// The operand that a choice is in the middle of all iterations.
  Form common_choice(arith::Expr e);
  std::uint32_t number_of(const Form& form);
  Form symbol_form(Symbol symbol);
  void remember(const arith::Node* node, Case which, const Form& form);
  std::int64_t value(std::uint32_t symbol, const std::vector<std::int64_t>& counters) const;
  Interval bounds_of(std::uint32_t symbol, const std::vector<Interval>& box) const;

  std::array<std::int64_t, 3> local_;
  std::deque<Symbol> symbols_;
  std::vector<Interval> whole_;
  std::vector<std::int64_t> centres_;
  std::deque<Form> forms_;  ///< of variables and of what is not linear
  KeyMap known_[2];         ///< numbers in forms_ by node, of each Case
  struct Remembered {
    arith::Expr index;
    CommonForm form;  ///< of the index without its constant
  };
  std::vector<Remembered> remembered_;
  KeyMap by_terms_;  ///< numbers in remembered_ by a hash of an index's terms
  std::deque<Form> common_forms_;
  KeyMap by_form_;  ///< numbers in common_forms_ by a hash
};

}  // namespace hoist::features
