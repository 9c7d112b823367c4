"""The processor as a device, where something is not as it should be: compilers that fail, a processor that has less than its
system lists, sizes of 1 and primes, models of other processors."""
import gzip
import json
import os
import shutil
import subprocess
import unittest

from support import AXPY, HOIST, ROOT, Case

CONTRACTION = ROOT / "kernels" / "contraction_ijk_ilk_jl.hoist"
EMULATOR = shutil.which("qemu-x86_64")
COMPILER = shutil.which("g++") or shutil.which("c++")
# A model that ships, and what stands there for the processors that it has learned on.
MODEL, LEARNED_ON = ROOT / "models" / "cpu-host.json.gz", '"devices":"AMD EPYC"'


class Compilers(Case):
    def compiler(self, *cases):
        """One that does what the shell's cases say for one of its arguments, and else what g++ does."""
        path = self.directory / f"compiler{len(self.leftovers())}"  # what another built is not its own
        path.write_text("#!/bin/sh\nsource=$(cat \"$(for word; do case $word in *kernel.cpp) echo \"$word\";; esac; done)\" "
                        "2>&1 </dev/null)\nfor word; do case $word in\n"
                        + "".join(f"  {each};;\n" for each in cases) + f"esac; done\nexec {COMPILER} \"$@\"\n")
        path.chmod(0o755)
        return {**os.environ, "CXX": str(path), "XDG_CACHE_HOME": str(self.directory / "cache")}

    def run_with(self, environment, *options, **expected):
        given = (CONTRACTION, "I=4", "J=8", "K=16", "L=16", "--random", "1", "--device", "host", *options)
        return (self.refused if "says" in expected else self.hoist)("run", *given, env=environment, **expected)

    def test_missing(self):
        self.run_with({**os.environ, "CXX": "no-such-compiler"}, status=2, says="the C++ compiler no-such-compiler")
        self.run_with({**os.environ, "CXX": "false"}, status=2, says=["--version` failed", "name a C++ compiler that works"])
        environment = {key: value for key, value in os.environ.items() if key != "CXX"}
        without = {**environment, "PATH": "/nonexistent"}
        self.run_with(without, status=2, says=["no C++ compiler is on PATH", "Debian: g++", "pocl-opencl-icd"])
        self.assertIn("host: no C++ compiler is on PATH", self.hoist("devices", env=without).stderr)

    def test_the_device_that_needs_none_is_chosen(self):
        environment = {key: value for key, value in os.environ.items() if key != "CXX"}
        others = [each for each in self.hoist("devices", "--ids").stdout.split() if each != "host"]
        if not others:
            self.skipTest("host is the only device")
        # PoCL links kernels.
        (self.directory / "ld").symlink_to(shutil.which("ld"))
        facts = self.facts("run", CONTRACTION, "I=4", "J=8", "K=16", "L=16", "--random", "1", "--verify",
                           env={**environment, "PATH": str(self.directory)})
        self.assertIn(facts["device"], others)

    def test_too_old(self):
        old = self.compiler("-std=c++17) echo \"unrecognized command line option '$word'\" >&2; exit 1")
        self.run_with(old, status=2, says=["does not know -std=c++17", "name a newer compiler in CXX"])
        older = self.compiler("-mprefer-vector-width=*|-fopenmp) exit 1")
        self.assertIn("verified", self.run_with(older, "--verify", "--untuned").stdout)

    def test_one_that_fails_on_every_kernel(self):
        fails = self.compiler("*kernel.cpp) echo 'internal compiler error: Segmentation fault' >&2; exit 1")
        told = self.run_with(fails, "--untuned", status=2, says=["failed on the source of a host kernel", "fault of the compiler's"])
        self.assertIn("internal compiler error", told.stderr)

    def test_one_that_fails_on_the_kernel_that_is_expected_to_be_fast(self):
        expected = self.run_with(self.compiler(), "--verify")
        self.assertIn("which the model", expected.stderr)
        fails = self.compiler("*kernel.cpp) case $source in *load_vector*) "
                              "echo 'internal compiler error: in vectors' >&2; exit 1;; esac")
        fallen_back = self.run_with(fails, "--verify")
        self.assertIn("the default mapping runs in its place", fallen_back.stderr)
        self.assertIn("verified", fallen_back.stdout)
        self.assertEqual(json.loads(self.run_with(fails, "--json").stdout)["kernel"], "default")

    def test_one_that_fails_on_candidates(self):
        fails = self.compiler("*kernel.cpp) case $source in *load_vector*) "
                              "echo 'internal compiler error: in vectors' >&2; exit 1;; esac")
        found = json.loads(self.hoist("tune", CONTRACTION, "I=4", "J=8", "K=16", "L=16", "--device", "host", "--store", "s.db",
                                      "--budget", "20s", "--evaluations", "6", "--json", env=fails).stdout)
        self.assertTrue(found["best"])


class Emulated(Case):
    """qemu-user shows the machine's /proc/cpuinfo to what runs on a lesser processor."""

    def setUp(self):
        super().setUp()
        if EMULATOR is None or os.uname().machine != "x86_64":
            self.skipTest("there is no qemu-x86_64")
        if os.environ.get("SANITIZE"):
            self.skipTest("the emulator lacks the addresses that sanitizers take")
        # An emulated process cannot start this one again, so nothing is measured here.
        self.file("cpu", f"#!/bin/sh\nexec {EMULATOR} -cpu Nehalem {HOIST} \"$@\" 2>err\n")
        (self.directory / "cpu").chmod(0o755)

    def emulated(self, *arguments):
        done = subprocess.run([self.directory / "cpu", *map(str, arguments)], cwd=self.directory, text=True, capture_output=True,
                              timeout=600, env={**os.environ, "XDG_CACHE_HOME": str(self.directory / "cache")})
        return done.returncode, done.stdout + (self.directory / "err").read_text()

    def test_instructions_that_the_processor_lacks_are_refused(self):
        for name in ("avx2", "avx512"):
            status, told = self.emulated("run", CONTRACTION, "I=4", "J=4", "K=16", "L=4", "--random", "1", "--device", "host",
                                         "--isa", name)
            self.assertEqual(status, 2, told)
            self.assertIn(f"cannot run {name}", told)
            self.assertIn("it has sse4.2 and native", told)

    def test_kernels_have_no_others(self):
        for options in (["--untuned"], [], ["--isa", "sse4.2"]):
            status, told = self.emulated("run", CONTRACTION, "I=4", "J=4", "K=16", "L=4", "--random", "1", "--device", "host",
                                         "--verify", *options)
            self.assertEqual(status, 0, told)
            self.assertIn("verified: 256 elements agree", told)


class Sizes(Case):
    def test_ones_and_primes(self):
        self.file("p.hoist", self.hoist("dev", "workload", "ijkl-imjn-lnkm").stdout)
        for sizes in ((1, 1, 1, 1, 1, 1), (7, 1, 3, 13, 1, 2), (1, 5, 1, 7, 11, 3), (2, 3, 5, 17, 7, 1)):
            given = [f"{name}={size}" for name, size in zip("IJKLMN", sizes)]
            self.assertIn("verified", self.hoist("run", "p.hoist", *given, "--random", "1", "--device", "host", "--verify").stdout)
        self.file("s.hoist", self.hoist("dev", "workload", "dresid", "--type", "f64").stdout)
        for sizes in (("D=1", "H=1", "W=1"), ("D=3", "H=1", "W=31"), ("D=1", "H=13", "W=17")):
            self.assertIn("verified", self.hoist("run", "s.hoist", *sizes, "--random", "1", "--device", "host", "--verify").stdout)

    def test_they_are_tuned(self):
        self.file("p.hoist", self.hoist("dev", "workload", "ij-ik-kj").stdout)
        for sizes in (("I=1", "J=1", "K=1"), ("I=7", "J=13", "K=1"), ("I=1", "J=31", "K=17")):
            found = self.facts("tune", "p.hoist", *sizes, "--device", "host", "--store", "s.db", "--evaluations", "3", "--budget", "20s")
            self.assertTrue(found["best"], sizes)


class Assembly(Case):
    def test_without_a_loop(self):
        self.file("axpy.hoist", AXPY)
        given = ("features", "axpy.hoist", "N=4", "--device", "host", "--assembly", "--id", "0-0")
        self.assertIn("There is no loop", self.hoist(*given).stdout)
        self.assertIsNone(self.facts(*given)["kernels"][0]["loop"])
        for name, text in (("a.s", "f:\n  ret\n"), ("b.s", "no assembly ((\n"), ("c.s", "")):
            self.file(name, text)
            self.assertIsNone(self.facts("dev", "assembly", name, "f")["kernels"][0]["loop"])


class ModelsOfOtherProcessors(Case):
    def setUp(self):
        super().setUp()
        text = gzip.decompress(MODEL.read_bytes()).decode()
        self.assertIn(LEARNED_ON, text)
        self.file("other.json.gz", gzip.compress(text.replace(LEARNED_ON, '"devices":"Zilog Z80"').encode()))
        (name,) = [each["name"] for each in self.facts("devices") if each["id"] == "host"]
        self.file("own.json.gz", gzip.compress(text.replace(LEARNED_ON, f'"devices":"Zilog Z80; {name}"').encode()))

    def test_are_used_and_told(self):
        given = (CONTRACTION, "I=4", "J=8", "K=16", "L=16", "--device", "host")
        tuning = ("tune", *given, "--store", "s.db", "--evaluations", "2", "--budget", "20s", "--fresh")
        explaining = ("explain", *given, "--id", "1-0")
        self.assertIn("the model that predicts speed has learned on Zilog Z80",
                      self.hoist(*tuning, "--model", "other.json.gz").stderr)
        self.assertNotIn("Zilog", self.hoist(*tuning, "--model", "own.json.gz").stderr)
        self.assertIn("another processor, Zilog Z80", self.hoist(*explaining, "--model", "other.json.gz").stdout)
        self.assertNotIn("Zilog", self.hoist(*explaining, "--model", "own.json.gz").stdout)


if __name__ == "__main__":
    unittest.main()
