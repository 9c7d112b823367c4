#!/usr/bin/env python3
"""What the scripts of bench/ make of measurements, which are invented here. HOIST is the command. Needs NumPy (exit
status 77 without it)."""
import argparse
import gzip
import itertools
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

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


class CpuSimd(unittest.TestCase):
    def test_renamings_are_the_same(self):
        self.assertEqual(cpu_simd.canonical("ij-ik-kj"), cpu_simd.canonical("ab-cb-ac"))
        self.assertNotEqual(cpu_simd.canonical("ij-ik-kj"), cpu_simd.canonical("ij-ki-kj"))

    def test_of_equal_predictions_the_mean_counts(self):
        variants = [([1], 10.0), ([2], 20.0), ([3], 40.0)]
        self.assertEqual(cpu_simd.chosen(variants, [1, 5, 5]), 30)
        self.assertEqual(cpu_simd.chosen(variants, [9, 5, 5]), 10)

    def test_the_best_predictor_is_efficient(self):
        rows = []
        for program, group in (("ij-ik-kj", "training"), ("ij-ki-kj", "training"), ("ij-ki-jk", "CCSD"), ("dresid", "stencils")):
            for number in range(1, 6):
                features = {each: str(number) for each in cpu_simd.FEATURES}
                rows.append({"compiler": "gcc", "isa": "avx2", "type": "f32", "program": program, "group": group,
                             "step": "orderLoops(1,8,16)", "variant": f"3-{number}", "gflops": str(number), **features})
            rows.append({**rows[-1], "step": "", "variant": "untuned" if group == "stencils" else "loops", "gflops": "2"})
        text, choices = cpu_simd.tables(OPTIONS.hoist, cpu_simd.programs_of(rows))
        self.assertEqual([each["ibk"] for each in choices], [5, 5, 5, 5])
        self.assertEqual([each["random"] for each in choices], [3, 3, 3, 3])
        self.assertIn("gcc avx2 f32", text)


if __name__ == "__main__":
    unittest.main()
