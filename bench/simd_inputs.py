"""What our learner sees of a variant, all of it known when it is compiled: the amounts that take time, and other numbers.

Amounts are for each operation of the program: of the hot loop's assembly (docs/assembly.md), and of the nest of loops, what
happens outside of the hot loop (simd_nests.py). A price times each of them is about the time of an operation.
"""
import functools

import simd_nests

COSTS = ["slowest", "bounds", "loads", "stores", "miscellaneous", "spills", "spill_stores", "port_5", "micro_operations",
         "result_traffic", "nest_loads", "nest_splats", "nest_strided", "horizontal", "bodies", "excess", "call", "operations",
         "outer_iterations", "outer_entries", "outer_loads", "outer_splats", "outer_strided", "outer_results", "reduction_entries",
         "outer_excess"]
OF_ASSEMBLY = ["depth", "vector_bits", "sufficient_distance_ratio", "element_operations", "spill_slots", "chain_cycles", "port_cycles",
               "arithmetic_intensity", "bytes_loaded", "bytes_stored"]
OF_NEST = ["sums", "result_tile", "registers", "inner_trip", "second_trip", "inner_run", "is_inner_reduction", "lanes",
           "is_lanes_reduction", "is_lanes_last", "trips_above_one", "stride_most", "stride_least", "chain"]
OF_TERM = ["statements", "live_values", "spilled", "inner_parallelism"]
ISSUED = 6  # micro-operations in a cycle
MOST_CYCLES = 50  # of the hot loop for a multiply-add


@functools.lru_cache(maxsize=None)
def nest_features(program, step, values, isa):
    return simd_nests.features_of(program, step, values, isa)


def inputs_of(row, terms, flops):
    """The amounts and the other numbers, and what the static model says: the cost of an operation."""
    numbers = nest_features(row["program"], row["step"], terms["values"], row["isa"])
    nest = dict(zip(simd_nests.NAMES, numbers))
    value = lambda name: float(row[name])
    lanes, products = nest["lanes"], nest["bodies"] * nest["products_of_body"]
    of_product = flops / products / lanes  # operations of a lane: two but for stencils
    hot = max((value("element_operations") + value("scalar_arithmetic")) / lanes / of_product, 0.25)  # multiply-adds on vectors
    bounds = value("port_cycles"), value("micro_operations") / ISSUED, value("chain_cycles")
    outside = simd_nests.outside(row["program"], row["step"], terms["values"], hot / nest["products_of_body"])
    iterations, entries, loads, splats, strided, results, runs, is_streamed, is_reduction = outside
    amounts = [min(sum(each ** 4 for each in bounds) ** 0.25 / hot, MOST_CYCLES), min(max(bounds) / hot, MOST_CYCLES),
               value("loads") / hot, value("stores") / hot, value("miscellaneous") / hot,
               (value("spill_loads") + value("spill_stores")) / hot, value("spill_stores") / hot, value("port_5") / hot,
               value("micro_operations") / hot, nest["result_traffic"], nest["loads"], nest["splats"], nest["strided"] * lanes,
               nest["horizontal"] * lanes.bit_length(), 1 / nest["products_of_body"], nest["excess"] / nest["products_of_body"],
               1 / products, 1, iterations, entries, loads, splats, strided, results, entries * is_reduction,
               min(entries, 1) * nest["excess"]]
    return ([each * products / flops for each in amounts] +
            [value(name) for name in OF_ASSEMBLY] + [float(nest[name]) for name in OF_NEST] +
            [float(terms[name]) for name in OF_TERM] + [runs, is_streamed, hot / nest["products_of_body"]], nest["cost"] * products / flops)
