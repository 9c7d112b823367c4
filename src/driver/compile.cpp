#include "driver/compile.hpp"

#include <algorithm>
#include <cstdint>

#include "base/need.hpp"
#include "codegen/codegen.hpp"
#include "loop/at_launch.hpp"
#include "rewrite/default_mapping.hpp"
#include "target/kinds.hpp"

namespace hoist::driver {

Result<ir::Program> with_sizes(const ir::Program& program, const NamedSizes& values) {
  arith::Substitution replacements;
  std::vector<arith::Expr> parameters = ir::open_parameters(program.function);
  for (const auto& [name, value] : values) {
    auto same_name = [&, n = name](arith::Expr e) { return e->name == n; };
    auto size = std::find_if(program.sizes.begin(), program.sizes.end(), same_name);
    auto parameter = std::find_if(parameters.begin(), parameters.end(), same_name);
    if (size == program.sizes.end() && parameter == parameters.end()) {
      std::string known;
      for (arith::Expr each : program.sizes) known += (known.empty() ? "" : ", ") + each->name;
      for (arith::Expr each : parameters) known += (known.empty() ? "?" : ", ?") + each->name;
      return user_error("the program has no size or tuning parameter " + name, {},
                        known.empty() ? "it has neither sizes nor tuning parameters" : "it has " + known);
    }
    if (value < 1) {
      return user_error("the size " + name + " is " + std::to_string(value) + ", but sizes are at least 1");
    }
    replacements.emplace(size != program.sizes.end() ? size->get() : parameter->get(),
                         arith::constant(value));
  }
  return catch_failure([&]() -> ir::Program {
    ir::Program result = program;
    // What the program assumes of its sizes first: the message is about the user's numbers, not about a
    // rebuilt term.
    for (const ir::SizeAssumption& assumption : ir::size_assumptions(program.function)) {
      if (arith::holds(arith::substitute(assumption.predicate, replacements)) == arith::Truth::No) {
        std::string given;
        for (const auto& [name, value] : values)
          given += (given.empty() ? "" : ", ") + name + " = " + std::to_string(value);
        throw_user(assumption.message, "it does not hold for " + given, "choose sizes for which it holds");
      }
    }
    for (ir::ParameterDeclaration& parameter : result.parameters) {
      parameter.type = ir::substitute(parameter.type, replacements);
    }
    std::erase_if(result.sizes, [&](arith::Expr size) { return replacements.count(size.get()) > 0; });
    result.function = ir::substitute_sizes(program.function, replacements);
    return result;
  });
}

namespace {

/// A processor that does not tell the size of its vectors is a usual one; of one that is not meant nobody
/// knows how many cores it has.
codegen::Options host_options(const target::Target& target) {
  codegen::Options options;
  const std::int64_t told = target.preferred_f32_vector * std::int64_t{sizeof(float)};
  if (target.preferred_f32_vector > 1) options.vector_bytes = std::clamp<std::int64_t>(told, 16, 64);
  if (!target.id.empty()) options.threads = static_cast<std::int64_t>(target.compute_units);
  return options;
}

bool may_name_kernel(target::Language language, const std::string& name) {
  switch (language) {
    case target::Language::OpenCL:
      return codegen::may_name_opencl_kernel(name);
    case target::Language::Cuda:
      return codegen::may_name_cuda_kernel(name);
    case target::Language::Host:
      return codegen::may_name_host_kernel(name);
  }
  throw Bug("not a language");
}

std::vector<std::size_t> dynamic_local_memory(const loop::Plan& plan, target::Language language) {
  std::vector<std::size_t> result;
  for (const loop::Kernel& kernel : plan.kernels)
    result.push_back(language == target::Language::Cuda ? codegen::cuda_dynamic_shared_memory(kernel) : 0);
  return result;
}

}  // namespace

Result<std::string> source_of(const loop::Plan& plan, const target::Target& target) {
  switch (target.language) {
    case target::Language::OpenCL:
      return codegen::opencl(plan);
    case target::Language::Cuda:
      return codegen::cuda(plan);
    case target::Language::Host:
      return codegen::host(loop::at_launch(plan), host_options(target));
  }
  throw Bug("not a language");
}

lower::Options options_for(const target::Target& device, lower::Options options) {
  options.target = device;
  return options;
}

Result<Compiled> compile(const ir::Program& program, const Compilation& compilation) {
  const target::Language language = compilation.lowering.target.language;
  return catch_failure([&] {
    rewrite::MappedProgram mapped =
        need(rewrite::default_mapping(program, target::kind_of(language).mapping));
    if (compilation.mapped) compilation.mapped(mapped);
    Compiled compiled{std::move(mapped.program), {}, {}, {}, std::move(mapped.notes)};
    if (compilation.last == Stage::Low) return compiled;

    compiled.plan = need(lower::lower(compiled.low, compilation.lowering));
    for (std::size_t k = 0; k < compiled.plan.kernels.size(); ++k) {
      std::string& name = compiled.plan.kernels[k].name;
      if (!compilation.kernel_names.empty()) name = compilation.kernel_names + "_kernel" + std::to_string(k);
      // A program may well be called 'power', which libraries have.
      if (!may_name_kernel(language, name)) name += "_kernel";
    }
    compiled.dynamic_local_memory = dynamic_local_memory(compiled.plan, language);
    // Only the source has names for what kernels learn at their launch.
    if (compilation.lowered) compilation.lowered(loop::at_launch(compiled.plan));
    if (compilation.last == Stage::Source)
      compiled.source = need(source_of(compiled.plan, compilation.lowering.target));
    compiled.plan = loop::at_launch(std::move(compiled.plan));
    return compiled;
  });
}

Result<Compiled> compile(const ir::Program& program, const lower::Options& options) {
  return compile(program, Compilation{.lowering = options});
}

Result<Compiled> with_plan(const Compiled& compiled, loop::Plan plan, const target::Target& target) {
  return catch_failure([&] {
    Compiled result = compiled;
    result.source = need(source_of(plan, target));
    result.dynamic_local_memory = dynamic_local_memory(plan, target.language);
    result.plan = std::move(plan);
    return result;
  });
}

Result<std::size_t> fed_input(const ir::Program& program, const std::string& name,
                              const std::string& advice) {
  const std::string result = ir::to_string(program.result());
  const std::string help = "a step needs an input of the result's type: " + result;
  if (ir::is_scalar(program.result()) || ir::is_vector(program.result())) {
    return user_error("the result is one number, which cannot be fed to the next step", {},
                      "steps are for programs that give arrays");
  }
  for (const ir::Leaf& each : ir::leaves(program.result())) {
    if (!each.shape.empty()) continue;
    return user_error("a component of the result is one number, which cannot be fed to the next step", {},
                      "steps are for programs all of whose results are arrays; one of length 1 will do");
  }
  std::size_t leaf = 0;
  std::optional<std::size_t> found;
  std::string candidates;
  for (const ir::ParameterDeclaration& parameter : program.parameters) {
    const bool fits = ir::is_equal(parameter.type, program.result());
    if (parameter.name == name) {
      if (fits) return leaf;
      return user_error("the result cannot be fed to " + name + ": " + ir::to_string(parameter.type), {},
                        help);
    }
    if (fits) {
      candidates += (candidates.empty() ? "" : ", ") + parameter.name;
      if (found && name.empty()) found = SIZE_MAX;
      if (!found) found = leaf;
    }
    leaf += ir::leaves(parameter.type).size();
  }
  if (!name.empty()) return user_error("the program has no input called " + name + " to feed", {}, help);
  if (!found) return user_error("no input can take the result of the step before", {}, help);
  if (*found == SIZE_MAX) {
    return user_error("several inputs could take the result of the step before: " + candidates, {}, advice);
  }
  return *found;
}

Result<std::vector<Tensor>> empty_leaves(ir::Type type) {
  std::vector<Tensor> result;
  for (const ir::Leaf& leaf : ir::leaves(type)) {
    Tensor tensor{leaf.scalar, {}, {}};
    for (arith::Expr extent : leaf.shape) {
      auto value = arith::known_value(extent);
      if (!value) {
        std::string missing;
        for (arith::Expr variable : arith::variables(extent))
          missing += (missing.empty() ? "" : ", ") + variable->name;
        return user_error("the size " + missing + " is not given", {},
                          "give it on the command line: " + missing + "=1024");
      }
      if (*value < 0)
        return user_error("an array would have " + std::to_string(*value) +
                          " elements: " + ir::to_string(type));
      tensor.shape.push_back(*value);
    }
    result.push_back(std::move(tensor));
  }
  return result;
}

}  // namespace hoist::driver
