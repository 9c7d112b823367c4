"""hoist tune and hoist report: searching, storing, being interrupted and killed, and using what was found."""
import json
import os
import pathlib
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
import unittest
import uuid

from support import Case, HOIST, ROOT

GEMV = ROOT / "kernels" / "gemv.hoist"
SIZES = ("M=64", "N=96")
SOFTMAX = ("def softmax(x: [R][C]f32): [R][C]f32 =\n"
           "  x |> map(row =>\n"
           "    let m = row |> reduce(max, -inf)\n"
           "    let e = row |> map(v => exp(v - m))\n"
           "    let s = e |> reduce(+, 0.0)\n"
           "    in e |> map(v => v / s))\n")
# Thousands of candidates: no search of half a minute comes to their end, even where the compiler's results are kept from
# an earlier run.
STENCIL = (str(ROOT / "kernels" / "jacobi3d7.hoist"), "D=120", "H=120", "W=120")
# Hundreds of candidates with small arrays.
MATMUL = (str(ROOT / "kernels" / "matmul_nn.hoist"), "M=48", "N=60", "K=36")
ON_HOST = ("--device", "host", "--search", "random")


class Tune(Case):
    def setUp(self):
        super().setUp()
        self.store = str(self.directory / "store.sqlite")
        # Processes that are started below carry this mark, whoever starts them.
        self.mark = uuid.uuid4().hex

    def tune(self, *arguments, **options):
        return self.hoist("tune", str(GEMV), *SIZES, *ON_HOST, "--store", self.store, *arguments, **options)

    def started(self, *arguments, program=STENCIL, **options):
        return subprocess.Popen([HOIST, "tune", *program, *ON_HOST, "--store", self.store, *arguments],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "HOIST_TEST_MARK": self.mark}, **options)

    def marked(self):
        """Processes with the mark that are still there."""
        found = []
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and self.mark.encode() in (entry / "environ").read_bytes():
                    if (entry / "stat").read_text().rpartition(")")[2].split()[0] != "Z":
                        found.append(entry.name)
            except OSError:
                pass
        return found

    def assert_none_left(self):
        for _ in range(100):
            if not self.marked():
                return
            time.sleep(0.05)
        self.fail(f"processes were left behind: {self.marked()}")

    def wait_for_more_than(self, evaluations):
        for _ in range(1200):
            if os.path.exists(self.store):
                try:
                    if self.evaluations() > evaluations:
                        return
                except sqlite3.OperationalError:
                    pass  # its tables are only being made
            time.sleep(0.05)
        self.fail("nothing was recorded within a minute")

    def evaluations(self):
        with sqlite3.connect(self.store) as database:
            self.assertEqual(database.execute("PRAGMA integrity_check").fetchone(), ("ok",))
            return database.execute("SELECT count(*) FROM evaluations").fetchone()[0]


class Finds(Tune):
    def test_what_is_found_is_told_stored_and_used(self):
        facts = json.loads(self.tune("--evaluations", "5", "--budget", "300", "--json").stdout)
        self.assertEqual(facts["evaluated"], 5)
        self.assertIn("default", [each["id"] for each in facts["best"]])
        self.assertGreater(facts["ceilings"]["copy_gb_s"], 0)
        self.assertGreater(facts["device_share"], 0)
        self.assertLess(facts["device_share"], 1)
        self.assertEqual(set(facts["phases"]), {"reference", "candidates", "search", "best again"})
        self.assertAlmostEqual(sum(facts["phases"].values()), facts["seconds"], delta=0.1)
        self.assertGreaterEqual(self.evaluations(), 6)
        with sqlite3.connect(self.store) as database:
            self.assertGreater(database.execute("SELECT min(wall_seconds) FROM evaluations").fetchone()[0], 0)
        few = ("--evaluations", "1", "--budget", "300", "--json")
        others = self.hoist("tune", str(GEMV), "M=32", "N=64", *ON_HOST, "--store", self.store, *few)
        for ran in (self.tune(*few), others):
            ceilings = json.loads(ran.stdout)["ceilings"]
            for name, each in facts["ceilings"].items():  # measured once
                self.assertAlmostEqual(ceilings[name] / each, 1, places=9)
        again = self.tune("--evaluations", "2", "--budget", "300")
        self.assertIn("more were known", again.stdout)
        self.assertNotRegex(again.stdout, r" [um]s +0 ")  # a rate has three digits, however small it is
        run = self.hoist("run", str(GEMV), *SIZES, "--random", "1", "--device", "host", "--store", self.store, "--verify")
        self.assertIn("verified", run.stdout)

    def test_random_candidates_as_the_bench_records_them(self):
        low = ROOT / "kernels" / "low-level" / "gemv.hoist"
        for device in ("host", "opencl:0"):
            store = f"{device}.sqlite"
            self.hoist("tune", str(GEMV), "M=64", "N=128", "--device", device, "--search", "random", "--store", store,
                       "--evaluations", "4", "--budget", "300", "--by-hand", str(low))
            self.hoist("store", "export", "--store", store, "-o", "all.jsonl")
            script = [sys.executable, "-B", str(ROOT / "bench" / "recorded_candidates.py"), "all.jsonl", "recorded"]
            subprocess.run(script, cwd=self.directory, check=True, stdout=subprocess.DEVNULL)
            recorded = json.loads((self.directory / "recorded" / "gemv_M64_N128.json").read_text())
            self.assertEqual(recorded["facts"]["sizes"], {"M": 64, "N": 128})
            self.assertGreaterEqual(recorded["facts"]["points"], 4)
            names = [row["name"] for row in recorded["rows"]]
            self.assertEqual((len(names), names.count("default"), names.count("by hand")), (6, 1, 1))
            for row in recorded["rows"]:
                self.assertIn(row["outcome"], ("ok", "stopped early"))
                self.assertGreater(row["median_seconds"], 0)
        none = subprocess.run(script + ["--program", "dot"], cwd=self.directory, capture_output=True, text=True)
        self.assertEqual(none.returncode, 1)
        self.assertIn("no random search of ['dot']", none.stderr)

    def test_the_page(self):
        self.tune("--evaluations", "3", "--budget", "300", "--report", "page.html")
        page = (self.directory / "page.html").read_text()
        self.assertIn("gemv", page)
        self.hoist("report", str(GEMV), *SIZES, "--store", self.store, "-o", "again.html")
        self.assertTrue((self.directory / "again.html").exists())
        self.refused("report", str(GEMV), "M=65", "N=96", "--store", self.store, says=["nothing was measured", "hoist tune"])

    def test_a_budget_too_small_leaves_the_default(self):
        facts = json.loads(self.tune("--budget", "0.001", "--json").stdout)
        self.assertEqual([each["id"] for each in facts["best"]], ["default"])
        self.assertEqual(facts["evaluated"], 0)

    def test_times(self):
        for text in ("0x10", "1e300", "inf", "nan", "-5", "0", "1h30", "30m1h", "1.5.2", "1 h", "h", "99999999999h"):
            self.refused("tune", str(GEMV), *SIZES, f"--budget={text}", "--store", self.store, says=[f"'{text}' is no length of time", "1h30m"])
        self.refused("tune", str(GEMV), *SIZES, "--budget", "", "--store", self.store, says=["'' is no length of time", "1h30m"])
        for text in ("1h30m", "0h5m", "999999999h"):
            self.assertEqual(json.loads(self.tune("--budget", text, "--evaluations", "1", "--json").stdout)["evaluated"], 1)

    def test_bad_input(self):
        self.refused("tune", str(GEMV), *SIZES, "--budget", "soon", "--store", self.store, says=["'soon' is no length of time", "10m"])
        self.refused("tune", str(GEMV), *SIZES, "--search", "magic", "--store", self.store, says=["magic"])
        self.refused("tune", str(GEMV), *SIZES, "--device", "opencl:99", "--store", self.store, status=2, says=["opencl:99"])
        self.refused("tune", str(GEMV), "M=64", "--store", self.store, says=["N"])
        self.refused("tune", str(GEMV), *SIZES, *ON_HOST, "--store", "/proc/none/store.sqlite", says=["/proc/none"])
        self.file("foreign.sqlite", "this is no database, but long enough to be taken for one " * 100)
        self.refused("tune", str(GEMV), *SIZES, *ON_HOST, "--store", "foreign.sqlite", says=["foreign.sqlite"])


# What the interpreter does of it is not counted: it would take hours.
LONG = ("def f(x: [N]i32): [N]i32 =\n"
        "  x |> map(e => iota(100000) |> map(i => iota(100000) |> map(j => i * j % 7 + e) |> reduce(+, 0)) |> reduce(+, 0))\n")


class Budgets(Tune):
    """Within 10% and 2 seconds; on a machine that does other things as well a few more are let pass."""
    ROOM = 6

    def timed(self, *arguments, budget, **options):
        start = time.monotonic()
        done = self.hoist(*arguments, "--store", self.store, "--budget", str(budget), **options)
        self.assertLess(time.monotonic() - start, 1.1 * budget + 2 + self.ROOM)
        return done

    def test_kept_while_the_reference_is_made(self):
        self.file("long.hoist", LONG)
        told = self.timed("tune", "long.hoist", "N=64", "--random", "1", "--device", "host", budget=10, status=1)
        self.assertIn("too large for the reference interpreter", told.stderr)
        self.assert_none_left()

    def test_heard_while_the_reference_is_made(self):
        self.file("long.hoist", LONG)
        for number in (signal.SIGINT, signal.SIGTERM):
            tuner = self.started("--budget", "300", program=(str(self.directory / "long.hoist"), "N=64", "--random", "1"))
            time.sleep(3)
            tuner.send_signal(number)
            start = time.monotonic()
            out, err = tuner.communicate(timeout=60)
            self.assertLess(time.monotonic() - start, 2 + self.ROOM)
            self.assertEqual(tuner.returncode, 0, err)
            self.assertIn("it was interrupted", out)
            self.assert_none_left()

    def test_kept_while_builds_hang(self):
        """A compiler that does not come to an end for some kernels: the budget is kept, and it is said what took so long."""
        compiler = self.directory / "slow-compiler"
        # Every other kernel of the program but for the default mapping's.
        text, _, _ = self.hoist("compile", *MATMUL, "--target", "host").stdout.partition("\n// The plan of")
        default = self.directory / self.file("default.cpp", text)
        compiler.write_text(f"""#!/bin/sh
for word; do case $word in */kernel.cpp) source=$word ;; esac; done
if [ -n "$source" ] && grep -q matmul "$source" && ! cmp -s -n {len(text)} {default} "$source"; then
  count=$(ls {self.directory}/built | wc -l)
  mktemp -p {self.directory}/built >/dev/null
  [ $((count % 2)) = 1 ] || sleep 100
fi
exec g++ "$@"
""")
        (self.directory / "built").mkdir()
        compiler.chmod(0o755)
        environment = {**os.environ, "CXX": str(compiler), "XDG_CACHE_HOME": str(self.directory / "cache")}
        facts = self.timed("tune", *MATMUL, *ON_HOST, "--json", budget=20, env=environment)
        self.assertIn("timeout", json.loads(facts.stdout)["outcomes"])
        with sqlite3.connect(self.store) as database:
            messages = [row[0] for row in database.execute("SELECT message FROM evaluations WHERE outcome = 'timeout'")]
        self.assertTrue(messages and all(message.startswith("not built") for message in messages), messages)

    def test_slow_builds_of_softmax_keep_to_ten_seconds(self):
        if "opencl:0" not in self.hoist("devices", "--ids").stdout.split():
            self.skipTest("there is no OpenCL device")
        self.file("softmax.hoist", SOFTMAX)
        # PoCL takes long for a work-item's 333 numbers as variables.
        done = self.timed("tune", "softmax.hoist", "R=100", "C=333", "--random", "1", "--device", "opencl:0", "--json",
                          "--without", "private-array-unrolling", budget=10)
        facts = json.loads(done.stdout)
        self.assertGreaterEqual(facts["baseline_seconds"], facts["best"][0]["median_seconds"])


class Faults(Tune):
    def test_killed_at_any_moment(self):
        """Nothing that was recorded is lost, nobody is left behind, and the next call goes on."""
        generator = random.Random(20261122)
        before = 0
        for round in range(20):
            tuner = self.started("--budget", "300")
            # At any moment, and on a machine however busy at some after it has recorded more.
            if round % 2 == 1:
                self.wait_for_more_than(before)
            time.sleep(generator.uniform(0.02, 1.2))
            tuner.kill()
            tuner.communicate()
            self.assert_none_left()
            if os.path.exists(self.store):
                now = self.evaluations()
                self.assertGreaterEqual(now, before)
                before = now
        after = self.hoist("tune", *STENCIL, *ON_HOST, "--store", self.store, "--evaluations", "2", "--budget", "300", "--json")
        self.assertGreater(json.loads(after.stdout)["known"], 0)
        self.assertGreaterEqual(self.evaluations(), before + 2)

    def test_interrupted_in_every_phase(self):
        for seconds in (0.1, 0.5, 1.0, 2.0):
            tuner = self.started("--budget", "300")
            time.sleep(seconds)
            tuner.send_signal(signal.SIGINT)
            out, err = tuner.communicate(timeout=60)
            # Before the handler stands the signal ends the process as ever.
            self.assertIn(tuner.returncode, (0, -signal.SIGINT), err)
            if tuner.returncode == 0:
                self.assertIn("it was interrupted", out)
            self.assert_none_left()

    def test_two_tuners_share_a_store(self):
        both = [self.started("--evaluations", "4", "--budget", "300", "--seed", str(seed)) for seed in (1, 2)]
        for tuner in both:
            out, err = tuner.communicate(timeout=300)
            self.assertEqual(tuner.returncode, 0, err)
            self.assertIn("tried 4", out)
        self.assertGreaterEqual(self.evaluations(), 8)

    def test_two_tuners_do_not_measure_one_candidate_twice(self):
        """The same search twice at once would try the same candidates in the same order."""
        both = [self.started("--evaluations", "6", "--budget", "300", "--seed", "1", "--json") for _ in range(2)]
        evaluated = 0
        for tuner in both:
            out, err = tuner.communicate(timeout=300)
            self.assertEqual(tuner.returncode, 0, err)
            evaluated += json.loads(out)["evaluated"]
        self.assertEqual(evaluated, 12)
        with sqlite3.connect(self.store) as database:
            (different,) = database.execute("SELECT count(DISTINCT candidate) FROM evaluations WHERE origin = 'explored'").fetchone()
            (claims,) = database.execute("SELECT count(*) FROM claims").fetchone()
        self.assertEqual((different, claims), (12, 0))

    def test_a_full_disk(self):
        limit = 400 * 1024
        # What may be written to a file is less than the store needs, and more than the arrays.
        tuner = self.started("--budget", "300", program=MATMUL,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        out, err = tuner.communicate(timeout=300)
        self.assertEqual(tuner.returncode, 2, out + err)
        self.assertIn("store", err)
        self.assert_none_left()
        stored = self.evaluations()
        facts = json.loads(self.tune("--evaluations", "1", "--budget", "300", "--json").stdout)
        self.assertGreaterEqual(self.evaluations(), stored + facts["evaluated"])


if __name__ == "__main__":
    unittest.main()
