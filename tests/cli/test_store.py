"""hoist store: list, show, export, import, prune, and what it says of bad input."""
import json
import os
import unittest

from support import TWICE, Case

HASH = "0123456789abcdef" * 4


def line(kind, number, **columns):
    return {"kind": kind, "id": number, **columns}


def evaluation(number, candidate, outcome="ok", times=(0.25,), **columns):
    ordered = sorted(times)
    facts = {"uid": f"uid{number}", "candidate": candidate, "run": 1, "origin": "explored", "outcome": outcome, "message": "",
             "times": list(times), "median": ordered[len(ordered) // 2] if times else None, "build_seconds": 0.5,
             "kernels": [{"kernel": "scale", "registers": 32, "local_memory": 4096}], "clock_mhz": 1980.0,
             "memory_clock_mhz": None, "temperature_celsius": None, "power_watts": None, "wall_seconds": 1.5,
             "recorded": f"2026-01-0{number}T00:00:00.000Z", "hoist": "0.1.0", "seed": 7}
    return line("evaluation", number, **{**facts, **columns})


def candidate(number, name):
    return line("candidate", number, task=1, name=name, hash=f"term{number}", derivation=1, parameters={"t": 16 * number},
                term="x |> split(16)", launches=[{"kernel": "scale", "global": [1024, 1, 1], "local": [64, 1, 1]}],
                source="kernel void scale() {}")


LINES = [
    {"kind": "hoist store", "format": 1},
    line("program", 1, hash=HASH, name="scale", text="def scale(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)\n"),
    line("device", 1, language="cuda", name="NVIDIA H200", driver="550.54", vendor="NVIDIA", platform="CUDA",
         version="sm_90", compute_units=132, facts={"clock_mhz": 1980}),
    line("task", 1, program=1, device=1, sizes={"N": 1024}, added="2026-01-01T00:00:00.000Z"),
    line("derivation", 1, hash="h", steps=[{"rule": "tile(1,[?t])", "at": "root"}]),
    candidate(1, "12-345"), candidate(2, "12-346"), candidate(3, "7-1"),
    line("run", 1, uid="run1", task=1, strategy="random", seed=3, budget={"seconds": 60}, funnel={"explored": 1000},
         environment={}, hoist="0.1.0", started="2026-01-01T00:00:00.000Z", ended="2026-01-01T00:10:00.000Z"),
    evaluation(1, 1, times=(0.3, 0.25, 0.2)),
    evaluation(2, 2, times=(0.5,), origin="baseline"),
    evaluation(3, 3, outcome="build failed", times=(), message="ptxas: out of registers"),
    line("model", 1, uid="m", name="knn", device_class="nvidia", schema="loops 1", content="00ff", provenance={},
         created="2026-01-05T00:00:00.000Z"),
]


def text(lines):
    return "".join(json.dumps(each) + "\n" for each in lines)


class Store(Case):
    def setUp(self):
        super().setUp()
        self.file("results.jsonl", text(LINES))

    def store(self, *arguments, **options):
        return self.hoist("store", *arguments, "--store", "s.sqlite", **options)

    def store_facts(self, *arguments):
        return json.loads(self.store(*arguments, "--json").stdout)

    def store_refused(self, *arguments, **options):
        return self.refused("store", *arguments, "--store", "s.sqlite", **options)

    def test_import_list_show(self):
        self.assertEqual(self.store("import", "results.jsonl").stdout,
                         "results.jsonl: added 1 programs, 1 devices, 1 tasks, 3 candidates, 1 runs, 3 evaluations, 1 models; "
                         "already there: nothing\n")
        listed = self.store("list")
        self.assertRegex(listed.stdout, r"1  scale +N = 1024  NVIDIA H200 \(cuda\)  550.54 +3   2  250 ms +2.00  2026-01-03")
        self.assertRegex(listed.stdout, r"knn +nvidia +loops 1 +2026-01-05")
        self.assertIn("s.sqlite holds 1 programs", listed.stderr)
        shown = self.store("show", "1").stdout
        for part in ("task 1: scale(N = 1024) on NVIDIA H200 (cuda, driver 550.54)", "def scale(", "2 ok, 1 build failed",
                     "random", "12-345", "t = 16"):
            self.assertIn(part, shown)
        self.assertLess(shown.index("12-345"), shown.index("12-346"))
        self.assertNotIn("12-346", self.store("show", "1", "--best", "1").stdout)
        one = self.store("show", "1", "--candidate", "12-345").stdout
        for part in ("1. tile(1,[?t]) at root", "with t = 16", "scale: 1024 x 1 x 1 work-items in groups of 64 x 1 x 1",
                     "x |> split(16)", "kernel void scale() {}", "median 250 ms of 300 ms, 250 ms, 200 ms", "32 registers"):
            self.assertIn(part, one)
        self.assertIn("build failed: ptxas: out of registers", self.store("show", "1", "--candidate", "7-1").stdout)

    def test_facts(self):
        self.assertEqual(self.store_facts("import", "results.jsonl")["files"][0]["added"]["evaluations"], 3)
        listed = self.store_facts("list")
        self.assertEqual(listed["counts"]["candidates"], 3)
        (task,) = listed["tasks"]
        self.assertEqual((task["program"], task["hash"], task["sizes"]), ("scale", HASH, {"N": 1024}))
        self.assertEqual((task["best"], task["baseline"], task["ok"]), (0.25, 0.5, 2))
        self.assertEqual(task["device"]["facts"], {"clock_mhz": 1980})
        self.assertEqual(listed["models"][0]["name"], "knn")
        for arguments, count in ((("--program", "scale"), 1), (("--program", HASH[:8]), 1), (("--program", HASH[:7]), 0),
                                 (("--device", "NVIDIA H200"), 1), (("--device", "host"), 0)):
            self.assertEqual(len(self.store_facts("list", *arguments)["tasks"]), count, arguments)
        shown = self.store_facts("show", "1")
        self.assertEqual(shown["outcomes"], {"ok": 2, "build failed": 1})
        self.assertEqual([each["candidate"] for each in shown["fastest"]], ["12-345", "12-346"])
        self.assertEqual(shown["fastest"][0]["times"], [0.3, 0.25, 0.2])
        self.assertEqual(shown["runs"][0]["funnel"], {"explored": 1000})
        (one,) = self.store_facts("show", "1", "--candidate", "12-345")
        self.assertEqual(one["derivation"], [{"rule": "tile(1,[?t])", "at": "root"}])
        self.assertEqual(one["evaluations"][0]["kernels"][0]["registers"], 32)

    def test_export_travels(self):
        self.store("import", "-", stdin=text(LINES))
        exported = self.store("export").stdout
        self.assertEqual([json.loads(each)["kind"] for each in exported.splitlines()], [each["kind"] for each in LINES])
        self.store("export", "-o", "out.jsonl")
        self.assertEqual((self.directory / "out.jsonl").read_text(), exported)
        self.hoist("store", "import", "out.jsonl", "--store", "other.sqlite")
        self.assertEqual(self.hoist("store", "export", "--store", "other.sqlite").stdout, exported)
        self.assertIn("added nothing; already there: 1 programs", self.store("import", "out.jsonl", "results.jsonl").stdout)

    def test_prune(self):
        self.store("import", "results.jsonl")
        self.assertEqual(self.store("prune", "--failed", "--dry-run").stdout, "would remove 1 candidates, 1 evaluations\n")
        self.assertEqual(self.store("prune", "--failed").stdout, "removed 1 candidates, 1 evaluations\n")
        self.assertEqual(self.store_facts("prune", "--before", "2026-01-02")["removed"]["evaluations"], 1)
        self.assertEqual(self.store("prune", "--task", "1").stdout,
                         "removed 1 programs, 1 devices, 1 tasks, 1 candidates, 1 runs, 1 evaluations\n")
        self.store_refused("prune", says=["no option says which evaluations to remove", "--task, --program"])
        self.store_refused("prune", "--before", "yesterday", says=["--before yesterday: this is not a date", "2026-01-31"])
        for text in ("2026-13", "2026-00", "2026-02-30", "2026-01-32", "2026-01-01T24", "2026-01-01T10:60", "26-01-01"):
            self.store_refused("prune", "--before", text, says=[f"--before {text}: this is not a date"])
        for text in ("2024-02-29", "2026-12-31T23:59:59.999Z", "2026"):
            self.store("prune", "--before", text, "--dry-run")
        self.store_refused("prune", "--task", "9", says="has no task 9")

    def test_stored_texts_do_nothing_to_a_terminal(self):
        escape, title, csi = "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\u009b31m"
        lines = [dict(each) for each in LINES]
        for each in lines:
            if each["kind"] == "program":
                each["text"] += f"// {escape}{title}\n"
            if each["kind"] == "device":
                each["name"] = f"NVIDIA {csi}H200\r{title}"
            if each["kind"] == "evaluation" and each["message"]:
                each["message"] = f"ptxas: {escape}\x7f"
        self.file("results.jsonl", text(lines))
        self.store("import", "results.jsonl")
        everything = [self.store("list"), self.store("show", "1"), self.store("show", "1", "--candidate", "7-1"),
                      self.store("export"), self.store("show", "1", "--json")]
        for done in everything:
            for raw in ("\x1b", "\x07", "\x7f", "\u009b", "\r"):
                self.assertNotIn(raw, done.stdout + done.stderr)
        self.assertIn("\\u001b[31mred", everything[1].stdout)
        # As JSON they are what they were.
        self.assertEqual(json.loads(everything[4].stdout)["device"]["name"], f"NVIDIA {csi}H200\r{title}")
        self.hoist("store", "import", "-", "--store", "copy.sqlite", stdin=everything[3].stdout)
        self.assertEqual(self.hoist("store", "export", "--store", "copy.sqlite").stdout, everything[3].stdout)

    def test_a_store_that_cannot_be_written_is_read(self):
        self.store("import", "results.jsonl")
        (self.directory / "p.hoist").write_text(TWICE)

        def nobody():
            if os.geteuid() == 0:
                os.setuid(65534)

        environment = {**os.environ, "HOME": "/nowhere", "XDG_CACHE_HOME": ""}
        os.chmod(self.directory / "s.sqlite", 0o444)
        os.chmod(self.directory, 0o555)
        self.addCleanup(os.chmod, self.directory, 0o755)
        for words in (("list",), ("show", "1"), ("export",)):
            done = self.hoist("store", *words, "--store", "s.sqlite", preexec_fn=nobody, env=environment)
            self.assertIn("scale", done.stdout)
        run = self.hoist("run", "p.hoist", "N=8", "--random", "1", "--device", "host", "--store", "s.sqlite", preexec_fn=nobody,
                         env=environment)
        self.assertIn("twice on host", run.stdout)
        self.refused("store", "prune", "--failed", "--store", "s.sqlite", preexec_fn=nobody, env=environment, status=2,
                     says="cannot be opened for writing")

    def test_the_users_own_store(self):
        environment = {**os.environ, "XDG_DATA_HOME": str(self.directory / "data")}
        self.refused("store", "list", env=environment, says=["there is no store", "data/hoist/store.sqlite"])
        self.hoist("store", "import", "results.jsonl", env=environment)
        self.assertTrue((self.directory / "data" / "hoist" / "store.sqlite").exists())
        self.assertIn("scale", self.hoist("store", "list", env=environment).stdout)

    def test_mistakes(self):
        for command in ("list", "export", "prune --failed", "show 1"):
            self.store_refused(*command.split(), says=["there is no store s.sqlite", "hoist tune"])
        self.assertEqual(self.leftovers(), ["results.jsonl"])
        self.store("import", "results.jsonl")
        self.store_refused("show", "9", says=["has no task 9", "hoist store list"])
        self.store_refused("show", "x", says="x")
        self.store_refused("show", "1", "--candidate", "12-34", says=["has no candidate '12-34'; did you mean '12-34"])
        self.store_refused("import", "none.jsonl", says=["none.jsonl cannot be read: No such file", "hoist store export"])
        self.store_refused("import", ".", says=". is a directory")
        self.file("bad.jsonl", text(LINES[:3]) + "{\n")
        self.store_refused("import", "bad.jsonl", says=["bad.jsonl:4: this is no JSON", "nothing of the file was imported"])
        self.file("foreign", "x" * 5000)
        self.refused("store", "list", "--store", "foreign", says="foreign is no store of Hoist")
        self.refused("store", "list", "--store", "postgresql://me:secret@/x?host=/nowhere", status=2,
                     says=["postgresql://me:***@/x?host=/nowhere cannot be reached", "--store FILE"])
        self.store_refused("export", "-o", "none/out", status=2, says="none/out")
        self.refused("store", says="a command is missing: one of list, show, export, import, prune")
        self.refused("store", "lst", says="hoist store has no command 'lst'; did you mean 'list'?")

    def test_help_has_examples(self):
        for command in ("list", "show", "export", "import", "prune"):
            text = self.hoist("store", command, "--help").stdout
            self.assertIn(f"hoist store {command}", text)
            for each in text.splitlines():
                self.assertLessEqual(len(each), 115, each)


if __name__ == "__main__":
    unittest.main()
