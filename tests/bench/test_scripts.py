#!/usr/bin/env python3
"""What the scripts of bench/ make of measurements, which are invented here. HOIST is the command. Needs NumPy (exit
status 77 without it)."""
import argparse
import gzip
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

BENCH = pathlib.Path(__file__).resolve().parent.parent.parent / "bench"
sys.path.insert(0, str(BENCH))

import contractions
import cpu_contractions
import cpu_products
import cpu_simd
import plot_best_features
import plot_product_shapes
import plot_search_time
import product_shapes
import ranks
import simd_inputs
import simd_nests
import simd_twins
import simd_variants

OPTIONS = argparse.Namespace(hoist=pathlib.Path(os.environ["HOIST"]), device="host")


def replay_of(shape, derivation, values):
    return product_shapes.replayed(OPTIONS, {"derivation": derivation, "values": values}, shape)


class Replay(unittest.TestCase):
    DERIVATION = "tileItems(2); hoistReduce; map"

    def test_on_a_shape_that_tiles_divide(self):
        replay = replay_of("64x32x16", self.DERIVATION, {"t": 4, "t2": 16})
        self.assertFalse(replay["is_guarded"])
        self.assertIn("A: [64][16]f32, B: [16][32]f32", replay["text"])

    def test_on_a_shape_that_they_do_not_divide(self):
        replay = replay_of("61x37x16", self.DERIVATION, {"t": 4, "t2": 16})
        self.assertTrue(replay["is_guarded"])

    def test_of_a_derivation_that_there_is_not(self):
        replay = replay_of("64x32x16", "tileNothing(7); map", {"t": 4})
        self.assertEqual(replay, {"reason": "no such candidate"})


class ProductShapes(unittest.TestCase):
    FACTS = {
        "shapes": ["2x2x2", "2x2x4"], "found": [{"shape": "2x2x2"}, {"shape": "2x2x4"}],
        "times": [{"tuned_for": "2x2x2", "shape": "2x2x2", "is_guarded": False, "seconds": 1e-6},
                  {"tuned_for": "2x2x4", "shape": "2x2x2", "reason": "no such candidate"},
                  {"tuned_for": "2x2x2", "shape": "2x2x4", "is_guarded": True, "seconds": 4e-6},
                  {"tuned_for": "2x2x4", "shape": "2x2x4", "is_guarded": False, "seconds": 2e-6}],
        "libraries": [{"library": "clblast", "variant": "tuned", "shape": "2x2x2", "seconds": 5e-6}],
        "tuners": [{"tuner": "xgemm", "tried": 7, "is_done": False}]}

    def test_shares_are_of_the_fastest_on_a_shape(self):
        table = plot_product_shapes.share_table(self.FACTS)
        self.assertIn("| 2x2x2 | 100.0% | 50.0%* |", table)
        self.assertIn("| 2x2x4 | N/A | 100.0% |", table)
        self.assertIn("- 2x2x4 on 2x2x2: no such candidate", table)
        self.assertIn("Tiles do not divide", table)

    def test_speeds_stand_beside_the_libraries(self):
        table = plot_product_shapes.speed_table(self.FACTS)
        self.assertIn("| 2x2x2 | 0.0050 | 0.0010 | 0.00 | 0.00 |", table)
        self.assertIn("`clblast_tuner_xgemm` tried 7 configurations and was cut off", table)

    def test_what_a_tuner_printed_is_read(self):
        text = ("* Parameters explored: MWG NWG \n"
                "|   ID | total |  param | local | global | compiles | time | GFLOPS | status |\n"
                "|    1 |     2 |  64 32 |   8 8 | 32 32 |   \x1b[32mOK\x1b[0m    121 ms |  0.16 ms |   6.5 | "
                "\x1b[32mresults match\x1b[0m |\n"
                "|    2 |     2 |  16  8 |   8 8 | 32 32 |   OK    121 ms |   - |    - | L2 error 3.00 |\n"
                "* Parameters explored: MWG \n"
                "|    1 |     1 |  16 |   8 8 | 32 32 |   OK    121 ms |   1.00 ms |   2.0 | results match |\n")
        tables = product_shapes.tables_of(text, ["xgemm_1", "xgemm_2"], 13e6)
        self.assertEqual(tables, {"xgemm_1": [(2.0, {"MWG": 64, "NWG": 32})], "xgemm_2": [(6.5, {"MWG": 16})]})


class SearchTime(unittest.TestCase):
    RUN = {"started": "2026-01-31T10:00:00.000Z", "ended": "2026-01-31T10:00:10.000Z", "name": "axpy", "device": "gpu",
           "sizes": '{"N":64}', "budget": "{}", "environment": '{"cores":"2"}'}

    @staticmethod
    def evaluation(candidate, second, origin="explored"):
        return {"candidate": candidate, "origin": origin, "recorded": f"2026-01-31T10:00:{second:06.3f}Z",
                "wall_seconds": 1.0, "build_seconds": 0.5, "times": "[0.1,0.1]"}

    def test_the_clock_is_divided_where_the_search_is(self):
        evaluations = [self.evaluation(1, 2, "baseline"), self.evaluation(2, 4), self.evaluation(3, 6),
                       self.evaluation(2, 8), self.evaluation(1, 9, "baseline")]
        row = plot_search_time.row_of(self.RUN, evaluations)
        self.assertEqual([round(seconds, 6) for seconds in row["clock"].values()], [3, 4, 2, 1])
        self.assertEqual([round(seconds, 6) for seconds in row["work"].values()], [2.5, 1.5, 1.0])
        self.assertEqual(sum(row["clock"].values()), row["seconds"])

    def test_a_run_without_candidates_does_not_count(self):
        self.assertIsNone(plot_search_time.row_of(self.RUN, [self.evaluation(1, 2, "baseline")]))


class BestFeatures(unittest.TestCase):
    DATA = ("#hoist-measurements,2\n#schema,1\n#feature,barriers,barriers / work-item,paper,\n"
            "#feature,launches,launches,launch,\n#derivation,map\n#derivation,\"tileItems(1); map\"\n"
            "program,sizes,derivation,outcome,seconds,barriers,launches,input_bytes,output_bytes\n"
            "axpy,N=64,0,ok,2e-6,0,1,512,256\naxpy,N=128,0,ok,4e-6,0,1,1024,512\n"
            "axpy,N=128,1,ok,3e-6,8,1,1024,512\naxpy,N=128,1,crash,,2,1,1024,512\n")

    def test_the_fastest_of_the_largest_size_is_shown(self):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "data.csv.gz"
            with gzip.open(path, "wt") as file:
                file.write(self.DATA)
            features, rows = plot_best_features.read(path)
        self.assertEqual(features, ["barriers"])
        table = plot_best_features.table("data", features, plot_best_features.tasks_of(rows))
        self.assertIn("| axpy | N=128 | 2 | 0.0030 | 8 (50, 0) | tileItems(1); map |", table)


class Contractions(unittest.TestCase):
    @staticmethod
    def rows(name, speeds):
        variants = [*contractions.BASELINES, "hoist", "hoist tuned"]
        best = max(speeds[:4])
        return [{"benchmark": name, "sizes": {"I": 4, "J": 8}, "variant": variant, "outcome": "ok", "gflops": speed,
                 "peak_gflops": 100, "share_of_peak": speed / 100, "ratio": speed / best, "ratio_of_minima": speed / best,
                 "baseline": variants[speeds.index(best)], "order": "ij", "load": 1.0}
                for variant, speed in zip(variants, speeds)]

    def test_arrays_fit_the_cache(self):
        self.assertEqual(len(contractions.ccsd(OPTIONS.hoist)), 19)
        for name in contractions.ccsd(OPTIONS.hoist):
            lengths = contractions.extents(name)
            self.assertLessEqual(contractions.elements(name, lengths) * contractions.ELEMENT, contractions.CACHE)
            self.assertEqual(lengths[name.split("-")[0][-1]] % contractions.LANES, 0)
            self.assertGreaterEqual(min(lengths.values()), contractions.SHORTEST)
        self.assertEqual(contractions.extents("ij-ik-kj"), {"i": 64, "j": 64, "k": 32})

    def test_a_contraction_too_large_for_the_cache_is_refused(self):
        with self.assertRaisesRegex(ValueError, "does not fit 32768 bytes"):
            contractions.extents("ijklmno-ijklmp-pno")

    def test_orders_are_different_and_of_all_loops(self):
        self.assertEqual(contractions.orders("ij-ik-kj"), ["ijk", "ikj", "jki", "kij", "kji"])
        for name in contractions.ccsd(OPTIONS.hoist):
            orders = contractions.orders(name)
            self.assertEqual(len(set(orders)), len(orders))
            self.assertLessEqual(set(orders), set(map("".join, itertools.permutations(contractions.indices_of(name)))))

    def test_loops_sum_in_a_variable_or_in_the_result(self):
        lengths = {"i": 4, "j": 8, "k": 2}
        self.assertIn("      float sum = 0;\n"
                      "      for (int k = 0; k < 2; ++k) {\n"
                      "        sum += A[i * 2 + k] * B[k * 8 + j];\n"
                      "      }\n"
                      "      C[i * 8 + j] = sum;\n", contractions.loops("ij-ik-kj", lengths, "ijk"))
        self.assertIn("      C[i * 8 + j] = 0;\n"
                      "    }\n"
                      "  }\n"
                      "  for (int k = 0; k < 2; ++k) {\n"
                      "    for (int i = 0; i < 4; ++i) {\n", contractions.loops("ij-ik-kj", lengths, "kij"))
        self.assertIn("C[((i * 3 + j) * 4 + k) * 5 + l]",
                      contractions.loops("ijkl-imkn-jnlm", dict(zip("ijklmn", (2, 3, 4, 5, 6, 7))), "ijklmn"))

    def test_only_kernels_that_stand_alone_are_timed(self):
        one = 'extern "C" void f(void* const* arguments) { g(arguments[0], arguments[1], arguments[2]); }\n'
        self.assertEqual(contractions.kernel_of(one), "f")
        self.assertIsNone(contractions.kernel_of(one + one))
        self.assertIsNone(contractions.kernel_of(one.replace("arguments[2]", "arguments[2], arguments[3]")))

    def test_the_table_judges_the_last_column(self):
        table = contractions.table([self.rows("ij-ik-kj", [10, 20, 5, 10, 2, 80]),
                                    self.rows("ij-ikl-ljk", [10, 10, 20, 40, 4, 40])])
        self.assertIn("| ij-ik-kj | 4×8 | 10.0 | 20.0 | 5.0 | 10.0 | 2.0 | 80.0 | 80% | 8.00 | 4.00 | 4.00 | g++, ij |  |", table)
        self.assertIn("is 4.00 times (geometric mean; at least 2.00, ij-ikl-ljk) the better compiler's loops", table)
        self.assertIn("and 2.00 times (geometric mean; at least 1.00, ij-ikl-ljk) the best of all loops", table)


class Products(unittest.TestCase):
    @staticmethod
    def row(kernel, sizes, untuned, tuned):
        sized = lambda ratio: {"id": "0-1", "median_seconds": 1 / ratio, "gflops": 100 * ratio, "ratio": ratio,
                               "ratio_of_minima": ratio}
        return {"benchmark": kernel, "type": "f32", "sizes": sizes, "threads": 2, "baseline_gflops": 100.0, "how": "rows=6",
                "candidates": 7, "load": 1.0, "outcome": "ok", "openblas": "OpenBLAS 9", "untuned": sized(untuned),
                "tuned": sized(tuned)}

    def test_the_table_has_untuned_beside_tuned_and_a_line_for_each_kind(self):
        square = {"M": 1024, "N": 1024, "K": 1024}
        table = cpu_products.table([self.row("matmul_nn", square, 0.8, 1.0), self.row("matmul_tt", square, 0.9, 1.0),
                                    self.row("syrk", {"N": 64, "K": 32}, 0.5, 2.0)])
        self.assertIn("| matmul_nn | f32 | 1024×1024×1024 | 2 | 100.0 | 80.0 | 0.80 | 100.0 | 1.00 | 1.00 | 7 | rows=6 |", table)
        self.assertIn("| squares of powers of two | 2 | 0.85 | 0.80 | 1.00 | 1.00 |", table)
        self.assertIn("| batched and syrk | 1 | 0.50 | 0.50 | 2.00 | 2.00 |", table)

    def test_groups_of_processors(self):
        self.assertEqual(cpu_products.groups_of_cores("0,1:4,5", 2), [[0, 1], [4, 5]])
        self.assertEqual(cpu_products.groups_of_cores(None, 2), [[]])
        groups = cpu_products.groups_of_cores("auto", 1)
        self.assertEqual(len(sum(groups, [])), len(set(sum(groups, []))))

    def test_large_products_have_a_budget_of_their_own(self):
        options = argparse.Namespace(budget="5s", large_budget="9s")
        self.assertEqual([cpu_products.budget_of(options, count) for count in (1e9, 1e11)], ["5s", "9s"])


class TransposeAndMultiply(unittest.TestCase):
    def test_indices_in_groups(self):
        self.assertEqual(cpu_contractions.groups_of("ijkl-imkn-jnlm"), ("ik", "jl", "mn"))

    def test_neighbours_in_both_orders_are_one_index(self):
        self.assertEqual(cpu_contractions.merged("ijk", "kij", {"i": 2, "j": 3, "k": 5}), ("ik", "ki", {"i": 6, "j": 3, "k": 5}))

    @unittest.skipUnless(shutil.which("g++"), "no g++")
    def test_transposes(self):
        blas = argparse.Namespace(cblas_sgemm=None, cblas_dgemm=None)
        for name, scalar, lengths in (("ijkl-imkn-jnlm", "f64", (3, 9, 2, 17, 8, 5)), ("ijk-ilmk-mjl", "f32", (18, 3, 33, 16, 5))):
            lengths = dict(zip(cpu_contractions.indices_of(name), lengths))
            with tempfile.TemporaryDirectory() as folder:
                ttgt = cpu_contractions.Ttgt(blas, name, scalar, lengths, pathlib.Path(folder))
            self.assertGreater(len(ttgt.functions), 5)
            for (source, target), function in ttgt.functions.items():
                before = cpu_products.array(scalar, ttgt.size(source), 1)
                after = cpu_products.array(scalar, ttgt.size(source))
                function(before.ctypes.data, after.ctypes.data)
                expected = before.reshape([lengths[each] for each in source]).transpose([source.index(each) for each in target])
                self.assertTrue((after.reshape(expected.shape) == expected).all(), f"{source} to {target}")


class SimdVariants(unittest.TestCase):
    DERIVATIONS = [{"derivation": 0, "points": 5, "steps": "tileItems(1)"},
                   {"derivation": 3, "points": 10, "steps": "orderLoops(1,8,16,16)"},
                   {"derivation": 4, "points": 6, "steps": "orderLoops(2,4,16,16)"}]

    def test_a_sample_is_of_the_orders_of_loops_alone(self):
        ids, total = simd_variants.sample(self.DERIVATIONS, 8, "1 ij-ik-kj")
        self.assertEqual((len(ids), total), (8, 16))
        self.assertEqual(simd_variants.sample(self.DERIVATIONS, 8, "1 ij-ik-kj")[0], ids)
        self.assertNotEqual(simd_variants.sample(self.DERIVATIONS, 8, "2 ij-ik-kj")[0], ids)
        all_ids, _ = simd_variants.sample(self.DERIVATIONS, 100, 1)
        self.assertEqual(set(all_ids), {f"3-{point}" for point in range(10)} | {f"4-{point}" for point in range(6)})
        self.assertEqual(all_ids["4-5"], "orderLoops(2,4,16,16)")

    def test_arrays_are_read_off_the_plan(self):
        text = "int x;\n//   input A: 6 of f32\n//   output out: 4 of f32\n"
        self.assertEqual(simd_variants.arrays_of(text), [("A", 6), ("out", 4)])

    def test_arrays_of_doubles_fit_the_cache(self):
        for name in ("ij-ik-kj", "ijkl-imkn-jnlm"):
            lengths = contractions.extents(name, 8)
            self.assertLessEqual(contractions.elements(name, lengths) * 8, contractions.CACHE)
            self.assertEqual(lengths[name.split("-")[0][-1]] % 8, 0)


    def test_a_larger_sample_begins_with_a_smaller_one(self):
        self.assertEqual(list(simd_variants.sample(self.DERIVATIONS, 12, 1)[0])[:5], list(simd_variants.sample(self.DERIVATIONS, 5, 1)[0]))

    def test_all_programs_fit_the_cache(self):
        for group, name in simd_variants.workloads(OPTIONS.hoist):
            for kind, size in simd_variants.BYTES.items():
                sizes = simd_variants.sizes_of(name, "[D]" if name in ("drprjthree", "dresid") else "", kind)
                if group != "stencils":
                    lengths = {index.lower(): length for index, length in sizes.items()}
                    self.assertLessEqual(contractions.elements(name, lengths) * size, contractions.CACHE, name)

    def test_numbers_have_few_digits(self):
        self.assertEqual([simd_variants.number_text(each) for each in (3.0, 12345.0, 0.123456, 2.5e-7)], ["3", "12345", "0.1235", "2.5e-07"])

    def test_what_was_begun_is_taken_up_again(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "g++-avx2-f32" / "ij-ik-kj"
            program.mkdir(parents=True)
            for part in ("part-plain", "part0", "part1", "part10"):
                (program / f"{part}.json").write_text("{}")
            (program / "part1.times").write_text("{}")
            parts = [part for _, part in simd_variants.parts_in(pathlib.Path(folder), ".json", ".times")]
            self.assertEqual(parts, ["part-plain", "part0", "part10"])

    def test_a_region_for_the_simulator(self):
        loop = {"instructions": [{"text": "addq $1, %rax"}, {"text": "jne .L2"}]}
        self.assertEqual(simd_variants.region("f", loop), "# LLVM-MCA-BEGIN f\n\taddq $1, %rax\n\tjne .L2\n# LLVM-MCA-END\n")


class SimdNests(unittest.TestCase):
    # i and j outside, of i two in a body, of j two vectors; k runs innermost.
    STEP, VALUES = "orderLoops(2,8,16,32,64)", "at2=1 at=1 jam=2 jam2=2 jam3=1"

    def test_a_nest(self):
        order, trips, jams, arrays, lane, width, _ = simd_nests.nest_of("ij-ik-kj", self.STEP, self.VALUES)
        self.assertEqual(("".join(order), lane, width, arrays), ("ijk", "j", 8, ["ij", "ik", "kj"]))
        self.assertEqual((trips, jams), ({"i": 8, "j": 2, "k": 64}, {"i": 2, "j": 2, "k": 1}))

    def test_indices_that_follow_each_other_are_one_loop(self):
        self.assertEqual(simd_nests.loops_of("ij-ikl-jkl"), ("ijk", ["ij", "ik", "jk"]))
        self.assertEqual(simd_nests.loops_of("ij-ikl-jlk"), ("ijkl", ["ij", "ikl", "jlk"]))
        self.assertEqual(simd_nests.loops_of("ijk-limn-kljmn"), ("ijklm", ["ijk", "lim", "kljm"]))

    def test_features(self):
        found = dict(zip(simd_nests.NAMES, simd_nests.features_of("ij-ik-kj", self.STEP, self.VALUES, "avx2")))
        self.assertEqual(len(simd_nests.NAMES), len(simd_nests.features_of("ij-ik-kj", self.STEP, self.VALUES, "avx2")))
        self.assertEqual((found["bodies"], found["products_of_body"], found["sums"], found["inner_trip"]), (8 * 2 * 64, 4, 4, 64))
        # Two splats of A and two vectors of B for four multiply-adds; the sums stay in registers.
        self.assertEqual((found["splats"], found["loads"], found["strided"]), (0.5, 0.5, 0))
        self.assertEqual(found["result_traffic"], 4 * 16 / (8 * 2 * 64 * 4))
        self.assertEqual((found["is_inner_reduction"], found["chain"]), (1, 2))

    def test_outside_of_the_hot_loop(self):
        iterations, entries, loads, splats, strided, results, runs, is_streamed, is_reduction = simd_nests.outside(
            "ij-ik-kj", self.STEP, self.VALUES, 1)
        self.assertEqual((entries, iterations), (16 / 4096, (8 + 16) / 4096))
        self.assertEqual((loads, splats, strided, results), (0, 0, 0, 64 / 4096))
        self.assertEqual((runs, is_streamed, is_reduction), (64, 0, 1))
        # Where k was unrolled altogether, the loop over j is the hot one, and what it loads is inside.
        self.assertEqual(simd_nests.outside("ij-ik-kj", self.STEP, self.VALUES, 64)[6], 2)


class CpuSimd(unittest.TestCase):
    def test_renamings_are_the_same(self):
        self.assertEqual(cpu_simd.canonical("ij-ik-kj"), cpu_simd.canonical("ab-cb-ac"))
        self.assertNotEqual(cpu_simd.canonical("ij-ik-kj"), cpu_simd.canonical("ij-ki-kj"))

    def test_of_equal_predictions_the_mean_counts(self):
        self.assertEqual(cpu_simd.figures_of([1, 5, 5], [10, 20, 40])["first"], 30)
        figures = cpu_simd.figures_of([9, 5, 4], [10, 20, 40])
        self.assertEqual((figures["first"], figures["three"], figures["kendall"]), (10, 40, -1))

    def test_what_is_expected_at_random(self):
        speeds = [1.0, 2.0, 4.0, 8.0]
        figures = cpu_simd.expected_at_random(speeds)
        self.assertAlmostEqual(figures["first"], 3.75)
        drawn = [max(each) for each in itertools.combinations(speeds, 3)]
        self.assertAlmostEqual(figures["three"], sum(drawn) / len(drawn))
        self.assertEqual(figures["ten"], 8)

    def test_correlation_of_ranks(self):
        self.assertEqual(cpu_simd.kendall([1, 2, 3], [4, 5, 6]), 1)
        self.assertEqual(cpu_simd.kendall([1, 1], [4, 5]), 0)
        self.assertAlmostEqual(cpu_simd.kendall([1, 2, 2], [1, 2, 3]), 2 / 6 ** 0.5)

    def row(self, program, group, number, step, variant):
        features = {each: str(number) for each in (*cpu_simd.FEATURES, *simd_inputs.OF_ASSEMBLY, "element_operations", "scalar_arithmetic",
                                                   "micro_operations", "operations_per_cycle", "spill_loads", "spill_stores", "port_5")}
        return {"compiler": "gcc 12.2.0", "isa": "avx2", "type": "f32", "program": program, "group": group, "flops": "1e9",
                "points": "99", "step": step, "variant": variant, "seconds": str(1 / number), "mca": str(1 / number), **features}

    def test_the_best_predictor_is_efficient(self):
        rows, terms = [], {}
        for program, group in (("ij-ik-kj", "training"), ("ij-ki-kj", "training"), ("ij-ki-jk", "CCSD"), ("dresid", "stencils")):
            for number in range(1, 6):
                step = "orderLoops(1,8,16,16)" if program == "dresid" else SimdNests.STEP
                rows.append(self.row(program, group, number, step, f"3-{number}"))
                terms["avx2", "f32", program, f"3-{number}"] = {"values": SimdNests.VALUES, **dict.fromkeys(simd_inputs.OF_TERM, "1")}
            rows.append(self.row(program, group, 2, "", "untuned" if group == "stencils" else "loops"))
        programs = cpu_simd.programs_of(rows, terms)
        found = cpu_simd.judged(OPTIONS.hoist, programs, list(cpu_simd.LEARNERS_OF), 2, learners=["ibk"])
        first = lambda learner: [round(row["first"], 9) for row in found if row["learner"] == learner]
        self.assertEqual((first("ibk"), first("random"), first("compiler"), first("mca")), ([5] * 4, [3] * 4, [2] * 4, [5] * 4))
        self.assertEqual(len(first("static")), 4)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "choices.csv.gz"
            cpu_simd.write_choices(path, found)
            choices = cpu_simd.Choices(cpu_simd.read_choices(path))
        for name, (_, _, table) in cpu_simd.TABLES.items():
            text = table(choices, cpu_simd.Configuration("gcc", "avx2", "f32"))
            self.assertIn({"least": "gcc avx2 f32", "variants": "| ij-ki-jk | CCSD | 99 | 5 |"}.get(name, "Ours"), text)
        self.assertIn("| gcc avx2 f32 | 0.40 | 0.60 |", cpu_simd.TABLES["VI"][2](choices, None))

    def test_variants_of_a_part_are_chosen_from(self):
        program = cpu_simd.Program("dresid", "stencils", 1e9, 1)
        for number in range(1, 21):
            program.add({**self.row("dresid", "stencils", number, "orderLoops(1,8,16,16)", f"3-{number}"), "part": str(number // 10)}, None)
        sets = program.sets(True)
        self.assertEqual({part: len(places) for part, places in sets.items()}, {"0": 9, "1": 10})
        rows = cpu_simd.judged(OPTIONS.hoist, {cpu_simd.Configuration("gcc", "avx2", "f32"): [program]}, ["stencils"], 1, True)
        self.assertEqual([(row["part"], row["best"], round(row["first"], 9)) for row in rows if row["learner"] == "random"],
                         [("0", 9, 5), ("1", 19, 14.5)])
        row = cpu_simd.Choices(rows).rows(cpu_simd.Configuration("gcc", "avx2", "f32"), "stencils", "random")[0]
        self.assertAlmostEqual(row["first"], (5 / 9 + 14.5 / 19) / 2)

    def test_renamings_are_not_learned_from(self):
        programs = [cpu_simd.Program(name, group, 1, 1) for name, group in
                    (("ij-ik-kj", "training"), ("ij-ki-kj", "training"), ("ab-cb-ac", "CCSD"), ("dresid", "stencils"))]
        names = lambda group: [([each.name for each in learned], [each.name for each in judged])
                               for learned, judged in cpu_simd.lessons_of(programs, [group])]
        self.assertEqual(names("CCSD"), [(["ij-ki-kj"], ["ab-cb-ac"])])
        self.assertEqual(len(cpu_simd.lessons_of(programs, ["CCSD", "stencils"])), 2)
        self.assertEqual(names("stencils"), [(["ij-ik-kj", "ij-ki-kj"], ["dresid"])])
        self.assertEqual(names("training"), [(["ij-ki-kj"], ["ij-ik-kj"]), (["ij-ik-kj"], ["ij-ki-kj"])])

    def test_twins_are_the_same_code(self):
        # The loop j has one iteration and no jam: where it is does not matter. The loop i is jammed in one of the three.
        rows, terms = [], {}
        for number, values in enumerate(("at=2 at2=1 jam=1 jam2=2", "at=1 at2=1 jam=1 jam2=2", "at=1 at2=1 jam=2 jam2=2"), 1):
            row = self.row("ij-ik-kj", "CCSD", number, "orderLoops(2,16,16,16,16)", f"3-{number}")
            rows.append({**row, **dict.fromkeys(list(row)[list(row).index(cpu_simd.FEATURES[0]):], "1")})
            terms["avx2", "f32", "ij-ik-kj", f"3-{number}"] = {"values": values}
        quotients, seconds = simd_twins.quotients_and_times(rows, terms)
        configuration = cpu_simd.Configuration("gcc", "avx2", "f32")
        self.assertEqual((quotients, {key: len(times) for key, times in seconds.items()}),
                         ({configuration: [2.0]}, {(configuration, "CCSD", "ij-ik-kj"): 3}))
        self.assertIn("| all | 1 | 2.000 | 1.000 | 1.000 | 1.000 |", simd_twins.table_of_quotients(quotients))
        self.assertIn("| gcc avx2 f32 |", simd_twins.table_of_choices(quotients, seconds))

    def test_without_noise_the_truth_chooses_the_best(self):
        random = simd_twins.np.random.default_rng(1)
        self.assertEqual(simd_twins.chosen_by_the_truth([3, 1, 2], [1.0], random), 1)
        found = {simd_twins.chosen_by_the_truth([3, 1, 2], [4.0], random) for _ in range(40)}
        self.assertEqual(found, {1, 0.5, 0.75})  # where the fastest alone is slowed down, where the second one is, too


class Ranks(unittest.TestCase):
    FACTS = {"machine": "a processor, 2 cores", "how": "ranks", "at_once": 2, "hoist": "1.0",
             "measured": [{"program": "jacobi2d5", "kind": kind, "ranks": count, "rows": 8, "step_seconds": 2e-3, "forecast": 2.2e-3,
                           "forecast_alone": 1.5e-3, "error": 0.1, "error_alone": -0.25} for kind in ("weak", "strong") for count in (1, 2)],
             "predicted": [{"program": "jacobi2d5", "kind": kind, "network": network,
                            "points": [{"ranks": 1, "step_seconds": 2e-3, "efficiency": 1.0},
                                       {"ranks": 2, "step_seconds": 2e-3, "efficiency": 0.5}]}
                           for kind in ("weak", "strong") for network in ranks.NETWORKS]}

    def test_the_table(self):
        text = ranks.tables(self.FACTS)
        self.assertIn("| jacobi2d5 | weak | 2 | 2.000 ms | 2.200 ms | +10.0% | 1.500 ms | -25.0% |", text)
        self.assertIn("The largest error at two ranks and more: 10.0%.", text)
        self.assertIn("| jacobi2d5 | strong | NVLink 4 | 100.0% | 50.0% | too few rows |", text)

    def test_the_picture(self):
        drawn = xml.etree.ElementTree.fromstring(ranks.picture(self.FACTS))
        kinds = [each.tag.rpartition("}")[2] for each in drawn]
        self.assertEqual((kinds.count("polyline"), kinds.count("circle")), (6, 4))

    def test_measuring(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-B", str(BENCH / "ranks.py"), os.environ["HOIST"], "--only", "jacobi2d5", "--rows", "48", "--ranks",
                       "1", "--rounds", "1", "--parts", "--write", folder]
            subprocess.run(command, check=True, capture_output=True)
            facts = json.loads((pathlib.Path(folder) / "ranks.json").read_text())
        self.assertEqual([(row["kind"], row["ranks"]) for row in facts["measured"]], [("weak", 1), ("strong", 1)])
        self.assertEqual(facts["predicted"][0]["points"][-1]["ranks"], 1024)


if __name__ == "__main__":
    unittest.main()
