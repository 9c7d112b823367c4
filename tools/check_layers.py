#!/usr/bin/env python3
"""Checks every #include under src/ against docs/layers.txt, and that no file has grown past its limit."""
import pathlib
import re
import sys

MOST_LINES = 700

root = pathlib.Path(__file__).resolve().parent.parent
allowed = {}
for line in (root / "docs/layers.txt").read_text().splitlines():
    if line.strip() and not line.startswith("#"):
        layer, uses = line.split(":")
        allowed[layer.strip()] = set(uses.split())

faults = []
for path in sorted((root / "src").rglob("*.[ch]pp")):
    parts = path.relative_to(root / "src").parts
    layer = parts[0]
    backend = parts[1] if len(parts) > 2 else None
    text = path.read_text()
    if layer not in allowed:
        faults.append(f"{path}: the layer '{layer}' is not in docs/layers.txt")
        continue
    if text.count("\n") > MOST_LINES:
        faults.append(f"{path}: {text.count(chr(10))} lines; split it (the most is {MOST_LINES})")
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#include "([^"]+)"', line)
        if not match:
            continue
        target = pathlib.PurePosixPath(match.group(1)).parts
        place = f"{path.relative_to(root)}:{number}"
        if target[0] != layer and target[0] not in allowed[layer]:
            faults.append(f"{place}: {layer} may not include {target[0]}")
        if layer in ("codegen", "runtime") and target[0] == layer and len(target) > 2 and backend not in (None, target[1]):
            faults.append(f"{place}: the backend {backend} may not include its sibling {target[1]}")

print("\n".join(faults) if faults else "layers: every include is allowed")
sys.exit(1 if faults else 0)
