#!/usr/bin/env python3
"""Arrays of other libraries on a CUDA device, in programs and out of them without a copy, on the streams of their owners. Run by
tests/device/python.sh; `--device host` makes the checks that a processor allows, with NumPy's arrays.

Each check prints a line. Exit status 1 where one fails, 77 where there is nothing to check with.
"""
import argparse
import importlib.util
import os
import sys
import threading
import time
import traceback

import numpy

import hoist

JACOBI = """def jacobi(u: [H][W]f32): [H][W]f32 =
  u |> pad2(1, 1, clamp) |> slide2(3, 1)
    |> map2(n => 0.2 * (n[1][1] + n[0][1] + n[2][1] + n[1][0] + n[1][2]))
"""
AXPY = "def axpy(a: f32, x: [N]f32, y: [N]f32): [N]f32 = zip(x, y) |> map((e, f) => a * e + f)\n"
ROUNDS = 20


def in_threads(call, failures):
    """Calls it with 0 to 3 at the same time, and waits for all, who put what failed into the list."""
    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not failures, failures


class Skipped(Exception):
    """What is not there to check with."""


def jacobi(u):
    p = numpy.pad(u, 1, mode="edge")
    return (numpy.float32(0.2) * (p[1:-1, 1:-1] + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])).astype(numpy.float32)


def plate(height=512, width=1024, seed=1):
    return numpy.random.default_rng(seed).random((height, width), dtype=numpy.float32)


def same(got, expected, what=""):
    numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=1e-5, atol=1e-6, err_msg=what)


def refused(call, *says):
    try:
        call()
    except hoist.Error as error:
        missing = [each for each in says if each not in str(error)]
        assert not missing, f"{missing} not in: {error}"
    else:
        raise AssertionError("nothing was refused")


class Checks:
    """What any library's arrays do; `library` has array(values), numpy(array), address(array), empty(shape)."""

    def __init__(self, library, device):
        self.library, self.device = library, device
        self.step = hoist.program(JACOBI, device=device)

    def check_in_and_out(self):
        u = self.library.array(plate())
        got = self.step(u)
        same(self.library.numpy(self.library.taken(got)), jacobi(plate()))
        # The memory is used as it is, also by the next call.
        self.library.fill(u, 2)
        same(self.library.numpy(self.library.taken(self.step(u))), numpy.full((512, 1024), 2, numpy.float32))
        same(self.library.numpy(self.library.taken(self.step(self.library.array(plate()), steps=3))), jacobi(jacobi(jacobi(plate()))))

    def check_results_are_taken_without_a_copy(self):
        got = self.step(self.library.array(plate()))
        assert self.library.address(self.library.taken(got)) == self.library.told_address(got)

    def check_results_where_the_caller_wants(self):
        u, v = self.library.array(plate()), self.library.empty((512, 1024))
        address = self.library.address(v)
        assert self.step(u, out=v) is v
        assert self.library.address(v) == address
        same(self.library.numpy(v), jacobi(plate()))

    def check_what_is_wrong_is_refused(self):
        refused(lambda: self.step(self.library.array(plate().astype(numpy.float64))), "the input u is [H][W]f32", "f64", "^")
        refused(lambda: self.step(self.library.array(plate()[0])), "[1024]f32", "^")
        refused(lambda: self.step(self.library.array(plate()), out=self.library.empty((512, 1023))), "[512][1023]f32")

    def check_threads(self):
        failures = []

        def call(seed):
            try:
                for round in range(ROUNDS):
                    u = plate(64 + (seed + round) % 3, 128, seed)
                    same(self.library.numpy(self.library.taken(self.step(self.library.array(u)))), jacobi(u))
            except BaseException as error:
                failures.append(error)
        in_threads(call, failures)

    def check_time_of_a_call(self):
        axpy = hoist.program(AXPY, device=self.device)
        x, out = self.library.array(numpy.ones(1024, numpy.float32)), self.library.empty((1024,))

        def median(of, **options):
            times = []
            for number in range(1100):
                start = time.perf_counter()
                axpy(2.0, x, x, out=out, **options)
                if number >= 100:
                    times.append(of(start))
            return 1e6 * sorted(times)[500]
        since = lambda start: time.perf_counter() - start
        waiting, kernel = median(since, wait=True), median(lambda _: axpy.kernel_seconds, wait=True)
        print(f"    a call on 1,024 elements takes {median(since):.1f} µs, {waiting:.1f} µs where it waits, its kernel {kernel:.1f} µs (medians)")


class NumPyLibrary:
    name = "NumPy"
    array = staticmethod(numpy.array)
    numpy = taken = staticmethod(numpy.asarray)

    @staticmethod
    def empty(shape):
        return numpy.empty(shape, numpy.float32)

    @staticmethod
    def fill(array, value):
        array.fill(value)

    @staticmethod
    def address(array):
        return array.ctypes.data
    told_address = address


class TorchLibrary:
    name = "PyTorch"

    def __init__(self):
        import torch
        self.torch = torch
        self.taken = torch.from_dlpack

    def array(self, values):
        return self.torch.from_numpy(values).cuda()

    def numpy(self, array):
        return array.cpu().numpy()

    def empty(self, shape):
        return self.torch.empty(shape, dtype=self.torch.float32, device="cuda")

    def fill(self, array, value):
        array.fill_(value)

    def address(self, array):
        return array.data_ptr()

    def told_address(self, result):
        return result.__cuda_array_interface__["data"][0]


class CupyLibrary:
    name = "CuPy"

    def __init__(self):
        import cupy
        self.cupy = cupy
        self.array = self.taken = cupy.asarray
        self.numpy = cupy.asnumpy

    def empty(self, shape):
        return self.cupy.empty(shape, self.cupy.float32)

    def fill(self, array, value):
        array.fill(value)

    def address(self, array):
        return array.data.ptr

    def told_address(self, result):
        return result.__cuda_array_interface__["data"][0]


class WithoutStream:
    """A tensor that does not tell its stream: what a program does with it is in no order with what makes it."""

    def __init__(self, tensor):
        self.tensor = tensor
        self.__cuda_array_interface__ = {**tensor.__cuda_array_interface__, "stream": None}


class TorchChecks(Checks):
    """What PyTorch's streams and memory show beside."""

    def __init__(self, library, device):
        super().__init__(library, device)
        self.torch = library.torch

    def cycles(self):
        """Of the device for a few milliseconds."""
        return 20_000_000

    def raced(self, given):
        """In how many rounds a program saw an array before what was to be written to it on a side stream."""
        torch, stale = self.torch, 0
        side = torch.cuda.Stream()
        u = torch.zeros(512, 1024, device="cuda")
        for round in range(ROUNDS):
            u.zero_()
            fresh = torch.from_numpy(plate(seed=round)).cuda()
            torch.cuda.synchronize()
            with torch.cuda.stream(side):
                torch.cuda._sleep(self.cycles())
                u.copy_(fresh)
                got = torch.from_dlpack(self.step(given(u)))
            torch.cuda.synchronize()
            stale += not torch.allclose(got.cpu(), torch.from_numpy(jacobi(plate(seed=round))), atol=1e-5)
        return stale

    def check_waits_for_the_stream_that_makes_the_array(self):
        assert self.raced(lambda tensor: tensor) == 0
        print(f"    where the stream is not told, {self.raced(WithoutStream)} of {ROUNDS} see the array as it was before")

    def check_waits_for_the_stream_that_reads_the_result(self):
        torch = self.torch
        side = torch.cuda.Stream()
        u = torch.from_numpy(plate()).cuda()
        v, before = torch.empty_like(u), torch.empty_like(u)
        for round in range(ROUNDS):
            v.fill_(round)
            torch.cuda.synchronize()
            with torch.cuda.stream(side):
                torch.cuda._sleep(self.cycles())
                before.copy_(v)
                self.step(u, out=v)
                after = v + 1
            torch.cuda.synchronize()
            assert bool((before == round).all()), f"round {round}: the result was written before it had been read"
            same(after.cpu().numpy(), jacobi(plate()) + 1)

    def check_calls_do_not_wait(self):
        torch = self.torch
        side = torch.cuda.Stream()
        u = torch.from_numpy(plate()).cuda()
        v = torch.zeros_like(u)
        self.step(u, out=v)
        v.zero_()
        torch.cuda.synchronize()
        with torch.cuda.stream(side):
            torch.cuda._sleep(50 * self.cycles())
            self.step(u, out=v)
            got = self.step(self.step(u))
        assert not side.query(), "the call waited for what was on its stream"
        torch.cuda.synchronize()
        same(v.cpu().numpy(), jacobi(plate()))
        same(got.numpy(), jacobi(jacobi(plate())))

    def check_order_on_streams(self):
        """Programs with memory of their own, on several streams, on arrays that go and whose memory is used again."""
        torch = self.torch
        centred = hoist.program("def centred(x: [N]f32): [N]f32 = let s = x |> reduce(+, 0.0) in x |> map(e => e - s)", device=self.device)
        streams = [torch.cuda.Stream() for _ in range(3)]
        x = torch.arange(1 << 20, dtype=torch.float32, device="cuda").remainder(3)
        total = float(x.sum())
        torch.cuda.synchronize()
        results = []
        for round in range(3 * ROUNDS):
            with torch.cuda.stream(streams[round % 3]):
                torch.cuda._sleep(self.cycles() // 20)
                y = x + round  # made on this stream, gone when the call has returned
                first = centred(y)
                result = torch.from_dlpack(centred(first))
                del y, first
                expected = x + round
                expected -= total + round * len(x)
                expected -= expected.sum()
                results.append((result, expected))
        torch.cuda.synchronize()
        for number, (result, expected) in enumerate(results):
            assert torch.allclose(result, expected, rtol=1e-3), f"round {number}"

    def check_threads_on_streams(self):
        torch, failures = self.torch, []

        def calls(seed):
            try:
                with torch.cuda.stream(torch.cuda.Stream()):
                    for round in range(5 * ROUNDS):
                        u = torch.from_numpy(plate(64 + (seed + round) % 3, 128, seed)).cuda()
                        v = torch.from_dlpack(self.step(self.step(u)))
                        same(v.cpu().numpy(), jacobi(jacobi(u.cpu().numpy())))
            except BaseException as error:
                failures.append(error)
        in_threads(calls, failures)

    def check_no_memory_for_a_copy(self):
        """An array that is larger than what memory is left."""
        torch = self.torch
        free, _ = torch.cuda.mem_get_info()
        rows = int(min(free * 0.2, 2**32)) // (4 * 65536)
        u, v = torch.full((rows, 65536), 3.0, device="cuda"), torch.empty((rows, 65536), device="cuda")
        # What programs need of memory beside their arrays is allocated by now.
        self.step(u, out=v)
        v.zero_()
        free, _ = torch.cuda.mem_get_info()
        ballast = torch.empty(int(free - u.nbytes // 4), dtype=torch.uint8, device="cuda")
        left, _ = torch.cuda.mem_get_info()
        assert left < u.nbytes // 2, (left, u.nbytes)
        self.step(u, out=v)
        assert bool((v[::97] == 3).all())
        print(f"    {left / 2**30:.1f} GiB of memory were left for arrays of {u.nbytes / 2**30:.1f} GiB")
        del ballast, u, v
        torch.cuda.empty_cache()

    def check_tensors_that_cannot_be_used(self):
        torch = self.torch
        u = torch.rand(64, 64, device="cuda")
        refused(lambda: self.step(u.t()), "not contiguous", "contiguous()")
        refused(lambda: self.step(u.half()), "the input u is [H][W]f32", "float16")
        refused(lambda: self.step(u.bfloat16()), "the input u is [H][W]f32", "bfloat16")
        refused(lambda: self.step(u, out=u), "memory of the input u")
        refused(lambda: self.step(u, out=torch.empty(64, 64, device="cuda").t()), "not contiguous")
        try:
            self.step(u.requires_grad_())
            raise AssertionError("a tensor with a gradient was taken")
        except (hoist.Error, BufferError, RuntimeError) as error:
            assert "grad" in str(error), error
        # Tensors in the host's memory are NumPy's arrays.
        same(numpy.asarray(self.step(torch.from_numpy(plate()))), jacobi(plate()))
        # Slices that begin at no multiple of 256 bytes are copied.
        same(torch.from_dlpack(self.step(torch.from_numpy(plate()).cuda()[:, :].reshape(-1)[1:1 + 63 * 64].reshape(63, 64))).cpu().numpy(),
             jacobi(plate().reshape(-1)[1:1 + 63 * 64].reshape(63, 64)))


def check_jax(step):
    if importlib.util.find_spec("jax") is None:
        raise Skipped("JAX is not installed")
    import jax
    if jax.default_backend() not in ("gpu", "cuda"):
        raise Skipped(f"JAX has no GPU: {jax.default_backend()}")
    u = jax.device_put(plate())
    got = jax.dlpack.from_dlpack(step(u))
    same(numpy.asarray(got), jacobi(plate()))
    same(numpy.asarray(got + 1), jacobi(plate()) + 1)


def run(name, check):
    """Whether it did not fail."""
    start = time.time()
    try:
        check()
        print(f"ok        {name} ({time.time() - start:.1f} s)")
    except Skipped as reason:
        print(f"skipped   {name}: {reason}")
    except Exception:
        print(f"FAILED    {name}\n{traceback.format_exc()}")
        return False
    return True


def checks_of(device):
    """Names and functions."""
    if device == "host":
        found = [Checks(NumPyLibrary(), device)]
    else:
        found = [TorchChecks(TorchLibrary(), device)]
        if importlib.util.find_spec("cupy") is not None:
            found.append(Checks(CupyLibrary(), device))
        else:
            print("skipped   CuPy: it is not installed")
    for checks in found:
        for name in dir(checks):
            if name.startswith("check_"):
                yield f"{checks.library.name}: {name[6:].replace('_', ' ')}", getattr(checks, name)
    if device != "host":
        yield "JAX: in and out", lambda: check_jax(found[0].step)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cuda:0")
    options, _ = parser.parse_known_args()  # the others are of the benchmark
    if options.device != "host":
        if importlib.util.find_spec("torch") is None:
            print("skipped: PyTorch is not installed")
            sys.exit(77)
        import torch
        if not torch.cuda.is_available():
            print("skipped: PyTorch sees no GPU")
            sys.exit(77)
        if options.device not in [each.id for each in hoist.devices()]:
            print(f"failed: Hoist sees no {options.device}, but PyTorch {torch.cuda.get_device_name()}")
            sys.exit(1)
    passed = [run(name, check) for name, check in checks_of(options.device)]
    print(f"{sum(passed)} of {len(passed)} checks of arrays on {options.device} passed", flush=True)
    sys.stdout.flush()
    os._exit(not all(passed))  # drivers of four libraries need not agree on who ends first


if __name__ == "__main__":
    main()
