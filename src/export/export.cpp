#include "export/export.hpp"

#include "base/need.hpp"
#include "driver/inputs.hpp"
#include "export/c_text.hpp"
#include "ir/print.hpp"

namespace hoist::exporting {

namespace {

void add_arrays(const std::string& name, ir::Type type, std::vector<ExportedArray>& arrays) {
  const std::vector<Tensor> leaves = need(driver::empty_leaves(type));
  const std::vector<driver::NamedLeaf> names = driver::named_leaves(type);
  for (std::size_t i = 0; i < names.size(); ++i) {
    arrays.push_back({name + names[i].path, leaves[i].scalar, leaves[i].shape});
  }
}

runtime::Language language_of(Dialect dialect) {
  switch (dialect) {
    case Dialect::OpenCL:
      return runtime::Language::OpenCL;
    case Dialect::Host:
      return runtime::Language::Host;
    case Dialect::Cuda:
      return runtime::Language::Cuda;
  }
  throw Bug("a dialect without kernels");
}

}  // namespace

Result<Exported> exported(const ir::Program& program, const driver::NamedSizes& sizes, Dialect dialect,
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
    Exported result{name, ir::to_string(program), sizes, {}, {}, {}, {}, {}};
    for (const ir::ParameterDeclaration& parameter : program.parameters) {
      add_arrays(parameter.name, parameter.type, result.inputs);
    }
    add_arrays("result", program.result(), result.outputs);
    const runtime::Language language = language_of(dialect);
    // Several exports are linked into one program: for the host kernels are functions of it.
    driver::Compiled compiled = need(driver::compile(
        program,
        {.language = language,
         .lowering = options,
         .kernel_names = name,
         .lowered = [&](const loop::Plan& plan) { result.plan = need(execute::launch_plan(plan)); }}));
    result.kernels = std::move(compiled.source);
    result.dynamic_local_memory = std::move(compiled.dynamic_local_memory);
    return result;
  });
}

std::vector<ExportedFile> export_files(const Exported& exported, Dialect dialect) {
  const std::unique_ptr<CText> text = dialect == Dialect::OpenCL ? opencl_text(exported)
                                      : dialect == Dialect::Cuda ? cuda_text(exported)
                                                                 : host_text(exported);
  return text->files();
}

}  // namespace hoist::exporting
