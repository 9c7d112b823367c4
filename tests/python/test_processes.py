"""Threads, interrupts, forks, copies and pickles of programs; memory that is not copied."""
import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy

import hoist
from support import AXPY, DEVICES, JACOBI, Case, in_threads, jacobi, plate, run_python

# Long enough to be seen, and computed by the processor alone.
LONG = "def long(x: [N]f32): [N]f32 = x |> map(e => iterate(5000000, v => v * 0.999 + 0.001, e))\n"


CALL = "import hoist, numpy\nprint(hoist.program('def f(x: [N]f32): [N]f32 = x', device='host')(numpy.ones(3, numpy.float32)))"


class Installation(Case):
    def test_version(self):
        told = subprocess.run([os.environ["HOIST"], "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(told, f"hoist {hoist.__version__}\n")

    def test_the_library_is_another_one(self):
        done = run_python(CALL, LD_PRELOAD=os.environ["OTHER_VERSION"])
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"ImportError: the module hoist is of version {hoist.__version__}, but this process has loaded libhoist "
                      f"0.0.0-other from {os.environ['OTHER_VERSION']}", done.stderr)

    def test_no_compiler(self):
        environment = {key: value for key, value in os.environ.items() if key != "CXX"}
        done = subprocess.run([sys.executable, "-c", CALL], capture_output=True, text=True,
                              env={**environment, "PATH": "/nonexistent"})
        self.assertNotEqual(done.returncode, 0)
        for each in ("DeviceError", "no C++ compiler is on PATH", "Debian: g++"):
            self.assertIn(each, done.stderr)


class Threads(Case):
    def test_others_run_while_a_kernel_runs(self):
        for device in DEVICES:
            step = hoist.program(LONG, device=device)
            x = numpy.ones(64, numpy.float32)
            step(x)
            counted = 0
            ended = threading.Event()

            def call():
                for _ in range(5):
                    step(x)
                ended.set()
            thread = threading.Thread(target=call)
            thread.start()
            while not ended.is_set():
                counted += 1
                time.sleep(0.001)
            thread.join()
            self.assertGreater(counted, 10, device)

    def test_many_threads_use_one_program(self):
        for device in DEVICES:
            step = hoist.program(JACOBI, device=device)
            failures = []

            def call(seed):
                try:
                    for round in range(20):
                        u = plate(3 + (seed + round) % 4, 5, seed)
                        numpy.testing.assert_allclose(step(u), jacobi(u), rtol=1e-5)
                        numpy.testing.assert_allclose(step(u, steps=3), jacobi(jacobi(jacobi(u))), rtol=1e-5)
                        array = hoist.array(u, device)
                        numpy.testing.assert_allclose(step(array).numpy(), jacobi(u), rtol=1e-5)
                except BaseException as error:
                    failures.append(error)
            in_threads(8, call)
            self.assertEqual(failures, [])
            self.assertLessEqual(step._step.compiled_count, 16)


    def test_many_threads_use_many_programs(self):
        programs = [(hoist.program(JACOBI, device=device), lambda u: (u,), jacobi) for device in DEVICES]
        programs += [(hoist.program(AXPY, device=device), lambda u: (2.0, u[0], u[1]), lambda u: 2 * u[0] + u[1]) for device in DEVICES]
        programs += [(hoist.program("def total(x: [H][W]i32): i32 = x |> join |> reduce(+, 0)\n", device=device),
                      lambda u: ((100 * u).astype(numpy.int32),), lambda u: (100 * u).astype(numpy.int32).sum()) for device in DEVICES]
        failures, begin = [], threading.Barrier(8)

        def call(seed):
            try:
                begin.wait()
                for round in range(30):
                    step, inputs, meaning = programs[(seed * 7 + round * (seed + 1)) % len(programs)]
                    u = plate(3 + round % 3, 4 + seed % 2, 100 * seed + round)
                    numpy.testing.assert_allclose(step(*inputs(u)), meaning(u), rtol=1e-5)
            except BaseException as error:
                failures.append(error)
        in_threads(8, call)
        self.assertEqual(failures, [])

    def test_a_device_is_closed_while_others_use_it(self):
        for device in DEVICES:
            step = hoist.program(JACOBI, device=device)
            u, failures, ended = plate(), [], threading.Event()
            expected = jacobi(u)

            def call():
                while not ended.is_set():
                    try:
                        array = hoist.array(u, device)
                        numpy.testing.assert_allclose(step(array).numpy(), expected, rtol=1e-5)
                        numpy.testing.assert_allclose(step(u), expected, rtol=1e-5)
                    except hoist.DeviceError as error:
                        if "was closed" not in str(error):
                            failures.append(error)
                    except BaseException as error:
                        failures.append(error)
            threads = [threading.Thread(target=call) for _ in range(4)]
            for each in threads:
                each.start()
            for _ in range(10):
                time.sleep(0.05)
                try:
                    hoist.close(device)
                except hoist.UserError as error:
                    self.assertIn("is open", str(error))
            ended.set()
            for each in threads:
                each.join()
            self.assertEqual(failures, [], device)
            self.assert_close(step(u), expected)


class Interrupts(Case):
    def test_steps_end_between_two(self):
        script = f"""
import hoist, numpy, os, signal, threading, time
step = hoist.program({LONG!r}, device="host")
x = numpy.ones(64, numpy.float32)
step(x)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.time()
try:
    step(x, steps=1000000)
except KeyboardInterrupt:
    print("interrupted", time.time() - start < 60)
print(step(x)[0] > 0)
"""
        ran = run_python(script)
        self.assertEqual(ran.stdout.split(), ["interrupted", "True", "True"], ran.stderr)


class Copies(Case):
    def test_programs(self):
        u = plate()
        for step in (hoist.program(JACOBI, name="mine", device="host"), hoist.program(AXPY + JACOBI, entry="jacobi", device="host")):
            step(u)
            for other in (pickle.loads(pickle.dumps(step)), copy.copy(step), copy.deepcopy(step)):
                self.assertEqual((other.text, other.name, other.device, other.__doc__), (step.text, step.name, step.device, step.__doc__))
                self.assert_close(other(u), jacobi(u))

    def test_errors_and_arrays(self):
        error = self.refused(lambda: hoist.program(JACOBI)(3))
        other = pickle.loads(pickle.dumps(error))
        self.assertEqual((str(other), other.problems, type(other)), (str(error), error.problems, type(error)))
        array = hoist.array(plate(), "host")
        numpy.testing.assert_array_equal(pickle.loads(pickle.dumps(array)).numpy(), plate())


class Forks(Case):
    def child(self, body):
        """The exit status of a forked process that runs the body."""
        process = os.fork()
        if process == 0:
            status = 3
            try:
                status = body()
            finally:
                os._exit(status)
        deadline = time.time() + 60
        while time.time() < deadline:
            done, status = os.waitpid(process, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.01)
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        return "hangs"

    def test_after_use_an_error_says_what_to_do(self):
        step = hoist.program(JACOBI, device="host")
        u = plate()
        step(u)
        array = hoist.array(u, "host")

        def body():
            for call in (lambda: step(u), lambda: hoist.program(AXPY, device="host")(1, u[0], u[0]), array.numpy):
                try:
                    call()
                    return 1
                except hoist.DeviceError as error:
                    if "forked" not in str(error) or "spawn" not in str(error):
                        return 2
            return 0
        self.assertEqual(self.child(body), 0)
        self.assert_close(step(u), jacobi(u))

    def test_before_use_it_works(self):
        script = f"""
import hoist, numpy, os, sys
step = hoist.program({JACOBI!r}, device="host")
process = os.fork()
print(f"{{step(numpy.ones((3, 3), numpy.float32)).sum()}}\\n", end="")
if process:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
"""
        ran = run_python(script)
        self.assertEqual((ran.returncode, ran.stdout.split()), (0, ["9.0", "9.0"]), ran.stderr)

    def test_a_child_ends_in_order(self):
        script = f"""
import hoist, numpy, os, sys
for device in {DEVICES!r}:
    step = hoist.program({JACOBI!r}, device=device)
    array = hoist.array(numpy.ones((3, 3), numpy.float32), device)
    kept = step(array)
process = os.fork()
del kept, array, step
if process:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]))
"""
        ran = run_python(script, seconds=60)
        self.assertEqual(ran.returncode, 0, ran.stderr)


class Memory(Case):
    def peak(self, bytes, device):
        """Kilobytes at the most of a process that computes one array of so many bytes from another."""
        script = f"""
import hoist, numpy, resource
step = hoist.program("def twice(x: [N]f32): [N]f32 = x |> map(e => e + e)\\n", device={device!r})
x = numpy.ones({bytes // 4}, numpy.float32)
y = step(x)
assert y[0] == 2 and y[-1] == 2
del y
out = numpy.empty_like(x)
step(x, out=out)
assert out[0] == 2 and out[-1] == 2
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
        ran = run_python(script)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return int(ran.stdout)

    def test_arrays_are_not_copied(self):
        size = 2**30 if os.environ.get("HOIST_SLOW") == "1" else 2**27
        for device in [each for each in DEVICES if each == "host" or hoist.devices()[DEVICES.index(each)].type == "cpu"]:
            grown = (self.peak(size, device) - self.peak(2**16, device)) * 1024
            self.assertLess(grown, 2.2 * size, device)


class Overhead(Case):
    def test_of_a_call(self):
        """A call of a small array takes microseconds: a bound that even a busy machine keeps."""
        step = hoist.program(AXPY, device="host")
        x = numpy.ones(16, numpy.float32)
        step(2.0, x, x)
        best = min(self.seconds(step, x) for _ in range(5))
        self.assertLess(best, 1e-3)

    @staticmethod
    def seconds(step, x):
        start = time.perf_counter()
        for _ in range(100):
            step(2.0, x, x)
        return (time.perf_counter() - start) / 100


if __name__ == "__main__":
    unittest.main()
