// Reading a nest off a term, and writing it as one.
//
// `Reader` opens one map after the other. For each it asks what the map is over: an array becomes an input
// with this dimension, a zip several, and something made of outer elements by layouts alone becomes an array
// over the dimensions that those elements have (`input_of`). So the inner map of `x |> map(row => zip(row, y)
// |> map(f))` has two inputs, x with both dimensions and y with the inner one. `Writer` goes the other way:
// at each dimension it maps over the zip of the inputs that have it.
#include "rewrite/nest.hpp"

#include <algorithm>

#include "rewrite/invariants.hpp"
#include "rewrite/sharing.hpp"

namespace hoist::rewrite {

using ir::Op;
using ir::Term;

bool mentions(Term term, Term variable) {
  if (term == variable) return true;
  if (!term->has_free) return false;
  for (Term child : ir::children(term)) {
    if (mentions(child, variable)) return true;
  }
  return false;
}

namespace {

/// The part of a nest that some inputs make, with the dimensions numbered anew; `dims` says which they were.
Nest part_of(const Nest& nest, const std::vector<std::size_t>& inputs, std::vector<std::size_t>& dims) {
  Nest part;
  for (const std::size_t i : inputs) {
    for (const std::size_t d : nest.inputs[i].dims) {
      if (std::find(dims.begin(), dims.end(), d) == dims.end()) dims.push_back(d);
    }
  }
  std::sort(dims.begin(), dims.end());
  for (const std::size_t d : dims) part.lengths.push_back(nest.lengths[d]);
  for (const std::size_t i : inputs) {
    NestInput input = nest.inputs[i];
    for (std::size_t& d : input.dims)
      d = static_cast<std::size_t>(std::find(dims.begin(), dims.end(), d) - dims.begin());
    part.inputs.push_back(std::move(input));
  }
  return part;
}

std::string name_of(Term element) {
  const auto* variable = element.as<ir::Free>();
  return variable != nullptr ? variable->name : "e";
}

class Reader {
 public:
  explicit Reader(std::size_t depth) : depth_(depth) {}

  std::optional<Nest> read(Term term) {
    while (nest_.rank() < depth_) {
      term = without_views(term);
      const auto* call = term.as<ir::Call>();
      if (call == nullptr || call->op != Op::Map) break;
      const Term domain = call->arguments[1];
      if (recomputes(domain)) break;
      const auto* function = call->arguments[0].as<ir::Lambda>();
      const std::string name = function->names.empty() ? "e" : function->names[0];
      const std::size_t dimension = nest_.rank();
      nest_.lengths.push_back(domain.type()->size);
      term = ir::apply(call->arguments[0], {element_of(domain, dimension, name)});
    }
    if (nest_.rank() == 0) return std::nullopt;
    nest_.body = term;
    drop_unused(nest_);
    return nest_;
  }

 private:
  /// Bindings of what costs nothing are put in their place.
  static Term without_views(Term term) {
    while (const auto* let = term.as<ir::Let>()) {
      if (contains_loop(let->value) || !is_layout_only(let->value)) break;
      term = ir::apply(let->body, {let->value});
    }
    return term;
  }

  /// Whether reading the domain as a view of the nest's arrays would compute it again for every element.
  bool recomputes(Term domain) const {
    if (!contains_loop(domain)) return false;
    if (const auto* zip = domain.as<ir::Call>(); zip != nullptr && zip->op == Op::Zip)
      return std::any_of(zip->arguments.begin(), zip->arguments.end(),
                         [&](Term each) { return recomputes(each); });
    return std::any_of(nest_.inputs.begin(), nest_.inputs.end(),
                       [&](const NestInput& input) { return mentions(domain, input.element); });
  }

  static bool has_tuple(ir::Type type) {
    return ir::is_array(type) ? has_tuple(ir::element_of(type)) : ir::is_tuple(type);
  }

  Term element_of(Term domain, std::size_t dimension, const std::string& name) {
    // x |> map(row => zip(row, ..)): as if it were written where it is read.
    if (const auto* map = domain.as<ir::Call>();
        map != nullptr && map->op == Op::Map && has_tuple(domain.type()) && is_layout_only(map->arguments[0]))
      return ir::apply(map->arguments[0], {element_of(map->arguments[1], dimension, name)});
    if (const auto* zip = domain.as<ir::Call>(); zip != nullptr && zip->op == Op::Zip) {
      std::vector<Term> components;
      for (Term each : zip->arguments) components.push_back(element_of(each, dimension, name));
      return ir::tuple(std::move(components));
    }
    NestInput input = input_of(nest_, domain);
    input.dims.push_back(dimension);
    input.element = ir::fresh(ir::element_of(domain.type()), name);
    nest_.inputs.push_back(input);
    return input.element;
  }

  std::size_t depth_;
  Nest nest_;
};

class Writer {
 public:
  Writer(const Nest& nest, const std::vector<MapKind>& kinds) : nest_(nest), kinds_(kinds) {
    for (const NestInput& input : nest.inputs) current_.push_back(input.array);
  }

  Term write(std::size_t dimension = 0) {
    if (dimension == nest_.rank()) {
      std::vector<std::pair<Term, Term>> elements;
      for (std::size_t i = 0; i < current_.size(); ++i)
        elements.emplace_back(nest_.inputs[i].element, current_[i]);
      return ir::substitute_free(nest_.body, elements);
    }
    std::vector<std::size_t> here;
    std::vector<Term> arrays;
    for (std::size_t i = 0; i < current_.size(); ++i) {
      const auto& dims = nest_.inputs[i].dims;
      if (std::find(dims.begin(), dims.end(), dimension) == dims.end()) continue;
      here.push_back(i);
      arrays.push_back(current_[i]);
    }
    if (here.empty()) throw_user("nothing is read along one of the dimensions of the nest");
    const Term domain = arrays.size() == 1 ? arrays[0] : ir::call(Op::Zip, {}, arrays);
    const std::string name = here.size() == 1 ? name_of(nest_.inputs[here[0]].element) : "e";
    const Term element = ir::fresh(ir::element_of(domain.type()), name);
    for (std::size_t k = 0; k < here.size(); ++k)
      current_[here[k]] = here.size() == 1 ? element : ir::get(static_cast<std::uint32_t>(k), element);
    const Term function = ir::lambda(std::vector<Term>{element}, write(dimension + 1));
    return map_call(kinds_.empty() ? MapKind{} : kinds_[dimension], function, domain);
  }

 private:
  const Nest& nest_;
  const std::vector<MapKind>& kinds_;
  std::vector<Term> current_;
};

}  // namespace

Term map_call(MapKind kind, Term function, Term data) {
  std::vector<arith::Expr> sizes;
  if (ir::is_parallel_map(kind.op)) sizes.emplace_back(kind.dimension);
  return ir::call(kind.op, std::move(sizes), {function, data});
}

void drop_unused(Nest& nest) {
  for (std::size_t i = nest.inputs.size(); i-- > 0;) {
    if (mentions(nest.body, nest.inputs[i].element)) continue;
    const auto is_covered = [&](std::size_t d) {
      for (std::size_t j = 0; j < nest.inputs.size(); ++j) {
        const auto& dims = nest.inputs[j].dims;
        if (j != i && std::find(dims.begin(), dims.end(), d) != dims.end()) return true;
      }
      return false;
    };
    const auto& dims = nest.inputs[i].dims;
    if (std::all_of(dims.begin(), dims.end(), is_covered))
      nest.inputs.erase(nest.inputs.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

std::optional<Nest> nest_of(Term term, std::size_t depth) { return Reader(depth).read(term); }

Term to_term(const Nest& nest) { return to_term(nest, {}); }
Term to_term(const Nest& nest, const std::vector<MapKind>& kinds) { return Writer(nest, kinds).write(); }

NestInput input_of(const Nest& nest, Term view) {
  std::vector<std::size_t> used;
  for (std::size_t i = 0; i < nest.inputs.size(); ++i) {
    if (view == nest.inputs[i].element) return {nest.inputs[i].array, nest.inputs[i].dims, {}};
    if (mentions(view, nest.inputs[i].element)) used.push_back(i);
  }
  if (used.empty()) return {view, {}, {}};
  std::vector<std::size_t> dims;
  Nest part = part_of(nest, used, dims);
  part.body = view;
  return {to_term(part), std::move(dims), {}};
}

ir::Type inside_type(ir::Type type, std::size_t depth) {
  for (; depth > 0; --depth) type = ir::element_of(type);
  return type;
}

Term map_inside(Term array, std::size_t depth, const std::function<Term(Term)>& fn) {
  if (depth == 0) return fn(array);
  const Term element = ir::fresh(ir::element_of(array.type()), "e");
  const Term inside = map_inside(element, depth - 1, fn);
  if (inside == element) return array;
  return ir::call(Op::Map, {}, {ir::lambda(std::vector<Term>{element}, inside), array});
}

Term move_dimension(Term array, std::size_t from, std::size_t to) {
  const auto exchange = [](Term t) { return ir::call(Op::Transpose, {}, {t}); };
  for (; from > to; --from) array = map_inside(array, from - 1, exchange);
  for (; from < to; ++from) array = map_inside(array, from, exchange);
  return array;
}

Term joined_tiles(Term tiles, std::size_t dimensions) {
  if (dimensions == 0) return tiles;
  const Term joined = call1(Op::Join, {}, move_dimension(tiles, dimensions, 1));
  return map_inside(joined, 1, [&](Term inside) { return joined_tiles(inside, dimensions - 1); });
}

}  // namespace hoist::rewrite
