"""How far a search is, shown where it is run: a line of a terminal, a bar in a notebook, or nothing."""
import html
import math
import sys

from hoist._tables import time_text


def words_of(now):
    text = f"{now['seconds']:4.0f} s  {now['phase']}"
    if now["evaluated"]:
        text += f", {now['evaluated']} tried, {now['failed']} failed"
    if now["best"]:
        text += f", best {time_text(now['best'])}"
        if now["baseline"]:
            text += f" ({now['baseline'] / now['best']:.2f} times the default's speed)"
    return text


def share_of(now):
    """The share of the time that is over; nothing where time is not what ends the search."""
    whole = now["seconds"] + now["seconds_left"]
    return min(1.0, now["seconds"] / whole) if math.isfinite(whole) and whole > 0 else None


class Line:
    """The last line of a terminal."""

    def __init__(self, stream):
        self.stream = stream
        self.width = 0

    def show(self, now):
        share, words = share_of(now), words_of(now)
        bar = "" if share is None else "[" + ("#" * round(20 * share)).ljust(20) + "] "
        self.stream.write("\r" + (bar + words).ljust(self.width))
        self.stream.flush()
        self.width = len(bar + words)

    def end(self):
        self.stream.write("\r" + " " * self.width + "\r")
        self.stream.flush()


class Bar:
    """A bar in a notebook, which is shown again in its place."""

    def __init__(self, display):
        from IPython.display import HTML
        self.html = HTML
        self.handle = display(HTML(""), display_id=True)

    def show(self, now):
        share = share_of(now)
        bar = "<progress></progress>" if share is None else f"<progress value='{share:.3f}'></progress>"
        self.handle.update(self.html(f"{bar} {html.escape(words_of(now))}"))

    def end(self):
        self.handle.update(self.html(""))


class Nothing:
    def show(self, now):
        pass

    def end(self):
        pass


class Callback(Nothing):
    """What the caller does with it."""

    def __init__(self, show):
        self.show = show


def notebook_display():
    """The function of a notebook that displays things; None elsewhere."""
    if "IPython" not in sys.modules:
        return None
    from IPython import get_ipython
    shell = get_ipython()
    if shell is None or not hasattr(shell, "kernel"):
        return None
    from IPython.display import display
    return display


def progress(wanted):
    """What shows it. `wanted` is True or False, or a function of the facts."""
    if callable(wanted):
        return Callback(wanted)
    if not wanted:
        return Nothing()
    display = notebook_display()
    if display is not None:
        return Bar(display)
    return Line(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else Nothing()
