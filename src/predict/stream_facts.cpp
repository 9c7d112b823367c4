#include "predict/stream_facts.hpp"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "base/need.hpp"
#include "features/features.hpp"
#include "tasks/facts.hpp"

namespace hoist::predict {

std::vector<std::pair<std::string, double>> stream_facts(const loop::Plan& plan,
                                                         const target::Target& device) {
  std::vector<std::pair<std::string, double>> named = need(tasks::task_facts(plan)).named();
  const features::Schema& schema = features::schema(device.machine.processor);
  const std::vector<double> values = features::features_of(plan, device);
  const auto total = [&](std::initializer_list<std::string_view> names) {
    double sum = 0, items = 0;
    for (std::size_t at = 0; at < schema.features.size(); ++at) {
      const std::string_view name = schema.features[at].name;
      if (name == "work_items") items = values[at];
      if (std::find(names.begin(), names.end(), name) != names.end()) sum += values[at];
    }
    return sum * items;
  };
  const double floats =
      total({"float_add", "float_multiply", "float_fused", "float_simple", "float_divide", "float_special"});
  const double integers = total({"integer", "integer_divide", "index_operations"});
  const double loads = total({"global_loads"}), stores = total({"global_stores"});
  const double locals = total({"local_loads", "local_stores"});
  const double branches = total({"ifs", "loop_branches"});
  named.insert(named.end(), {{"instructions", floats + integers + loads + stores + locals + branches +
                                                  total({"compare", "select", "cast", "index_tests"})},
                             {"float_operations", floats},
                             {"integer_operations", integers},
                             {"loads", loads},
                             {"stores", stores},
                             {"global_bytes", total({"global_load_bytes", "global_store_bytes"})},
                             {"local_accesses", locals},
                             {"local_bytes", total({"local_load_bytes", "local_store_bytes"})},
                             {"barriers", total({"barriers"})},
                             {"branches", branches},
                             {"divergent_branches", total({"ifs"})}});
  return named;
}

}  // namespace hoist::predict
