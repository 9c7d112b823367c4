"""Translates OpenMP C by hoist openmp, builds it with a C compiler alone, runs it, and holds what it prints against the serial program.

The environment names the program under test (HOIST), the C compiler (CC), the OpenCL loader (OPENCL, may be empty), and a CUDA
driver that needs no device with CUDA's headers (FAKE_CUDA, CUDA_INCLUDE; may be empty). Exit status 77 where hoist-openmp is not built.
"""
import os
import pathlib
import re
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
import random_nests  # noqa: E402
from support import HOIST, ROOT, Case  # noqa: E402

CC, OPENCL = os.environ.get("CC", "cc"), os.environ.get("OPENCL", "")
# What a program needs that loads a driver built with sanitizers.
SANITIZE = os.environ.get("SANITIZE", "").split()
HERE = ROOT / "tests" / "openmp"
# One group of streams each: a loop as a whole, tasks that overlap, more tasks than queues.
STREAMS = ("1,1", "1,4", "2,7")
SEEDS, NESTS = range(1, 101 if os.environ.get("HOIST_SLOW") else 3), 8
# How many loops of an example Hoist's language does not say.
UNSAID = {"bfs": 1, "binomial": 1, "convolution_fft2d": 1, "correlation": 1, "histo": 1, "lbm": 1, "monte_carlo": 1, "mri_gridding": 1,
          "prefix_sum": 2, "spmv": 1}


def words_agree(expected, got):
    """Equal words; numbers up to rounding, which the order of a sum decides."""
    a, b = re.split(r"[\s=]+", expected), re.split(r"[\s=]+", got)
    if len(a) != len(b):
        return False
    for x, y in zip(a, b):
        if x == y:
            continue
        try:
            if not abs(float(x) - float(y)) <= 1e-5 * max(abs(float(x)), abs(float(y)), 1e-12):
                return False
        except ValueError:
            return False
    return True


class Openmp(Case):
    def built(self, sources, name, *options):
        command = [CC, "-std=gnu11", "-O1", "-Wall", "-Wno-unknown-pragmas", "-Wno-unused", "-Wno-maybe-uninitialized", *options, *map(str, sources), "-o",
                   str(self.directory / name)]
        # The serial program gets OpenMP's functions from its library, the translated one from the run time.
        libraries = ["-lgomp"] if name == "serial" else [OPENCL]
        done = subprocess.run([*command, *libraries, "-lm"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), " ".join(command))
        return self.directory / name

    def printed(self, program, *arguments, **environment):
        done = subprocess.run([str(program), *arguments], capture_output=True, text=True, timeout=600,
                              env={**os.environ, **environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        return "\n".join(line for line in done.stdout.splitlines() if not line.startswith("seconds")), done.stderr

    def translated(self, source, *options):
        return self.hoist("openmp", str(source), "-o", "out", "--force", *options)

    def offered(self, done):
        """The numbers of the loops that are programs of Hoist, too. Each is equal to its loop."""
        self.assertNotIn("what was written is not the loop", done.stderr)
        return [int(number) for number in re.findall(r"_loop(\d+)\.hoist is the loop of .*: equal on \d+ random inputs", done.stdout)]

    def check(self, source, *arguments, streams=STREAMS):
        """Translated and run in several ways it prints what the serial program prints; gives what hoist told."""
        done = self.translated(source)
        self.offered(done)
        serial, _ = self.printed(self.built([source], "serial", f"-I{source.parent}"), *arguments)
        if not OPENCL:
            self.skipTest("there is no OpenCL loader")
        device = self.built([self.directory / "out" / source.name, self.directory / "out" / "hoist_openmp.c"], "device",
                            f"-I{source.parent}")
        for each in streams:
            got, told = self.printed(device, *arguments, HOIST_STREAMS=each, HOIST_VERBOSE="1")
            self.assertTrue(words_agree(serial, got), f"{source.name} with {each}:\n{serial}\n{got}")
            self.assertNotIn("refuses", told)
        got, told = self.printed(device, *arguments, HOIST_DEVICE="host")
        self.assertTrue(words_agree(serial, got), f"{source.name} on the host:\n{serial}\n{got}")
        return done

    def test_regions_that_stay(self):
        source = HERE / "programs" / "stays.c"
        done = self.check(source, streams=("1,4",))
        told = {}
        for line, text in re.findall(r"stays\.c:(\d+):\d+: stays on the host: (.*)", done.stderr):
            told.setdefault(int(line), []).append(text)
        for number, line in enumerate(source.read_text().splitlines(), 1):
            wanted = re.search(r"// stays: (.*)", line)
            if wanted:
                self.assertTrue(any(wanted.group(1) in text for text in told.pop(number, [])), f"line {number}: {line}\n{done.stderr}")
        self.assertEqual(told, {})

    def test_two_files(self):
        files = [HERE / "parts" / "main.c", HERE / "parts" / "other.c"]
        serial, _ = self.printed(self.built(files, "serial"))
        for each in files:
            self.translated(each)
        if not OPENCL:
            self.skipTest("there is no OpenCL loader")
        out = self.directory / "out"
        for options in ((), ("-include", str(out / "hoist_openmp.h"))):
            device = self.built([out / "main.c", out / "other.c", out / "hoist_openmp.c"], "device", *options)
            self.assertEqual(self.printed(device)[0], serial)

    def test_data_stay_on_the_device(self):
        source = self.directory / "jacobi.c"
        source.write_text("""#include <stdio.h>
static double a[10000], b[10000];
int main(void) {
  for (int i = 0; i < 10000; ++i) a[i] = i % 17;
  for (int t = 0; t < 50; ++t) {
#pragma omp parallel for
    for (int i = 1; i < 9999; ++i) b[i] = (a[i - 1] + a[i + 1]) / 2;
#pragma omp parallel for
    for (int i = 1; i < 9999; ++i) a[i] = b[i];
  }
  double sum = 0;
  for (int i = 0; i < 10000; ++i) sum += a[i];
  printf("%.12g\\n", sum);
  return 0;
}
""")
        self.translated(source)
        if not OPENCL:
            self.skipTest("there is no OpenCL loader")
        out = self.directory / "out"
        device = self.built([out / "jacobi.c", out / "hoist_openmp.c"], "device")
        _, told = self.printed(device, HOIST_VERBOSE="1", HOIST_STREAMS="1,4")
        uploaded, downloaded = map(int, re.search(r"(\d+) bytes uploaded, (\d+) downloaded", told).groups())
        # Each array once: not once a step.
        self.assertLessEqual(uploaded, 2 * 80000)
        self.assertLessEqual(downloaded, 2 * 80000)

    def test_streams_of_a_table(self):
        source = HERE / "programs" / "indirect.c"
        self.translated(source)
        if not OPENCL:
            self.skipTest("there is no OpenCL loader")
        out = self.directory / "out"
        device = self.built([out / "indirect.c", out / "hoist_openmp.c"], "device")
        self.file("table.csv", "# loop,iterations,partitions,tasks\nindirect_shift_9,256,1,3\nindirect_shift_9,1000000,1,9\n")
        table = str(self.directory / "table.csv")
        _, told = self.printed(device, HOIST_STREAMS="auto", HOIST_STREAMS_TABLE=table, HOIST_VERBOSE="1")
        self.assertIn("no row", told)
        done = subprocess.run([str(device)], env={**os.environ, "HOIST_STREAMS": "4"}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("HOIST_STREAMS", done.stderr)

    def test_input_that_is_wrong(self):
        self.file("broken.c", "int main(void) { return x; }\n")
        done = self.hoist("openmp", "broken.c", "-o", "out", status=1)
        self.assertIn("use of undeclared identifier 'x'", done.stderr)
        self.assertFalse((self.directory / "out").exists())
        self.file("loop.c", "int main(void) { int n = 9, s = 0;\n#pragma omp parallel for\nfor (int i = 0; i != n && s < 3; ++i) s = i;\nreturn s; }\n")
        done = self.hoist("openmp", "loop.c", "-o", "out", status=1)
        self.assertIn("loop.c:3", done.stderr)
        self.file("fine.c", "int main(void) { return 0; }\n")
        for words, says in ((["fine.c"], "--output"), (["none.c", "-o", "out"], "no file 'none.c'"), (["fine.c", "-o", "out", "--target", "metal"], "'metal'"),
                            (["out", "-o", "out"], "no file")):
            self.assertIn(says, self.hoist("openmp", *words, status=1).stderr)
        self.hoist("openmp", "fine.c", "-o", "out")
        self.assertIn("--force", self.hoist("openmp", "fine.c", "-o", "out", status=1).stderr)
        self.hoist("openmp", "fine.c", "-o", "fine.c/below", "--force", status=1)

    def test_macros_and_folders(self):
        (self.directory / "headers").mkdir()
        self.file("headers/size.h", "#define SIZE COUNT\n")
        self.file("use.c", '#include "size.h"\n#include <omp.h>\nstatic int a[SIZE];\nint main(void) {\n#pragma omp parallel for\n'
                           "  for (int i = 0; i < SIZE; ++i) a[i] = i;\n  return a[3] - 3 + (omp_get_num_threads() - 1);\n}\n")
        done = self.hoist("openmp", "use.c", "-o", "out", "-I", "headers", "-D", "COUNT=12", "--", "-std=gnu11")
        self.assertIn("1 of 1 loops", done.stdout)

    def test_cuda_kernels(self):
        for source in sorted((HERE / "programs").glob("*.c")):
            self.translated(source, "--target", "cuda")
            text = (self.directory / "out" / (source.stem + "_kernels.h")).read_text()
            self.assertIn('extern \\"C\\" __global__ void', text)

    @unittest.skipUnless(os.environ.get("CUDA_INCLUDE") and os.environ.get("FAKE_CUDA"), "CUDA's headers are not installed")
    def test_cuda_runs(self):
        """On a driver that runs kernels on the processor, in random orders, on green contexts and without them."""
        for name in ("gemm", "jacobi2d"):
            source = ROOT / "examples" / "openmp" / f"{name}.c"
            self.translated(source, "--target", "cuda")
            serial, _ = self.printed(self.built([source], "serial", f"-I{source.parent}"))
            command = [CC, *SANITIZE, "-std=gnu11", "-O1", "-DHOIST_OPENMP_CUDA", f"-I{source.parent}", "-isystem", os.environ["CUDA_INCLUDE"],
                       f"out/{name}.c", "out/hoist_openmp.c", os.environ["FAKE_CUDA"], "-lm", "-o", "cuda"]
            subprocess.run(command, cwd=self.directory, check=True)
            for seed, streams, green, says in (("1", "1,4", "2", "1 partitions, 2 streams"), ("2", "2,7", "2", "2 partitions, 4 streams"),
                                               ("3", "2,7", "0", "2 partitions that share it, 4 streams")):
                got, told = self.printed(self.directory / "cuda", FAKE_CUDA_SEED=seed, FAKE_CUDA_GREEN=green, HOIST_STREAMS=streams,
                                         HOIST_VERBOSE="1")
                self.assertTrue(words_agree(serial, got), f"{name} with {streams}:\n{serial}\n{got}")
                self.assertIn(says, told)

    @unittest.skipUnless(os.environ.get("CUDA_INCLUDE") and os.environ.get("FAKE_CUDA"), "CUDA's headers are not installed")
    def test_cuda_reductions(self):
        """What needs shared memory and atomic operations, on that driver."""
        for name in ("mat_vec_mul", "histo"):
            source = ROOT / "examples" / "openmp" / f"{name}.c"
            self.translated(source, "--target", "cuda")
            serial, _ = self.printed(self.built([source], "serial"))
            out = self.directory / "out"
            device = self.built([out / source.name, out / "hoist_openmp.c", os.environ["FAKE_CUDA"]], "device", *SANITIZE, "-DHOIST_OPENMP_CUDA",
                                "-isystem", os.environ["CUDA_INCLUDE"], f"-I{source.parent}")
            got, told = self.printed(device, HOIST_STREAMS="1,4", HOIST_VERBOSE="1")
            self.assertTrue(words_agree(serial, got), f"{name}:\n{serial}\n{got}")
            self.assertIn(" 0 loops on the host", told)

    def test_random_nests(self):
        offered, all_loops = 0, 0
        for seed in SEEDS:
            text = random_nests.program(seed, NESTS)
            loops = text.count("#pragma omp parallel for")
            done = self.check(self.directory / self.file(f"nests{seed}.c", text), streams=("2,3",))
            self.assertIn(f"{loops} of {loops} loops go to the device", done.stdout, f"seed {seed}")
            offered += len(self.offered(done))
            all_loops += loops
        self.assertGreaterEqual(offered, 0.9 * all_loops)

    def test_programs_of_hoist(self):
        """The texts that a few plain nests become."""
        for name, number, text in (
                ("vector_add", 1, """def vector_add_loop1(a: [N]f32, b: [N]f32): [N]f32 = zip(a, b) |> map((a_i, b_i) => a_i + b_i)"""),
                ("gemm", 1, """zip(C, A) |> map((C_i, A_i) => zip(C_i, transpose(B))
                               |> map((C_ij, B_j) => C_ij * beta + alpha * dotProduct(A_i, B_j)))"""),
                ("jacobi2d", 1, """A |> slide2(3, 1)
                                   |> map2(A_ij => 0.2 * (A_ij[1][1] + A_ij[1][0] + A_ij[1][2] + A_ij[2][1] + A_ij[0][1]))"""),
                ("mat_vec_mul", 1, """let y = A |> map(A_i => dotProduct(A_i, x))
                                      let squares = y |> map(y_i => y_i * y_i) |> reduce(+, 0.0)
                                      (y, squares)""")):
            self.translated(ROOT / "examples" / "openmp" / f"{name}.c")
            program = self.directory / "out" / f"{name}_loop{number}.hoist"
            self.assertIn(" ".join(text.split()), " ".join(program.read_text().split()))
            # What its comment says can be done.
            command = re.search(r"// +hoist (tune .*)", program.read_text()).group(1).split()
            sizes = [word for word in command[2:] if "=" in word]
            self.hoist("compile", str(program), *sizes)

    def test_programs_of_hoist_without_a_compiler(self):
        done = self.hoist("openmp", str(ROOT / "examples" / "openmp" / "gemm.c"), "-o", "out", env={**os.environ, "CC": "no-such-compiler"})
        self.assertIn("not checked: there is no C compiler", done.stdout)
        self.assertTrue((self.directory / "out" / "gemm_loop1.hoist").exists())

    def test_why_no_program_of_hoist(self):
        done = self.translated(HERE / "programs" / "clauses.c")
        self.assertRegex(done.stderr, r"clauses\.c:\d+:\d+: no program of Hoist: it looks for the least or greatest integer")


def test_of(source, streams):
    def test(self):
        self.check(source, streams=streams)
    return test


def test_of_example(source):
    def test(self):
        done = self.check(source, streams=("1,4",))
        translated, loops = re.search(r"(\d+) of (\d+) loops go to the device", done.stdout).groups()
        self.assertEqual(translated, loops, done.stderr)
        told = re.findall(r"no program of Hoist", done.stderr)
        self.assertEqual(len(self.offered(done)) + len(told), int(loops), done.stdout + done.stderr)
        self.assertEqual(len(told), UNSAID.get(source.stem, 0), done.stderr)
    return test


def add_programs():
    for source in sorted((HERE / "programs").glob("*.c")):
        if source.stem != "stays":
            setattr(Openmp, "test_program_" + source.stem, test_of(source, STREAMS))
    for source in sorted((ROOT / "examples" / "openmp").glob("*.c")):
        setattr(Openmp, "test_example_" + source.stem, test_of_example(source))


add_programs()

if __name__ == "__main__":
    if not pathlib.Path(HOIST).with_name("hoist-openmp").exists():
        sys.exit(77)
    unittest.main()
