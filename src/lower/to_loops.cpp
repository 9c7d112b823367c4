// A whole program: its inputs, outputs and steps.
#include "lower/to_loops.hpp"

namespace hoist::lower {

namespace {

/// Words that some target language keeps for itself, and names that the printers use.
constexpr const char* reserved_words[] = {
    "auto",      "bool",      "break",     "case",    "char",     "const",     "continue",   "default",
    "do",        "double",    "else",      "enum",    "extern",   "float",     "for",        "goto",
    "if",        "inline",    "int",       "long",    "register", "restrict",  "return",     "short",
    "signed",    "sizeof",    "static",    "struct",  "switch",   "typedef",   "union",      "unsigned",
    "void",      "volatile",  "while",     "kernel",  "global",   "local",     "private",    "constant",
    "half",      "uchar",     "ushort",    "uint",    "ulong",    "read_only", "write_only", "min",
    "max",       "abs",       "sqrt",      "exp",     "log",      "sin",       "cos",        "tan",
    "pow",       "floor",     "ceil",      "round",   "fma",      "dot",       "cross",      "length",
    "distance",  "normalize", "clamp",     "mix",     "step",     "select",    "barrier",    "main",
    "class",     "new",       "delete",    "this",    "template", "namespace", "using",      "public",
    "protected", "operator",  "true",      "false",   "and",      "or",        "not",        "xor",
    "asm",       "range",     "arguments", "size_t",  "std",      "mad",       "sign",       "tanh",
    "erf",       "exp2",      "log2",      "rsqrt",   "atan",     "atan2",     "trunc",      "event",
    "image",     "sampler",   "y0",        "y1",      "j0",       "j1",        "jn",         "yn",
    "gamma",     "any",       "all",       "radians", "degrees",  "try",       "catch",      "throw"};

arith::Expr scalars_of(const ir::Leaf& leaf) {
  arith::Expr count = 1;
  for (arith::Expr extent : leaf.shape) count = count * extent;
  return count;
}

MemoryLeaf dense(const loop::BufferPtr& buffer, const ir::Leaf& leaf) {
  MemoryLeaf memory;
  memory.buffer = buffer;
  memory.dimensions.resize(leaf.shape.size());
  arith::Expr stride = 1;
  for (std::size_t d = leaf.shape.size(); d-- > 0;) {
    memory.dimensions[d].stride = stride;
    stride = stride * leaf.shape[d];
  }
  return memory;
}

}  // namespace

ToLoops::ToLoops(const ir::Program& program, const Options& options) : program_(program), options_(options) {
  for (const char* word : reserved_words) names_.reserve(word);
  names_.reserve(fault_flag);
  // Sizes keep their names: they are the kernels' integer parameters.
  for (arith::Expr size : program.sizes) names_.reserve(size->name);
}

loop::Plan ToLoops::run() {
  plan_.name = program_.name;
  plan_.sizes = program_.sizes;
  steps_ = &plan_.steps;
  for (const ir::SizeAssumption& assumption : ir::size_assumptions(program_.function)) {
    plan_.assumptions.push_back({assumption.predicate, assumption.message});
  }

  EnvironmentPtr env;
  for (const ir::ParameterDeclaration& parameter : program_.parameters) {
    std::vector<ir::Leaf> leaves = ir::leaves(parameter.type);
    std::size_t next = 0;
    // A component without dimensions is a scalar argument, the others are buffers.
    std::function<View(ir::Type)> input = [&](ir::Type type) -> View {
      auto name = [&] {
        return names_.fresh(leaves.size() == 1 ? parameter.name
                                               : parameter.name + "_" + std::to_string(next));
      };
      if (ir::is_scalar(type)) {
        auto variable = std::make_shared<loop::Variable>(loop::Variable{name(), {type->scalar, 1}, false});
        plan_.inputs.emplace_back(loop::ScalarInput{variable});
        const bool is_as_index =
            type->scalar == Scalar::I32 || is_narrow(type->scalar);  // others may be cut to fewer bits
        if (is_as_index) index_of_.emplace(variable, arith::data(variable->name));
        ++next;
        return value_view(type, loop::reference(variable));
      }
      if (ir::is_tuple(type)) {
        std::vector<View> components;
        for (ir::Type component : type->elements) components.push_back(input(component));
        return tuple_view(type, std::move(components));
      }
      MemoryRegion region{type, {}};
      std::size_t count = ir::leaves(type).size();
      for (std::size_t i = 0; i < count; ++i, ++next) {
        const ir::Leaf& leaf = leaves[next];
        auto buffer = std::make_shared<loop::Buffer>(
            loop::Buffer{name(), {leaf.scalar, 1}, loop::AddressSpace::Global, scalars_of(leaf)});
        plan_.inputs.emplace_back(buffer);
        inputs_.emplace(buffer.get(), buffer);
        region.leaves.push_back(dense(buffer, leaf));
      }
      return memory_view(std::move(region));
    };
    env = std::make_shared<Environment>(Environment{input(parameter.type), env});
  }

  ir::Term body = program_.function.as<ir::Lambda>()->body;
  MemoryRegion result{body.type(), {}};
  std::vector<ir::Leaf> leaves = ir::leaves(body.type());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    auto buffer = std::make_shared<loop::Buffer>(
        loop::Buffer{names_.fresh(leaves.size() == 1 ? "out" : "out_" + std::to_string(i)),
                     {leaves[i].scalar, 1},
                     loop::AddressSpace::Global,
                     scalars_of(leaves[i])});
    plan_.outputs.push_back(buffer);
    result.leaves.push_back(dense(buffer, leaves[i]));
  }
  write(body, env, memory_destination(result));
  if (faults_) plan_.temporaries.push_back(faults_);
  return std::move(plan_);
}

}  // namespace hoist::lower
