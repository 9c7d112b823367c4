"""Programs as functions of Python's."""
import inspect
import os
import pathlib
import re

from hoist import _hoist
from hoist._devices import device_id
from hoist._errors import UserError
from hoist._html import preformatted
from hoist._progress import progress as shown_progress
from hoist._tables import Explanation, Report, TuneResult

OPTIONS = ("steps", "feed", "out", "device", "devices", "shares", "grid", "ranks", "wait")


def seconds_of(budget):
    """The seconds of "90", "90s", "2m", "1h30m", or of a number."""
    if isinstance(budget, (int, float)) and not isinstance(budget, bool) and budget > 0:
        return float(budget)
    number = r"(\d{1,9}(?:\.\d{1,9})?)"
    parts = re.fullmatch(rf"(?:{number}h)?(?:{number}m)?(?:{number}s)?|{number}", budget) if isinstance(budget, str) else None
    found = sum(float(part) * unit for part, unit in zip(parts.groups(), (3600, 60, 1, 1)) if part) if parts else 0
    if found <= 0:
        raise UserError(f"error: {budget!r} is no length of time\n  help: give seconds, or \"10m\", \"2h\", \"1h30m\"")
    return found


class Program:
    """A program of Hoist's language. It is called like a function: inputs are NumPy arrays and numbers, positional or by name.

    Sizes follow from the arrays; those that do not are given by name. Options of a call: `steps=n` runs it n times, each
    but the first on the results of the one before (`feed=` names the input that takes them); `out=` an array, or a tuple of
    them, that the result is written to; `device=` the id of a device. `devices=` a list of ids has each run a part (`shares=`
    says how large parts are beside each other), `ranks=` what hoist.ranks() gives has ranks of MPI do so, each of which gives and gets
    its rows; `grid=(2, 3)` cuts for either along the two outermost dimensions, two rows of three parts. `wait=True` waits for the
    end of a call whose arrays all are on a CUDA device, which else returns before. Where the program
    itself has such a name, the option has _ behind it.
    """

    def __init__(self, step, documentation=""):
        if not isinstance(step, _hoist.Step):
            raise UserError(f"error: a program is not made of {step!r}\n  help: hoist.program(text) makes one, hoist.load(path) of a file")
        self._step = step
        self._told = documentation or step.documentation
        self.__name__ = self.__qualname__ = step.name
        self.__doc__ = self._documentation()
        try:
            self.__signature__ = self._signature()
        except ValueError:  # the name of a parameter is a word of Python's
            pass

    def __call__(self, /, *inputs, **named):
        return self._step.call(*inputs, **named)

    # ---- What it is

    @property
    def text(self):
        """The text that it was made from."""
        return self._step.text

    @property
    def name(self):
        return self._step.name

    @property
    def documentation(self):
        """The comment above its definition, or what the function says of itself that it was traced from."""
        return self._told

    @property
    def parameters(self):
        """Names and types: [("u", "[H][W]f32")]."""
        return self._step.parameters

    @property
    def result_type(self):
        return self._step.result_type

    @property
    def sizes(self):
        """Names of the sizes that follow from arrays or are given."""
        return self._step.sizes

    @property
    def tuning_parameters(self):
        """Names of the sizes that tuning may choose."""
        return self._step.tuning_parameters

    @property
    def device(self):
        """The id of the device that it runs on unless a call names another; empty: the first GPU, or else the first device."""
        return self._step.device

    @property
    def kernel_seconds(self):
        """What the kernels of the last call took, as the device tells; NaN where the call did not wait for them."""
        return self._step.kernel_seconds

    def on(self, device):
        """The same program for another device."""
        return _restored(self.text, self._step.entry, self._step.source_name, device_id(device), self.documentation)

    def _head(self):
        parameters = ", ".join(f"{name}: {type}" for name, type in self.parameters)
        return f"{self.name}({parameters}): {self.result_type}"

    def _documentation(self):
        parts = [self._head()]
        if self.documentation:
            parts.append(self.documentation)
        if self.sizes:
            parts.append("Sizes: " + ", ".join(self.sizes) + ". They follow from the arrays, or are given by name.")
        if self.tuning_parameters:
            parts.append("Tuning parameters, given by name: " + ", ".join(self.tuning_parameters) + ".")
        if self._step.assumptions:
            parts.append("Assumed:\n" + "\n".join("  " + each for each in self._step.assumptions))
        return "\n\n".join(parts)

    def _signature(self):
        taken = {name for name, _ in self.parameters} | {*self.sizes, *self.tuning_parameters}
        inputs = [inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=type)
                  for name, type in self.parameters]
        named = [*self.sizes, *self.tuning_parameters, *(each + "_" if each in taken else each for each in OPTIONS)]
        return inspect.Signature(inputs + [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in named],
                                 return_annotation=self.result_type)

    def __repr__(self):
        return f"<hoist.Program {self._head()}>"

    def _repr_html_(self):
        return preformatted(self._head() + (f"\n{self.documentation}" if self.documentation else "") + "\n\n" + self.text)

    def __reduce__(self):
        return _restored, (self.text, self._step.entry, self._step.source_name, self.device, self.documentation)

    # ---- What is done with it

    def source(self, language, /, *inputs, **sizes):
        """The kernels of the default mapping in "cuda", "opencl" or "host". Sizes that neither arrays nor names tell are
        arguments of the kernels."""
        check_texts(language=language)
        return _hoist.source(self._step, language, self._step.sizes_of(*inputs, **sizes))

    def explain(self, *inputs, **named):
        """What runs for these arguments: the kernel that tuning found or the default mapping, on which device."""
        return Explanation(**self._step.explain(*inputs, **named))

    def tune(self, *inputs, budget="1m", progress=True, **named):
        """Searches the fastest kernel for arguments like these, which this and later processes then run.

        `budget` is a time: "2m", 90. `evaluations=`, `search=`, `seed=`, `fresh=` and `store=` are those of `hoist tune`.
        `progress` is False, or a function of a dictionary, where the usual line or bar is not wanted. Ctrl-C ends the search;
        what was measured is stored.
        """
        seconds = seconds_of(budget)
        shown = shown_progress(progress)
        try:
            return TuneResult(**self._step.tune(*inputs, budget=seconds, progress=shown.show, **named))
        finally:
            shown.end()

    def report(self, *inputs, device="", store="", **sizes):
        """The page about what tuning found last, at these sizes where some are given."""
        check_texts(store=store)
        return Report(_hoist.report(self._step, self._step.sizes_of(*inputs, **sizes), device_id(device), store))

    def export(self, directory, /, *inputs, device, name="", force=False, **sizes):
        """Writes the program as C that needs nothing of Hoist, for "host", "cuda" or "opencl"; returns the paths. `force`
        replaces files that are there."""
        check_texts(name=name)
        files = _hoist.export_files(self._step, device_id(device), self._step.sizes_of(*inputs, **sizes), name)
        directory = pathlib.Path(directory)
        paths = [directory / file for file, _ in files]
        for path in paths:
            if path.exists() and not force:
                raise UserError(f"error: {path} is there already\n  help: force=True replaces it")
        directory.mkdir(parents=True, exist_ok=True)
        for path, (_, text) in zip(paths, files):
            path.write_text(text, encoding="utf-8")
        return paths


def _restored(text, entry, source_name, device, documentation):
    return Program(_hoist.parse(text, entry, source_name, device), documentation)


def check_texts(**texts):
    for name, text in texts.items():
        if not isinstance(text, str):
            raise UserError(f"error: {name} is a text, but {type(text).__name__} was given")
        if not text.isprintable() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise UserError(f"error: {name} is no Unicode text: {text!r}")


def program(text, entry="", name="program", device=""):
    """The program that a text in Hoist's language defines: its last definition, or the one that `entry` names. `name` stands
    for the text in messages."""
    check_texts(text=text, entry=entry, name=name)
    return Program(_hoist.parse(text, entry, name, device_id(device)))


def load(path, entry="", device=""):
    """The same from a file."""
    path = os.fsdecode(path)
    check_texts(path=path, entry=entry)
    return Program(_hoist.load(path, entry, device_id(device)))
