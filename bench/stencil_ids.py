"""The ids of configurations in the restricted space of a stencil: `hoist explore FILE --space stencil --id ID`."""
NAMES = ["WX", "WY", "WZ", "BX", "BY", "BZ", "CX", "CY", "CZ", "VX", "LOCAL", "IMAGE"]
WIDTHS = (1, 2, 4, 8, 16)
DERIVATIONS = [*((width, 0, 0) for width in WIDTHS), (1, 1, 0), (1, 0, 1)]  # VX, LOCAL, IMAGE


def merges(length, block):
    """The ranks of (W, B, C) of one dimension in the restricted space (src/variants/merging_points.cpp)."""
    powers = lambda most: [2 ** k for k in range(most.bit_length())]
    return {merge: rank for rank, merge in enumerate((items, block, cyclic) for items in powers(length // block)
                                                     for cyclic in powers(length // block // items))}


class Ids:
    def __init__(self, sizes):
        self.y, self.z = merges(sizes["H"], 1), merges(sizes["D"], 1)
        self.x = {width: merges(sizes["W"], width) for width in WIDTHS}

    def of(self, values):
        v = dict(zip(NAMES, values))
        along = lambda axis: (v["W" + axis], v["B" + axis], v["C" + axis])
        x = self.x[v["VX"]]
        rank = (self.z[along("Z")] * len(self.y) + self.y[along("Y")]) * len(x) + x[along("X")]
        return f"{DERIVATIONS.index((v['VX'], v['LOCAL'], v['IMAGE']))}-{rank}"
