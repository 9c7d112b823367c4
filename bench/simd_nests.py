"""What a variant's nest of loops does, by its own choices alone: the order of the loops, which of them has the lanes of vectors, and
how many iterations of each a body has (simd_variants.py). No compiler is asked.

Of a contraction `ij-ik-kj` the loops are i, j and k. A body computes a tile of the result, products of jams of i and j, and
adds as many products to each element as k is jammed. An array's tile stays in registers while the innermost loops that it
does not depend on run. All numbers are of operations on vectors for each multiply-add on vectors.
"""
import math
import re

LATENCY, ISSUED = 4, 2  # cycles of a multiply-add, and how many begin in a cycle: as many sums as that hide the latency
REGISTERS = {"sse4.2": 16, "avx2": 16, "avx512": 32}
NAMES = ["bodies", "products_of_body", "sums", "result_tile", "registers", "excess", "inner_trip", "second_trip", "outer_trips",
         "inner_run", "is_inner_reduction", "result_traffic", "horizontal", "chain", "loads_least", "loads_most", "loads", "splats",
         "strided", "splats_share", "stride_most", "stride_least", "lanes", "is_lanes_reduction", "is_lanes_last", "trips_above_one",
         "memory_operations", "cost"]


def loops_of(program):
    """The letters of the loops in the order of orderLoops, and those that each array depends on: the result first. Contracted
    indices that follow each other in both operands are one loop."""
    if "-" in program:
        parts = program.split("-")
        for first, second in zip(parts[1], parts[1][1:]):
            if first + second in parts[2] and first not in parts[0] and second not in parts[0]:
                return loops_of("-".join(part.replace(second, "") for part in parts))
        return parts[0] + "".join(index for index in parts[1] if index not in parts[0]), parts
    return None, None


def nest_of(program, step, values):
    """Letters from the outermost loop on, trips and jams by letter; the arrays, the letter of the lanes and how many."""
    lanes_of, width, *lengths = map(int, re.findall(r"\d+", step))
    letters, arrays = loops_of(program)
    if letters is None:  # of a stencil, all of whose arrays have all dimensions
        letters = "hw" if len(lengths) == 2 else "dhw"
        arrays = [letters, letters]
    chosen = dict(pair.split("=") for pair in values.split())
    lane = letters[lanes_of - 1]
    trips, jams, number = {}, {}, 0
    for letter, length in zip(letters, lengths):
        rounds = length // (width if letter == lane else 1)
        jams[letter] = 1
        if rounds > 1:
            number += 1
            jams[letter] = int(chosen[f"jam{number if number > 1 else ''}"])
        trips[letter] = rounds // jams[letter]
    left, order = list(letters), []
    for number in range(1, len(letters)):
        order.append(left.pop(int(chosen[f"at{number if number > 1 else ''}"]) - 1))
    return order + left, trips, jams, arrays, lane, width, dict(zip(letters, lengths))


def outside(program, step, values, inside):
    """What happens outside of the hot loop, of whose iterations one has the multiply-adds of `inside` bodies, for each multiply-add:
    iterations of the loops around it, entries of it, vectors that are loaded there, splats, transposed ones, those of the
    result; and how often the hot loop runs for each entry."""
    order, trips, jams, arrays, lane, width, _ = nest_of(program, step, values)
    running = [letter for letter in order if trips[letter] > 1]
    total = math.prod(trips.values()) * math.prod(jams.values())
    # Loops that the compiler unrolled altogether are inside of the hot loop's body.
    hot, unrolled = len(running), 1
    while hot > 1 and unrolled * trips[running[hot - 1]] <= 1.01 * inside:
        hot -= 1
        unrolled *= trips[running[hot]]
    around = running[:max(hot - 1, 0)]
    runs = trips[running[hot - 1]] if hot else 1
    entries = math.prod(trips[letter] for letter in around)
    iterations, product = 0, 1
    for letter in around:
        product *= trips[letter]
        iterations += product
    loads = splats = strided = moved = 0
    for number, array in enumerate(arrays):
        used = list(running)
        while used and used[-1] not in array:
            used.pop()
        if len(used) >= hot and hot:
            continue  # loaded by the hot loop
        count = math.prod(trips[letter] for letter in used) * math.prod(jams[letter] for letter in array) / total
        if number == 0:
            moved = count
        elif lane not in array:
            splats += count
        elif array[-1] == lane:
            loads += count
        else:
            strided += count * width
    is_streamed = float(bool(hot) and running[hot - 1] in arrays[0])
    return [iterations / total, entries / total, loads, splats, strided, moved, runs, is_streamed,
            float(bool(hot) and running[hot - 1] not in arrays[0])]


def features_of(program, step, values, isa):
    """By NAMES."""
    order, trips, jams, arrays, lane, width, lengths = nest_of(program, step, values)
    running = [letter for letter in order if trips[letter] > 1]
    bodies = math.prod(trips.values())
    products = math.prod(jams.values())
    total = bodies * products
    result = arrays[0]
    tile = lambda array: math.prod(jams[letter] for letter in array)

    def entries(array):
        """How often its tile is read: not again for each iteration of the innermost loops that it does not depend on."""
        inner = list(running)
        while inner and inner[-1] not in array:
            inner.pop()
        return math.prod(trips[letter] for letter in inner)

    is_reduced = lambda letter: letter not in result
    run = 1
    for letter in reversed(running):
        if not is_reduced(letter):
            break
        run *= trips[letter]
    has_reduction = any(map(is_reduced, order))
    sums = tile(result)
    result_entries = entries(result)
    result_traffic = (2 if has_reduction and result_entries * sums > math.prod(lengths[l] for l in result) // (
        width if lane in result else 1) else 1) * result_entries * sums / total
    loads = splats = strided = 0
    each, strides = [], []
    for array in arrays[1:]:
        count = entries(array) * tile(array) / total
        each.append(count)
        if lane not in array:
            splats += count
        elif array[-1] == lane:
            loads += count
        else:
            strided += count
        stride = 0
        if running and running[-1] in array:
            place = array.index(running[-1])
            stride = math.prod(lengths[letter] for letter in array[place + 1:]) * (
                jams[running[-1]] * (width if running[-1] == lane else 1))
        strides.append(stride)
    horizontal = result_entries * sums / total if is_reduced(lane) else 0
    if lane in result and result[-1] != lane:
        strided += result_traffic
    registers = sums + min(map(tile, arrays[1:])) + 1
    inner = trips[running[-1]] if running else 1
    chain = max(1, LATENCY * ISSUED / sums) if run > 1 else 1
    excess = max(0, registers - REGISTERS[isa])
    memory = loads + splats + result_traffic + strided * 2 + 2 * excess / max(products, 1)
    cost = max(1 / ISSUED * chain, (loads + splats + strided + result_traffic / 2) / 2 + excess / max(products, 1), strided * width / 4) + (
        horizontal * math.log2(width) + 2 / products / max(inner, 1))
    numbers = [bodies, products, sums, sums / products, registers, excess, inner, trips[running[-2]] if len(running) > 1 else 1,
               bodies / max(inner, 1), run, float(bool(running) and is_reduced(running[-1])), result_traffic, horizontal, chain,
               min(each), max(each), loads, splats, strided, splats / (loads + splats + strided + 1e-9), max(strides), min(strides),
               width, float(is_reduced(lane)), float(sum(array[-1] == lane for array in arrays)), len(running), memory, cost]
    return numbers
