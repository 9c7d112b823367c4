#include "api/access.hpp"
#include "driver/inputs.hpp"
#include "driver/suite.hpp"

namespace hoist::api {

namespace {

/// The flattened arrays of a type, by the name of what has it.
void add_arrays(const std::string& name, ir::Type type, std::vector<ArrayType>& arrays) {
  const std::vector<ir::Leaf> leaves = ir::leaves(type);
  const std::vector<driver::NamedLeaf> names = driver::named_leaves(type);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    ArrayType array{name + names[i].path, ir::to_string(names[i].type), outer(leaves[i].scalar), {}};
    for (arith::Expr extent : leaves[i].shape) array.shape.push_back(arith::to_string(extent));
    arrays.push_back(std::move(array));
  }
}

Result<Program> checked(Source source, const std::string& entry) {
  ProgramState state;
  state.source = std::move(source);
  state.entry = entry;
  return guarded(&state.source, [&] {
    ir::Arena arena;
    const ir::Program program = read(state);
    state.outline = lang::outline_of(state.source, {.entry = entry});
    state.name = program.name;
    state.result_type = ir::to_string(program.result());
    for (const ir::ParameterDeclaration& parameter : program.parameters) {
      state.parameters.push_back({parameter.name, ir::to_string(parameter.type)});
      add_arrays(parameter.name, parameter.type, state.inputs);
    }
    add_arrays("result", program.result(), state.outputs);
    for (arith::Expr size : program.sizes) state.size_variables.push_back(size->name);
    for (arith::Expr parameter : ir::open_parameters(program.function)) {
      state.tuning_parameters.push_back(parameter->name);
    }
    for (const ir::SizeAssumption& assumption : ir::size_assumptions(program.function)) {
      state.assumptions.push_back(assumption.message);
    }
    return Access::program(state);
  });
}

}  // namespace

std::string name_of(Scalar type) { return std::string(hoist::name_of(inner(type))); }
std::size_t size_of(Scalar type) { return hoist::size_of(inner(type)); }

std::optional<Span> place_of(const ProgramState& state, const std::string& input) {
  const std::string name = input.substr(0, input.find('.'));
  for (const auto& [parameter, place] : state.outline.parameters) {
    if (parameter == name) return place;
  }
  return std::nullopt;
}

void throw_about(const ProgramState& state, const std::string& input, std::string message, std::string note,
                 std::string help) {
  throw Failure(
      hoist::Error{hoist::ErrorKind::User,
                   {{std::move(message), place_of(state, input), std::move(note), std::move(help)}}});
}

Error input_error(const Program& program, std::size_t input, const std::string& message,
                  const std::string& note, const std::string& help) {
  const ProgramState& state = Access::state(program);
  const Result<void> failed =
      guarded(&state.source, [&] { throw_about(state, state.inputs.at(input).name, message, note, help); });
  return failed.error();
}

ir::Program read(const ProgramState& state) {
  return need(lang::parse_program(state.source, {.entry = state.entry}));
}

Result<Program> Program::parse(const std::string& text, const std::string& entry, const std::string& name) {
  return checked({name, text}, entry);
}

Result<Program> Program::load(const std::string& path, const std::string& entry) {
  auto source = driver::read_source(path);
  if (!source) return told(source.error());
  return checked(std::move(*source), entry);
}

const std::string& Program::name() const { return state_->name; }
const std::string& Program::text() const { return state_->source.text; }
const std::string& Program::entry() const { return state_->entry; }
const std::string& Program::source_name() const { return state_->source.name; }
const std::string& Program::documentation() const { return state_->outline.documentation; }
const std::vector<Parameter>& Program::parameters() const { return state_->parameters; }
const std::string& Program::result_type() const { return state_->result_type; }
const std::vector<ArrayType>& Program::inputs() const { return state_->inputs; }
const std::vector<ArrayType>& Program::outputs() const { return state_->outputs; }
const std::vector<std::string>& Program::size_variables() const { return state_->size_variables; }
const std::vector<std::string>& Program::tuning_parameters() const { return state_->tuning_parameters; }
const std::vector<std::string>& Program::assumptions() const { return state_->assumptions; }

}  // namespace hoist::api
