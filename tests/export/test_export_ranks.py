"""Exports programs for ranks of MPI, builds them with mpicc and a C++ compiler alone, runs them on 1 to 4 ranks, and holds each rank's part of
the result against one rank's, and that against `hoist run`.

The environment is that of test_export.py. Exit status 77 where there is no mpicc or mpirun.
"""
import os
import shutil
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from test_export import CXX, GATHER, ROOT, STEPS, TUPLES, Exporting, parameters  # noqa: E402

LAUNCH = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
# The headers of MPIs are not -pedantic.
STRICT = ["-Wall", "-Wextra", "-Werror"]
TOTAL = "def total(a: i32, x: [N]i32, y: [N]i32): (i32, [N]i32) =\n" \
        "  (zip(x, y) |> map((e, f) => a * e * f) |> reduce(+, 0), x |> map(e => e + a))\n"
COLUMNS = "def columns(A: [M][N]i32, x: [M]i32): [N]i32 =\n" \
          "  A |> transpose |> map(c => zip(c, x) |> map((a, b) => a * b) |> reduce(+, 0))\n"
PAIR = "def pair(p: ([N]i32, [N]i32)): ([N]i32, [N]i32) =\n" \
       "  let (u, v) = p\n" \
       "  (v |> pad(1, 1, wrap) |> slide(3, 1) |> map(n => (n[0] + 2 * n[1] + n[2]) % 101), zip(u, v) |> map((a, b) => (a + b) % 97))\n"

# Reads its rows of each input from files that hold all of them, and writes those of each output to files that others write, too.
MAIN = """
#include "{name}.h"
#include <stdio.h>
#include <stdlib.h>
static void *rows(const char *path, const char *mode, void *data, size_t first, size_t count, size_t bytes) {{
  FILE *stream = fopen(path, mode);
  if (!data) data = calloc(count ? count : 1, bytes);
  if (!stream || fseek(stream, (long)(first * bytes), SEEK_SET)) exit(9);
  if ((mode[2] == 'b' ? fwrite(data, bytes, count, stream) : fread(data, bytes, count, stream)) != count) exit(9);
  fclose(stream);
  return data;
}}
int main(int argc, char **argv) {{
  {name}_handle *handle;
  size_t first, count;
  int status, rank;
  const long long steps = argc > 1 ? atoll(argv[1]) : 1;
  if ({name}_create(&handle, MPI_COMM_SELF) != {NAME}_MESSAGE_FAILED) return 8;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  status = {name}_create(&handle, MPI_COMM_WORLD);
  if (!status) {{
    (void)steps, (void)first, (void)count;
{reads}
    for (int run = 0; run < 2; ++run) status = {call};
{writes}
    {name}_destroy(handle);
  }}
  if (status && rank == 0) fprintf(stderr, "%s\\n", {name}_error_text(status));
  MPI_Finalize();
  return status;
}}
"""


class ExportRanks(Exporting):
    def main_text(self, name):
        header = (self.directory / f"out/{name}.h").read_text()
        reads, writes, arguments = [], [], []
        for kind, is_array, is_input, parameter in parameters(header, name):
            count = f"{name.upper()}_ELEMENTS_{parameter}"
            part = f"{name}_part_{parameter}"
            arguments.append(f"d_{parameter}" if is_array else f"*d_{parameter}")
            if f"void {part}(" in header:
                place = f"{part}(rank, &first, &count);"
                width = f"sizeof({kind}) * ({count} / {self.row_counts[parameter]})"
            else:
                place, width = "first = 0; count = 1;", f"sizeof({kind})"
            if is_input:
                reads.append(f'    {place}\n    {kind} *d_{parameter} = ({kind} *)rows("{parameter}.raw", "rb", NULL, first, count, {width});')
            else:
                reads.append(f"    {place}\n    {kind} *d_{parameter} = ({kind} *)calloc(count ? count : 1, {width});")
                writes.append(f'    {place}\n    rows("{parameter}.ranks", "r+b", d_{parameter}, first, count, {width});')
        call = f"{name}_run_steps(handle, steps, {', '.join(arguments)})" if f"{name}_run_steps" in header \
            else f"{name}_run(handle, {', '.join(arguments)})"
        return MAIN.format(name=name, NAME=name.upper(), reads="\n".join(reads), writes="\n".join(writes), call=call)

    def build(self, name):
        self.run_command("mpicc", "-std=c99", "-O1", *STRICT, "-c", f"out/{name}.c", "-o", "exported.o")
        self.run_command(CXX, "-std=c++17", "-O2", "-fopenmp", "-Wall", "-Wextra", "-Wno-unused-parameter", "-c",
                         f"out/{name}_kernels.cpp", "-o", "kernels.o")
        self.file("main.c", self.main_text(name))
        self.run_command("mpicc", "-std=c99", *STRICT, "-I", "out", "-c", "main.c", "-o", "main.o")
        self.run_command("mpicxx", "-fopenmp", "main.o", "exported.o", "kernels.o", "-o", "main")

    def launched(self, ranks, *words, status=0):
        done = subprocess.run([*LAUNCH, "-n", str(ranks), self.directory / "main", *words], cwd=self.directory, text=True, capture_output=True,
                              timeout=300, env=dict(os.environ, OMP_NUM_THREADS="1"))
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def exported(self, file, name, sizes, ranks, *more):
        self.hoist("export", file, *(f"{key}={value}" for key, value in sizes.items()), "--device", "host", "-o", "out", "--name", name,
                   "--force", "--ranks", str(ranks), *more)
        self.build(name)

    def check(self, file, name, sizes, shapes, outputs, steps=(1,), tolerance=0.0, most=4):
        """`outputs`: the C name and the shape of each. Results of several ranks are those of one, but for floats that are added up."""
        options = self.inputs(name, shapes)
        self.row_counts = {c_name: shape[0] for _, c_name, _, shape, *_ in shapes if shape}
        self.row_counts.update({c_name: shape[0] for c_name, shape in outputs if shape})
        expected = {}
        for count in steps:
            files = [f"{c_name}.expected{count}" for c_name, _ in outputs]
            self.hoist("run", file, *(f"{key}={value}" for key, value in sizes.items()), *options, "--device", "host", "--untuned", "-o",
                       ",".join(files), *(["--steps", str(count)] if count > 1 else []), env=dict(os.environ, OMP_NUM_THREADS="1"))
            for (c_name, _), path in zip(outputs, files):
                whole = (self.directory / path).read_bytes()
                expected[c_name, count] = path, len(whole) - 10 - int.from_bytes(whole[8:10], "little")
        for ranks in range(1, most + 1):
            self.exported(file, name, sizes, ranks)
            for count in steps:
                with self.subTest(program=name, ranks=ranks, steps=count):
                    for c_name, _ in outputs:
                        self.file(f"{c_name}.ranks", bytes(expected[c_name, count][1]))
                    self.launched(ranks, str(count))
                    self.expect_result(name, [(c_name, expected[c_name, count][0]) for c_name, _ in outputs], ["ranks"], tolerance)

    def test_a_stencil_in_steps(self):
        self.check(ROOT / "kernels/jacobi2d5.hoist", "jacobi", {"H": 29, "W": 11}, [("u", "u", "f4", (29, 11))], [("result", (29, 11))],
                   steps=(1, 2, 3, 4, 9), tolerance=1e-6)

    def test_several_results_in_steps(self):
        self.check(self.file("pair.hoist", PAIR), "pair", {"N": 41},
                   [("p.0", "p_0", "i4", (41,)), ("p.1", "p_1", "i4", (41,))], [("result_0", (41,)), ("result_1", (41,))], steps=(1, 2, 6))

    def test_reductions_and_numbers(self):
        self.check(self.file("total.hoist", TOTAL), "total", {"N": 1001},
                   [("a", "a", "i4", ()), ("x", "x", "i4", (1001,)), ("y", "y", "i4", (1001,))], [("result_0", ()), ("result_1", (1001,))])

    def test_matrix_product(self):
        self.check(ROOT / "kernels/matmul_nn.hoist", "product", {"M": 20, "N": 24, "K": 28},
                   [("A", "A", "f4", (20, 28)), ("B", "B", "f4", (28, 24))], [("result", (20, 24))], tolerance=1e-5)

    def test_columns(self):
        self.check(self.file("columns.hoist", COLUMNS), "columns", {"M": 13, "N": 23},
                   [("A", "A", "i4", (13, 23)), ("x", "x", "i4", (13,))], [("result", (23,))])

    def test_tuples_and_every_kind_of_scalar(self):
        self.check(self.file("parts.hoist", TUPLES), "parts", {"N": 100},
                   [("x.0", "x_0", "f4", (100,)), ("x.1", "x_1", "i4", (100,)), ("a", "a", "f8", ()), ("keep", "keep", "b1", (100,))],
                   [("result_0_0", (100,)), ("result_0_1", (100,)), ("result_1", ()), ("result_2", (100,))], tolerance=1e-5)

    def test_a_fault_of_one_rank_is_the_status_of_all(self):
        file = self.file("pick.hoist", GATHER)
        good = [("x", "x", "f4", (5,)), ("at", "at", "i4", (40,), [i % 5 for i in range(40)])]
        self.check(file, "pick", {"N": 5, "M": 40}, good, [("result", (40,))], most=3)
        self.inputs("pick", [good[0], ("at", "at", "i4", (40,), [5] + [0] * 39)])
        self.assertIn("outside an array", self.launched(3, status=7).stderr)
        self.assertIn("has not as many ranks", self.launched(2, status=11).stderr)

    def test_wrong_use(self):
        stencil = ROOT / "kernels/jacobi2d5.hoist"
        export = ["export", stencil, "H=9", "W=8", "-o", "out"]
        for more, says in [(["--device", "host", "--ranks", "10"], "cannot be cut into 10 parts"),
                           (["--device", "host", "--ranks", "2", "--streams", "1,2"], "--ranks and --streams do not go together"),
                           (["--device", "host", "--feed", "u"], "--feed needs --ranks"),
                           (["--device", "host", "--ranks", "2", "--feed", "v"], "the program has no input called v to feed"),
                           (["--device", "opencl", "--ranks", "2"], "exported for the host alone")]:
            self.refused(*export, *more, says=[says])
        self.assertFalse((self.directory / "out").exists())

    def test_commands_of_the_page(self):
        page = (ROOT / "docs/export.md").read_text()
        commands = [line.split() for line in page.splitlines() if line.startswith("hoist export") and "--ranks" in line]
        self.assertGreater(len(commands), 0)
        for _, *words in commands:
            self.hoist(*(word.replace("kernels/", f"{ROOT}/kernels/") for word in words))

    def test_loops_that_one_rank_runs(self):
        self.check(self.file("steps.hoist", STEPS), "steps", {"N": 33}, [("x", "x", "f4", (33,)), ("m", "m", "i4", ())],
                   [("result_0", (33,)), ("result_1", ()), ("result_2", ())], tolerance=1e-5, most=3)

    def test_what_cannot_be_cut_is_told(self):
        self.file("sums.hoist", "def sums(x: [N]i32): [N]i32 = x |> scan(+, 0)\n")
        self.refused("export", "sums.hoist", "N=33", "--device", "host", "--ranks", "2", "-o", "out", says=["sums cannot be cut into 2 parts"])


if __name__ == "__main__":
    if shutil.which("mpirun") is None or shutil.which("mpicc") is None:
        sys.exit(77)
    unittest.main()
