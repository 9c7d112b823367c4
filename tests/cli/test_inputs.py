"""Sizes and inputs on the command line: what is read, and what is told of each mistake."""
import os
import struct
import threading
import unittest

from support import AXPY, CODES, TWICE, Case, npy_bytes, read_npy


class Sizes(Case):
    def setUp(self):
        super().setUp()
        self.file("p.hoist", AXPY)
        self.file("twice.hoist", TWICE)

    def test_told_by_the_shapes_of_inputs(self):
        self.npy("x.npy", "f4", [3], [1, 2, 3])
        self.npy("y.npy", "f4", [3], [10, 20, 30])
        text = self.hoist("eval", "p.hoist", "a=2", "x=x.npy", "y=y.npy").stdout
        self.assertEqual(text, "result: [3]f32 = [12, 24, 36]\n")

    def test_told_by_linear_forms(self):
        self.file("odd.hoist", "def odd(x: [2*N+1]f32, y: [N]f32): [N]f32 = y\n")
        self.npy("x.npy", "f4", [9], range(9))
        self.assertIn("[4]f32", self.hoist("eval", "odd.hoist", "x=x.npy", "y=random:1").stdout)
        self.npy("even.npy", "f4", [8], range(8))
        self.refused("eval", "odd.hoist", "x=even.npy", "y=random:1",
                     says=["the size N is not given", "no single value follows from 2*N + 1 = 8"])

    def test_told_by_one_input_after_another(self):
        self.file("q.hoist", "def q(x: [N*M]f32, y: [M]f32, z: [N]f32): [N]f32 = z\n")
        self.npy("x.npy", "f4", [12], range(12))
        self.npy("y.npy", "f4", [4], range(4))
        self.assertIn("[3]f32", self.hoist("eval", "q.hoist", "x=x.npy", "y=y.npy", "z=random:1").stdout)

    def test_a_shape_that_no_positive_size_gives(self):
        self.file("q.hoist", "def q(x: [N+4]f32): [N+4]f32 = x\n")
        self.npy("x.npy", "f4", [2], [1, 2])
        self.refused("eval", "q.hoist", "x=x.npy", says=["N would be -2, but sizes are at least 1", "x.npy of shape (2,)"])

    def test_inputs_that_disagree(self):
        self.npy("x.npy", "f4", [3], [1, 2, 3])
        self.npy("y.npy", "f4", [4], [1, 2, 3, 4])
        self.refused("eval", "p.hoist", "a=1", "x=x.npy", "y=y.npy",
                     says=["with N = 3 the input y: [N]f32 takes 3 elements, but y.npy has 4",
                           "x: [N]f32 is given as x.npy of shape (3,)"])

    def test_an_input_that_disagrees_with_a_given_size(self):
        self.npy("x.npy", "f4", [3], [1, 2, 3])
        self.refused("eval", "twice.hoist", "N=5", "x=x.npy",
                     says=["takes 5 elements, but x.npy has 3", "N=5 is given"])

    def test_that_break_what_the_program_assumes(self):
        self.file("s.hoist", "def s(x: [N]f32): [N/4]f32 = x |> split(4) |> map(sum)\n")
        for command in (("run", "--device", "host"), ("eval",), ("tune", "--device", "host", "--store", "s.sqlite")):
            self.refused(command[0], "s.hoist", "N=10", "--random", "1", *command[1:],
                         says=["4 must divide N", "it does not hold for N = 10"])
        self.assertEqual(self.hoist("eval", "s.hoist", "N=8", "--random", "1").stdout.count(","), 1)

    def test_a_fixed_length(self):
        self.file("f.hoist", "def f(x: [4]f32): [4]f32 = x\n")
        self.npy("x.npy", "f4", [3], [1, 2, 3])
        self.refused("eval", "f.hoist", "x=x.npy", says="[4]f32 takes 4 elements, but x.npy has 3")

    def test_missing(self):
        self.refused("eval", "p.hoist", "a=1", "x=random:1", "y=random:2", says=["the size N is not given", "give it as N=1024"])

    def test_a_missing_tuning_parameter(self):
        self.file("t.hoist", "def f(x: [N]f32): [N]f32 = x |> split(?t) |> join\n")
        self.refused("eval", "t.hoist", "N=8", "x=random:1", says="the tuning parameter ?t is not given")
        self.hoist("eval", "t.hoist", "N=8", "t=4", "x=random:1")
        self.refused("eval", "t.hoist", "N=8", "t=3", "x=random:1", says="must divide")

    def test_no_natural_numbers(self):
        for value, text in (("0", "N=0: sizes are at least 1"), ("-4", "N=-4: sizes are at least 1"),
                            ("abc", "N is a size, a natural number"), ("1.5", "N is a size, a natural number"),
                            ("", "N is a size, a natural number"), ("0x10", "N is a size, a natural number"),
                            ("99999999999999999999", "does not fit in 64 bits"), ("8 ", "N is a size, a natural number")):
            with self.subTest(value=value):
                self.refused("eval", "twice.hoist", f"N={value}", "x=random:1", says=text)

    def test_too_large(self):
        self.refused("eval", "twice.hoist", "N=1000000000000", "x=random:1", status=2,
                     says=["inputs and results need 7.28 TiB (8000000000000 bytes)", "of memory are available",
                           "x: [N]f32"])
        self.refused("run", "twice.hoist", "N=9223372036854775807", "x=random:1", status=2, says="of memory are available")
        self.file("m.hoist", "def f(x: [N][N][N]f32): [N][N][N]f32 = x\n")
        self.refused("eval", "m.hoist", "N=9000000000000000000", "x=random:1", status=2, says="of memory are available")

    def test_a_negative_length(self):
        self.file("n.hoist", "def f(x: [N]f32): [N-2]f32 = x |> drop(2)\n")
        self.refused("eval", "n.hoist", "N=1", "x=random:1", says="-1")

    def test_names_that_the_program_does_not_have(self):
        self.refused("eval", "p.hoist", "n=8", says=["no size, tuning parameter or input called n; did you mean 'N'?",
                                                     "the sizes N; the inputs a, x, y"])
        self.refused("check", "p.hoist", "Q=8", says=["called Q", "the sizes N"])

    def test_words_that_are_no_assignments(self):
        self.refused("eval", "p.hoist", "N", says="'N' is not of the form NAME=VALUE")
        self.refused("eval", "p.hoist", "=4", says="'=4' is not of the form NAME=VALUE")

    def test_given_twice(self):
        self.refused("eval", "p.hoist", "N=4", "N=5", says="N is given twice: 4 and 5")


class Inputs(Case):
    def setUp(self):
        super().setUp()
        self.file("p.hoist", AXPY)
        self.file("twice.hoist", TWICE)
        self.file("pair.hoist", "def f(p: [N](f32, i32), s: (f32, bool)): [N](i32, f32) =\n"
                                "  p |> map((a, b) => (b, if s.1 then a * s.0 else a))\n")

    def test_missing_ones_are_all_listed(self):
        self.refused("eval", "p.hoist", "N=4",
                     says=["the input a: f32 is not given", "give it as a=1.5 or a=random:1",
                           "the input x: [N]f32 is not given", "give it as x=file.npy or x=random:1",
                           "the input y: [N]f32 is not given", "--random 1 fills all missing inputs"])
        self.refused("eval", "pair.hoist", "N=4", "p=random:1", "s.0=1",
                     says="the input s.1: bool is not given")

    def test_random_ones_are_the_same_every_time(self):
        first = self.hoist("eval", "twice.hoist", "N=8", "x=random:1").stdout
        self.assertEqual(self.hoist("eval", "twice.hoist", "N=8", "x=random:1").stdout, first)
        self.assertNotEqual(self.hoist("eval", "twice.hoist", "N=8", "x=random:2").stdout, first)

    def test_random_for_all_that_are_missing(self):
        first = self.facts("eval", "p.hoist", "N=8", "--random", "7")
        self.assertEqual(self.facts("eval", "p.hoist", "N=8", "--random", "7"), first)
        self.assertNotEqual(self.facts("eval", "p.hoist", "N=8", "a=0", "--random", "7"), first)

    def test_random_ranges(self):
        self.file("i.hoist", "def f(x: [N]i32): [N]i32 = x\n")
        values = self.facts("eval", "i.hoist", "N=500", "x=random:1:3:6", "--elements", "500")["result"][0]["first_elements"]
        self.assertEqual(set(values), {3, 4, 5})
        values = self.facts("eval", "i.hoist", "N=500", "x=random:1:0:N", "--elements", "500")["result"][0]["first_elements"]
        self.assertTrue(all(0 <= value < 500 for value in values) and max(values) > 400)
        self.file("b.hoist", "def f(x: [N]u8): [N]u8 = x\n")
        values = self.facts("eval", "b.hoist", "N=500", "x=random:1:10:13", "--elements", "500")["result"][0]["first_elements"]
        self.assertEqual(set(values), {10, 11, 12})
        values = self.facts("eval", "twice.hoist", "N=500", "x=random:1:10:11", "--elements", "500")["result"][0]["first_elements"]
        self.assertTrue(all(20 <= value < 22 for value in values))

    def test_random_that_is_not_well_formed(self):
        for value, text in (("random:", "the seed '' is not a natural number"), ("random:x", "the seed 'x'"),
                            ("random:-1", "the seed '-1'"), ("random", "is not complete"), ("random:1:2", "is not complete"),
                            ("random:1:2:x", "'x' is neither a number nor a size"), ("random:1:2:1", "from 2 to 1 is empty"),
                            ("random:1:0:1:2", "is not complete")):
            with self.subTest(value=value):
                self.refused("eval", "twice.hoist", "N=8", f"x={value}", says=text)
        self.refused("eval", "pair.hoist", "N=8", "p=random:1", "s.0=1", "s.1=random:1:0:1", says="a bool takes both its values")
        self.file("b.hoist", "def f(x: [N]u8): [N]u8 = x\n")
        self.refused("eval", "b.hoist", "N=8", "x=random:1:-3:3", says="u8 has no values from -3")

    def test_components_of_tuples(self):
        self.npy("a.npy", "f4", [3], [1, 2, 3])
        self.npy("b.npy", "i4", [3], [7, 8, 9])
        text = self.hoist("eval", "pair.hoist", "p.0=a.npy", "p.1=b.npy", "s.0=2", "s.1=true").stdout
        self.assertEqual(text, "result.0: [3]i32 = [7, 8, 9]\nresult.1: [3]f32 = [2, 4, 6]\n")
        self.refused("eval", "pair.hoist", "p=a.npy", "--random", "1", says=["p has 2 components", "p.0=... p.1=..."])
        self.refused("eval", "pair.hoist", "p.2=a.npy", "--random", "1", says="called p.2; did you mean 'p")
        self.refused("eval", "pair.hoist", "p=random:1", "p.0=a.npy", says="p.0 is given twice")

    def test_random_components_are_those_of_the_whole(self):
        whole = self.hoist("eval", "pair.hoist", "N=5", "p=random:3", "s.0=2", "s.1=true").stdout
        each = self.hoist("eval", "pair.hoist", "N=5", "p.0=random:3", "p.1=random:3", "s.0=2", "s.1=true").stdout
        self.assertEqual(whole, each)

    def test_scalars(self):
        def result(type_name, value):
            self.file("s.hoist", f"def f(a: {type_name}): {type_name} = a\n")
            return self.hoist("eval", "s.hoist", f"a={value}").stdout.split(" = ")[1].strip()
        self.assertEqual(result("f32", "-1.5e3"), "-1500")
        self.assertEqual(result("f64", "0.1"), "0.1")
        self.assertEqual(result("i32", "-7"), "-7")
        self.assertEqual(result("u8", "255"), "255")
        self.assertEqual(result("i64", "9000000000000000000"), "9000000000000000000")
        self.assertEqual(result("bool", "false"), "false")
        self.npy("a.npy", "f4", [], [2.5])
        self.assertEqual(result("f32", "a.npy"), "2.5")
        for type_name, value, text in (("f32", "abc", "a is f32, which takes a number"), ("f32", "", "takes a number"),
                                       ("i32", "1.5", "takes a whole number"), ("u8", "256", "does not fit in u8"),
                                       ("u32", "-1", "does not fit in u32"), ("bool", "1", "takes true or false"),
                                       ("i64", "9223372036854775808", "does not fit in i64")):
            with self.subTest(type=type_name, value=value):
                self.file("s.hoist", f"def f(a: {type_name}): {type_name} = a\n")
                self.refused("eval", "s.hoist", f"a={value}", says=text)

    def test_a_number_for_an_array(self):
        self.refused("eval", "twice.hoist", "N=4", "x=1.5", says=["x is an array, [N]f32, not a number", "x=file.npy or x=random:1"])

    def test_vectors_are_a_last_dimension(self):
        self.file("v.hoist", "def f(x: [N]f32x4): [N]f32x4 = x |> map(v => v + v)\n")
        self.npy("x.npy", "f4", [2, 4], range(8))
        self.assertEqual(self.hoist("eval", "v.hoist", "x=x.npy").stdout,
                         "result: [2][4]f32 = [[0, 2, 4, 6], [8, 10, 12, 14]]\n")


class NpyFiles(Case):
    def setUp(self):
        super().setUp()
        self.file("twice.hoist", TWICE)

    def identity(self, type_name):
        return self.file("id.hoist", f"def f(x: {type_name}): {type_name} = x\n")

    def test_every_type_version_and_byte_order(self):
        values = {"f4": [1.5, -2.25, 0, 1e30], "f8": [0.1, -1e300, 0, 3], "i4": [-2**31, 2**31 - 1, 0, 7],
                  "u4": [2**32 - 1, 0, 1, 2], "i8": [-2**63, 2**63 - 1, 0, 5], "u1": [0, 255, 1, 2],
                  "b1": [True, False, False, True]}
        names = {"f4": "f32", "f8": "f64", "i4": "i32", "u4": "u32", "i8": "i64", "u1": "u8", "b1": "bool"}
        for code, elements in values.items():
            self.identity(f"[N]{names[code]}")
            for version in (1, 2, 3):
                for order in "<>":
                    with self.subTest(code=code, version=version, order=order):
                        self.npy("x.npy", code, [4], elements, version=version, order=order)
                        self.hoist("eval", "id.hoist", "x=x.npy", "-o", "out.npy")
                        expected = [struct.unpack("f", struct.pack("f", value))[0] for value in elements] if code == "f4" else elements
                        self.assertEqual(read_npy(self.directory / "out.npy"), (code, (4,), expected))

    def test_what_is_written_is_read_again(self):
        self.identity("[M][N]f32")
        self.hoist("eval", "id.hoist", "M=3", "N=5", "x=random:1", "-o", "a.npy")
        self.hoist("eval", "id.hoist", "x=a.npy", "-o", "b.npy")
        self.assertEqual((self.directory / "a.npy").read_bytes(), (self.directory / "b.npy").read_bytes())

    def test_fortran_order(self):
        self.identity("[A][B][C]i32")
        # Element (a, b, c) is 100 a + 10 b + c; a runs fastest in the file.
        elements = [100 * a + 10 * b + c for c in range(4) for b in range(3) for a in range(2)]
        for order in "<>":
            self.npy("x.npy", "i4", [2, 3, 4], elements, fortran=True, order=order)
            self.hoist("eval", "id.hoist", "x=x.npy", "-o", "out.npy")
            expected = [100 * a + 10 * b + c for a in range(2) for b in range(3) for c in range(4)]
            self.assertEqual(read_npy(self.directory / "out.npy"), ("i4", (2, 3, 4), expected))

    def test_a_header_in_another_style(self):
        header = b'{"shape":(3L,),"fortran_order":False,"descr":"<f4"}\n'
        content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<3f", 1, 2, 3)
        self.file("x.npy", content + b"what follows is another array")
        self.assertIn("[2, 4, 6]", self.hoist("eval", "twice.hoist", "x=x.npy").stdout)

    def test_a_pipe(self):
        os.mkfifo(self.directory / "pipe.npy")
        content = npy_bytes("f4", [3], [1, 2, 3])
        writer = threading.Thread(target=lambda: (self.directory / "pipe.npy").write_bytes(content))
        writer.start()
        self.assertIn("[2, 4, 6]", self.hoist("eval", "twice.hoist", "x=pipe.npy").stdout)
        writer.join()

    def test_a_wrong_element_type(self):
        self.npy("x.npy", "f8", [3], [1, 2, 3])
        self.refused("eval", "twice.hoist", "x=x.npy",
                     says=["x is [N]f32, but x.npy holds float64",
                           'convert it: numpy.save("x.npy", numpy.load("x.npy").astype(numpy.float32))'])
        self.npy("x.npy", "i2", [3], [1, 2, 3])
        self.refused("eval", "twice.hoist", "x=x.npy", says="x.npy holds int16")

    def test_integers_of_every_width(self):
        limits = {"i1": (-128, 127), "i2": (-32768, 32767), "i4": (-2**31, 2**31 - 1), "i8": (-2**63, 2**63 - 1),
                  "u1": (0, 255), "u2": (0, 65535), "u4": (0, 2**32 - 1), "u8": (0, 2**64 - 1)}
        for code, (least, most) in limits.items():
            scalar = f"{code[0]}{8 * int(code[1])}"
            self.file("p.hoist", f"def p(a: {scalar}, x: [N]{scalar}): [N]{scalar} = x |> map(e => e + a)\n")
            self.npy("x.npy", code, [3], [least, most, 5])
            for arguments in [["eval"], ["run", "--device", "host", "--verify"]]:
                self.hoist(arguments[0], "p.hoist", "a=1", "x=x.npy", "-o", "y.npy", *arguments[1:])
                self.assertEqual(read_npy(self.directory / "y.npy"), (code, (3,), [least + 1, least, 6]))
            self.refused("eval", "p.hoist", f"a={most + 1}", "x=x.npy", says=f"does not fit in {scalar}")

    def test_records_and_objects(self):
        header = b"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }\n"
        self.file("x.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"1234")
        self.refused("eval", "twice.hoist", "x=x.npy", says=["x.npy holds records", "NAME.0"])
        header = header.replace(b"[('a', '<f4')]", b"'|O'")
        self.file("x.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"1234")
        self.refused("eval", "twice.hoist", "x=x.npy", says="x.npy holds object")

    def test_a_wrong_rank(self):
        self.npy("x.npy", "f4", [2, 3], range(6))
        self.refused("eval", "twice.hoist", "x=x.npy", says="x is [N]f32, which has 1 dimension, but the array in x.npy has 2: (2, 3)")
        self.npy("x.npy", "f4", [], [1])
        self.refused("eval", "twice.hoist", "x=x.npy", says="has 0: ()")

    def test_a_truncated_file(self):
        whole = npy_bytes("f4", [100], range(100))
        self.file("x.npy", whole[:-10])
        self.refused("eval", "twice.hoist", "x=x.npy",
                     says=["x.npy is truncated", "of shape (100,) and type float32 has 400 bytes, but the file holds only 390 of them"])
        for length in (0, 3, 8, 9, 30):
            with self.subTest(length=length):
                self.file("x.npy", whole[:length])
                self.refused("eval", "twice.hoist", "x=x.npy", says="x.npy")

    def test_a_header_that_claims_more_than_there_is(self):
        self.file("x.npy", npy_bytes("f4", [2**40], []))
        self.refused("eval", "twice.hoist", "x=x.npy", status=2, says="of memory are available")
        self.file("m.hoist", "def f(x: [N][M]f32): [N][M]f32 = x\n")
        self.file("x.npy", npy_bytes("f4", [2**62, 2**62], []))
        self.refused("eval", "m.hoist", "x=x.npy", status=2, says="of memory are available")

    def test_files_that_are_something_else(self):
        self.file("x.npy", "1, 2, 3\n4, 5, 6\n")
        self.refused("eval", "twice.hoist", "x=x.npy", says=["x.npy is not a .npy file", "numpy.save"])
        self.file("x.npy", b"\x93NUMPY\x09\x00" + bytes(100))
        self.refused("eval", "twice.hoist", "x=x.npy", says="of version 9.0")
        self.refused("eval", "twice.hoist", "x=none.npy", says="none.npy cannot be opened: No such file or directory")
        (self.directory / "d.npy").mkdir()
        self.refused("eval", "twice.hoist", "x=d.npy", says="d.npy")

    def test_damaged_headers(self):
        for header in ("{'descr': '<f4', 'fortran_order': False}", "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (3,)}",
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,)}", "{'descr': '<f4", "", "[1, 2]",
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'more': 1}",
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
                       "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)} {}", "{'shape'", "{'descr': 4}"):
            with self.subTest(header=header):
                data = header.encode() + b"\n"
                self.file("x.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(data)) + data + bytes(12))
                self.refused("eval", "twice.hoist", "x=x.npy", says="the header of the .npy file is damaged")

    def test_random_bytes_never_crash(self):
        import random
        seed = 20240517
        generator = random.Random(seed)
        whole = bytearray(npy_bytes("f4", [16], range(16)))
        for attempt in range(40):
            content = bytearray(whole)
            for _ in range(generator.randint(1, 4)):
                content[generator.randrange(80)] = generator.randrange(256)
            self.file("x.npy", bytes(content))
            done = self.hoist_any("eval", "twice.hoist", "x=x.npy")
            self.assertIn(done.returncode, (0, 1, 2), f"seed {seed}, attempt {attempt}: {done.stderr}")

    def hoist_any(self, *arguments):
        import subprocess

        from support import HOIST
        return subprocess.run([HOIST, *arguments], cwd=self.directory, capture_output=True, text=True, timeout=60)


if __name__ == "__main__":
    unittest.main()
