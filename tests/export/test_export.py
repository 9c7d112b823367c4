"""Exports programs as C, builds them with compilers alone, runs them, and holds the numbers against `hoist eval`.

The environment names the program under test (HOIST), the compilers (CC, CXX), the OpenCL loader (OPENCL, may be empty), and,
where those are cross compilers, the emulator that runs what they make (EMULATOR, empty otherwise). Exit status 77 where a
cross compiler or the emulator is not there.
"""
import os
import pathlib
import random
import re
import shutil
import struct
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from support import CODES, HOIST, ROOT, Case, npy_bytes, read_npy  # noqa: E402

CC, CXX, OPENCL = os.environ.get("CC", "cc"), os.environ.get("CXX", "c++"), os.environ.get("OPENCL", "")
EMULATOR = os.environ.get("EMULATOR", "").split()
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
C_TYPES = {"float": "f4", "double": "f8", "int32_t": "i4", "uint32_t": "u4", "int64_t": "i8", "uint8_t": "u1"}

TIME_LOOP = """
def heat(u: [H][W]f32): [H][W]f32 =
  u |> iterate(7, v => v |> pad2(1, 1, clamp) |> slide2(3, 1)
    |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2])))
"""
# A number of steps that is computed, one that the data end, and steps that know their number.
STEPS = """
def steps(x: [N]f32, m: i32): ([N]f32, f32, i32) =
  let (y, s) = (x, 0.0) |> iterate(abs(m) % 5, (i, (v, s)) => (v |> reverse |> map(e => 0.5 * e + f32(i)), s + v[i]))
  let (z, n) = (y, 0) |> iterateWhile((v, n) => abs(v[0]) > 0.1 && n < 7, 20, (v, n) => (v |> map(e => 0.5 * e), n + 1))
  (z, s, n)
"""
TUPLES = """
def parts(x: [N](f32, i32), a: f64, keep: [N]bool): ([N](f32, bool), f64, [N]u8) =
  (zip(x, keep) |> map(((e, i), k) => (if k then e * f32(i) else -e, !k)),
   a * (x |> map((e, i) => f64(e)) |> reduce(+, 0.0f64)),
   x |> map((e, i) => u8(i)))
"""
# Names that are keywords of C or C++, and those that the generated code has for its own.
NAMES = "def f(int: f32, class: [N]f32, status: [N]f32, handle: f32, result: [N]f32, local: [N]f32): [N]f32 =\n" \
        "  zip(class, status, result, local) |> map((a, b, c, d) => int * a + handle * b + c - d)\n"
CONTRACTION = """
def contraction(A: [I][L][K]f32, B: [J][L]f32): [I][J][K]f32 =
  A |> map(Ai => B |> map(Bj => Ai |> transpose |> map(Aik => zip(Aik, Bj) |> map((a, b) => a * b) |> reduce(+, 0.0))))
"""
ZEROS = {"f32": "0.0", "f64": "0.0f64", "i32": "0", "i64": "0i64"}
GATHER = "def pick(x: [N]f32, at: [M]i32): [M]f32 = at |> map(i => x[i])\n"
# No array among the inputs, and an index that nothing proves.
TABLE = "def table(a: f32): [4]f32 =\n" \
        "  let t = toGlobal(mapGlb(0, i => a * f32(i + 1), generate(20, i => i)))\n" \
        "  mapGlb(0, i => t[i + i32(abs(a))], generate(4, i => i))\n"

# A test program in C, and in C++: reads raw arrays from files, runs twice each way, writes the result of each way.
MAIN = """
#include "{name}.h"
#include <stdio.h>
#include <stdlib.h>
{declarations}
static int check(int status) {{
  if (status != {NAME}_OK) fprintf(stderr, "%s\\n", {name}_error_text(status));
  return status;
}}
static void file(const char *path, const char *mode, void *data, size_t bytes) {{
  FILE *stream = fopen(path, mode);
  size_t done = mode[0] == 'r' ? fread(data, 1, bytes, stream) : fwrite(data, 1, bytes, stream);
  if (done != bytes) exit(9);
  fclose(stream);
}}
int main(void) {{
  {name}_handle *handle;
  int status;
{reads}
  status = check({name}_create(&handle{create}));
  if (status) return status;
  if ({name}_run(NULL, {arguments}) != {NAME}_INVALID_ARGUMENT) return 8;
  status = check({name}_run(handle, {arguments}));
  if (!status) status = check({name}_run(handle, {arguments}));
  if (status) return status;
{writes}
{on_device}
  {name}_destroy(handle);
  {name}_destroy(NULL);
  return 0;
}}
"""
OPENCL_DECLARATIONS = """
static cl_mem buffer(cl_context context, size_t bytes, void *data) {
  return clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes, data, NULL);
}
"""


def parameters(header, name):
    """(type, is array, is input, name) of NAME_run's parameters."""
    text = re.search(rf"int {name}_run\({name}_handle \*handle, (.*?)\);", header).group(1)
    for part in text.split(", "):
        match = re.fullmatch(r"(const )?(\w+) (\*?)(\w+)", part)
        yield match[2], bool(match[3]), bool(match[1]) or not match[3], match[4]


class Exporting(Case):
    """Builds what was exported with a test program, and runs it."""

    def run_command(self, *command, status=0):
        done = subprocess.run(list(map(str, command)), cwd=self.directory, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def run_program(self, program, status=0):
        return self.run_command(*EMULATOR, program, status=status)

    def build(self, device, name, main, language="c"):
        """The test program's path."""
        self.run_command(CC, "-std=c99", "-O1", *STRICT, "-c", f"out/{name}.c", "-o", "exported.o")
        objects = ["exported.o"]
        for kernels in sorted((self.directory / "out").glob(f"{name}*_kernels.cpp")) if device == "host" else []:
            objects.append(f"{kernels.stem}.o")
            self.run_command(CXX, "-std=c++17", "-O2", "-fopenmp", "-Wall", "-Wextra", "-Wno-unused-parameter",
                             "-c", kernels, "-o", objects[-1])
        self.file(f"main.{language}", main)
        compiler = [CC, "-std=c99"] if language == "c" else [CXX, "-std=c++17"]
        self.run_command(*compiler, *STRICT, "-I", "out", "-c", f"main.{language}", "-o", "main.o")
        # The C++ compiler links OpenMP's library; kernels for OpenCL need a C compiler alone.
        link = [CXX, "-fopenmp"] if device == "host" else [CC]
        self.run_command(*link, "main.o", *objects, "-o", "main", "-pthread", *([OPENCL] if device != "host" else []))
        return self.directory / "main"

    def main_text(self, device, name):
        header = (self.directory / f"out/{name}.h").read_text()
        reads, writes, arguments, device_arguments, after = [], [], [], [], []
        before = ["  { cl_context context = %s_context(handle);" % name] if device != "host" else ["  {"]
        for kind, is_array, is_input, parameter in parameters(header, name):
            count = f"{name.upper()}_ELEMENTS_{parameter}" if is_array else "1"
            bytes_text = f"{count} * sizeof({kind})"
            # Arrays begin where their elements may, behind a first one: at no boundary that vectors like.
            reads.append(f"  static {kind} all_{parameter}[{count} + 1], *d_{parameter} = all_{parameter} + 1;")
            if is_input:
                reads.append(f'  file("{parameter}.raw", "rb", d_{parameter}, {bytes_text});')
            else:
                writes.append(f'  file("{parameter}.host", "wb", d_{parameter}, {bytes_text});')
            arguments.append(f"d_{parameter}" if is_array else f"*d_{parameter}")
            if device == "host" or not is_array:
                device_arguments.append(arguments[-1])
            else:
                before.append(f"  cl_mem m_{parameter} = buffer(context, {bytes_text}, d_{parameter});")
                device_arguments.append(f"m_{parameter}")
                after.append(f"  clReleaseMemObject(m_{parameter});")
            if is_array and not is_input:
                if device != "host":
                    after.insert(0, f"  clEnqueueReadBuffer(queue, m_{parameter}, CL_TRUE, 0, {bytes_text}, d_{parameter}, 0, "
                                    "NULL, NULL);")
                after.insert(len(after) if device == "host" else 1,
                             f'  file("{parameter}.device", "wb", d_{parameter}, {bytes_text});')
        call = f"  if (check({name}_run_device(handle, {', '.join(device_arguments)}))) return 7;"
        if device != "host":
            before.append("  cl_device_id device; cl_command_queue queue;")
            before.append("  clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL);")
            before.append("  queue = clCreateCommandQueue(context, device, 0, NULL);")
            after.append("  clReleaseCommandQueue(queue);")
        return MAIN.format(name=name, NAME=name.upper(), reads="\n".join(reads), writes="\n".join(writes),
                           arguments=", ".join(arguments), create=", NULL, NULL" if device != "host" else "",
                           declarations=OPENCL_DECLARATIONS if device != "host" else "",
                           on_device="\n".join([*before, call, *after, "  }"]))

    def inputs(self, name, shapes, seed=1):
        """Files of random inputs, raw and as .npy; `shapes`: (hoist's name, C's name, code, shape[, values])."""
        generator = random.Random(seed)
        options = []
        for hoist_name, c_name, code, shape, *values in shapes:
            count = 1
            for extent in shape:
                count *= extent
            if values:
                values = values[0]
            elif code in ("f4", "f8"):
                values = [struct.unpack("f", struct.pack("f", generator.uniform(-1, 1)))[0] for _ in range(count)]
            elif code == "b1":
                values = [generator.random() < 0.5 for _ in range(count)]
            else:
                values = [generator.randrange(0, 8) for _ in range(count)]
            self.file(f"{c_name}.raw", struct.pack(f"<{count}{CODES[code]}", *values))
            if shape:
                self.file(f"{c_name}.npy", npy_bytes(code, shape, values))
                options.append(f"{hoist_name}={c_name}.npy")
            else:
                options.append(f"{hoist_name}={values[0]!r}")
        return options

    def expect_result(self, file, outputs, ways=("host", "device"), tolerance=1e-4):
        """The raw outputs against the .npy files that `hoist eval` wrote."""
        for c_name, path in outputs:
            code, _, expected = read_npy(self.directory / path)
            allowed = tolerance if code.startswith("f") else 0
            for way in ways:
                raw = (self.directory / f"{c_name}.{way}").read_bytes()
                got = struct.unpack(f"<{len(expected)}{CODES[code]}", raw)
                for i, (have, want) in enumerate(zip(got, expected)):
                    self.assertLessEqual(abs(have - want), allowed * max(1, abs(want)), f"{file}: {c_name}[{i}] ({way})")


class Export(Exporting):
    def check(self, file, name, sizes, shapes, outputs=("result",), language="c"):
        """Exports for OpenCL and the host, builds, runs, and compares with the interpreter."""
        size_options = [f"{key}={value}" for key, value in sizes.items()]
        options = self.inputs(name, shapes)
        files = [f"{each}.expected" for each in outputs]
        self.hoist("eval", file, *size_options, *options, "-o", ",".join(files))
        for device in ["host", *(["opencl"] if OPENCL else [])]:
            with self.subTest(device=device):
                self.hoist("export", file, *size_options, "--device", device, "-o", "out", "--name", name, "--force")
                program = self.build(device, name, self.main_text(device, name), language)
                self.run_program(program)
                self.expect_result(file, list(zip(outputs, files)))

    def test_matrix_product(self):
        self.check(ROOT / "kernels/matmul_nn.hoist", "product", {"M": 20, "N": 24, "K": 28},
                   [("A", "A", "f4", (20, 28)), ("B", "B", "f4", (28, 24))])

    def test_matrix_product_by_tiles(self):
        self.check(ROOT / "kernels/low-level/mm_nvidia.hoist", "tiled", {"M": 128, "N": 64, "K": 32},
                   [("A", "A", "f4", (32, 128)), ("B", "B", "f4", (32, 64))])

    def test_stencil(self):
        self.check(ROOT / "kernels/jacobi2d5.hoist", "jacobi", {"H": 17, "W": 19}, [("u", "u", "f4", (17, 19))])

    def test_several_kernels(self):
        self.check(ROOT / "kernels/prefix_sum.hoist", "sums", {"N": 1000}, [("x", "x", "f4", (1000,))])

    def test_time_loop(self):
        self.check(self.file("heat.hoist", TIME_LOOP), "heat", {"H": 33, "W": 20}, [("u", "u", "f4", (33, 20))])

    def test_steps_that_the_data_count(self):
        self.check(self.file("steps.hoist", STEPS), "steps", {"N": 33}, [("x", "x", "f4", (33,)), ("m", "m", "i4", ())],
                   outputs=("result_0", "result_1", "result_2"))

    def test_an_odd_time_loop_before_other_kernels(self):
        self.check(ROOT / "tests/programs/found/odd_iterate.hoist", "odd", {"N": 4096}, [("x", "x", "f4", (4096,))])

    def test_integers_wrap(self):
        limits = [-2 ** 31, -2 ** 31 + 1, -2 ** 30, -1, 0, 1, 2 ** 30, 2 ** 31 - 1]
        wide = [-2 ** 63, -2 ** 62, -1, 0, 1, 2 ** 61, 2 ** 62, 2 ** 63 - 1]
        self.check(ROOT / "tests/programs/found/integer_limits.hoist", "limits", {"N": 8},
                   [("x", "x", "i4", (8,), limits), ("top", "top", "i4", (8,), limits[::-1]),
                    ("bottom", "bottom", "i4", (8,), limits), ("wide", "wide", "i8", (8,), wide)],
                   outputs=("result_0", "result_1", "result_2", "result_3", "result_4", "result_5", "result_6", "result_7_0",
                            "result_7_1", "result_7_2", "result_8"))

    def test_tuples_and_every_kind_of_scalar(self):
        self.check(self.file("parts.hoist", TUPLES), "parts", {"N": 100},
                   [("x.0", "x_0", "f4", (100,)), ("x.1", "x_1", "i4", (100,)), ("a", "a", "f8", ()),
                    ("keep", "keep", "b1", (100,))],
                   outputs=("result_0_0", "result_0_1", "result_1", "result_2"))

    def test_names_that_mean_something_in_c(self):
        self.check(self.file("names.hoist", NAMES), "range", {"N": 9},
                   [("int", "int_", "f4", ()), ("class", "class_", "f4", (9,)), ("status", "status_", "f4", (9,)),
                    ("handle", "handle_", "f4", ()), ("result", "result", "f4", (9,)), ("local", "local_", "f4", (9,))],
                   outputs=("result_",))

    def test_from_cpp(self):
        self.check(ROOT / "kernels/axpy.hoist", "axpy", {"N": 77},
                   [("a", "a", "f4", ()), ("x", "x", "f4", (77,)), ("y", "y", "f4", (77,))], language="cpp")

    def test_numbers_alone_and_a_checked_index(self):
        self.check(self.file("table.hoist", TABLE), "table", {}, [("a", "a", "f4", ())])
        self.assertIn("faults", (self.directory / "out/table.c").read_text())

    def test_an_index_outside_is_told(self):
        path = self.file("pick.hoist", GATHER)
        self.inputs("pick", [("x", "x", "f4", (4,)), ("at", "at", "i4", (3,), [0, 3, 4])])
        for device in ["host", *(["opencl"] if OPENCL else [])]:
            with self.subTest(device=device):
                self.hoist("export", path, "N=4", "M=3", "--device", device, "-o", "out", "--force")
                done = self.run_program(self.build(device, "pick", self.main_text(device, "pick")), status=7)
                self.assertIn("outside an array", done.stderr)

    def test_a_division_by_zero_is_told(self):
        path = self.file("divide.hoist", "def divide(x: [N]i32, d: [N]i32): [N]i32 = zip(x, d) |> map((a, b) => a / b)\n")
        self.inputs("divide", [("x", "x", "i4", (4,)), ("d", "d", "i4", (4,), [1, -1, 0, 3])])
        for device in ["host", *(["opencl"] if OPENCL else [])]:
            with self.subTest(device=device):
                self.hoist("export", path, "N=4", "--device", device, "-o", "out", "--force")
                done = self.run_program(self.build(device, "divide", self.main_text(device, "divide")), status=8)
                self.assertIn("divide an integer by zero", done.stderr)

    def test_vectors_of_every_kind_of_number(self):
        """Loops in any order with lanes along any of them: what a processor's own vectors are made of."""
        sizes = {"I": 8, "J": 16, "K": 16, "L": 16}
        candidates, least = 16, 5
        for scalar, code in (("f32", "f4"), ("f64", "f8"), ("i32", "i4"), ("i64", "i8")):
            file = self.file(f"{scalar}.hoist", CONTRACTION.replace("f32", scalar).replace("0.0", ZEROS[scalar]))
            options = self.inputs(scalar, [("A", "A", code, (8, 16, 16)), ("B", "B", code, (16, 16))])
            size_options = [f"{key}={value}" for key, value in sizes.items()]
            self.hoist("eval", file, *size_options, *options, "-o", "expected.npy")
            explore = ["explore", file, *size_options, "--device", "host"]
            sample = self.facts(*explore, "--sample", candidates)
            in_order = [each for each in sample["candidates"] if each["derivation"][-1].startswith("orderLoops")]
            self.assertGreaterEqual(len(in_order), least)
            for candidate in in_order:
                with self.subTest(scalar=scalar, id=candidate["id"]):
                    self.file("candidate.hoist", self.facts(*explore, "--id", candidate["id"])["term"])
                    self.hoist("export", "candidate.hoist", "--device", "host", "-o", "out", "--name", "candidate", "--force")
                    self.run_program(self.build("host", "candidate", self.main_text("host", "candidate")))
                    self.expect_result(candidate["id"], [("result", "expected.npy")])

    @unittest.skipIf(EMULATOR, "its files are built for the processor that builds them")
    def test_the_example(self):
        self.hoist("export", ROOT / "kernels/jacobi2d5.hoist", "H=64", "W=64", "--device", "host", "-o", "jacobi", "--name", "jacobi")
        self.run_command("cmake", "-G", "Ninja", "-S", ROOT / "examples/export", "-B", "build", f"-DJACOBI={self.directory}/jacobi",
                         f"-DCMAKE_CXX_COMPILER={CXX}", "-DCMAKE_C_FLAGS=-Wall -Wextra -Werror")
        self.run_command("cmake", "--build", "build")
        self.assertEqual(self.run_command(self.directory / "build/plate").stdout, "heat: 1000.0\n")

    def test_two_exports_in_one_program(self):
        for n in (8, 16):
            self.hoist("export", ROOT / "kernels/scal.hoist", f"N={n}", "--device", "host", "-o", "out", "--name", f"scal{n}")
            self.run_command(CC, "-std=c99", *STRICT, "-c", f"out/scal{n}.c", "-o", f"{n}.o")
            self.run_command(CXX, "-c", f"out/scal{n}_kernels.cpp", "-o", f"{n}k.o")
        self.file("main.c", '#include "scal8.h"\n#include "scal16.h"\n'
                            "int main(void) { return SCAL8_ELEMENTS_x + SCAL16_ELEMENTS_x == 24 ? 0 : 1; }\n")
        self.run_command(CC, "-std=c99", "-Iout", "main.c", "8.o", "8k.o", "16.o", "16k.o", "-lstdc++", "-lm", "-o", "main")
        self.run_program(self.directory / "main")


class BadInput(Case):
    def setUp(self):
        super().setUp()
        self.file("twice.hoist", "def twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n")

    def test_missing_and_wrong_sizes(self):
        self.refused("export", "twice.hoist", "--device", "host", "-o", "out", says=["no value is given for N", "N=1024"])
        self.refused("export", "twice.hoist", "M=4", "--device", "host", "-o", "out", says="M")
        self.assertEqual(self.leftovers(), ["twice.hoist"])

    def test_names(self):
        for name in ("two words", "2x", "int", "class", "_x", "a-b", ""):
            if name:
                self.refused("export", "twice.hoist", "N=4", "--device", "host", "-o", "out", "--name", name,
                             says=f"'{name}' is no name for functions in C")
        self.assertEqual(self.leftovers(), ["twice.hoist"])

    def test_existing_files(self):
        self.hoist("export", "twice.hoist", "N=4", "--device", "host", "-o", "out")
        self.refused("export", "twice.hoist", "N=5", "--device", "host", "-o", "out", says=["twice.h", "exist", "--force"])
        self.assertIn("SIZE_N 4", (self.directory / "out/twice.h").read_text())
        self.hoist("export", "twice.hoist", "N=5", "--device", "host", "-o", "out", "--force")
        self.assertIn("SIZE_N 5", (self.directory / "out/twice.h").read_text())

    def test_directories(self):
        self.refused("export", "twice.hoist", "N=4", "--device", "host", "-o", "twice.hoist", status=2,
                     says="the directory twice.hoist cannot be made")
        self.refused("export", "twice.hoist", "N=4", "--device", "host", "-o", "/proc/nothing", status=2, says="/proc/nothing")
        self.hoist("export", "twice.hoist", "N=4", "--device", "host", "-o", "a/b/c")

    def test_devices(self):
        self.refused("export", "twice.hoist", "N=4", "--device", "vulkan", "-o", "out", says="'vulkan' is no device")
        self.refused("export", "twice.hoist", "N=4", "--device", "opencl:99", "-o", "out", status=2, says="opencl:99")
        self.refused("export", "twice.hoist", "N=4", "-o", "out", says="--device")
        self.assertEqual(self.leftovers(), ["twice.hoist"])

    def test_facts(self):
        facts = self.facts("export", "twice.hoist", "N=4", "--device", "host", "-o", "out")
        self.assertEqual(facts["written"], ["out/twice.h", "out/twice.c", "out/twice_kernels.cpp"])


if __name__ == "__main__":
    if EMULATOR and not all(map(shutil.which, (CC, CXX, EMULATOR[0]))):
        print(f"{CC}, {CXX} or {EMULATOR[0]} is not installed")
        sys.exit(77)
    # Bad input does not reach a compiler.
    unittest.main(defaultTest="Export" if EMULATOR else None)
