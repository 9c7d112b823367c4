#!/usr/bin/env python3
"""Checks who includes whom under src/: no layer another that docs/layers.txt does not allow it, no files in a circle, and
no file grown past its limit.

A circle is one of components. Files of one stem (x.hpp, x.cpp) are a component. So is a class with all of its members: a
.cpp file without a header of its own that defines members of a class which a header of its layer declares (lower/state.cpp
those of ToLoops) belongs to that header's component. A .cpp file that defines free functions alone is a component of
itself, which nothing can include.

    tools/check_layers.py [DIRECTORY]     # of the project; this one by default
"""
import collections
import pathlib
import re
import sys

MOST_LINES = 700
INCLUDE = re.compile(r'\s*#include "([^"]+)"')
CLASS = re.compile(r"^(?:class|struct) (\w+)[^;{]*\{", re.MULTILINE)
# Of a definition outside of its class: "Result<TaskId> Store::add_task(", "Model::~Model() = default".
MEMBER = re.compile(r"^(?![\s/#}]).*?\b(\w+)::~?(?:\w+|operator[^\w\s]+)\(", re.MULTILINE)


def read_allowed(root):
    allowed = {}
    for line in (root / "docs/layers.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            layer, uses = line.split(":")
            allowed[layer.strip()] = set(uses.split())
    return allowed


def layer_faults(path, text, allowed):
    """Of one file, whose path is relative to src/."""
    layer = path.parts[0]
    backend = path.parts[1] if len(path.parts) > 2 else None
    if layer not in allowed:
        return [f"src/{path}: the layer '{layer}' is not in docs/layers.txt"]
    faults = []
    lines = text.splitlines()
    if len(lines) > MOST_LINES:
        faults.append(f"src/{path}: {len(lines)} lines; split it (the most is {MOST_LINES})")
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        target = pathlib.PurePosixPath(match.group(1)).parts
        place = f"src/{path}:{number}"
        if target[0] != layer and target[0] not in allowed[layer]:
            faults.append(f"{place}: {layer} may not include {target[0]}")
        if layer in ("codegen", "runtime") and target[0] == layer and len(target) > 2 and backend not in (None, target[1]):
            faults.append(f"{place}: the backend {backend} may not include its sibling {target[1]}")
    return faults


def components(texts):
    """The component of each file, named by its stem."""
    declared = collections.defaultdict(list)
    for path, text in texts.items():
        if path.suffix == ".hpp":
            for name in set(CLASS.findall(text)):
                declared[path.parts[0], name].append(path.with_suffix(""))
    component = {}
    for path, text in texts.items():
        component[path] = path.with_suffix("")
        if path.suffix == ".hpp" or path.with_suffix(".hpp") in texts:
            continue
        own = set(CLASS.findall(text))
        for name in MEMBER.findall(text):
            headers = declared[path.parts[0], name]
            if name not in own and len(headers) == 1:
                component[path] = headers[0]
                break
    return component


def find_circle(edges):
    """A shortest circle through the first node that is in one; none where there is none."""
    for start in sorted(edges):
        came_from = {}
        queue = collections.deque([start])
        while queue:
            node = queue.popleft()
            for following in sorted(edges[node]):
                if following == start:
                    circle = [node]
                    while circle[-1] != start:
                        circle.append(came_from[circle[-1]])
                    return circle[::-1]
                if following not in came_from:
                    came_from[following] = node
                    queue.append(following)
    return []


def circle_faults(texts):
    """One line for each circle: those that remain when the earlier ones are opened where they begin."""
    component = components(texts)
    edges = collections.defaultdict(set)
    places = {}
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            target = pathlib.PurePosixPath(match.group(1)) if match else None
            if target in texts and component[target] != component[path]:
                edges[component[path]].add(component[target])
                places.setdefault((component[path], component[target]), f"src/{path}:{number}")
    edges = collections.defaultdict(set, edges)
    faults = []
    while circle := find_circle(dict(edges) | {end: edges[end] for ends in list(edges.values()) for end in ends}):
        steps = list(zip(circle, circle[1:] + circle[:1]))
        text = " -> ".join(str(node) for node in circle + circle[:1])
        faults.append(f"a circle of includes: {text}\n" + "\n".join(f"    {places[step]}" for step in steps))
        edges[steps[0][0]].discard(steps[0][1])
    return faults


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    source = root / "src"
    texts = {pathlib.PurePosixPath(path.relative_to(source)): path.read_text()
             for path in sorted(source.rglob("*.[ch]pp"))}
    allowed = read_allowed(root)
    faults = [fault for path, text in texts.items() for fault in layer_faults(path, text, allowed)]
    faults += circle_faults(texts)
    print("\n".join(faults) if faults else "layers: every include is allowed, and none is part of a circle")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
