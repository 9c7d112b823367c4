// Stencils by register streaming: a work-item goes along the outermost dimension and keeps the window in
// registers, in vectors along the innermost dimension. Of a 5-point stencil on rows of N it makes
//
//   each work-item: 4 neighbours of a row, `rows` rows one after the other; at each step it reads one new row
//   (a vector and the scalars beside it), and the two before are in registers (mapSeqSlide)
//
// Since windows are read at constant places, the element of the window at place p is the element of the
// padded array p further: an array over the nest. `prepare` finds these accesses (stencil.hpp) or tells why
// the nest is no stencil. `collect_places` gathers them by row of the window. `computed_of_places` asks
// whether fewer values move when the body computes something of single rows; then those are moved
// (`use_computed`), else the elements (`use_elements`). Each array that is read becomes a `Piece`; `outer` is
// the nest of work-items over the pieces, `step` what a work-item computes at once over its `Lanes`, and
// `assembled` puts the result's dimensions in order again.
#include "rewrite/streaming.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>

#include "rewrite/invariants.hpp"
#include "rewrite/stencil.hpp"

namespace hoist::rewrite {

using arith::Expr;
using ir::Op;
using ir::Term;

namespace {

// ---- Lanes: what a work-item computes at once.

/// A row of a window's cross-section: which input, and the offsets in the dimensions between the outermost
/// and the innermost.
struct Row {
  std::size_t input;
  std::vector<std::int64_t> middle;
  auto operator<=>(const Row&) const = default;
};

/// The offsets in the innermost dimension.
struct Span {
  std::int64_t least, most;
  void include(std::int64_t offset) {
    least = std::min(least, offset);
    most = std::max(most, offset);
  }
};

/// Arrays over the lanes, and what stands for their elements.
struct Lanes {
  std::vector<Term> arrays;
  std::vector<std::pair<Term, std::function<Term(Term)>>> variables;  ///< each of one array's element
  std::vector<std::size_t> owner;                                     ///< the array of each variable

  std::size_t add(Term array) {
    arrays.push_back(array);
    return arrays.size() - 1;
  }
  void bind(Term variable, std::size_t array, std::function<Term(Term)> read) {
    variables.emplace_back(variable, std::move(read));
    owner.push_back(array);
  }
  /// [width] of the body.
  Term over(Op op, Term body) const {
    const Term domain = zip(arrays);
    const Term element = ir::fresh(ir::element_of(domain.type()), "lane");
    return ir::call(op, {}, {ir::lambda(std::vector<Term>{element}, of(body, element)), domain});
  }
  Term of(Term body, Term element) const {
    std::vector<std::pair<Term, Term>> values;
    for (std::size_t i = 0; i < variables.size(); ++i)
      values.emplace_back(
          variables[i].first,
          variables[i].second(arrays.empty() ? element : part_of(element, owner[i], arrays.size())));
    return ir::substitute_free(body, values);
  }
};

/// An array over dimensions of a nest, whose elements a work-item reads: one, or one for each step of the
/// streamed dimension.
struct Piece {
  Term array;
  std::vector<std::size_t> dims;
  const Border* border = nullptr;  ///< of the streamed dimension
  std::int64_t before = 0, after = 0;
  Term variable;  ///< stands for one element
};

class Streamer {
 public:
  Streamer(const Nest& nest, std::int64_t width) : nest_(nest), width_(width) {}

  /// Empty, or why this is no nest to stream.
  std::string prepare() {
    if (nest_.rank() > 3) return "it has more than three dimensions";
    for (const NestInput& input : nest_.inputs) {
      const bool has_all = input.dims.size() == nest_.rank();
      stencils_.push_back(has_all ? stencil_of(input.array, nest_.rank()) : std::nullopt);
      if (stencils_.back()) depth_ = std::max(depth_, streams() ? stencils_.back()->window[0] : 1);
      if (!stencils_.back() && !ir::is_scalar(input.element.type()))
        return "it reads an array that consists neither of scalars nor of windows of known sizes";
    }
    if (!std::any_of(stencils_.begin(), stencils_.end(), [](const auto& each) { return each.has_value(); }))
      return "it reads no windows";
    std::vector<bool> is_windows;
    for (const auto& each : stencils_) is_windows.push_back(each.has_value());
    body_ = with_accesses(nest_, std::move(is_windows), accesses_);
    for (std::size_t i = 0; i < nest_.inputs.size(); ++i) {
      if (stencils_[i] && mentions(body_, nest_.inputs[i].element))
        return "it reads its windows at indices that are not constant";
    }
    if (contains_loop(body_)) return "there is a loop in its body";
    if (!is_scalars(body_.type())) return "its elements are no scalars";
    return "";
  }

  bool streams() const { return nest_.rank() > 1; }

  Term run(const std::vector<MapKind>& kinds, Expr count) {
    count_ = count;
    collect_places();
    if (const auto computed = computed_of_places()) {
      use_computed(*computed);
    } else {
      use_elements();
    }
    use_plain_inputs();
    return assembled(to_term(outer(), kinds));
  }

 private:
  /// What stands for a piece's element at a place of the window.
  using Reader = std::function<Term(Term piece, std::int64_t place)>;

  std::size_t innermost() const { return nest_.rank() - 1; }
  /// The offset in the streamed dimension, 0 where none is.
  std::int64_t place_of(const Access& access) const { return streams() ? access.place[0] : 0; }
  static Row row_of(const Access& access) {
    Row row{access.input, {}};
    if (access.place.size() > 2) row.middle.assign(access.place.begin() + 1, access.place.end() - 1);
    return row;
  }
  /// The window's place of an input in a window of `depth_`: they end together.
  std::int64_t aligned(std::size_t input) const {
    return stencils_[input] && streams() ? depth_ - stencils_[input]->window[0] : depth_ - 1;
  }

  void collect_places() {
    for (const Access& access : accesses_) {
      const std::int64_t home = stencils_[access.input]->home(innermost());
      const std::int64_t offset = access.place.back();
      const Span own{std::min(offset, home), std::max(offset, home)};
      const auto [all, is_new] = rows_.emplace(row_of(access), own);
      all->second.include(own.least);
      all->second.include(own.most);
    }
  }

  // ---- Pieces.

  /// The elements at a row and an offset as an array over the nest, but for the outermost dimension's border.
  Term elements(const Row& row, std::int64_t offset) {
    const Stencil& stencil = *stencils_[row.input];
    Term array = stencil.bordered.data;
    for (std::size_t d = streams() ? 1 : 0; d < innermost(); ++d)
      array = elements_at(array, stencil, d, row.middle[d - 1], nest_.lengths[d]);
    return elements_at(array, stencil, innermost(), offset, nest_.lengths[innermost()]);
  }
  Term vectors(Term array, std::size_t depth) const {
    if (width_ == 1) return array;
    return map_inside(array, depth, [&](Term line) { return call1(Op::AsVector, {width_}, line); });
  }
  Term one_lane(Term array, std::int64_t lane) const {
    return map_inside(array, innermost(), [&](Term line) {
      return map_inside(call1(Op::Split, {width_}, line), 1, [&](Term chunk) { return at(chunk, lane); });
    });
  }

  /// Pieces of a row: all of the offsets in it where there are no vectors; or scalars before, a vector,
  /// scalars after.
  struct RowPieces {
    std::int64_t first = 0;  ///< the offset of the first scalar
    std::vector<Term> scalars_before, scalars_after;
    Term vector;  ///< of the home offset
  };

  Term add_piece(Term array, const Row& row) {
    const Stencil& stencil = *stencils_[row.input];
    Piece piece{array, all_dimensions(), nullptr, 0, 0, {}};
    if (streams()) {
      piece.border = &stencil.bordered.borders[0];
      piece.before = stencil.before[0];
      piece.after = stencil.after[0];
    }
    piece.before += aligned(row.input);
    return add_piece(std::move(piece));
  }
  Term add_piece(Piece piece) {
    ir::Type type = piece.array.type();
    for (std::size_t d = 0; d < piece.dims.size(); ++d) type = ir::element_of(type);
    piece.variable = ir::fresh(type, "p");
    pieces_.push_back(std::move(piece));
    return pieces_.back().variable;
  }
  std::vector<std::size_t> all_dimensions() const {
    std::vector<std::size_t> dims(nest_.rank());
    std::iota(dims.begin(), dims.end(), 0U);
    return dims;
  }

  /// The arrays of a row's pieces, each given to `add`, which says what stands for their elements.
  template <class Add>
  RowPieces pieces_of(const Row& row, const Span& span, Add&& add) {
    const std::int64_t home = stencils_[row.input]->home(innermost());
    RowPieces pieces;
    pieces.first = span.least;
    if (width_ == 1) {
      for (std::int64_t x = span.least; x <= span.most; ++x)
        pieces.scalars_before.push_back(is_read(row, x) ? add(elements(row, x)) : Term());
      return pieces;
    }
    for (std::int64_t x = span.least; x < home; ++x)
      pieces.scalars_before.push_back(add(one_lane(elements(row, x), 0)));
    pieces.vector = add(vectors(elements(row, home), innermost()));
    for (std::int64_t x = home + 1; x <= span.most; ++x)
      pieces.scalars_after.push_back(add(one_lane(elements(row, x), width_ - 1)));
    return pieces;
  }

  bool is_read(const Row& row, std::int64_t offset) const {
    return std::any_of(accesses_.begin(), accesses_.end(), [&](const Access& access) {
      return row_of(access) == row && access.place.back() == offset;
    });
  }

  /// What the lanes read of a row between two offsets, through `value`, which says what a piece is here.
  template <class Value>
  void add_lines(Lanes& lanes, const RowPieces& pieces, const Row& row,
                 const std::vector<std::pair<Term, std::int64_t>>& reads, Value&& value) {
    if (width_ == 1) {
      for (const auto& [variable, offset] : reads) {
        const Term own = value(pieces.scalars_before[static_cast<std::size_t>(offset - pieces.first)]);
        lanes.bind(variable, 0, [own](Term) { return own; });
      }
      return;
    }
    const std::int64_t home = stencils_[row.input]->home(innermost());
    Span span{home, home};
    for (const auto& [variable, offset] : reads) span.include(offset);
    Term line = call1(Op::AsScalar, {}, single(value(pieces.vector)));
    for (std::int64_t x = home - 1; x >= span.least; --x)
      line =
          ir::call(Op::Concat, {},
                   {single(value(pieces.scalars_before[static_cast<std::size_t>(x - pieces.first)])), line});
    for (std::int64_t x = home + 1; x <= span.most; ++x)
      line = ir::call(Op::Concat, {},
                      {line, single(value(pieces.scalars_after[static_cast<std::size_t>(x - home - 1)]))});
    const std::int64_t length = span.most - span.least + 1;
    if (length > 1) line = call1(Op::Slide, {length, 1}, line);
    const std::size_t array = lanes.add(line);
    for (const auto& [variable, offset] : reads)
      lanes.bind(variable, array, [index = offset - span.least, length](Term element) {
        return length > 1 ? at(element, index) : element;
      });
  }

  // ---- Elements move through the registers.

  void use_elements() {
    for (const auto& [row, span] : rows_) {
      const RowPieces pieces = pieces_of(row, span, [&](Term array) { return add_piece(array, row); });
      std::map<std::int64_t, std::vector<std::pair<Term, std::int64_t>>> reads;
      for (const Access& access : accesses_) {
        if (row_of(access) == row) reads[place_of(access)].emplace_back(access.variable, access.place.back());
      }
      for (const auto& [place, variables] : reads) {
        lines_.push_back([this, pieces, row = row, variables = variables, step = aligned(row.input) + place](
                             Lanes& lanes, const Reader& read) {
          add_lines(lanes, pieces, row, variables, [&](Term piece) { return read(piece, step); });
        });
      }
    }
  }

  // ---- Values computed of one place move through the registers.

  /// Values of one place of one input, written with the variables of the accesses at their least place.
  struct Computed {
    std::size_t input = 0;
    std::vector<Term> values;
    std::map<std::pair<std::int64_t, std::size_t>, Term> variables;  ///< by place and value
  };

  /// The access at another place of the streamed dimension, as a variable that stands for all places.
  Term anywhere(const Access& access) {
    auto place = access.place;
    place[0] = 0;
    const auto [found, is_new] = anywhere_.emplace(place, Term());
    if (is_new) found->second = ir::fresh(access.variable.type(), "n");
    return found->second;
  }

  /// What a term reads: windows' elements at places of the streamed dimension, and elements of other inputs.
  struct Reads {
    std::optional<std::int64_t> place;  ///< the only one; nothing where there are several or none
    bool has_several = false, has_plain = false;

    void add(const Reads& other) {
      has_several = has_several || other.has_several || (place && other.place && place != other.place);
      place = has_several ? std::nullopt : place ? place : other.place;
      has_plain = has_plain || other.has_plain;
    }
  };
  /// Each term is looked at once: a sum of a thousand terms is as deep, and asked about at each depth.
  Reads reads_of(Term term) {
    if (!term->has_free) return {};
    if (reads_.empty()) {
      for (const Access& access : accesses_) reads_[access.variable].place = access.place[0];
      for (std::size_t i = 0; i < nest_.inputs.size(); ++i) {
        if (!stencils_[i]) reads_[nest_.inputs[i].element].has_plain = true;
      }
    }
    if (const auto known = reads_.find(term); known != reads_.end()) return known->second;
    Reads all;
    for (Term child : ir::children(term)) all.add(reads_of(child));
    reads_.emplace(term, all);
    return all;
  }

  /// A term that reads one place only, as what is computed of any place; nothing for other terms.
  Term computed_anywhere(Term term, std::optional<std::int64_t>& place, bool is_inside_function) {
    const Reads reads = reads_of(term);
    place = reads.place;
    const bool may_move = !is_inside_function || term->loose == 0;
    if (!place || !may_move || !ir::is_scalar(term.type()) || reads.has_plain) return {};
    std::vector<std::pair<Term, Term>> moved;
    for (const Access& access : accesses_) {
      if (access.place[0] == *place) moved.emplace_back(access.variable, anywhere(access));
    }
    return ir::substitute_free(term, moved);
  }

  /// The largest values of one place each.
  void collect_values(Term term, std::vector<Term>& values, bool is_inside_function = false) {
    std::optional<std::int64_t> place;
    if (const Term value = computed_anywhere(term, place, is_inside_function)) {
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
      return;
    }
    if (!term->has_free) return;
    const bool inside = is_inside_function || term.as<ir::Lambda>() != nullptr;
    for (Term child : ir::children(term)) collect_values(child, values, inside);
  }

  static Term without(Term term, const std::vector<Term>& values, Term instead) {
    if (std::find(values.begin(), values.end(), term) != values.end()) return instead;
    std::vector<Term> children = ir::children(term);
    for (Term& child : children) child = without(child, values, instead);
    return ir::with_children(term, children);
  }

  /// Without values that are computed of other values alone.
  std::vector<Term> independent(std::vector<Term> values) const {
    for (std::size_t i = values.size(); i-- > 0;) {
      std::vector<Term> others = values;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const Term rest = without(values[i], others, ir::fresh(values[i].type(), "c"));
      const bool is_dependent = std::none_of(anywhere_.begin(), anywhere_.end(),
                                             [&](const auto& each) { return mentions(rest, each.second); });
      if (is_dependent) values = std::move(others);
    }
    return values;
  }

  /// The body with variables in the place of the values.
  Term with_computed(Term term, Computed& computed, bool is_inside_function = false) {
    std::optional<std::int64_t> place;
    const Term value = computed_anywhere(term, place, is_inside_function);
    const auto known = std::find(computed.values.begin(), computed.values.end(), value);
    if (value && known != computed.values.end()) {
      const std::pair key(*place, static_cast<std::size_t>(known - computed.values.begin()));
      const auto [found, is_new] = computed.variables.emplace(key, Term());
      if (is_new) found->second = ir::fresh(term.type(), "c");
      return found->second;
    }
    if (!term->has_free) return term;
    std::vector<Term> children = ir::children(term);
    const bool inside = is_inside_function || term.as<ir::Lambda>() != nullptr;
    for (Term& child : children) child = with_computed(child, computed, inside);
    return ir::with_children(term, children);
  }

  /// Nothing where the elements are fewer.
  std::optional<Computed> computed_of_places() {
    Computed computed;
    std::vector<std::size_t> inputs;
    for (const Access& access : accesses_) inputs.push_back(access.input);
    const bool is_one =
        std::all_of(inputs.begin(), inputs.end(), [&](std::size_t i) { return i == inputs[0]; });
    if (!streams() || !is_one) return std::nullopt;
    computed.input = inputs[0];
    collect_values(body_, computed.values);
    computed.values = independent(std::move(computed.values));
    std::int64_t elements = 0;
    for (const auto& [row, span] : rows_) elements += span.most - span.least + width_;
    if (static_cast<std::int64_t>(computed.values.size()) * width_ >= elements) return std::nullopt;
    body_ = with_computed(body_, computed);
    return computed;
  }

  void use_computed(const Computed& computed) {
    Nest values;
    values.lengths = nest_.lengths;
    const Stencil& stencil = *stencils_[computed.input];
    values.lengths[0] = nest_.lengths[0] + stencil.window[0] - 1;
    if (width_ > 1) values.lengths.back() = arith::exact_quotient(values.lengths.back(), Expr(width_));
    Lanes lanes;
    for (const auto& [row, span] : rows_) {
      const RowPieces pieces = pieces_of(row, span, [&](Term array) {
        array = with_border(array, stencil.bordered.borders[0], stencil.before[0], stencil.after[0]);
        ir::Type type = array.type();
        for (std::size_t d = 0; d < nest_.rank(); ++d) type = ir::element_of(type);
        values.inputs.push_back({array, all_dimensions(), ir::fresh(type, "e")});
        return values.inputs.back().element;
      });
      std::vector<std::pair<Term, std::int64_t>> reads;
      for (const Access& access : accesses_) {
        const std::pair<Term, std::int64_t> read(anywhere(access), access.place.back());
        if (row_of(access) == row && std::find(reads.begin(), reads.end(), read) == reads.end())
          reads.push_back(read);
      }
      add_lines(lanes, pieces, row, reads, [](Term piece) { return piece; });
    }
    for (std::size_t i = 0; i < computed.values.size(); ++i) {
      const Term value = computed.values[i];
      values.body = width_ == 1 ? lanes.of(value, {}) : lanes.over(Op::Map, value);
      Piece piece{to_term(values), all_dimensions(), nullptr, aligned(computed.input), 0, {}};
      add_computed(computed, i, add_piece(std::move(piece)));
    }
  }

  void add_computed(const Computed& computed, std::size_t index, Term piece) {
    for (const auto& [key, variable] : computed.variables) {
      if (key.second != index) continue;
      lines_.push_back([this, piece, variable = variable, step = aligned(computed.input) + key.first](
                           Lanes& lanes, const Reader& read) {
        const Term value = read(piece, step);
        if (width_ == 1) {
          lanes.bind(variable, 0, [value](Term) { return value; });
        } else {
          lanes.bind(variable, lanes.add(value), [](Term element) { return element; });
        }
      });
    }
  }

  // ---- Arrays without windows.

  void use_plain_inputs() {
    for (std::size_t i = 0; i < nest_.inputs.size(); ++i) {
      const NestInput& input = nest_.inputs[i];
      if (stencils_[i] || !mentions(body_, input.element)) continue;
      const bool has_lanes = width_ > 1 && input.dims.back() == innermost();
      Piece piece{input.array, input.dims, nullptr, 0, 0, {}};
      if (has_lanes) piece.array = vectors(piece.array, input.dims.size() - 1);
      if (is_streamed(piece)) piece.before = depth_ - 1;
      const Term variable = add_piece(std::move(piece));
      lines_.push_back([this, variable, has_lanes, element = input.element](Lanes& lanes,
                                                                            const Reader& read) {
        const Term value = read(variable, depth_ - 1);
        if (has_lanes) {
          lanes.bind(element, lanes.add(call1(Op::AsScalar, {}, single(value))), [](Term e) { return e; });
        } else {
          lanes.bind(element, 0, [value](Term) { return value; });
        }
      });
    }
  }

  // ---- The nest of work-items.

  bool is_streamed(const Piece& piece) const { return streams() && piece.dims.front() == 0; }

  /// [n][m]t as [n / count][m][count + depth - 1]t.
  Term cut(const Piece& piece) const {
    if (!is_streamed(piece)) return piece.array;
    const Term whole = with_border(piece.array, piece.border != nullptr ? *piece.border : Border(),
                                   piece.before, piece.after);
    Term chunks = call1(Op::Slide, {count_ + depth_ - 1, count_}, whole);
    // What is assumed is what split assumes: that chunks come out even.
    const Expr chunk_count = arith::exact_quotient(nest_.lengths[0], count_);
    if (chunks.type()->size != chunk_count) chunks = call1(Op::Take, {chunk_count}, chunks);
    return move_dimension(chunks, 1, piece.dims.size());
  }

  Nest outer() {
    Nest nest;
    nest.lengths = nest_.lengths;
    if (streams()) nest.lengths[0] = arith::exact_quotient(nest_.lengths[0], count_);
    if (width_ > 1) nest.lengths.back() = arith::exact_quotient(nest_.lengths.back(), Expr(width_));
    std::vector<Term> columns, moving;
    std::vector<std::pair<Term, Term>> resting;
    for (const Piece& piece : pieces_) {
      const Term array = cut(piece);
      ir::Type type = array.type();
      for (std::size_t d = 0; d < piece.dims.size(); ++d) type = ir::element_of(type);
      nest.inputs.push_back({array, piece.dims, ir::fresh(type, "e")});
      if (is_streamed(piece)) {
        columns.push_back(nest.inputs.back().element);
        moving.push_back(piece.variable);
      } else {
        resting.emplace_back(piece.variable, nest.inputs.back().element);
      }
    }
    nest.body = streams() ? stream(columns, moving, resting) : step({}, {}, resting);
    return nest;
  }

  Term stream(const std::vector<Term>& columns, const std::vector<Term>& moving,
              const std::vector<std::pair<Term, Term>>& resting) {
    const Term column = zip(columns);
    const Term window = ir::fresh(ir::array_type(Expr(depth_), ir::element_of(column.type())), "window");
    const Term function = ir::lambda(std::vector<Term>{window}, step(window, moving, resting));
    return ir::call(Op::MapSeqSlide, {depth_, 1}, {function, column});
  }

  /// What a work-item computes at once: a scalar, or [1] of a vector.
  Term step(Term window, const std::vector<Term>& moving, const std::vector<std::pair<Term, Term>>& resting) {
    const Reader read = [&](Term piece, std::int64_t place) {
      for (const auto& [variable, value] : resting) {
        if (variable == piece) return value;
      }
      const auto index =
          static_cast<std::size_t>(std::find(moving.begin(), moving.end(), piece) - moving.begin());
      return part_of(at(window, place), index, moving.size());
    };
    Lanes lanes;
    for (const auto& add : lines_) add(lanes, read);
    if (width_ == 1) return lanes.of(body_, {});
    const Term values = call1(Op::ToPrivate, {}, lanes.over(Op::MapSeqUnroll, body_));
    return stored(values);
  }

  Term stored(Term values) const {
    const auto copied = [](Term array) {
      const Term e = ir::fresh(ir::element_of(array.type()), "e");
      return ir::call(Op::MapSeq, {}, {ir::lambda(std::vector<Term>{e}, e), array});
    };
    if (!ir::is_tuple(body_.type())) return copied(call1(Op::AsVector, {width_}, values));
    const Term kept = ir::fresh(values.type(), "values");
    const Term parts = call1(Op::Unzip, {}, kept);
    std::vector<Term> vectors;
    for (std::uint32_t i = 0; i < body_.type()->elements.size(); ++i)
      vectors.push_back(call1(Op::AsVector, {width_}, ir::get(i, parts)));
    return ir::let(values, ir::lambda(std::vector<Term>{kept}, copied(zip(vectors))));
  }

  /// The result's dimensions in order again.
  Term assembled(Term result) const {
    if (streams()) result = call1(Op::Join, {}, move_dimension(result, nest_.rank(), 1));
    if (width_ == 1) return result;
    return map_inside(result, innermost(), [&](Term line) {
      line = call1(Op::Join, {}, line);
      if (!ir::is_tuple(body_.type())) return call1(Op::AsScalar, {}, line);
      const Term parts = call1(Op::Unzip, {}, line);
      std::vector<Term> scalars;
      for (std::uint32_t i = 0; i < body_.type()->elements.size(); ++i)
        scalars.push_back(call1(Op::AsScalar, {}, ir::get(i, parts)));
      return zip(scalars);
    });
  }

  const Nest& nest_;
  std::int64_t width_, depth_ = 1;
  Expr count_ = 1;
  std::vector<std::optional<Stencil>> stencils_;
  std::vector<Access> accesses_;
  Term body_;
  std::map<Row, Span> rows_;
  std::unordered_map<Term, Reads> reads_;
  std::map<std::vector<std::int64_t>, Term> anywhere_;
  std::vector<Piece> pieces_;
  std::vector<std::function<void(Lanes&, const Reader&)>> lines_;
};

}  // namespace

Outcome streamed(const Nest& nest, std::int64_t width, Op owner, const std::function<Expr()>& rows) {
  Streamer streamer(nest, width);
  if (const std::string reason = streamer.prepare(); !reason.empty()) return declined(reason);
  std::vector<MapKind> kinds;
  for (std::size_t d = 0; d < nest.rank(); ++d)
    kinds.push_back({owner, static_cast<std::int64_t>(nest.rank() - 1 - d)});
  return streamer.run(kinds, streamer.streams() ? rows() : Expr(1));
}

}  // namespace hoist::rewrite
