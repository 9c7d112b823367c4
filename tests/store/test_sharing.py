#!/usr/bin/env python3
"""Tuners that share a store: no candidate is measured twice, none is lost, whoever of them dies and whatever the server does.

    HOIST=build/release/hoist FAKE_CUDA=build/release/tests/libfake_cuda.so python3 tests/store/test_sharing.py
    ... HOIST_SLOW=1 python3 ...      # sixteen tuners, four of which are killed, and a server whose disk is full

They tune for the driver that runs kernels on the processor, with FAKE_CUDA_PACE: a kernel's time is what its source says, so the
best of several tuners can be held against the best of one. The server is PostgreSQL's, of the tests' own; what needs it is skipped
where none is installed (Debian's package postgresql).
"""
import glob
import json
import os
import pathlib
import pwd
import random
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests/cli"))
from support import HOIST, Case  # noqa: E402

IS_SLOW = os.environ.get("HOIST_SLOW", "0") != "0"
TILED = ("def tiled(x: [N]f32): [N]f32 = x |> split(?t) |> mapWrg(0, tile => tile |> split(?u)\n"
         "  |> mapLcl(0, mapSeq(e => 2.0 * e)) |> join) |> join\n")
EXPLORED = "SELECT c.hash, e.run FROM evaluations e JOIN candidates c ON c.id = e.candidate WHERE e.origin = 'explored'"
LONG_AGO = "2026-01-01T00:00:00.000Z"
# A clock that differs by FAKE_CLOCK seconds from that of the machine.
CLOCK = """#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
int clock_gettime(clockid_t clock, struct timespec* now) {
  int (*real)(clockid_t, struct timespec*) = dlsym(RTLD_NEXT, "clock_gettime");
  int status = real(clock, now);
  if (clock == CLOCK_REALTIME && getenv("FAKE_CLOCK")) now->tv_sec += atol(getenv("FAKE_CLOCK"));
  return status;
}
"""


class File:
    """A store in a file."""

    def __init__(self, directory):
        self.path = directory / "shared.sqlite"
        self.place = str(self.path)

    def rows(self, sql):
        if not self.path.exists():
            return []
        with sqlite3.connect(self.path, timeout=30) as database:
            # Whoever makes it makes its tables a moment later.
            if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'evaluations'").fetchall():
                return []
            return database.execute(sql).fetchall()

    def change(self, sql):
        self.rows(sql)


def server_programs():
    for directory in os.environ["PATH"].split(":") + sorted(glob.glob("/usr/lib/postgresql/*/bin")):
        if all(os.access(f"{directory}/{name}", os.X_OK) for name in ("initdb", "postgres")):
            return directory
    return None


def why_no_server():
    if server_programs() is None:
        return "no PostgreSQL server is installed (Debian's package postgresql)"
    if os.geteuid() == 0 and "postgres" not in [each.pw_name for each in pwd.getpwall()]:
        return "PostgreSQL does not run as root, and there is no user postgres"
    return None


class Server:
    """A PostgreSQL server that a socket in its directory alone leads to, and a store on it. Root gives it to the user postgres."""

    def __init__(self, disk=None):
        """`disk`: the bytes of a file system of its own, which this process sees below root()."""
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="hoist-server-"))
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self.user:
            os.chown(self.directory, self.user.pw_uid, self.user.pw_gid)
        self.log = open(self.directory / "log", "ab")
        self.data, self.process, self.disk = self.directory / "data", None, disk
        self.place = f"postgresql://hoist@/postgres?host={self.directory}"
        self.begin(first=True)

    def as_user(self):
        if self.user:
            os.setgid(self.user.pw_gid)
            os.setuid(self.user.pw_uid)

    def begin(self, first=False):
        programs = server_programs()
        make = (f"'{programs}/initdb' -D '{self.data}' -U hoist -A trust -E UTF8 --locale C --no-sync && " if first else "")
        serve = f"{make} exec '{programs}/postgres' -D '{self.data}' -k '{self.directory}' -c listen_addresses= -c max_connections=60"
        if self.disk is None:
            command, given = ["sh", "-c", serve], {"preexec_fn": self.as_user}
        else:
            (self.directory / "serve").write_text(serve)
            self.data.mkdir(exist_ok=True)
            command, given = ["unshare", "-m", "sh", "-c", f"mount -t tmpfs -o size={self.disk},mode=0700,uid={self.user.pw_uid},"
                              f"gid={self.user.pw_gid} none '{self.data}' && exec setpriv --reuid {self.user.pw_uid} --regid "
                              f"{self.user.pw_gid} --clear-groups sh '{self.directory}/serve'"], {}
        self.process = subprocess.Popen(command, stdout=self.log, stderr=self.log, cwd=self.directory, **given)
        for _ in range(300):
            if self.query("SELECT 1", check=False):
                return
            time.sleep(0.1)
        raise RuntimeError("the server does not start: " + (self.directory / "log").read_text())

    def root(self):
        """Its data directory as this process sees it."""
        return pathlib.Path(f"/proc/{self.process.pid}/root{self.data}")

    def stop(self):
        """At once, without a farewell."""
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()

    def end(self):
        self.stop()
        self.log.close()
        shutil.rmtree(self.directory)

    def query(self, sql, check=True):
        done = subprocess.run(["psql", "-At", "-F", "\t", "-c", "SET search_path = hoist", "-c", sql, self.place],
                              text=True, capture_output=True,
                              env={**os.environ, "PATH": f"{server_programs()}:{os.environ['PATH']}"})
        if check and done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout if done.returncode == 0 else ""

    def rows(self, sql):
        if not self.query("SELECT 1 FROM pg_tables WHERE schemaname = 'hoist' AND tablename = 'claims'").endswith("1\n"):
            return []
        lines = self.query(sql).splitlines()[1:]  # the first says SET
        return [tuple(int(word) if word.isdigit() else word for word in line.split("\t")) for line in lines]

    def change(self, sql):
        self.query(sql)


class Sharing(Case):
    SIZE = 12288

    def setUp(self):
        super().setUp()
        if not (fake := os.environ.get("FAKE_CUDA")):
            self.skipTest("there is no driver that runs kernels on the processor")
        self.environment = dict(os.environ, HOIST_CUDA_LIBRARY=fake, HOIST_NVRTC_LIBRARY=fake, HOIST_NVML_LIBRARY=fake,
                                FAKE_CUDA_PACE="100", FAKE_CUDA_DEVICES="2",
                                # Too little for what measures its bandwidth, which takes long here.
                                FAKE_CUDA_MEMORY=str(1 << 20))
        self.file("tiled.hoist", TILED)
        self.tuners = []
        self.addCleanup(self.end_all)

    def end_all(self):
        for each in self.tuners:
            each.kill()
            each.communicate()

    def server(self, **options):
        if why := why_no_server():
            self.skipTest(why)
        server = Server(**options)
        self.addCleanup(server.end)
        return server

    def tuner(self, store, seed, *arguments, size=SIZE, device="cuda:0", **environment):
        """Starts one that tries all candidates there are."""
        process = subprocess.Popen([HOIST, "tune", "tiled.hoist", f"N={size}", "--device", device, "--search", "random", "--seed",
                                    str(seed), "--store", store.place, "--budget", "900", "--jobs", "1", "--json", *arguments],
                                   cwd=self.directory, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   env={**self.environment, **environment})
        self.tuners.append(process)
        return process

    def ended(self, process, status=0):
        out, err = process.communicate(timeout=900)
        self.assertEqual(process.returncode, status, out + err)
        return json.loads(out) if status == 0 else err

    def until(self, condition, what):
        for _ in range(3000):
            have_ended = all(each.poll() is not None for each in self.tuners)
            if condition():
                return
            if have_ended:
                self.fail(f"there was no {what} before all tuners ended: " + "".join(self.tuners[-1].communicate()))
            time.sleep(0.1)
        self.fail(f"there was no {what} within five minutes")

    def alone(self, size=SIZE):
        """What one tuner finds: its facts, and the terms that it measured."""
        store = File(self.directory)
        store.path = self.directory / f"alone-{size}.sqlite"
        store.place = str(store.path)
        facts = self.ended(self.tuner(store, 1, size=size))
        terms = {hash for hash, _ in store.rows(EXPLORED)}
        self.assertEqual(facts["ended_by"], "all candidates were tried")
        self.assertEqual(facts["evaluated"], len(terms))
        return facts, terms

    def expect_once_each(self, store, facts, dead=(), size=SIZE):
        """All that one tuner measures was measured, and once; the best is the same. At the end each tuner times the best ones again:
        what it explored is what it tells."""
        one, terms = self.alone(size)
        explored = store.rows(EXPLORED)
        of_dead = [hash for hash, run in explored if run in dead]
        self.assertEqual({hash for hash, _ in explored}, terms)
        self.assertEqual(sum(each["evaluated"] for each in facts) + len(of_dead), len(terms))
        for each in facts:
            self.assertEqual(each["ended_by"], "all candidates were tried")
            self.assertEqual(each["best"][0]["id"], one["best"][0]["id"])
            self.assertAlmostEqual(each["best"][0]["median_seconds"], one["best"][0]["median_seconds"], delta=1e-8)

    def runs_of(self, store, seeds):
        return [run for run, seed in store.rows("SELECT id, seed FROM runs") if seed in seeds]

    def claimed_by(self, store, runs):
        return {hash for hash, run in store.rows("SELECT hash, run FROM claims") if run in runs}

    def kill(self, store, seeds, generator):
        """Kills tuners, at random moments at which they are about to measure something; what that was."""
        self.until(lambda: len(store.rows(EXPLORED)) >= len(self.tuners), "evaluation")
        for seed in seeds:
            self.until(lambda: self.claimed_by(store, self.runs_of(store, [seed])), f"claim of tuner {seed}")
            time.sleep(generator.uniform(0, 0.3))
            self.tuners[seed].kill()
            self.tuners[seed].wait()
        return self.claimed_by(store, self.runs_of(store, seeds))

    def shared_with_one_that_dies(self, store):
        size = 1024
        tuners = [self.tuner(store, seed, size=size) for seed in range(3)]
        left = self.kill(store, [1], random.Random(20261126))
        dead = self.runs_of(store, [1])
        # What a minute does.
        store.change(f"UPDATE claims SET until = '{LONG_AGO}' WHERE run = {dead[0]}")
        facts = [self.ended(each) for seed, each in enumerate(tuners) if seed != 1]
        self.expect_once_each(store, facts, dead, size)
        measured = {hash for hash, _ in store.rows(EXPLORED)}
        self.assertLessEqual(left, measured)
        self.assertEqual(store.rows("SELECT id FROM claims"), [])

    def test_one_of_three_dies_on_a_server(self):
        self.shared_with_one_that_dies(self.server())

    def test_one_of_three_dies_with_a_file(self):
        self.shared_with_one_that_dies(File(self.directory))

    def test_the_server_goes_away_and_comes_back(self):
        store, size = self.server(), 1024
        tuners = [self.tuner(store, seed, size=size) for seed in range(2)]
        for evaluations in (3, 6, 9):
            self.until(lambda: len(store.rows(EXPLORED)) >= evaluations, "evaluation")
            store.stop()
            time.sleep(1)
            store.begin()
        self.expect_once_each(store, [self.ended(each) for each in tuners], size=size)

    def test_clocks_differ(self):
        """What is over is said by the server's clock alone."""
        store, size = self.server(), 1024
        self.file("clock.c", CLOCK)
        subprocess.run([os.environ.get("CC", "cc"), "-shared", "-fPIC", "-o", "clock.so", "clock.c", "-ldl"], cwd=self.directory,
                       check=True)
        clock = {"LD_PRELOAD": str(self.directory / "clock.so"), "ASAN_OPTIONS": "verify_asan_link_order=0"}
        tuners = [self.tuner(store, number, size=size, **clock, FAKE_CLOCK=str(hours * 3600))
                  for number, hours in enumerate((-5, 5))]
        self.expect_once_each(store, [self.ended(each) for each in tuners], size=size)

    def test_a_node_that_is_slower_than_its_kind(self):
        store, size = File(self.directory), 256
        slow = f"{socket.gethostname()} (cuda:1) takes 1.30 times as long as others of its kind"
        first = self.tuner(store, 1, size=size)
        self.assertNotIn("slow_nodes", self.ended(first))
        second = self.tuner(store, 2, size=size, device="cuda:1", FAKE_CUDA_PACE="130")
        out, err = second.communicate()
        self.assertIn(f"note: this node, {slow}", err)
        (told,) = json.loads(out)["slow_nodes"]
        self.assertEqual(json.loads(out)["evaluated"], 0)
        self.assertAlmostEqual(told["slowdown"], 1.3, delta=0.001)
        self.assertGreaterEqual(told["candidates"], 3)
        # The others tell of it, too.
        out, err = self.tuner(store, 3, size=size).communicate()
        self.assertIn(f"note: {slow}", err)
        self.assertIn(slow, self.hoist("store", "show", "1", "--store", store.place).stdout)

    @unittest.skipUnless(IS_SLOW, "slow")
    def test_sixteen_of_which_four_are_killed(self):
        store = self.server()
        seed = int(os.environ.get("SEED", "20261126"))
        print(f"seed {seed}", file=sys.stderr)
        generator = random.Random(seed)
        tuners = [self.tuner(store, number) for number in range(16)]
        dying = generator.sample(range(16), 4)
        left = self.kill(store, dying, generator)
        dead = self.runs_of(store, dying)
        facts = [self.ended(each) for number, each in enumerate(tuners) if number not in dying]
        self.expect_once_each(store, facts, dead)
        self.assertLessEqual(left, {hash for hash, _ in store.rows(EXPLORED)})
        of_dead = [hash for hash, run in store.rows(EXPLORED) if run in dead]
        print(f"{sum(each['evaluated'] for each in facts)} candidates measured by 12 tuners "
              f"({sorted(each['evaluated'] for each in facts)}), {len(of_dead)} by 4 that died; "
              f"{len(left)} were about to be measured by these", file=sys.stderr)

    @unittest.skipUnless(IS_SLOW, "slow")
    def test_the_disk_of_the_server_is_full(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("this process may not mount a file system")
        store, size = self.server(disk=160 << 20), 1024
        tuner = self.tuner(store, 1, size=size)
        self.until(lambda: store.rows(EXPLORED), "evaluation")
        with open(store.root() / "ballast", "wb", buffering=0) as ballast:
            try:
                while True:
                    ballast.write(b"x" * 4096)
            except OSError:
                pass
        said = self.ended(tuner, status=2)
        self.assertIn("has no room left", said)
        self.assertIn("what was stored before is kept", said)
        (store.root() / "ballast").unlink()
        kept = len(store.rows(EXPLORED))
        store.change(f"UPDATE claims SET until = '{LONG_AGO}'")
        facts = self.ended(self.tuner(store, 2, size=size))
        self.expect_once_each(store, [facts], self.runs_of(store, [1]), size)
        self.assertEqual(facts["known"], kept)


if __name__ == "__main__":
    if not os.environ.get("FAKE_CUDA"):
        sys.exit("FAKE_CUDA names the driver that runs kernels on the processor")
    unittest.main()
