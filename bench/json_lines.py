"""A file of JSON, a value in each line, to which measurements are added. A line that was being written when something ended is read
over, and the next one does not go on in it."""
import json


def read(path):
    """All values, in their order; none where there is no file."""
    values = []
    for line in path.read_text().splitlines() if path.exists() else []:
        try:
            values.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return values


def add(path, value):
    is_cut = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with path.open("a") as file:
        file.write(("\n" if is_cut else "") + json.dumps(value) + "\n")
