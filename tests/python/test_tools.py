"""What programs tell of themselves and what is done with them: help, source, explain, tune, report, export, devices."""
import inspect
import os
import pathlib
import pydoc
import signal
import subprocess
import tempfile
import unittest

import numpy

import hoist
from hoist import _progress
from support import AXPY, DEVICES, JACOBI, Case, jacobi, plate, run_python


class Telling(Case):
    def test_help_and_signature(self):
        step = hoist.program(JACOBI)
        text = pydoc.plain(pydoc.render_doc(step))
        for each in ("jacobi(u: [H][W]f32): [H][W]f32", "5-point Jacobi step:", "the mean of each element", "Sizes: H, W"):
            self.assertIn(each, text)
        self.assertEqual(str(inspect.signature(step)).split(",")[0], "(u: '[H][W]f32'")
        self.assertEqual(list(inspect.signature(step).parameters), ["u", "H", "W", "steps", "feed", "out", "device", "devices", "shares", "grid", "ranks", "wait"])
        self.assertEqual((step.name, step.parameters, step.sizes), ("jacobi", [("u", "[H][W]f32")], ["H", "W"]))
        self.assertIn("jacobi(u: [H][W]f32)", repr(step))
        self.assertIn("slide2(3, 1)", step._repr_html_())
        chunk = hoist.program("def sums(lambda: [N]f32) = lambda |> split(?t) |> map(reduce(+, 0.0))\n")
        self.assertIn("Tuning parameters, given by name: t", chunk.__doc__)
        self.assertIn("divide", chunk.__doc__)

    def test_devices(self):
        devices = hoist.devices()
        self.assertEqual(devices[-1].id, "host")
        self.assertIn("<table>", devices._repr_html_())
        self.assertIn("host", str(devices))
        u = plate()
        self.assert_close(hoist.program(JACOBI)(u, device=devices[-1]), jacobi(u))
        self.assert_close(hoist.program(JACOBI).on(devices[-1])(u), jacobi(u))
        default = hoist.program(JACOBI).explain(u).device
        self.assertIn(default, [each.id for each in devices])

    def test_without_a_compiler_or_opencl(self):
        ran = run_python(f"import hoist, numpy\nprint([each.id for each in hoist.devices()])\n"
                         f"try: hoist.program({JACOBI!r})(numpy.ones((3, 3), numpy.float32))\n"
                         "except hoist.DeviceError as error: print(error)\n", PATH="/nowhere", CXX="", OCL_ICD_VENDORS="/nowhere")
        self.assertIn("['host']", ran.stdout, ran.stderr)
        self.assertIn("compiler", ran.stdout)

    def test_source(self):
        step = hoist.program(JACOBI)
        self.assertIn("__global__", step.source("cuda"))
        self.assertIn("kernel __attribute__", step.source("opencl", H=64, W=64))
        self.assertIn("extern \"C\"", step.source("host", plate()))
        self.assertIn("5", step.source("host", plate()))
        self.refused(lambda: step.source("metal"), "no language 'metal'", "opencl")
        self.refused(lambda: step.source("cuda", N=3), "N")

    def test_explain(self):
        for device in DEVICES:
            facts = hoist.program(JACOBI).explain(plate(), device=device)
            self.assertEqual((facts.device, facts.sizes), (device, {"H": 5, "W": 7}))
            self.assertIn("map", facts.mapping)
            self.assertIn("jacobi", str(facts))
            self.assertIn("<table>", facts._repr_html_())
            self.assertEqual(facts.bytes, 2 * 4 * 35)

    def test_export(self):
        with tempfile.TemporaryDirectory() as folder:
            step = hoist.program(JACOBI)
            paths = step.export(pathlib.Path(folder) / "c", device="host", H=8, W=8)
            self.assertEqual(sorted(each.name for each in paths), ["jacobi.c", "jacobi.h", "jacobi_kernels.cpp"])
            self.assertIn("jacobi_run", paths[0].read_text() + paths[1].read_text())
            self.refused(lambda: step.export(pathlib.Path(folder) / "c", device="host", H=8, W=8), "is there already", "force=True")
            step.export(pathlib.Path(folder) / "c", numpy.ones((4, 4), numpy.float32), device="opencl", name="jacobi", force=True)
            self.refused(lambda: step.export(folder, device="host"), "no value is given for H, W")
            self.refused(lambda: step.export(folder, device="host", H=8, W=8, name="a b"), "no name for functions in C")
            self.refused(lambda: step.export(folder, device="tpu", H=8, W=8), "no device to export for")

    def test_arrays_that_stay(self):
        for device in DEVICES:
            step = hoist.program(JACOBI)
            u = plate()
            array = hoist.array(u, device)
            self.assertEqual((array.shape, array.dtype, array.device, len(array), array.nbytes), ((5, 7), u.dtype, device, 5, 140))
            got = step(step(array))
            self.assertIsInstance(got, hoist.DeviceArray)
            self.assert_close(got.numpy(), jacobi(jacobi(u)))
            self.assert_close(numpy.asarray(got), jacobi(jacobi(u)))
            self.assert_close(step(array, steps=3).numpy(), jacobi(jacobi(jacobi(u))))
            out = numpy.empty_like(u)
            self.assertIs(step(array, out=out), out)
            self.assert_close(out, jacobi(u))
            total = hoist.program("def total(x: [H][W]f32): f32 = x |> join |> reduce(+, 0.0)\n")
            self.assertAlmostEqual(float(total(array)), float(u.sum()), places=4)
            self.refused(lambda: hoist.program(AXPY)(1, array, array), "the input x is [N]f32, but [5][7]f32 was given")
            self.refused(lambda: hoist.array(u.astype(complex), device), "no type of the language")
        self.assertIn("[5][7]f32 on", repr(array))
        if len(DEVICES) > 1:
            self.refused(lambda: step(hoist.array(u, DEVICES[0]), device=DEVICES[1]), "not on the device")

    def test_results_on_the_device_where_the_caller_wants(self):
        for device in DEVICES:
            step = hoist.program(JACOBI, device=device)
            u, v = hoist.array(plate(), device), hoist.array(numpy.zeros((5, 7), numpy.float32), device)
            self.assertIs(step(u, out=v), v)
            self.assert_close(v.numpy(), jacobi(plate()))
            self.assertIs(step(plate(), out=v, steps=2), v)
            self.assert_close(v.numpy(), jacobi(jacobi(plate())))
            self.refused(lambda: step(u, out=u), "the same buffer")
            self.refused(lambda: step(u, out=hoist.array(plate(4, 7), device)), "[5][7]f32", "[4][7]f32")
            self.refused(lambda: step(u, out=hoist.array(plate().astype(int), device)), "the result has elements of f32", "i64")
            self.refused(lambda: step(u, out=object()), "the result is written to an array")

    def test_a_device_that_is_closed(self):
        for device in DEVICES:
            step = hoist.program(JACOBI, device=device)
            u = plate()
            array = hoist.array(u, device)
            self.assert_close(step(array).numpy(), jacobi(u))
            hoist.close(device)
            for call in (array.numpy, lambda: step(array), lambda: step(u, out=array), lambda: step.tune(array, budget=1),
                         lambda: step.explain(array), lambda: numpy.asarray(array)):
                self.refused(call, f"the device {device} was closed", f"hoist.array(values, \"{device}\")", kind=hoist.DeviceError)
            self.assertEqual((array.shape, array.dtype, array.device), ((5, 7), u.dtype, device))
            # Programs open it again.
            self.assert_close(step(u), jacobi(u))
            self.assert_close(step(hoist.array(u, device)).numpy(), jacobi(u))
            hoist.close(next(each for each in hoist.devices() if each.id == device))
            self.refused(lambda: hoist.close(device), f"no device {device} is open")
        self.refused(lambda: hoist.close("nowhere"), "no device nowhere is open", "hoist.devices()")
        self.refused(lambda: hoist.close(3), "a device is given by its id")

    def test_dlpack_on_the_host(self):
        array = hoist.array(plate(), "host")
        view = numpy.from_dlpack(array)
        # What others have been given stays.
        hoist.close("host")
        del array
        numpy.testing.assert_array_equal(view, plate())
        array = hoist.array(plate(), "host")
        array.__dlpack__(stream=None, max_version=(1, 0), dl_device=(1, 0), copy=False)
        for wrong in ({"copy": True}, {"dl_device": (2, 0)}):
            with self.assertRaises(BufferError):
                array.__dlpack__(**wrong)


class TwoVersions(Case):
    def test_another_version_of_the_library_in_the_process(self):
        """Its symbols are its own, also where the program that Python runs in shows them to everybody."""
        with tempfile.TemporaryDirectory() as folder:
            source, script, library = (pathlib.Path(folder) / each for each in ("other.cpp", "other.map", "libhoist.so.0.0"))
            source.write_text("namespace hoist::api { void devices() { __builtin_trap(); } }\n")
            script.write_text("HOIST_0.0 { global: extern \"C++\" { hoist::api::*; }; local: *; };\n")
            subprocess.run(["c++", "-shared", "-fPIC", source, f"-Wl,--version-script={script}", "-o", library], check=True)
            ran = run_python(f"import ctypes\nctypes.CDLL({str(library)!r}, ctypes.RTLD_GLOBAL)\nimport hoist\n"
                             "print([each.id for each in hoist.devices()][-1])")
        self.assertEqual((ran.returncode, ran.stdout.strip()), (0, "host"), ran.stderr)


class Tuning(Case):
    """Each in a store of its own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.environment = {"XDG_DATA_HOME": self.folder.name}

    def run_script(self, script):
        ran = run_python("import hoist, numpy\nu = numpy.ones((64, 64), numpy.float32)\n"
                         f"step = hoist.program({JACOBI!r}, device='host')\n" + script, **self.environment)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return ran.stdout

    def test_what_was_tuned_is_used_by_the_next_process(self):
        told = self.run_script("""
facts = []
result = step.tune(u, budget=60, evaluations=2, progress=facts.append)
print(result)
print(result.best[0]["seconds"] > 0, result.evaluated > 0, result.speedup >= 1, "<table>" in result._repr_html_())
print(all(each["phase"] for each in facts[1:]), step.explain(u).notes)
page = step.report(u)
print(len(page.html) > 1000, "iframe" in page._repr_html_(), page.save("%s/page.html").exists())
""" % self.folder.name)
        self.assertIn("default", told)
        self.assertIn("True True True True", told)
        self.assertIn("True True True", told)
        told = self.run_script("print(step.explain(u).notes)\nprint(step(u).sum())\n")
        self.assertIn("tuned", told)
        self.assertIn("4096", told)
        told = self.run_script("try: step.report(H=3)\nexcept hoist.UserError as error: print(error)\n")
        self.assertIn("nothing was measured of jacobi", told)

    def test_wrong_options(self):
        step = hoist.program(JACOBI, device="host")
        for budget in ("soon", "", 0, -3, None, "2 m"):
            self.refused(lambda: step.tune(plate(), budget=budget), "no length of time")
        self.refused(lambda: step.tune(plate(), search="luck", store=self.folder.name + "/s"), "luck")
        self.refused(lambda: step.tune(plate(), evaluations=-1), "evaluations cannot be -1")
        self.refused(lambda: step.tune(plate(), effort=3), "'effort'")
        self.refused(lambda: step.tune(budget=3), "no inputs")
        self.refused(lambda: step.tune(plate(), worker="/nowhere/worker", store=self.folder.name + "/s"), kind=hoist.Error)

    def test_interrupt(self):
        told = self.run_script("""
import os, signal, time
def progress(now):
    if now["phase"]: os.kill(os.getpid(), signal.SIGINT)
start = time.time()
try:
    step.tune(u, budget=300, progress=progress)
except KeyboardInterrupt:
    print("interrupted", time.time() - start < 120)
def fails(now): raise ZeroDivisionError
try:
    step.tune(u, budget=300, progress=fails)
except ZeroDivisionError:
    print("failed")
""")
        self.assertEqual(told.split(), ["interrupted", "True", "failed"])


class Progress(Case):
    NOW = {"phase": "searching", "evaluated": 3, "failed": 1, "seconds": 15.0, "seconds_left": 45.0, "best": 2e-3, "baseline": 4e-3}

    def test_line(self):
        import io
        stream = io.StringIO()
        line = _progress.Line(stream)
        line.show(self.NOW)
        line.show(dict(self.NOW, seconds_left=float("inf"), phase="x"))
        line.end()
        self.assertIn("[#####               ]   15 s  searching, 3 tried, 1 failed, best 2 ms (2.00 times the default's speed)", stream.getvalue())

    def test_bar_of_a_notebook(self):
        import sys
        import types
        shown = []
        fake = types.ModuleType("IPython.display")
        fake.HTML = str

        class Handle:
            def update(self, html):
                shown.append(html)
        sys.modules["IPython.display"] = fake
        self.addCleanup(sys.modules.pop, "IPython.display")
        bar = _progress.Bar(lambda html, display_id: Handle())
        bar.show(self.NOW)
        bar.end()
        self.assertIn("<progress value='0.250'>", shown[0])
        self.assertEqual(shown[1], "")

    def test_choice(self):
        self.assertIsInstance(_progress.progress(False), _progress.Nothing)
        self.assertIs(_progress.progress(print).show, print)


if __name__ == "__main__":
    unittest.main()
