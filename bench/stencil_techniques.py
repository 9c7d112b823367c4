"""Tables of how stencils load their input best (docs/model.md), which hoist train --technique learns from."""
from stencil_plan import HEURISTICS, TECHNIQUES

TRAITS = ["dimensionality", "size", "density", "unique_dimension", "additions_per_point", "multiplications_per_point"]
MEASURED = ["seconds", "configurations", "build_seconds", "run_seconds"]
COLUMNS = ["stencil", "pattern", "dimensionality", "size", "density", "unique_dimension", "additions", "multiplications",
           *(f"{heuristic}_{technique}_{what}" for heuristic in HEURISTICS for technique in TECHNIQUES for what in MEASURED)]


def table_text(device_class, provenance, rows):
    """A row has a cell for each of COLUMNS: the stencil's name and pattern, its TRAITS, and what was MEASURED."""
    lines = ["#hoist-techniques,1", f"#device_class,{device_class}", *(f"#provenance,{name},{told}" for name, told in provenance.items()),
             ",".join(COLUMNS), *(",".join(str(each) for each in row) for row in rows)]
    return "\n".join(lines) + "\n"
