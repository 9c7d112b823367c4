#!/usr/bin/env python3
"""Opens pages of reports in Chromium without a window and holds what they show against their data. The page says in
attributes of its root element what became of it (tools/report/src/main.ts). All pages are opened by one start of the
browser, as frames of one page, since starting takes longest. Skipped (77) where there is no Chromium."""
import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

here = pathlib.Path(__file__).parent
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = ("--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
         "--disable-component-update --disable-sync --enable-logging=stderr --allow-file-access-from-files").split()
SAMPLE = json.loads((here / "sample.json").read_text())
TRIED = SAMPLE["evaluations"]
ODD = [None, 7, "seven", [1, [2]], {"a": {"b": []}}]
HOSTILE = "</script><img src=x onerror=alert(1)><!-- <b>\u2028${1}"
FILTERS = {
    "prefetch": lambda each: "prefetch" in each["derivation"],
    "prefetch outcome=ok": lambda each: "prefetch" in each["derivation"] and each["outcome"] == "ok",
    "-toLocal": lambda each: "toLocal" not in each["derivation"],
    "t=64 time<1ms": lambda each: each["values"].get("t") == 64 and each.get("median_seconds", 1) < 1e-3,
    "registers>=96": lambda each: each.get("facts", {}).get("registers", 0) >= 96,
    "outcome=does_not_fit": lambda each: each["outcome"] == "does not fit",
    "nothing of this name": lambda each: False,
}
PARTS = ("device", "ceilings", "baseline", "best", "run", "evaluations")


def without(part):
    return {name: value for name, value in SAMPLE.items() if name != part}


def odd(wrong):
    program = {"name": "axpy", "sizes": wrong, "text": wrong, "flops": wrong, "bytes": wrong}
    return {**{name: wrong for name in SAMPLE}, "program": program}


def hostile(value):
    if isinstance(value, dict):
        return {name if name in KEYS else HOSTILE + name: hostile(each) for name, each in value.items()}
    if isinstance(value, list):
        return [hostile(each) for each in value[:20]]
    return HOSTILE + value if isinstance(value, str) and value != "ok" else value


KEYS = {*SAMPLE, *SAMPLE["program"], *SAMPLE["best"], *SAMPLE["ceilings"], *TRIED[0], "stage", "count", "discarded", "reason", "rule", "term", "message"}
ODD_INSIDE = {"program": {"name": "axpy"}, "evaluations": ODD, "funnel": ODD, "best": {"derivation": ODD, "launch": ODD},
              "ceilings": {"copy_gb_s": "fast", "flops_f32": -1, "notes": ODD}}
FAILED = [each for each in TRIED if each["outcome"] != "ok"]
# The first of those that worked, as if they had been too slow.
STOPPED = [{**each, "outcome": "stopped early"} for each in TRIED if each["outcome"] == "ok"][:7]
MANY = [{**TRIED[number % len(TRIED)], "order": number, "when_seconds": number / 2} for number in range(4000)]
DATA = {
    "sample": SAMPLE,
    "name": {"program": {"name": "axpy"}},
    **{f"without {part}": without(part) for part in PARTS},
    **{f"odd {number}": odd(wrong) for number, wrong in enumerate(ODD)},
    "odd inside": ODD_INSIDE,
    "failures": {"program": SAMPLE["program"], "ceilings": SAMPLE["ceilings"], "evaluations": FAILED},
    "stopped": {**SAMPLE, "evaluations": [each for each in TRIED if each["outcome"] == "ok"][7:] + STOPPED + FAILED},
    "hostile": hostile(SAMPLE),
    "many": {**SAMPLE, "evaluations": MANY},
}


class Document(html.parser.HTMLParser):
    """What the tests ask of a page: the root's attributes, which elements there are, the text that is seen."""

    def __init__(self, text):
        super().__init__()
        self.root, self.tags, self.seen, self.links = {}, {}, [], []
        self.feed(text)
        self.text = re.sub(r"\s+", " ", " ".join(self.seen))

    def handle_starttag(self, tag, attributes):
        if tag == "html":
            self.root = dict(attributes)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.links += [value for name, value in attributes if name in ("src", "href", "action")]

    def handle_data(self, data):
        self.seen.append(data)


def browse(arguments, address):
    """What the browser prints, and what pages complain about. A browser that hangs, as it does at times where much else
    runs, gets a second try."""
    for last in (False, True):
        with tempfile.TemporaryDirectory() as profile:
            command = [BROWSER, *FLAGS, f"--user-data-dir={profile}", *arguments, address]
            try:
                done = subprocess.run(command, capture_output=True, timeout=200)
            except subprocess.TimeoutExpired:
                if last:
                    raise
                continue
        log = done.stderr.decode(errors="replace")
        return done.stdout.decode(), [line for line in log.splitlines() if ":CONSOLE" in line]


COLLECT = """addEventListener("load", () => {
  const found = {};
  for (const frame of document.querySelectorAll("iframe")) {
    const page = frame.contentDocument.documentElement.cloneNode(true);
    page.querySelectorAll("script, style").forEach((each) => each.remove());
    found[frame.name] = page.outerHTML;
  }
  const result = document.createElement("pre");
  result.textContent = JSON.stringify(found);
  document.body.replaceChildren(result);
});"""


def frame(name, file, query="", width=1280):
    address = file.as_uri() + (f"#filter={urllib.parse.quote(query)}" if query else "")
    return f'<iframe name="{html.escape(name)}" src="{html.escape(address)}" width="{width}" height="800"></iframe>'


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.files = {}
        for name, data in DATA.items():
            cls.files[name] = pathlib.Path(folder.name) / f"{name}.html"
            made = subprocess.run([os.environ["REPORT_PAGE"]], input=json.dumps(data).encode(), capture_output=True, check=True)
            cls.files[name].write_bytes(made.stdout)
        frames = [frame(name, file) for name, file in cls.files.items()]
        frames += [frame(f"filter {query}", cls.files["sample"], query) for query in FILTERS]
        frames += [frame("phone", cls.files["sample"], width=390)]
        all_frames = pathlib.Path(folder.name) / "all frames.html"
        all_frames.write_text(f"<!DOCTYPE html><script>{COLLECT}</script><body>{''.join(frames)}</body>")
        text, cls.complaints = browse(["--dump-dom"], all_frames.as_uri())
        result = re.search(r"<pre>(.*)</pre>", text, re.S)
        cls.pages = {name: Document(page) for name, page in json.loads(html.unescape(result[1])).items()}

    def page(self, name, charts, shown):
        page = self.pages[name]
        self.assertEqual(page.root.get("data-ready"), "ok", page.root.get("data-errors"))
        self.assertEqual((page.root["data-charts"], page.root["data-shown"]), (str(charts), str(shown)))
        self.assertEqual(page.root["data-requests"], "0")
        self.assertEqual([link for link in page.links if not link.startswith("#")], [])
        return page

    def test_no_page_complains(self):
        self.assertEqual(self.complaints, [])

    def test_a_whole_run(self):
        page = self.page("sample", 8, len(TRIED))
        for words in ("have at least nine tenths of the best's speed", "the darker a value, the more of them have it",
                      "t4 matters most: down to 38.5\u202f% of the best's speed", "from what was measured (6 candidates)",
                      "What is the best of other programs has here 51.0\u202f% of the best's speed in the mean of 3 programs, "
                      "least on matmulNt K=1024 M=1024 N=1024 (it does not run)", "What is the best here has there 75.5\u202f%", "matmulNn", "NVIDIA H200", "73.8\u202fµs", "29.1\u202fTFLOP/s", "4.43×", "no sizes fit", "tileGroups(2)",
                      "__launch_bounds__", "local memory of", "NVRTC 13.0"):
            self.assertIn(re.sub(r"\s", " ", words), page.text)

    def test_the_filter(self):
        for query, keeps in FILTERS.items():
            with self.subTest(query):
                count = sum(map(keeps, TRIED))
                page = self.page(f"filter {query}", 8, count)
                self.assertIn(f"{count} of {len(TRIED)} candidates", page.text)

    def test_only_a_name(self):
        page = self.page("name", 0, 0)
        for words in ("nothing has been measured yet", "did not keep the program's text", "operations were not counted",
                      "No candidate is recorded", "There is no best kernel to derive", "did not record how its candidates",
                      "The device was not recorded"):
            self.assertIn(words, page.text)

    def test_each_part_may_be_absent(self):
        for part in PARTS:
            with self.subTest(part):
                charts = {"ceilings": 7, "evaluations": 1}.get(part, 8)
                self.page(f"without {part}", charts, 0 if part == "evaluations" else len(TRIED))

    def test_values_of_other_types_count_as_absent(self):
        for number, wrong in enumerate(ODD):
            with self.subTest(wrong):
                self.page(f"odd {number}", 0, len(wrong) if isinstance(wrong, list) else 0)
        self.page("odd inside", 0, len(ODD))

    def test_only_failures(self):
        page = self.page("failures", 0, len(FAILED))
        self.assertIn("none of", page.text)
        self.assertIn(f"{len(FAILED)} candidates failed", page.text)

    def test_what_was_stopped_early_is_no_failure(self):
        page = self.page("stopped", 8, len(TRIED))
        worked = len(TRIED) - len(FAILED) - len(STOPPED)
        for words in (f"{worked} of which worked and {len(STOPPED)} were stopped early", f"{len(FAILED)} candidates failed",
                      f"{len(STOPPED)} candidates more gave the right result", "Grey pluses there were stopped early"):
            self.assertIn(words, page.text)

    def test_texts_stay_texts(self):
        page = self.page("hostile", 6, 20)
        self.assertNotIn("img", page.tags)
        self.assertIn("onerror=alert(1)", page.text)

    def test_a_phone_scrolls_one_way_only(self):
        self.assertEqual(self.page("phone", 8, len(TRIED)).root["data-overflow"], "0")

    def test_thousands_are_shown_by_few_elements(self):
        page = self.page("many", 8, len(MANY))
        self.assertLess(sum(page.tags.values()), 2 * sum(self.pages["sample"].tags.values()))

    def test_paper(self):
        paper = self.files["sample"].with_suffix(".pdf")
        _, complaints = browse([f"--print-to-pdf={paper}"], self.files["sample"].as_uri())
        self.assertEqual(complaints, [])
        self.assertTrue(paper.read_bytes().startswith(b"%PDF"))


if __name__ == "__main__":
    if BROWSER is None:
        print("skipped: no chromium is installed (apt install chromium)")
        sys.exit(77)
    unittest.main()
