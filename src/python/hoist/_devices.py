"""The devices that there are, and arrays that stay on them."""
import dataclasses

from hoist import _hoist
from hoist._errors import UserError
from hoist._html import table

DeviceArray = _hoist.DeviceArray


@dataclasses.dataclass(frozen=True)
class DeviceFacts:
    """What is known of a device. Memory is in bytes."""
    id: str
    name: str
    vendor: str
    platform: str
    version: str
    type: str
    global_memory: int
    local_memory: int
    compute_units: int
    max_group_size: int
    has_f64: bool


class DeviceList(list):
    """Devices, which show as a table."""

    def _rows(self):
        return [(each.id, each.name, each.type, each.platform, f"{each.global_memory / 2**30:.1f} GiB", str(each.compute_units))
                for each in self]

    def _repr_html_(self):
        return table(("id", "name", "type", "platform", "memory", "units"), self._rows())

    def __str__(self):
        return "\n".join("  ".join(row) for row in self._rows())


def devices():
    """Every device that programs can run on, in the order in which one is chosen."""
    return DeviceList(DeviceFacts(**facts) for facts in _hoist.devices())


def device_id(device):
    """The id of a device that is given by it, or as one of devices()."""
    found = getattr(device, "id", device)
    if not isinstance(found, str):
        raise UserError(f"error: a device is given by its id, such as \"host\", but {device!r} was given")
    return found


def array(values, device=""):
    """Copies an array of NumPy's to a device, where it stays: programs that take it run there, and what they give stays
    there, too. Without a device it is the one that programs run on."""
    import numpy
    return _hoist.to_device(numpy.asarray(values), device_id(device))


def close(device):
    """Frees what programs and arrays hold on a device, once nothing runs there. The arrays are lost, but those whose memory
    other libraries use; the next call of a program opens the device again."""
    _hoist.close_device(device_id(device))
