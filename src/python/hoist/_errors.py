"""What Hoist raises."""
import typing


class Location(typing.NamedTuple):
    """A place in a program's text; lines and columns count from 1."""
    source: str
    line: int
    column: int


class Problem(typing.NamedTuple):
    """One thing that is wrong: why, and what to do, where that is known."""
    message: str
    note: str
    help: str
    location: typing.Optional[Location]
    excerpt: str


class Error(Exception):
    """What went wrong. Its text is what the command line prints, with the place in the program."""

    def __init__(self, text, problems=()):
        super().__init__(text)
        self.problems = [Problem(message, note, help, location and Location(*location), excerpt)
                         for message, note, help, location, excerpt in problems]

    def __reduce__(self):
        return type(self), (str(self), [tuple(each) for each in self.problems])


class UserError(Error, ValueError):
    """What was given is wrong: a program's text, an array, a name."""


class UnsupportedError(Error, NotImplementedError):
    """A known limit of Hoist."""


class DeviceError(Error, RuntimeError):
    """A device or another resource failed."""


class Bug(Error, AssertionError):
    """A fault of Hoist itself."""


class CopyWarning(UserWarning):
    """An array is copied before it is used; told once for each input of a program."""
