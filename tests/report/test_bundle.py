#!/usr/bin/env python3
"""src/report/page.html is built from what tools/report holds now. The page names a hash of its sources; tools/report/build.mjs
computes the same. (`npm run check` there builds the page again and compares all of it.)"""
import hashlib
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
tool = root / "tools/report"
files = ["build.mjs", "package.json", "package-lock.json", *(f"src/{path.name}" for path in (tool / "src").iterdir())]
digest = hashlib.sha256()
for name in sorted(files):
    digest.update(f"{name}\n".encode() + (tool / name).read_bytes())
page = (root / "src/report/page.html").read_text()
built_from = re.search(r'<meta name="sources" content="(\w+)">', page)
faults = []
if not built_from or built_from[1] != digest.hexdigest():
    faults.append("src/report/page.html is older than tools/report: run `npm ci && npm run build` there")
if re.search(r'"resolved"|https?://', (tool / "package-lock.json").read_text()):
    faults.append("tools/report/package-lock.json names where packages came from: .npmrc says to leave that out")
print("\n".join(faults) if faults else "the page of reports is built from its sources")
sys.exit(1 if faults else 0)
