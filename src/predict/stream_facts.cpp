#include "predict/stream_facts.hpp"

#include <algorithm>

#include "base/need.hpp"
#include "features/summary.hpp"
#include "tasks/facts.hpp"

namespace hoist::predict {

namespace {

using features::Launch;
using features::OperationKind;
using features::Profile;
using Space = loop::AddressSpace;

double in(const std::array<double, 3>& by_space, Space space) {
  return by_space[static_cast<std::size_t>(space)];
}

/// Operations, accesses to global and local memory, branches and tests of indices of a launch.
double instructions(const Profile& profile) {
  double sum = profile.index_operations + profile.comparisons + profile.ifs + profile.loop_branches;
  for (const double each : profile.operations) sum += each;
  for (const Space space : {Space::Global, Space::Local})
    sum += in(profile.loads, space) + in(profile.stores, space);
  return sum;
}

}  // namespace

std::vector<std::pair<std::string, double>> stream_facts(const loop::Plan& plan,
                                                         const target::Target& device) {
  std::vector<std::pair<std::string, double>> named = need(tasks::task_facts(plan)).named();
  const features::Summary summary = features::summary_of(plan, device.machine);
  const auto total = [&](const auto& of) {
    return summary.sum([&](const Launch& launch) { return static_cast<double>(of(launch.profile)); });
  };
  const auto operations = [&](std::initializer_list<OperationKind> kinds) {
    double sum = 0;
    for (const OperationKind each : kinds) sum += summary.operations(each);
    return sum;
  };
  using enum OperationKind;
  const auto loads = [](Space space) {
    return [space](const Profile& each) { return in(each.loads, space); };
  };
  const auto stores = [](Space space) {
    return [space](const Profile& each) { return in(each.stores, space); };
  };
  const auto bytes = [](Space space) {
    return [space](const Profile& each) { return in(each.load_bytes, space) + in(each.store_bytes, space); };
  };
  named.insert(named.end(),
               {{"instructions", total(instructions)},
                {"serial_instructions",
                 total([](const Profile& each) { return instructions(each) / each.work_items(); })},
                {"float_operations",
                 operations({FloatAdd, FloatMultiply, FloatFused, FloatSimple, FloatDivide, FloatSpecial})},
                {"integer_operations", operations({Integer, IntegerDivide}) +
                                           total([](const Profile& each) { return each.index_operations; })},
                {"loads", total(loads(Space::Global))},
                {"stores", total(stores(Space::Global))},
                {"global_bytes", total(bytes(Space::Global))},
                {"local_accesses", total(loads(Space::Local)) + total(stores(Space::Local))},
                {"local_bytes", total(bytes(Space::Local))},
                {"barriers", total([](const Profile& each) { return each.barriers; })},
                {"branches", total([](const Profile& each) { return each.ifs + each.loop_branches; })},
                {"divergent_branches", total([](const Profile& each) { return each.ifs; })}});
  return named;
}

}  // namespace hoist::predict
