"""hoist report --trace: the picture of a run."""
import json
import unittest

from support import Case

TRACE = {"traceEvents": [
    {"ph": "M", "name": "process_name", "pid": 0, "tid": 0, "args": {"name": "partition 0"}},
    {"ph": "X", "name": "x", "cat": "upload", "pid": 0, "tid": 0, "ts": 0, "dur": 2000, "args": {"bytes": 4000000, "task": 0}},
    {"ph": "X", "name": "axpy", "cat": "launch", "pid": 0, "tid": 1, "ts": 1000, "dur": 2000, "args": {"bytes": 0}}],
    "otherData": {"title": "axpy N=1000", "facts": {"device": "host"}}}


class Report(Case):
    def test_a_trace_becomes_a_page(self):
        self.file("run.json", json.dumps(TRACE))
        self.hoist("report", "--trace", "run.json")
        page = (self.directory / "run.json.html").read_text()
        for text in ("axpy N=1000", "upload x, task 0: 2 ms from 0", "partition 0, queue 1", "2 GB/s"):
            self.assertIn(text, page)
        self.hoist("report", "--trace", "run.json", "-o", "page.html")
        self.assertEqual((self.directory / "page.html").read_text(), page)

    def test_its_summary(self):
        self.file("run.json", json.dumps(TRACE))
        facts = self.facts("report", "--trace", "run.json")
        self.assertEqual(facts["commands"], 2)
        self.assertEqual(facts["uploaded_bytes"], 4000000)
        self.assertAlmostEqual(facts["span_seconds"], 0.003)
        self.assertAlmostEqual(facts["overlap"], 4 / 3)
        self.assertEqual(self.leftovers(), ["run.json"])

    def test_refusals(self):
        self.file("run.json", json.dumps(TRACE))
        self.file("other.json", "{}")
        self.refused("report", "--trace", "other.json", says=["this is no trace of Hoist", "hoist run --trace"])
        self.refused("report", "--trace", "absent.json", says="absent.json")
        self.refused("report", "run.json", "--trace", "run.json", says="--trace takes no program")
        self.refused("report", says=["of a program or of a trace", "--trace FILE"])


if __name__ == "__main__":
    unittest.main()
