"""What programs tell of themselves: explanations, results of tuning, reports. Each is a text, and in a notebook a table."""
import dataclasses
import pathlib

from hoist._html import frame, preformatted, table


def time_text(seconds):
    """"12.3 us"."""
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def rate_text(rate):
    """"0.0232", "2.15", "49379": three digits at least."""
    return f"{rate:.3g}" if rate < 100 else f"{rate:.0f}"


def text_table(heads, rows):
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in [heads, *rows])


def assignments(values):
    return " ".join(f"{name}={value}" for name, value in values.items())


@dataclasses.dataclass(frozen=True)
class Explanation:
    """What runs for some arguments, and why."""
    device: str
    device_name: str
    sizes: dict
    kernels: list  # of (name, work-items, work-items of a group)
    notes: list
    mapping: str   # the program in low-level patterns
    source: str    # what the device's compiler got
    bytes: float   # that the program reads and writes at the least
    flops: float

    def _rows(self):
        return [(name, " x ".join(map(str, items)), " x ".join(map(str, group))) for name, items, group in self.kernels]

    def _words(self):
        sizes = f" with {assignments(self.sizes)}" if self.sizes else ""
        return [f"on {self.device} ({self.device_name}){sizes}", *self.notes]

    def __str__(self):
        return "\n".join([*self._words(), "", text_table(("kernel", "work-items", "in groups of"), self._rows()), "", self.mapping])

    def _repr_html_(self):
        return (preformatted("\n".join(self._words())) + table(("kernel", "work-items", "in groups of"), self._rows())
                + preformatted(self.mapping))


@dataclasses.dataclass(frozen=True)
class TuneResult:
    """What a search found. `best` has the fastest first: dictionaries of name, seconds, derivation and values."""
    best: list
    baseline: float  # seconds of the default mapping
    evaluated: int
    known: int
    outcomes: dict
    seconds: float
    ended_by: str
    notes: list
    store: str
    bytes: float
    flops: float

    @property
    def speedup(self):
        """How many times as fast as the default mapping the best kernel is; 1 where nothing else was measured."""
        return self.baseline / self.best[0]["seconds"] if self.best and self.baseline else 1.0

    HEADS = ("id", "median", "GB/s", "GFLOP/s", "default's speed", "how")

    def _rows(self):
        return [(each["name"], time_text(each["seconds"]), rate_text(self.bytes / each["seconds"] * 1e-9),
                 rate_text(self.flops / each["seconds"] * 1e-9),
                 f"{self.baseline / each['seconds']:.2f}" if self.baseline else "",
                 " ".join(filter(None, (each["derivation"], assignments(each["values"]))))) for each in self.best]

    def _words(self):
        return (f"tried {self.evaluated} candidates in {self.seconds:.0f} s; {self.known} more were known from the store; "
                f"the search ended because {self.ended_by}")

    def __str__(self):
        return (text_table(self.HEADS, self._rows()) + "\n" if self.best else "") + self._words()

    def _repr_html_(self):
        return table(self.HEADS, self._rows()) + preformatted(self._words())


class Report:
    """The page about what tuning found. A notebook shows it; `html` is its text."""

    def __init__(self, html):
        self.html = html

    def save(self, path):
        """Writes the page, and returns where."""
        path = pathlib.Path(path)
        path.write_text(self.html, encoding="utf-8", errors="replace")
        return path

    def _repr_html_(self):
        return frame(self.html)

    def __repr__(self):
        return f"<hoist.Report of {len(self.html)} characters: save(path) writes it>"
