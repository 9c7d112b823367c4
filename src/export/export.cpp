#include "export/export.hpp"

#include "base/need.hpp"
#include "codegen/codegen.hpp"
#include "driver/inputs.hpp"
#include "export/c_text.hpp"
#include "ir/print.hpp"
#include "rewrite/default_mapping.hpp"
#include "target/kinds.hpp"

namespace hoist::exporting {

namespace {

void add_arrays(const std::string& name, ir::Type type, std::vector<ExportedArray>& arrays) {
  auto leaves = driver::empty_leaves(type);
  if (!leaves) throw Failure(leaves.error());
  const std::vector<driver::NamedLeaf> names = driver::named_leaves(type);
  for (std::size_t i = 0; i < names.size(); ++i) {
    arrays.push_back({name + names[i].path, (*leaves)[i].scalar, (*leaves)[i].shape});
  }
}

}  // namespace

Result<Exported> exported(const ir::Program& program, const driver::NamedSizes& sizes,
                          const std::string& name, const lower::Options& options) {
  return catch_failure([&] {
    if (!is_c_identifier(name)) {
      throw_user("'" + name + "' is no name for functions in C", {},
                 "use letters, digits and _, a letter first, no keyword");
    }
    constexpr std::size_t longest = 200;  // beside what is added to it, of the name of a file
    if (name.size() > longest)
      throw_user("the name '" + name.substr(0, 40) + "...' is too long for files", {},
                 "--name gives a shorter one");
    const target::Language language = options.target.language;
    Exported result{language, name, ir::to_string(program), sizes, {}, {}, {}, {}, {}};
    for (const ir::ParameterDeclaration& parameter : program.parameters) {
      add_arrays(parameter.name, parameter.type, result.inputs);
    }
    add_arrays("result", program.result(), result.outputs);
    const rewrite::MappedProgram mapped =
        need(rewrite::default_mapping(program, target::kind_of(language).mapping));
    loop::Plan plan = need(lower::lower(mapped.program, options));
    // Several exports are linked into one program: for the host kernels are functions of it.
    for (std::size_t k = 0; k < plan.kernels.size(); ++k)
      plan.kernels[k].name = name + "_kernel" + std::to_string(k);
    result.plan = need(execute::launch_plan(plan));
    result.kernels = need(driver::source_of(plan, language));
    for (const loop::Kernel& kernel : plan.kernels) {
      result.dynamic_local_memory.push_back(codegen::cuda_dynamic_shared_memory(kernel));
    }
    return result;
  });
}

std::vector<ExportedFile> export_files(const Exported& exported) {
  switch (exported.language) {
    case target::Language::OpenCL:
      return opencl_text(exported)->files();
    case target::Language::Cuda:
      return cuda_text(exported)->files();
    case target::Language::Host:
      return host_text(exported)->files();
  }
  throw Bug("not a language");
}

}  // namespace hoist::exporting
