"""Arrays of other libraries on CUDA, on the driver that runs kernels on the processor (FAKE_CUDA names it)."""
import ctypes
import os
import sys
import types
import unittest

import numpy

import hoist
from support import AXPY, JACOBI, Case, in_threads, jacobi, plate

DRIVER = os.environ["HOIST_CUDA_LIBRARY"]
CENTRED = "def centred(x: [N]f32): [N]f32 = let s = x |> reduce(+, 0.0) in x |> map(e => e - s)\n"  # several kernels
LEGACY = 1  # the default stream
PINNED = []  # which stays to the end


def device_memory(array):
    """A copy of an array at an address as a driver gives them."""
    memory = numpy.zeros(array.nbytes + 256, numpy.uint8)
    start = -memory.ctypes.data % 256
    copy = memory[start:start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


class Foreign:
    """What a library for CUDA says of an array."""

    def __init__(self, array, stream=None, **more):
        self.array = array
        self.__cuda_array_interface__ = {"shape": array.shape, "typestr": array.dtype.str, "data": (array.ctypes.data, False),
                                         "version": 3, "strides": None, "stream": stream, **more}


class Tensor:
    """What a library with DLPack says: here about an array of Hoist's."""

    def __init__(self, array):
        self.array = array
        self.streams = []

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.array.__dlpack__(stream=stream)


class Driver:
    """What another library does with the driver: streams, memory, transfers that wait until their stream comes to them."""

    def __init__(self):
        self.library = ctypes.CDLL(DRIVER)
        for name, types_ in {"cuMemcpyHtoDAsync_v2": [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p],
                             "cuMemcpyDtoHAsync_v2": [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p],
                             "cuMemHostRegister_v2": [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint],
                             "cuStreamSynchronize": [ctypes.c_void_p]}.items():
            getattr(self.library, name).argtypes = types_

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        assert status == 0, (name, status)

    def stream(self):
        made = ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(made), 1)
        return made.value

    def memory(self, array):
        """An array of the driver's memory, which holds the same."""
        made = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(made), ctypes.c_size_t(max(array.nbytes, 1)))
        there = numpy.ctypeslib.as_array((ctypes.c_byte * array.nbytes).from_address(made.value)).view(array.dtype).reshape(array.shape)
        there[...] = array
        return there

    def pinned(self, array):
        copy = numpy.array(array)
        self.call("cuMemHostRegister_v2", copy.ctypes.data, copy.nbytes, 1)
        PINNED.append(copy)
        return copy

    def upload(self, there, host, stream):
        self.call("cuMemcpyHtoDAsync_v2", there.ctypes.data, host.ctypes.data, host.nbytes, stream)

    def download(self, host, there, stream):
        self.call("cuMemcpyDtoHAsync_v2", host.ctypes.data, there.ctypes.data, host.nbytes, stream)

    def wait(self, stream):
        self.call("cuStreamSynchronize", stream)


def memory_of(array):
    """That of an array of Hoist's, whatever it holds by now."""
    address = array.__cuda_array_interface__["data"][0]
    return numpy.ctypeslib.as_array((ctypes.c_float * array.size).from_address(address)).reshape(array.shape)


class Cuda(Case):
    def test_is_the_default_device(self):
        self.assertEqual(hoist.devices()[0].id, "cuda:0")
        self.assert_close(hoist.program(JACOBI)(plate()), jacobi(plate()))
        self.assert_close(hoist.program(JACOBI)(plate(), steps=4), jacobi(jacobi(jacobi(jacobi(plate())))))

    def test_interfaces_in_and_out(self):
        step = hoist.program(JACOBI)
        memory = device_memory(plate())
        got = step(Foreign(memory))
        self.assertIsInstance(got, hoist.DeviceArray)
        self.assert_close(got.numpy(), jacobi(plate()))
        interface = got.__cuda_array_interface__
        self.assertEqual((interface["shape"], interface["typestr"], interface["version"]), ((5, 7), "<f4", 3))
        there = numpy.ctypeslib.as_array((ctypes.c_float * 35).from_address(interface["data"][0])).reshape(5, 7)
        self.assert_close(there, jacobi(plate()))
        # The memory is used as it is: what is written to it later is what the next call reads.
        memory[...] = 2
        self.assert_close(step(Foreign(memory)).numpy(), numpy.full((5, 7), 2, numpy.float32))
        # A copy, where kernels could not read vectors. The driver copies what it allocated.
        driver, allocated = ctypes.CDLL(DRIVER), ctypes.c_uint64()
        self.assertEqual(driver.cuMemAlloc_v2(ctypes.byref(allocated), ctypes.c_size_t(512)), 0)
        shifted = numpy.ctypeslib.as_array((ctypes.c_float * 35).from_address(allocated.value + 4)).reshape(5, 7)
        shifted[...] = plate()
        self.assert_close(step(Foreign(shifted)).numpy(), jacobi(plate()))
        # Together with NumPy's.
        axpy = hoist.program(AXPY)
        x = numpy.arange(4, dtype=numpy.float32)
        self.assert_close(axpy(2, Foreign(device_memory(x)), x).numpy(), 3 * x)

    def test_results_where_the_caller_wants(self):
        step = hoist.program(JACOBI)
        u, v = device_memory(plate()), device_memory(numpy.zeros((5, 7), numpy.float32))
        out = Foreign(v)
        self.assertIs(step(Foreign(u), out=out), out)
        self.assert_close(v, jacobi(plate()))
        self.assertIs(step(plate(), steps=3, out=out), out)
        self.assert_close(v, jacobi(jacobi(jacobi(plate()))))
        tensor = Tensor(hoist.array(v, "cuda:0"))
        self.assertIs(step(Foreign(u), out=tensor), tensor)
        self.assert_close(tensor.array.numpy(), jacobi(plate()))
        pair = hoist.program("def pair(x: [N]f32): ([N]f32, f32) = (x, x |> reduce(+, 0.0))\n")
        x, y, s = (device_memory(numpy.ones(each, numpy.float32)) for each in (4, 4, 1))
        outs = Foreign(y), Foreign(s, shape=())
        got = pair(Foreign(device_memory(2 * x)), out=outs)
        self.assertEqual((y.tolist(), s.tolist(), got[0] is outs[0], got[1] is outs[1]), ([2, 2, 2, 2], [8], True, True))

    def test_what_is_wrong_with_results(self):
        step = hoist.program(JACOBI)
        u, v = device_memory(plate()), device_memory(numpy.zeros((5, 7), numpy.float32))
        self.refused(lambda: step(Foreign(u), out=Foreign(u)), "is in the memory of the input u", "another array")
        array = hoist.array(plate(), "cuda:0")
        self.refused(lambda: step(array, out=Tensor(array)), "is in the memory of the input u")
        self.refused(lambda: step(Foreign(u), out=Foreign(v, strides=(4, 20))), "not contiguous")
        self.refused(lambda: step(Foreign(u), out=Foreign(v, data=(v.ctypes.data, True))), "read-only")
        self.refused(lambda: step(Foreign(u), out=Foreign(v, typestr="<f8")), "f64")
        self.refused(lambda: step(Foreign(u), out=Foreign(v, shape=(7, 5))), "[7][5]f32")
        self.refused(lambda: step(Foreign(u), out=Foreign(v, data=(v.ctypes.data + 4, False))), "no multiple of 256 bytes")
        self.refused(lambda: step(Foreign(u), out=Foreign(v, shape="abc")), "cannot be read")
        self.refused(lambda: step(plate(), out=Foreign(v), device="host"), "is on a CUDA device, and the program runs on host")

    def test_what_is_wrong_with_them(self):
        step = hoist.program(JACOBI)
        memory = device_memory(plate())
        self.refused(lambda: step(Foreign(memory, strides=(4, 20))), "not contiguous")
        self.refused(lambda: step(Foreign(device_memory(plate().astype(numpy.float64)))), "the input u is [H][W]f32, but elements of f64", "^")
        self.refused(lambda: step(Foreign(memory, typestr="<c8")), "elements of <c8")
        self.refused(lambda: step(Foreign(memory, shape=(35,))), "[35]f32")
        self.refused(lambda: step(Foreign(memory), device="host"), "is on a CUDA device, and the program runs on host", "^")
        self.refused(lambda: hoist.program(AXPY)(Foreign(memory), plate()[0], plate()[0]), "the input a is f32")
        with self.assertRaises(BufferError):
            hoist.array(plate(), next(each.id for each in hoist.devices() if each.id.startswith("opencl"))).__dlpack__()
        with self.assertRaises(AttributeError):
            hoist.array(plate(), "host").__cuda_array_interface__

    def test_dlpack(self):
        step = hoist.program(JACOBI)
        tensor = Tensor(hoist.array(plate(), "cuda:0"))
        self.assertEqual(tensor.__dlpack_device__(), (2, 0))
        for _ in range(3):
            self.assert_close(step(tensor).numpy(), jacobi(plate()))
        self.assertEqual(tensor.streams, [1, 1, 1])
        # A capsule that nobody takes frees what it has; a taken one lives as long as its taker.
        array = hoist.array(plate(), "cuda:0")
        array.__dlpack__()
        class Once:
            def __init__(self, capsule):
                self.capsule = capsule
            def __dlpack_device__(self):
                return 2, 0
            def __dlpack__(self, stream=None):
                return self.capsule
        once = Once(array.__dlpack__())
        del array
        self.assert_close(step(once).numpy(), jacobi(plate()))
        with self.assertRaises(ValueError):
            step(once)

    def test_the_callers_stream_is_waited_for(self):
        driver = ctypes.CDLL(DRIVER)
        driver.cuMemcpyHtoDAsync_v2.argtypes = [ctypes.c_uint64, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
        step = hoist.program(JACOBI)
        step(hoist.array(plate(), "cuda:0"))
        for seed in range(20):
            # Streams run in any order that events allow.
            os.environ["FAKE_CUDA_SEED"] = str(seed)
            self.addCleanup(os.environ.pop, "FAKE_CUDA_SEED", None)
            stream, memory = ctypes.c_void_p(), ctypes.c_uint64()
            self.assertEqual(driver.cuStreamCreate(ctypes.byref(stream), 0), 0)
            self.assertEqual(driver.cuMemAlloc_v2(ctypes.byref(memory), 140), 0)
            u = plate(seed=seed)
            foreign = Foreign(u, stream=stream.value, data=(memory.value, False))
            self.assertEqual(driver.cuMemcpyHtoDAsync_v2(memory, u.ctypes.data, 140, stream), 0)
            self.assert_close(step(foreign).numpy(), jacobi(u))
            os.environ.pop("FAKE_CUDA_SEED")

    def test_the_stream_of_a_result_is_waited_for(self):
        driver = ctypes.CDLL(DRIVER)
        step = hoist.program(JACOBI)
        step(hoist.array(plate(), "cuda:0"))
        driver.cuMemcpyDtoHAsync_v2.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_size_t, ctypes.c_void_p]
        for seed in range(20):
            os.environ["FAKE_CUDA_SEED"] = str(seed)
            self.addCleanup(os.environ.pop, "FAKE_CUDA_SEED", None)
            stream, memory = ctypes.c_void_p(), ctypes.c_uint64()
            self.assertEqual(driver.cuStreamCreate(ctypes.byref(stream), 0), 0)
            self.assertEqual(driver.cuMemAlloc_v2(ctypes.byref(memory), 140), 0)
            kept, before = device_memory(plate(seed=seed)), numpy.zeros((5, 7), numpy.float32)
            out = Foreign(kept, stream=stream.value, data=(memory.value, False))
            step(Foreign(kept), out=out)
            # What the caller reads on the stream is what was there before the next call.
            self.assertEqual(driver.cuMemcpyDtoHAsync_v2(before.ctypes.data, memory, 140, stream), 0)
            step(Foreign(device_memory(numpy.zeros((5, 7), numpy.float32))), out=out)
            self.assertEqual(driver.cuStreamSynchronize(stream), 0)
            self.assert_close(before, jacobi(plate(seed=seed)))
            os.environ.pop("FAKE_CUDA_SEED")

    def in_any_order(self, seed):
        """From now on streams run when somebody waits, in any order that events allow."""
        os.environ["FAKE_CUDA_SEED"] = str(seed)
        self.addCleanup(os.environ.pop, "FAKE_CUDA_SEED", None)

    def test_calls_do_not_wait(self):
        driver, step = Driver(), hoist.program(JACOBI)
        stream, u, v = driver.stream(), driver.memory(plate()), driver.memory(numpy.zeros((5, 7), numpy.float32))
        step(hoist.array(plate(), "cuda:0"))
        self.in_any_order(1)
        out = Foreign(v, stream)
        self.assertIs(step(Foreign(u, stream), out=out), out)
        self.assertEqual(v[0, 0], 0, "the kernel runs when somebody waits")
        self.assertTrue(numpy.isnan(step.kernel_seconds))
        driver.wait(stream)
        self.assert_close(v, jacobi(plate()))
        # A result of Hoist's own is complete when somebody asks for its numbers.
        array = hoist.array(plate(), "cuda:0")
        got = step(array)
        there = memory_of(got)
        self.assertFalse(numpy.allclose(there, jacobi(plate())))
        self.assert_close(got.numpy(), jacobi(plate()))
        self.assert_close(there, jacobi(plate()))
        self.assert_close(numpy.asarray(step(step(array, steps=3))), jacobi(jacobi(jacobi(jacobi(plate())))))
        got = step(array, out=got)
        got.wait()
        self.assert_close(memory_of(got), jacobi(plate()))
        # One that is to wait does, and tells how long its kernels took.
        v[...] = 0
        step(Foreign(u, stream), out=out, wait=True)
        self.assert_close(v, jacobi(plate()))
        self.assertGreater(step.kernel_seconds, 0)
        step(Foreign(u, stream), out=out, wait=numpy.bool_(True))
        self.assertGreater(step.kernel_seconds, 0)
        self.refused(lambda: step(array, wait=1), "wait is True or False, but 1 was given")

    def test_calls_that_must_wait_do(self):
        driver = Driver()
        stream, x, y = driver.stream(), driver.memory(plate()[0]), driver.memory(numpy.zeros(7, numpy.float32))
        total = hoist.program("def total(x: [N]f32): ([N]f32, f32) = (x |> map(e => e + 1.0), x |> reduce(+, 0.0))\n")
        axpy = hoist.program(AXPY)
        for seed in range(10):
            self.in_any_order(seed)
            # A number is the host's, and so is an array of NumPy's.
            self.assert_close(total(Foreign(x, stream))[1], plate()[0].sum())
            got = numpy.zeros(7, numpy.float32)
            self.assert_close(axpy(1, Foreign(x, stream), Foreign(x, stream), out=got), 2 * plate()[0])
            y[...] = 0
            axpy(1, Foreign(x, stream), plate()[0], out=Foreign(y, stream))
            self.assert_close(y, 2 * plate()[0])
            # Who names no stream cannot order anything behind the call.
            y[...] = 0
            axpy(1, Foreign(x), Foreign(x), out=Foreign(y, stream))
            self.assert_close(y, 2 * plate()[0])
            y[...] = 0
            axpy(1, Foreign(x, stream), Foreign(x, stream), out=Foreign(y))
            self.assert_close(y, 2 * plate()[0])
            y[...] = 0
            axpy(1, Foreign(x, stream), Tensor(hoist.array(plate()[0], "cuda:0")), out=Foreign(y, stream))
            self.assert_close(y, 2 * plate()[0])
            os.environ.pop("FAKE_CUDA_SEED")

    def test_calls_are_in_the_order_of_streams(self):
        driver, step, centred = Driver(), hoist.program(JACOBI), hoist.program(CENTRED)
        maker, reader = driver.stream(), driver.stream()
        u, v = driver.memory(plate()), driver.memory(plate())
        host, later, got = driver.pinned(plate()), driver.pinned(numpy.full((5, 7), 9, numpy.float32)), driver.pinned(plate())
        for seed in range(30):
            host[...] = plate(seed=seed)
            self.in_any_order(seed)
            flat = lambda array: Foreign(array.reshape(-1), maker if array is u else reader)
            driver.upload(u, host, maker)
            if seed % 2:
                step(Foreign(u, maker), out=Foreign(v, reader))
                expected = jacobi(host)
            else:
                centred(flat(u), out=flat(v))
                expected = host - host.sum()
            driver.upload(u, later, maker)
            driver.download(got, v, reader)
            driver.wait(reader)
            self.assert_close(got, expected)
            driver.wait(maker)
            os.environ.pop("FAKE_CUDA_SEED")

    def test_who_takes_a_result_is_behind_it(self):
        driver, centred = Driver(), hoist.program(CENTRED)
        maker, reader = driver.stream(), driver.stream()
        x = numpy.arange(40, dtype=numpy.float32)
        there, got = driver.memory(x), driver.pinned(x)
        centred(hoist.array(x, "cuda:0"))
        for seed in range(30):
            self.in_any_order(seed)
            result = centred(Foreign(there, maker))
            if seed % 3 == 0:
                result.__dlpack__(stream=reader)
                stream = reader
            elif seed % 3 == 1:
                result.__dlpack__()
                stream = LEGACY
            else:
                # A stream to wait for, of who does not know that of the consumer.
                stream = result.__cuda_array_interface__["stream"] or LEGACY
            driver.call("cuMemcpyDtoHAsync_v2", got.ctypes.data, result.__cuda_array_interface__["data"][0], got.nbytes, stream)
            driver.wait(stream)
            self.assert_close(got, x - x.sum())
            result.wait()
            self.assertIsNone(result.__cuda_array_interface__["stream"])
            os.environ.pop("FAKE_CUDA_SEED")
        with self.assertRaises(BufferError):
            result.__dlpack__(stream="fast")
        result.__dlpack__(stream=-1)

    def test_results_that_go_while_they_are_computed(self):
        driver, step, centred = Driver(), hoist.program(JACOBI), hoist.program(CENTRED)
        streams = [driver.stream() for _ in range(3)]
        x = numpy.arange(35, dtype=numpy.float32)
        inputs = [driver.memory(x + i) for i in range(3)]
        for seed in range(20):
            self.in_any_order(seed)
            kept = []
            for number in range(30):
                i = (seed + number * 7) % 3
                got = centred(Foreign(inputs[i], streams[i]))  # its memory is the next one's, on another stream
                if number % 5 == 0:
                    kept.append((got, x + i - (x + i).sum()))
                if number % 9 == 0:
                    step(hoist.array(plate(), "cuda:0"))
            for got, expected in kept:
                self.assert_close(got.numpy(), expected)
            del kept, got
            os.environ.pop("FAKE_CUDA_SEED")
        # More sizes than a program keeps, on memory of its own.
        self.in_any_order(3)
        results = [(n, centred(hoist.array(numpy.ones(n, numpy.float32), "cuda:0"))) for n in range(30, 60)]
        for n, got in results:
            self.assert_close(got.numpy(), numpy.full(n, 1 - n, numpy.float32))

    def test_threads_with_streams_of_their_own(self):
        driver, step, centred = Driver(), hoist.program(JACOBI), hoist.program(CENTRED)
        failures = []
        self.in_any_order(5)

        def calls(number):
            try:
                stream, u = driver.stream(), driver.memory(plate(seed=number))
                flat = driver.memory(numpy.arange(50, dtype=numpy.float32) * number)
                for _ in range(10):
                    v = step(Foreign(u, stream))
                    w = step(v)
                    s = centred(Foreign(flat, stream))
                    self.assert_close(w.numpy(), jacobi(jacobi(plate(seed=number))))
                    self.assert_close(s.numpy(), flat - flat.sum())
            except BaseException as error:
                failures.append(error)
        in_threads(4, calls)
        self.assertEqual(failures, [])

    def test_pytorchs_current_stream(self):
        driver, step = Driver(), hoist.program(JACOBI)
        stream, streams = driver.stream(), []

        class TorchTensor(Tensor):
            pass
        torch = types.SimpleNamespace(Tensor=TorchTensor, _C=types.SimpleNamespace(_cuda_getCurrentRawStream=lambda device: streams[-1]))
        sys.modules["torch"] = torch
        self.addCleanup(sys.modules.pop, "torch")
        step(hoist.array(plate(), "cuda:0"))
        host, got = driver.pinned(plate()), driver.pinned(plate())
        for seed in range(20):
            u, v = (TorchTensor(hoist.array(numpy.zeros((5, 7), numpy.float32), "cuda:0")) for _ in range(2))
            self.in_any_order(seed)
            if seed == 10:  # what is public tells the same
                torch._C = None
                torch.cuda = types.SimpleNamespace(current_stream=lambda device: types.SimpleNamespace(cuda_stream=streams[-1]))
            streams.append(0 if seed % 5 == 0 else stream)
            driver.upload(memory_of(u.array), host, streams[-1] or LEGACY)
            step(u, out=v)
            driver.download(got, memory_of(v.array), streams[-1] or LEGACY)
            driver.wait(streams[-1] or LEGACY)
            self.assert_close(got, jacobi(plate()))
            self.assertEqual((u.streams, v.streams), ([-1], [-1]))
            os.environ.pop("FAKE_CUDA_SEED")

    def test_a_kernel_that_fails_after_its_call(self):
        driver, step = Driver(), hoist.program(JACOBI)
        array, axpy = hoist.array(plate(), "cuda:0"), hoist.program(AXPY)
        x = hoist.array(plate()[0], "cuda:0")
        step(array), axpy(1, x, x)
        fails = {"FAKE_CUDA_SEED": "1", "FAKE_CUDA_FAIL_LAUNCH": "1"}
        os.environ.update(fails)
        got = step(array)  # nobody knows yet
        self.refused(got.numpy, "the program jacobi, which was started before, has failed", kind=hoist.DeviceError)
        self.refused(got.wait, "jacobi", kind=hoist.DeviceError)
        for each in fails:
            del os.environ[each]
        self.refused(lambda: step(array), "lost", kind=hoist.DeviceError)
        # The very next call on arrays that are there compiles anew.
        self.assert_close(step(hoist.array(plate(), "cuda:0")).numpy(), jacobi(plate()))
        # A call that comes after the failure is not its cause, which the message says.
        x, array = hoist.array(plate()[0], "cuda:0"), hoist.array(plate(), "cuda:0")
        axpy(1, x, x, wait=True)
        os.environ.update(fails)
        got = step(array)
        self.refused(lambda: axpy(1, x, plate()[0]), "jacobi", kind=hoist.DeviceError)
        for each in fails:
            del os.environ[each]
        self.assert_close(step(plate()), jacobi(plate()))

    def test_memory_of_results_is_used_again(self):
        driver = ctypes.CDLL(DRIVER)

        def free():
            found, all = ctypes.c_size_t(), ctypes.c_size_t()
            driver.cuMemGetInfo_v2(ctypes.byref(found), ctypes.byref(all))
            return found.value
        step, array = hoist.program(JACOBI), hoist.array(plate(), "cuda:0")
        got = step(array)
        before = free()
        for _ in range(3):
            del got
            got = step(array)
            self.assertEqual(free(), before)
            self.assert_close(got.numpy(), jacobi(plate()))
        # That of an array which another library may still read is not.
        self.assertTrue(got.__cuda_array_interface__)
        del got
        self.assertGreater(free(), before)
        step(array, steps=4)
        before = free()
        step(array, steps=4)
        self.assertEqual(free(), before)
        hoist.close("cuda:0")
        self.assertGreater(free(), before)

    def test_a_device_that_is_closed(self):
        step = hoist.program(JACOBI)
        array, shared = hoist.array(plate(), "cuda:0"), hoist.array(plate(), "cuda:0")
        address = shared.__cuda_array_interface__["data"][0]
        hoist.close("cuda:0")
        self.refused(array.numpy, "was closed", kind=hoist.DeviceError)
        self.refused(lambda: step(Foreign(device_memory(plate())), out=array), "was closed", kind=hoist.DeviceError)
        # What another library has the address of stays.
        there = numpy.ctypeslib.as_array((ctypes.c_float * 35).from_address(address)).reshape(5, 7)
        self.assert_close(there, plate())
        self.assert_close(step(Foreign(device_memory(plate()))).numpy(), jacobi(plate()))

    def test_a_device_that_is_lost(self):
        step = hoist.program(JACOBI)
        u = plate()
        step(u)
        array = hoist.array(u, "cuda:0")
        os.environ["FAKE_CUDA_FAIL_LAUNCH"] = "1"
        try:
            self.refused(lambda: step(u), kind=hoist.DeviceError)
        finally:
            del os.environ["FAKE_CUDA_FAIL_LAUNCH"]
        self.assert_close(step(u), jacobi(u))
        self.refused(lambda: step(array), "lost", kind=hoist.DeviceError)
        self.refused(array.numpy, "lost", kind=hoist.DeviceError)
        self.assert_close(step(hoist.array(u, "cuda:0")).numpy(), jacobi(u))

    def test_no_memory_left(self):
        # Nothing of a sum of all before it can be left out.
        sums = hoist.program("def sums(x: [N]f32): [N]f32 = x |> scan(+, 0.0)")
        x = numpy.ones(2**28, numpy.float32)
        self.refused(lambda: sums(x), "its arrays need", "of memory", "it does not run in tasks", kind=hoist.DeviceError)


if __name__ == "__main__":
    unittest.main()
