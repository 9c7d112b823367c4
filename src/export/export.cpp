#include "export/export.hpp"

#include <fmt/ranges.h>

#include "base/need.hpp"
#include "driver/inputs.hpp"
#include "export/c_text.hpp"
#include "ir/print.hpp"
#include "runtime/devices.hpp"
#include "target/kinds.hpp"

namespace hoist::exporting {

namespace {

void add_arrays(const std::string& name, ir::Type type, std::vector<ExportedArray>& arrays) {
  const std::vector<Tensor> leaves = need(driver::empty_leaves(type));
  const std::vector<driver::NamedLeaf> names = driver::named_leaves(type);
  for (std::size_t i = 0; i < names.size(); ++i) {
    arrays.push_back({name + names[i].path, leaves[i].scalar, leaves[i].shape});
  }
}

}  // namespace

Result<target::Target> export_target(const std::string& device) {
  const auto id = target::device_id(device);
  if (!id)
    return user_error(fmt::format("'{}' is no device to export for", device), {},
                      fmt::format("give one of {}", fmt::join(target::example_ids(), ", ")));
  target::Target target = target::any_device(id->language);
  for (const target::Target& info : runtime::list_devices()) {
    if (!id->means(info)) continue;
    target.max_group_size = info.max_group_size;
    return target;
  }
  if (id->number) {
    // The error lists the devices that there are.
    if (auto opened = runtime::open_device(to_string(*id)); !opened) return tl::unexpected(opened.error());
  }
  return target;
}

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
    // Several exports are linked into one program: for the host kernels are functions of it.
    driver::Compiled compiled = need(driver::compile(
        program, {.lowering = options, .kernel_names = name, .lowered = [&](const loop::Plan& plan) {
                    result.plan = need(execute::launch_plan(plan));
                  }}));
    result.kernels = std::move(compiled.source);
    result.dynamic_local_memory = std::move(compiled.dynamic_local_memory);
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
