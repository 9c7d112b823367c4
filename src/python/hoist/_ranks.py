"""Ranks of MPI."""
import sys

from hoist import _hoist
from hoist._errors import UserError


def ranks(communicator=None):
    """The ranks of a communicator of mpi4py's, MPI.COMM_WORLD unless another is given, for the option `ranks` of calls. All ranks call it;
    messages of Hoist's go by a copy of the communicator."""
    if communicator is None:
        try:
            from mpi4py import MPI
        except ImportError:
            raise UserError("error: there is no communicator: mpi4py is not installed\n"
                            "  help: install python3-mpi4py, or pip install mpi4py") from None
        communicator = MPI.COMM_WORLD
    if not hasattr(communicator, "py2f"):
        raise UserError(f"error: {communicator!r} is no communicator\n  help: give one of mpi4py's: MPI.COMM_WORLD")
    library = sys.modules[type(communicator).__module__].Get_library_version()
    return _hoist.ranks_of(communicator.py2f(), library.rstrip("\0"))
