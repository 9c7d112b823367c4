#pragma once
// The writer of Hoist's text, in two files: nest_lifting.cpp (loops as patterns over arrays) and
// nest_writer.cpp (expressions, and the program).
#include "openmp/nest_shapes.hpp"
#include "openmp/text_layout.hpp"

namespace hoist::openmp {

/// How strongly a text binds: what is weaker than its place asks for gets parentheses.
enum class Strength { Pipeline, Or, And, Comparison, Sum, Product, Unary, Atom };
struct Text {
  Layout layout;
  Strength strength = Strength::Atom;
};

class NestWriter {
 public:
  NestWriter(const Loop& loop, Terms& terms, Samples& samples)
      : loop_(loop), terms_(terms), samples_(samples) {}
  NestProgram write(const Nest& nest, const std::string& name);

 private:
  // ---- Names ----

  std::string fresh_name(const std::string& wanted);
  std::string name_of(Term term);
  std::string size_text(const Poly& poly);
  bool is_size(Term given) const { return sizes_.count(given) > 0; }
  Layout in(const Text& text, Strength least) const;

  // ---- Loops as patterns ----

  /// What elements a loop takes of an array, one in each round.
  struct Source {
    Layout array;
    std::string name;  ///< what the function calls the element
  };
  struct Lifted {
    std::vector<Source> sources;
    std::vector<Term> bodies;
    bool has_index = false;  ///< the counter is the first of the sources
  };
  /// The bodies of a loop of `count` rounds with elements in the place of what they read at its counter.
  Lifted lifted(Term counter, const Poly& count, std::vector<Term> bodies);
  /// The same of two or three loops in each other, with windows in all their dimensions.
  std::optional<Lifted> lifted_windows(const std::vector<Term>& counters, const std::vector<Term>& bodies);
  struct Reading;
  void find_readings(Term term, Term counter, std::vector<Reading>& readings, bool& has_index,
                     std::set<Term>& done);
  Layout arranged(const Storage* storage, std::size_t position, const Poly& from, const Poly& count,
                  const Poly& width);
  static Layout zipped(const std::vector<Source>& sources, const std::string& zip);
  static std::string pattern(const std::vector<std::string>& names);
  std::string element_name(const Storage* storage, const std::vector<Term>& counters);

  /// The array of the bodies (a tuple, where they are several) for all values of the counters from `first`
  /// on.
  Text array(const std::vector<Term>& counters, std::size_t first, const std::vector<Term>& bodies);
  Text recurrence(const Recurrence& loop, std::size_t which);
  /// What its states are before the first round: a tuple, where they are several.
  Layout start_of(const Recurrence& loop);
  /// Names for its states, which are known from here on.
  std::vector<std::string> entered(const Recurrence& loop);
  Text scan(const Recurrence& loop, std::size_t which);
  /// The elements that a reduction is of, where they are not all.
  struct Range {
    Poly from = {};
    std::optional<Poly> to = {};
    bool ends = false;  ///< `to` is how many there are
  };
  std::string ranged(const Range& range, bool is_name);
  std::optional<Text> reduction(const Recurrence& loop, const Poly& count, const Range& range);
  /// The bodies as the elements of a scan, one by one.
  std::optional<Text> whole_scan(const std::vector<Term>& counters, std::size_t first,
                                 const std::vector<Term>& bodies);

  // ---- Expressions ----

  /// A function's or the program's body: what is used more than once is named first.
  Layout body(std::vector<Term> terms, bool is_function);
  void name_arrays(std::vector<Term>& terms, std::vector<Layout>& lets);
  void name_shared(std::vector<Term>& terms, std::vector<Layout>& lets);
  bool is_in_scope(Term term) const;
  Text expression(Term term);
  Text number(Term term, bool needs_suffix);
  Text operation(Term term);
  Text element(Term term);
  Term bound(const std::string& name, NumberType type);

  /// The values of a constant array, row by row.
  Layout literal(const clang::Expr* value, clang::QualType type, NumberType kind);
  void find_sizes(const Shapes& shapes);

  // ---- The definition ----

  std::string shape(const std::vector<Poly>& lengths, NumberType type);
  void declare_numbers(const Shapes& shapes);
  void declare_arrays(const Shapes& shapes);
  /// Results of one loop that have something in common are computed together.
  std::vector<std::vector<NestResult>> grouped(const std::vector<NestResult>& results) const;
  void write_group(std::vector<NestResult>& group, bool is_only);

  const Loop& loop_;
  Terms& terms_;
  Samples& samples_;
  std::set<Term> sizes_;
  std::set<Term> scope_;  ///< counters and states that have names here
  std::map<Term, std::string> names_;
  std::set<std::string> used_;
  NestProgram program_;
  std::vector<Layout> parameters_, lines_, values_, types_;  ///< of the definition, as they are written
  std::vector<std::pair<NestResult, const Storage*>> written_;
  bool is_in_size_ = false;  ///< what is written is a size
};

}  // namespace hoist::openmp
