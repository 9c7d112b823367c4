#include "api/given.hpp"

#include <fmt/ranges.h>

#include "driver/inputs.hpp"
#include "driver/size_inference.hpp"

namespace hoist::api {

namespace {

/// What the array that is given for a leaf says of sizes: its shape, or how many elements it has where it
/// came without one.
driver::ShapeFact shape_fact(const ProgramState& state, const std::string& name, ir::Type type,
                             const Input& given) {
  const std::vector<arith::Expr> extents = ir::leaves(type).front().shape;
  const std::vector<std::int64_t>& shape = Access::shape(given);
  if (shape.empty()) {
    arith::Expr elements = 1;
    for (arith::Expr extent : extents) elements = elements * extent;
    const auto found = static_cast<std::int64_t>(elements_given(given));
    return {.input = name,
            .holder = "the array given for it",
            .given = fmt::format("an array of {} elements", found),
            .type = type,
            .wanted = {elements},
            .found = {found},
            .place = place_of(state, name)};
  }
  const std::string text = shape_text(Access::type(given), shape);
  if (shape.size() != extents.size())
    throw_about(state, name,
                fmt::format("the input {} is {}, but {} was given", name, ir::to_string(type), text));
  return {.input = name,
          .holder = "the array given for it",
          .given = text,
          .type = type,
          .wanted = extents,
          .found = shape,
          .place = place_of(state, name)};
}

}  // namespace

std::string shape_text(Scalar scalar, const std::vector<std::int64_t>& shape) {
  std::string text;
  for (std::int64_t extent : shape) text += fmt::format("[{}]", extent);
  return text + name_of(scalar);
}

void check_count(const char* what, const std::vector<std::string>& wanted, std::size_t given) {
  if (wanted.size() == given) return;
  throw_user(fmt::format("the program has {} {}{}, but {} were given", wanted.size(), what,
                         wanted.size() == 1 ? "" : "s", given),
             wanted.empty() ? "" : fmt::format("they are {}", fmt::join(wanted, ", ")),
             "a tuple counts as its components, each of which is given by itself");
}

void check_sizes_given(const ir::Program& program) {
  std::string missing;
  for (arith::Expr size : program.sizes) missing += (missing.empty() ? "" : ", ") + size->name;
  for (arith::Expr parameter : ir::open_parameters(program.function)) {
    missing += (missing.empty() ? "?" : ", ?") + parameter->name;
  }
  if (missing.empty()) return;
  throw_user("no value is given for " + missing,
             "compiling needs a number for every size and tuning parameter", "give them by name: N = 1024");
}

Sizes inferred_sizes(const ProgramState& state, const std::vector<Input>& inputs, const Sizes& given,
                     OpenParameters open) {
  const ir::Program program = read(state);
  // A name that the program does not have, before what is missing.
  need(driver::with_sizes(program, {given.begin(), given.end()}));
  std::vector<std::string> wanted;
  for (const ArrayType& each : state.inputs) wanted.push_back(each.name + ": " + each.type);
  check_count("input", wanted, inputs.size());
  driver::SizeInference inference(program, [](const std::string& name, std::int64_t example) {
    return fmt::format("give it by name: {} = {}", name, example);
  });
  if (open == OpenParameters::Allowed) inference.leave_parameters_open();
  for (const auto& [name, value] : given) inference.give(name, value);
  std::size_t next = 0;
  for (const ir::ParameterDeclaration& parameter : program.parameters) {
    for (const driver::NamedLeaf& leaf : driver::named_leaves(parameter.type)) {
      const Input& input = inputs[next++];
      const bool is_number = ir::leaves(leaf.type).front().shape.empty();
      if (!is_number && Access::kind(input) != Access::InputKind::Number)
        inference.add_shape(shape_fact(state, parameter.name + leaf.path, leaf.type, input));
    }
  }
  const driver::NamedSizes solved = need(inference.solve());
  return {solved.begin(), solved.end()};
}

Result<Sizes> infer_sizes(const Program& program, const std::vector<Input>& inputs, const Sizes& sizes) {
  const ProgramState& state = Access::state(program);
  return guarded(&state.source, [&] {
    const ir::Arena arena;
    return inferred_sizes(state, inputs, sizes);
  });
}

}  // namespace hoist::api
