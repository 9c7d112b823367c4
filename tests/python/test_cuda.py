"""Arrays of other libraries on CUDA, on the driver that runs kernels on the processor (FAKE_CUDA names it)."""
import ctypes
import os
import unittest

import numpy

import hoist
from support import AXPY, JACOBI, Case, jacobi, plate

DRIVER = os.environ["HOIST_CUDA_LIBRARY"]


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
        step = hoist.program(AXPY)
        x = numpy.ones(2**28, numpy.float32)
        self.refused(lambda: step(1, x, x), "memory", kind=hoist.DeviceError)


if __name__ == "__main__":
    unittest.main()
