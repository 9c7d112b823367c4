// The features, one row each: what it is and how it is computed.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/error.hpp"
#include "features/feature_table.hpp"

namespace hoist::features {

namespace {

using Space = loop::AddressSpace;
using Of = const Launch&;
using All = const Summary&;

/// 0 where there is nothing to divide by.
double ratio(double a, double b) { return b > 0 ? a / b : 0; }

template <std::size_t dimension>
double global_size(All all) {
  return static_cast<double>(all.main_launch().profile.global[dimension]);
}
template <std::size_t dimension>
double local_size(All all) {
  return static_cast<double>(all.main_launch().profile.local[dimension]);
}
template <Space space>
double loads(All all) {
  return all.sum([](Of of) { return of.profile.loads[static_cast<std::size_t>(space)]; });
}
template <Space space>
double stores(All all) {
  return all.sum([](Of of) { return of.profile.stores[static_cast<std::size_t>(space)]; });
}
template <Space space>
double load_bytes(All all) {
  return all.sum([](Of of) { return of.profile.load_bytes[static_cast<std::size_t>(space)]; });
}
template <Space space>
double store_bytes(All all) {
  return all.sum([](Of of) { return of.profile.store_bytes[static_cast<std::size_t>(space)]; });
}
template <double Traffic::*total>
double traffic(All all) {
  return all.sum([](Of of) { return of.traffic.*total; });
}
template <AccessClass kind>
double class_share(All all) {
  const double some = all.sum([](Of of) { return of.traffic.classes[static_cast<std::size_t>(kind)]; });
  return ratio(some, traffic<&Traffic::accesses>(all));
}
template <OperationKind kind>
double operations(All all) {
  return all.operations(kind) / all.items();
}
template <double Profile::*total>
double per_item(All all) {
  return all.per_item(total);
}
template <double Residency::*part>
double residency(All all) {
  return all.main_launch().residency.*part;
}
template <double InnerLoop::*part>
double inner(All all) {
  return all.main_launch().inner.*part;
}
template <double Estimate::*part>
double estimate(All all) {
  return all.sum([](Of of) { return of.estimate.*part; });
}

double sector_bytes(All all) {
  const double sectors = traffic<&Traffic::load_sectors>(all) + traffic<&Traffic::store_sectors>(all);
  return sectors * static_cast<double>(all.machine.sector_bytes);
}
double warp_fill(All all) {
  const auto size = static_cast<double>(all.main_launch().profile.group_size());
  const auto warp = static_cast<double>(all.machine.lanes);
  return size / (std::ceil(size / warp) * warp);
}
double group_bytes(All all) { return all.main_launch().group.sum(); }
double groups_bytes(All all) {
  return all.sum([](Of of) { return of.group.sum() * of.profile.group_count(); });
}
double whole_bytes(All all) {
  return all.sum([](Of of) { return of.whole.sum(); });
}
double requested_bytes(All all) { return load_bytes<Space::Global>(all) + store_bytes<Space::Global>(all); }
double chain_parallelism(All all) {
  const InnerLoop& loop = all.main_launch().inner;
  return ratio(loop.operations + loop.loads, std::max(loop.carried, 1.0));
}
double inner_trips(All all) {
  const Profile& profile = all.main_launch().profile;
  return profile.inner_bodies / profile.work_items();
}
double unroll_factor(All all) {
  const loop::For* loop = all.main_launch().profile.inner_loop;
  return loop == nullptr ? 0 : static_cast<double>(std::max<std::int64_t>(loop->unroll_factor, 1));
}
double intensity_to_memory(All all) { return ratio(all.flops(), estimate<&Estimate::memory_bytes>(all)); }

constexpr std::string_view paper = "paper", launch = "launch", memory = "memory", cache = "cache",
                           arithmetic = "arithmetic", parallelism = "parallelism", input = "input",
                           roofline = "roofline";
constexpr std::string_view table = "Remmelg et al., table 1", own = "Hoist";
constexpr std::string_view an_item = "accesses / work-item", ops = "operations / work-item";

const Row rows[] = {
    // What the paper and the thesis have.
    {{"global_size_0", "work-items", paper, table, "Work-items in dimension 0, of the main kernel."},
     global_size<0>},
    {{"global_size_1", "work-items", paper, table, "Work-items in dimension 1, of the main kernel."},
     global_size<1>},
    {{"global_size_2", "work-items", paper, table, "Work-items in dimension 2, of the main kernel."},
     global_size<2>},
    {{"local_size_0", "work-items", paper, table,
      "Work-items of a group in dimension 0, of the main kernel."},
     local_size<0>},
    {{"local_size_1", "work-items", paper, table,
      "Work-items of a group in dimension 1, of the main kernel."},
     local_size<1>},
    {{"local_size_2", "work-items", paper, table,
      "Work-items of a group in dimension 2, of the main kernel."},
     local_size<2>},
    {{"local_memory", "bytes / group", paper, table, "Local memory of a group, in the kernel that has most."},
     [](All all) { return all.most([](Of of) { return of.local_bytes; }); }},
    {{"global_stores", an_item, paper, table,
      "Stores to global memory; the store of a vector counts as one."},
     [](All all) { return stores<Space::Global>(all) / all.items(); }},
    {{"global_loads", an_item, paper, table, "Loads from global memory; the load of a vector counts as one."},
     [](All all) { return loads<Space::Global>(all) / all.items(); }},
    {{"local_stores", an_item, paper, table, "Stores to local memory."},
     [](All all) { return stores<Space::Local>(all) / all.items(); }},
    {{"local_loads", an_item, paper, table, "Loads from local memory."},
     [](All all) { return loads<Space::Local>(all) / all.items(); }},
    {{"lines_per_access", "lines / access of a warp", paper, table,
      "Cache lines that a warp touches in one access to global memory, by the places relative to its first "
      "work-item's, on average."},
     [](All all) { return ratio(traffic<&Traffic::lines>(all), traffic<&Traffic::accesses>(all)); }},
    {{"barriers", "barriers / work-item", paper, table, "Barriers that a work-item comes to."},
     per_item<&Profile::barriers>},
    {{"ifs", "ifs / work-item", paper, table, "`if` statements that a work-item comes to, taken or not."},
     per_item<&Profile::ifs>},
    {{"loop_bodies", "iterations / work-item", paper, table,
      "Bodies of `for` loops that a work-item executes."},
     per_item<&Profile::loop_bodies>},

    // The launch.
    {{"launches", "launches", launch, own, "Kernels that a run of the plan launches."},
     [](All all) { return all.launch_count; }},
    {{"work_items", "work-items", launch, own, "Work-items of all launches."},
     [](All all) { return all.items(); }},
    {{"groups", "groups", launch, own, "Work-groups of all launches."},
     [](All all) { return all.sum([](Of of) { return of.profile.group_count(); }); }},
    {{"group_size", "work-items", launch, own, "Work-items of a group of the main kernel."},
     [](All all) { return static_cast<double>(all.main_launch().profile.group_size()); }},
    {{"warp_fill", "share", launch, own,
      "Work-items of a group over the room in its warps, of the main kernel."},
     warp_fill},
    {{"statements", "statements", launch, own,
      "Statements in the text of all kernels once loops are unrolled as far as "
      "asked for: how long the machine code gets."},
     [](All all) {
       double sum = 0;
       for (Of of : all.launches) sum += of.profile.statements;
       return sum;
     }},
    {{"loop_branches", "branches / work-item", launch, own,
      "Bodies of `for` loops over the loops' unroll factors."},
     per_item<&Profile::loop_branches>},
    {{"estimated", "executions / work-item", launch, own,
      "Conditions and accesses about which only the run knows, or that are too involved to be counted: where "
      "this is "
      "0, counts are exact."},
     per_item<&Profile::estimated>},

    // Memory, as work-items and warps see it.
    {{"global_load_bytes", "bytes / work-item", memory, own, "Bytes that loads from global memory ask for."},
     [](All all) { return load_bytes<Space::Global>(all) / all.items(); }},
    {{"global_store_bytes", "bytes / work-item", memory, own, "Bytes that stores to global memory write."},
     [](All all) { return store_bytes<Space::Global>(all) / all.items(); }},
    {{"local_load_bytes", "bytes / work-item", memory, own, "Bytes that loads from local memory ask for."},
     [](All all) { return load_bytes<Space::Local>(all) / all.items(); }},
    {{"local_store_bytes", "bytes / work-item", memory, own, "Bytes that stores to local memory write."},
     [](All all) { return store_bytes<Space::Local>(all) / all.items(); }},
    {{"global_load_width", "bytes / access", memory, own,
      "Bytes of one load from global memory, on average."},
     [](All all) { return ratio(load_bytes<Space::Global>(all), loads<Space::Global>(all)); }},
    {{"global_store_width", "bytes / access", memory, own,
      "Bytes of one store to global memory, on average."},
     [](All all) { return ratio(store_bytes<Space::Global>(all), stores<Space::Global>(all)); }},
    {{"local_load_width", "bytes / access", memory, own, "Bytes of one load from local memory, on average."},
     [](All all) { return ratio(load_bytes<Space::Local>(all), loads<Space::Local>(all)); }},
    {{"local_store_width", "bytes / access", memory, own, "Bytes of one store to local memory, on average."},
     [](All all) { return ratio(store_bytes<Space::Local>(all), stores<Space::Local>(all)); }},
    {{"load_sectors", "sectors / work-item", memory, own,
      "Sectors that warps touch by loads from global memory, where arrays begin at lines."},
     [](All all) { return traffic<&Traffic::load_sectors>(all) / all.items(); }},
    {{"store_sectors", "sectors / work-item", memory, own,
      "Sectors that warps touch by stores to global memory, where arrays begin at lines."},
     [](All all) { return traffic<&Traffic::store_sectors>(all) / all.items(); }},
    {{"sector_use", "share", memory, own,
      "Bytes that work-items ask of global memory over those of the sectors that their warps touch; more "
      "than 1 "
      "where work-items of a warp share."},
     [](All all) { return ratio(requested_bytes(all), sector_bytes(all)); }},
    {{"uniform_accesses", "share", memory, own,
      "Accesses of warps to global memory in which all work-items access one place."},
     class_share<AccessClass::Uniform>},
    {{"dense_accesses", "share", memory, own,
      "Accesses of warps to different places of global memory that touch no more lines than their bytes "
      "need."},
     class_share<AccessClass::Dense>},
    {{"strided_accesses", "share", memory, own,
      "Accesses of warps to different places of global memory that touch more lines than their bytes need."},
     class_share<AccessClass::Strided>},
    {{"unknown_accesses", "share", memory, own,
      "Accesses of warps to global memory at places that only the run knows."},
     class_share<AccessClass::Unknown>},
    {{"bank_conflicts", "passes / pass", memory, own,
      "Passes over the banks of local memory, over the passes without conflicts; 1 is the best, 0 means no "
      "local memory."},
     [](All all) {
       const double passes = traffic<&Traffic::load_passes>(all) + traffic<&Traffic::store_passes>(all);
       return ratio(passes, traffic<&Traffic::least_passes>(all));
     }},
    {{"load_passes", "passes / work-item", memory, own, "Passes over the banks by loads from local memory."},
     [](All all) { return traffic<&Traffic::load_passes>(all) / all.items(); }},
    {{"store_passes", "passes / work-item", memory, own, "Passes over the banks by stores to local memory."},
     [](All all) { return traffic<&Traffic::store_passes>(all) / all.items(); }},
    {{"asynchronous_stores", "stores / work-item", memory, own, "Asynchronous copies into local memory."},
     per_item<&Profile::asynchronous_stores>},
    {{"private_loads", an_item, memory, own, "Loads from private arrays that are not registers."},
     [](All all) { return loads<Space::Private>(all) / all.items(); }},
    {{"private_stores", an_item, memory, own, "Stores to private arrays that are not registers."},
     [](All all) { return stores<Space::Private>(all) / all.items(); }},

    // Caches: bytes of lines that differ.
    {{"group_bytes", "bytes", cache, own,
      "Bytes of the lines of global memory that a group of the main kernel touches."},
     group_bytes},
    {{"groups_bytes", "bytes", cache, own,
      "Bytes of the lines that a group touches, summed over all groups of all launches."},
     groups_bytes},
    {{"wave_bytes", "bytes", cache, own,
      "Bytes of the lines that the groups of the main kernel that run together touch."},
     [](All all) { return all.main_launch().wave.sum(); }},
    {{"compulsory_bytes", "bytes", cache, own,
      "Bytes of the lines that all groups of a launch touch, summed over launches."},
     whole_bytes},
    {{"group_reuse", "accesses / access", cache, own,
      "Bytes that work-items ask of global memory over those of the lines that their groups touch."},
     [](All all) { return ratio(requested_bytes(all), groups_bytes(all)); }},
    {{"group_overlap", "bytes / byte", cache, own,
      "groups_bytes over compulsory_bytes: how often groups touch the lines of others."},
     [](All all) { return ratio(groups_bytes(all), whole_bytes(all)); }},
    {{"l1_pressure", "bytes / byte", cache, own,
      "Lines that the groups on a compute unit touch, over its first-level cache; main kernel."},
     [](All all) {
       return all.main_launch().residency.groups_per_unit * group_bytes(all) /
              static_cast<double>(all.machine.l1_bytes);
     }},
    {{"l2_pressure", "bytes / byte", cache, own, "wave_bytes over the second-level cache."},
     [](All all) { return all.main_launch().wave.sum() / static_cast<double>(all.machine.l2_bytes); }},
    {{"whole_l2_pressure", "bytes / byte", cache, own, "compulsory_bytes over the second-level cache."},
     [](All all) { return whole_bytes(all) / static_cast<double>(all.machine.l2_bytes); }},

    // Arithmetic.
    {{"float_add", ops, arithmetic, own,
      "+ and - of floats; an operation on a vector of four counts four, here and below."},
     operations<OperationKind::FloatAdd>},
    {{"float_multiply", ops, arithmetic, own, "* of floats."}, operations<OperationKind::FloatMultiply>},
    {{"float_fused", ops, arithmetic, own, "fma."}, operations<OperationKind::FloatFused>},
    {{"contracted", ops, arithmetic, own, "Additions of a product, which may become fused multiply-adds."},
     per_item<&Profile::contracted>},
    {{"float_simple", ops, arithmetic, own, "Negations, min, max, abs, sign and roundings of floats."},
     operations<OperationKind::FloatSimple>},
    {{"float_divide", ops, arithmetic, own, "/, %, sqrt and rsqrt of floats."},
     operations<OperationKind::FloatDivide>},
    {{"float_special", ops, arithmetic, own, "exp, log, sin, pow and others like them."},
     operations<OperationKind::FloatSpecial>},
    {{"integer", ops, arithmetic, own, "Operations on integers, without divisions."},
     operations<OperationKind::Integer>},
    {{"integer_divide", ops, arithmetic, own, "/, % and pow of integers."},
     operations<OperationKind::IntegerDivide>},
    {{"compare", ops, arithmetic, own, "Comparisons and logic."}, operations<OperationKind::Compare>},
    {{"select", ops, arithmetic, own, "Choices between values."}, operations<OperationKind::Select>},
    {{"cast", ops, arithmetic, own, "Conversions."}, operations<OperationKind::Cast>},
    {{"f64_operations", ops, arithmetic, own, "Operations on f64, of all the above."},
     per_item<&Profile::f64_operations>},
    {{"shuffles", ops, arithmetic, own, "Exchanges of registers in a warp."}, per_item<&Profile::shuffles>},
    {{"index_operations", ops, arithmetic, own,
      "Operators in the indices of accesses as the text has them: an upper bound, since compilers share "
      "them."},
     per_item<&Profile::index_operations>},
    {{"index_tests", ops, arithmetic, own, "Comparisons of indices."}, per_item<&Profile::comparisons>},
    {{"flops", "operations", arithmetic, own,
      "Operations on floats of a whole run; a fused multiply-add counts two."},
     [](All all) { return all.flops(); }},
    {{"flops_per_byte", "operations / byte", arithmetic, own, "flops over the bytes asked of global memory."},
     [](All all) { return ratio(all.flops(), requested_bytes(all)); }},
    {{"flops_per_memory_byte", "operations / byte", arithmetic, own, "flops over memory_bytes."},
     intensity_to_memory},
    {{"flops_per_local_byte", "operations / byte", arithmetic, own,
      "flops over the bytes asked of local memory."},
     [](All all) {
       return ratio(all.flops(), load_bytes<Space::Local>(all) + store_bytes<Space::Local>(all));
     }},

    // Parallelism.
    {{"registers", "registers", parallelism, own,
      "Registers of 32 bits that a work-item of the main kernel needs, an estimate."},
     residency<&Residency::registers>},
    {{"live_values", "values", parallelism, own,
      "Most 32-bit values of variables, counters and intermediate results at a time; main kernel."},
     [](All all) { return all.main_launch().registers.live; }},
    {{"private_bytes", "bytes / work-item", parallelism, own,
      "Bytes of private arrays that are not registers; main kernel."},
     [](All all) { return all.main_launch().registers.array_bytes; }},
    {{"spilled", "values", parallelism, own,
      "32-bit values that no register is left for, an estimate; main kernel."},
     residency<&Residency::spilled>},
    {{"occupancy", "share", parallelism, own,
      "Work-items on a compute unit over the most it can hold; main kernel."},
     residency<&Residency::occupancy>},
    {{"groups_per_unit", "groups", parallelism, own,
      "Work-groups that a compute unit holds at once; main kernel."},
     residency<&Residency::groups_per_unit>},
    {{"waves", "waves", parallelism, own,
      "Work-groups over the number that the device holds at once; main kernel."},
     residency<&Residency::waves>},
    {{"wave_fill", "share", parallelism, own, "waves over waves rounded up: how full waves are on average."},
     residency<&Residency::filled>},
    {{"warps_per_unit", "warps", parallelism, own,
      "Warps of the launch over compute units, the most that can run at once; main kernel."},
     [](All all) {
       Of of = all.main_launch();
       const auto warp = static_cast<double>(all.machine.lanes);
       const double warps = std::ceil(static_cast<double>(of.profile.group_size()) / warp);
       const double groups = of.profile.group_count() / static_cast<double>(all.machine.compute_units);
       return warps * std::min(of.residency.groups_per_unit, groups);
     }},
    {{"inner_operations", "operations / iteration", parallelism, own,
      "Operations of the inner loop: the loop without loops in it that the main kernel executes most often; "
      "an operation on a vector counts as one."},
     inner<&InnerLoop::operations>},
    {{"inner_loads", "loads / iteration", parallelism, own,
      "Loads of the inner loop from global and local memory."},
     inner<&InnerLoop::loads>},
    {{"inner_depth", "operations", parallelism, own,
      "The longest chain of operations in one iteration of the inner loop, loads included."},
     inner<&InnerLoop::depth>},
    {{"inner_carried", "operations", parallelism, own,
      "The longest chain of operations from one iteration of the inner loop to the next."},
     inner<&InnerLoop::carried>},
    {{"inner_parallelism", "operations / operation", parallelism, own,
      "Operations and loads of an iteration of the inner loop over inner_carried: how many may be under way "
      "at once."},
     chain_parallelism},
    {{"inner_trips", "iterations / work-item", parallelism, own, "Iterations of the inner loop."},
     inner_trips},
    {{"inner_unroll", "iterations", parallelism, own,
      "Iterations that unrolling puts into one, of the inner loop; 0 where there is no such loop."},
     unroll_factor},

    // Sizes.
    {{"input_bytes", "bytes", input, own, "Bytes of the program's input arrays."},
     [](All all) { return all.input_bytes; }},
    {{"output_bytes", "bytes", input, own, "Bytes of the program's results."},
     [](All all) { return all.output_bytes; }},
    {{"temporary_bytes", "bytes", input, own, "Bytes of arrays between kernels."},
     [](All all) { return all.temporary_bytes; }},
    {{"copied_bytes", "bytes", input, own, "Bytes that the plan copies between kernels."},
     [](All all) { return all.copied_bytes; }},

    // An analytic model.
    {{"memory_bytes", "bytes", roofline, own,
      "Bytes that the estimate moves to and from memory, those of values without a register among them where "
      "caches hold too few."},
     estimate<&Estimate::memory_bytes>},
    {{"l2_bytes", "bytes", roofline, own,
      "Bytes that the estimate moves between the caches, those of values without a register among them."},
     estimate<&Estimate::l2_bytes>},
    {{"memory_seconds", "s", roofline, own, "memory_bytes over the memory's rate."},
     estimate<&Estimate::memory>},
    {{"l2_seconds", "s", roofline, own,
      "l2_bytes over the second-level cache's rate, as far as units are busy."},
     estimate<&Estimate::l2>},
    {{"l1_seconds", "s", roofline, own, "Lines of all accesses, one after the other on each busy unit."},
     estimate<&Estimate::l1>},
    {{"local_seconds", "s", roofline, own, "Passes over the banks, one after the other on each busy unit."},
     estimate<&Estimate::local>},
    {{"arithmetic_seconds", "s", roofline, own, "Operations over the rate of the busy units."},
     estimate<&Estimate::arithmetic>},
    {{"launch_seconds", "s", roofline, own, "Time to start kernels."}, estimate<&Estimate::launch>},
    {{"roofline_seconds", "s", roofline, own,
      "launch_seconds and the longest of memory, l2, arithmetic, and l1 with local, of each launch."},
     estimate<&Estimate::total>},
};

bool has(target::Processor processor, const Row& row) { return !row.only || *row.only == processor; }

}  // namespace

std::vector<Definition> definitions_of(std::span<const Row> table, target::Processor processor) {
  std::vector<Definition> result;
  for (const Row& row : table) {
    if (has(processor, row)) result.push_back(row.definition);
  }
  return result;
}

std::vector<double> values_of(std::span<const Row> table, const Summary& summary) {
  std::vector<double> result;
  result.reserve(table.size());
  for (const Row& row : table) {
    if (!has(summary.machine.processor, row)) continue;
    const double value = row.value(summary);
    result.push_back(std::isfinite(value) ? value : 0);
  }
  return result;
}

const Schema& schema(target::Processor processor) {
  // Both processors began with one list, and stores keep it under one name. The one whose list changes first
  // gets a name of its own: "hoist-processor-features-2".
  static const Schema of_gpus{"hoist-features-1", definitions_of(rows, target::Processor::Gpu)};
  static const Schema of_processors{"hoist-features-1", definitions_of(rows, target::Processor::Cpu)};
  switch (processor) {
    case target::Processor::Gpu:
      return of_gpus;
    case target::Processor::Cpu:
      return of_processors;
  }
  throw Bug("a processor of no kind");
}

std::vector<double> features_of(const loop::Plan& plan, const target::Target& target) {
  return values_of(rows, summary_of(plan, target.machine));
}

}  // namespace hoist::features
