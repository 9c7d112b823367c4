"""Hoist: numerical computations, written once as compositions of data-parallel patterns, as fast kernels.

    import hoist, numpy
    step = hoist.load("jacobi2d5.hoist")         # or hoist.program("def ..."), or the decorator hoist.function
    v = step(numpy.zeros((512, 512), numpy.float32))
    v = step(v, steps=1000)                      # on its own results, which stay on the device
    step.tune(v, budget="2m")                    # searches the fastest kernel; later calls use it

help(step) tells what a program takes. docs/python.md is the manual.
"""
from hoist._hoist import __version__
from hoist._devices import DeviceArray, DeviceFacts, array, close, devices
from hoist._errors import Bug, CopyWarning, DeviceError, Error, Location, Problem, UnsupportedError, UserError
from hoist._function import (PATTERNS, Value, all_of, any_of, apply, function, if_then_else, not_, pattern as _pattern, size, tuple,
                             typed)
from hoist._program import Program, load, program
from hoist._ranks import ranks
from hoist._tables import Explanation, Report, TuneResult

__all__ = ["Bug", "CopyWarning", "DeviceArray", "DeviceError", "DeviceFacts", "Error", "Explanation", "Location", "Problem",
           "Program", "Report", "TuneResult", "UnsupportedError", "UserError", "Value", "apply", "array", "close", "devices",
           "function", "load", "program", "ranks"]


def __getattr__(name):
    """Every pattern of the language is a function for what is traced: hoist.zip, hoist.sqrt."""
    if name in PATTERNS:
        return _pattern(name)
    raise AttributeError(f"module 'hoist' has no attribute '{name}'")


def __dir__():
    return sorted({*globals(), *PATTERNS})
