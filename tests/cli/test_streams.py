"""hoist run --streams, hoist explain --streams, hoist features --streams."""
import json
import os
import unittest

from support import AXPY, ROOT, Case, read_npy

STENCIL = ROOT / "kernels/jacobi2d5.hoist"
PRODUCT = ROOT / "kernels/matmul_nn.hoist"
SCAN = ROOT / "kernels/prefix_sum.hoist"
TRANSPOSE = ROOT / "kernels/transpose.hoist"


class Streams(Case):
    def run_stencil(self, *options):
        return self.facts("run", STENCIL, "H=67", "W=31", "--random", "1", "--device", "host", "--verify", *options)

    def test_results_are_those_of_the_whole_program(self):
        whole = self.facts("run", STENCIL, "H=67", "W=31", "--random", "1", "--device", "host")
        for streams in ["1", "1,1", "1,4", "1,67"]:
            facts = self.run_stencil("--streams", streams)
            self.assertTrue(facts["verified"])
            self.assertEqual(facts["result"], whole["result"])

    def test_what_a_run_tells(self):
        facts = self.run_stencil("--streams", "1,4", "--repeat", "3")["streams"]
        self.assertEqual((facts["partitions"], facts["tasks"]), (1, 4))
        self.assertEqual(len(facts["seconds"]), 3)
        self.assertEqual(facts["upload_bytes"], 67 * 31 * 4)
        self.assertEqual(facts["download_bytes"], 67 * 31 * 4)
        for name in ["upload_seconds", "kernel_seconds", "download_seconds", "overlapped_seconds", "busy_seconds"]:
            self.assertGreaterEqual(facts[name], 0, name)
            self.assertLess(facts[name], 60, name)

    def test_data_pass_through_less_memory(self):
        facts = self.run_stencil("--streams", "1,16", "--memory", "6KiB")
        self.assertTrue(facts["verified"])
        self.assertLessEqual(facts["streams"]["memory_bytes"], 6 * 1024)
        self.assertGreater(facts["streams"]["redundant_bytes"], 0)
        text = self.hoist("run", STENCIL, "H=67", "W=31", "--random", "1", "--device", "host", "--streams", "1,16",
                          "--memory", "6144").stdout
        self.assertIn("16 tasks on 1 partition", text)
        self.assertIn("uploaded more than once", text)

    def test_data_pass_through_what_other_programs_leave(self):
        if not (fake := os.environ.get("FAKE_CUDA")):
            self.skipTest("no driver")
        cuda = {**os.environ, "HOIST_CUDA_LIBRARY": fake, "HOIST_NVRTC_LIBRARY": fake, "FAKE_CUDA_MEMORY": str(1 << 20)}
        run = ["run", STENCIL, "H=268", "W=124", "--random", "1", "--device", "cuda:0", "--untuned"]
        whole = self.facts(*run, "--elements", "40000", env=cuda)
        self.assertFalse(self.facts(*run, "--streams", "1,16", env=cuda)["streams"]["redundant_bytes"])
        cuda["FAKE_CUDA_HELD"] = str((1 << 20) - (64 << 10))
        done = self.hoist(*run, "--json", "--elements", "40000", env=cuda)
        self.assertIn("note: jacobi2d5 runs in tasks (--streams), since its arrays need 259.62 KiB", done.stderr)
        self.assertEqual(json.loads(done.stdout)["result"], whole["result"])
        for streams in ["1,16", "auto"]:
            facts = self.facts(*run, "--streams", streams, "--verify", "--elements", "40000", env=cuda)
            self.assertEqual(facts["result"], whole["result"])
            self.assertLessEqual(facts["streams"]["memory_bytes"], 64 << 10)
            self.assertGreater(facts["streams"]["redundant_bytes"], 0)
        cuda["FAKE_CUDA_MEMORY"], cuda["FAKE_CUDA_HELD"] = str(64 << 10), "0"
        for streams in [[], ["--streams", "auto"], ["--steps", "3"]]:
            facts = self.facts(*run, *streams, "--elements", "40000", env=cuda)
            self.assertEqual(facts["result"] == whole["result"], streams[:1] != ["--steps"])
        # What cannot be cut is refused as it is.
        self.refused("run", SCAN, "N=100000", "--random", "1", "--device", "cuda:0", "--untuned", env=cuda,
                     says="more than the 64 KiB that the device allows")

    def test_columns_are_uploaded_as_tasks_need_them(self):
        sizes = [TRANSPOSE, "H=37", "W=322", "--random", "1", "--device", "host", "--verify"]
        whole = self.facts("run", *sizes)
        for options in [["1,4"], ["1,8", "--memory", "78KiB"]]:
            facts = self.facts("run", *sizes, "--streams", *options, "--trace", "run.json")
            self.assertTrue(facts["verified"])
            self.assertEqual(facts["result"], whole["result"])
            self.assertEqual(facts["streams"]["shared_bytes"], 0)
            self.assertEqual(facts["streams"]["upload_bytes"], 37 * 322 * 4)
            events = json.loads((self.directory / "run.json").read_text())["traceEvents"]
            uploads = [event for event in events if event["ph"] == "X" and event["cat"] == "upload"]
            self.assertEqual(len(uploads), facts["streams"]["tasks"])
        self.assertLessEqual(facts["streams"]["memory_bytes"], 78 * 1024)

    def test_steps_are_those_of_the_whole_program(self):
        for steps in ["1", "2", "7", "20"]:
            whole = self.facts("run", STENCIL, "H=67", "W=31", "--random", "1", "--device", "host", "--steps", steps)
            for options in [["1,4"], ["1,1"], ["1,8"], ["1,16", "--memory", "6KiB"]]:
                facts = self.run_stencil("--steps", steps, "--streams", *options)
                self.assertTrue(facts["verified"])
                self.assertEqual(facts["result"], whole["result"])

    def test_results_stay_on_the_device_between_steps(self):
        plate = 67 * 31 * 4
        facts = self.run_stencil("--steps", "20", "--streams", "1,4", "--repeat", "2")
        self.assertEqual(facts["steps"], 20)
        self.assertEqual((facts["streams"]["upload_bytes"], facts["streams"]["download_bytes"]), (plate, plate))
        self.assertTrue(facts["streams"]["results_stay"])
        ran = self.hoist("run", STENCIL, "H=67", "W=31", "--random", "1", "--device", "host", "--streams", "1,16",
                         "--steps", "20", "--memory", "6KiB", "--trace", "run.json")
        self.assertIn("20 steps; results pass through the host's memory between them", ran.stdout)
        self.assertIn("note: results pass through the host's memory between steps, since not all arrays fit", ran.stderr)
        events = json.loads((self.directory / "run.json").read_text())["traceEvents"]
        downloads = [event["args"]["step"] for event in events if event["ph"] == "X" and event["cat"] == "download"]
        self.assertEqual(sorted(downloads), [step for step in range(20) for _ in range(16)])

    def test_a_trace(self):
        self.run_stencil("--streams", "1,4", "--trace", "run.json")
        events = json.loads((self.directory / "run.json").read_text())["traceEvents"]
        kinds = [event["cat"] for event in events if event["ph"] == "X"]
        self.assertEqual({kind: kinds.count(kind) for kind in set(kinds)}, {"upload": 4, "launch": 4, "download": 4})
        self.hoist("report", "--trace", "run.json", "-o", "run.html")

    def test_files(self):
        self.file("axpy.hoist", AXPY)
        self.npy("x.npy", "f4", [100], range(100))
        self.npy("y.npy", "f4", [100], range(100))
        self.hoist("run", "axpy.hoist", "a=2", "x=x.npy", "y=y.npy", "--device", "host", "--streams", "1,5", "-o", "out.npy")
        self.assertEqual(read_npy(self.directory / "out.npy"), ("f4", (100,), [3 * i for i in range(100)]))

    def test_refuses_what_cannot_be(self):
        stencil = ["run", STENCIL, "H=67", "W=31", "--random", "1", "--device", "host"]
        for text in ["0", "2", "1,0", "-1,4", "a", "1,2,3", ","]:
            self.refused(*stencil, f"--streams={text}", says="is no choice of streams")
        self.refused(*stencil, "--streams", "1,1000", says="give at most 67 tasks")
        self.refused(*stencil, "--streams", "4,2", says="4 partitions have no use for 2 tasks")
        self.refused(*stencil, "--streams", "65,67", says="partitions")
        self.refused(*stencil, "--streams", "1,4", "--memory", "100", says="more than the limit of")
        self.refused(*stencil, "--streams", "1,4", "--memory", "lots", says="is no amount of memory")
        self.refused(*stencil, "--memory", "1GiB", says="--memory needs --streams")
        self.refused(*stencil, "--trace", "t.json", says="--trace needs --streams")
        self.refused(*stencil, "--streams", "1,4", "--trace", "none/t.json", says="the trace cannot be written")
        self.refused("run", SCAN, "N=1000", "--random", "1", "--device", "host", "--untuned", "--streams", "1,2000",
                     says="cannot be cut into 2000 tasks")


class Explain(Case):
    def test_shows_what_each_task_runs_on(self):
        text = self.hoist("explain", STENCIL, "H=4096", "W=4096", "--streams", "2,8", "--memory", "64MiB").stdout
        self.assertIn("The default mapping.\n1. cutTasks(tasks, partitions) of its plan\n", text)
        self.assertIn("With tasks = 8, partitions = 2; tasks may be 1 to 4096, partitions 1 to ", text)
        self.assertIn("jacobi2d5: iterations [0, 512), [512, 1024), ... [3584, 4096)", text)
        self.assertIn("u by windows: elements [0, 2101248), [2093056, 4198400), ... [14675968, 16777216)", text)
        facts = json.loads(self.hoist("explain", STENCIL, "H=64", "W=32", "--streams", "1,4", "--json").stdout)["streams"]
        self.assertEqual((facts["tasks"], facts["partitions"]), (4, 1))
        self.assertEqual(facts["phases"][0]["steps"][0]["iterations"], [[0, 16], [16, 32], [32, 48], [48, 64]])
        self.assertEqual(facts["phases"][0]["elements"]["u"][1], [15 * 32, 33 * 32])

    def test_shows_columns(self):
        transpose = ["explain", TRANSPOSE, "H=32", "W=512", "--streams"]
        text = self.hoist(*transpose, "1,4").stdout
        self.assertIn("A: of rows of 512 elements columns [0, 128), [128, 256), ... [384, 512)", text)
        text = self.hoist(*transpose, "1,16", "--memory", "40KiB", "--verify").stdout
        self.assertIn("A by windows: of rows of 512 elements columns [0, 32), [32, 64), ... [480, 512)", text)
        self.assertIn("reads of A nothing that is part of two rows of 512 elements: by the bounds of its indices", text)
        self.assertIn("verified by the loop interpreter", text)
        facts = json.loads(self.hoist(*transpose, "1,4", "--json").stdout)["streams"]["phases"][0]
        self.assertEqual(facts["rows"]["A"], {"row_length": 512, "columns": [[0, 128], [128, 256], [256, 384], [384, 512]]})
        self.assertEqual(list(facts["elements"]), ["out"])

    def test_what_all_tasks_need_is_uploaded_once(self):
        facts = json.loads(self.hoist("explain", PRODUCT, "M=64", "N=64", "K=64", "--streams", "1,8",
                                      "--json").stdout)["streams"]
        self.assertGreaterEqual(facts["shared_bytes"], 64 * 64 * 4)
        self.assertEqual(facts["redundant_bytes"], 0)

    def test_needs_a_candidate_or_streams(self):
        self.refused("explain", STENCIL, "H=64", "W=32", says="--id is missing")
        self.refused("explain", STENCIL, "H=64", "W=32", "--id", "0-0", "--verify", says="--verify needs --streams")

    def test_says_what_the_step_rests_on(self):
        text = self.hoist("explain", STENCIL, "H=64", "W=32", "--streams", "1,4", "--verify").stdout
        self.assertIn("may run without the others: the loop is parallel", text)
        self.assertIn("writes to out behind the one before: by the bounds of its indices", text)
        self.assertIn("waits for those before it that touch the same bytes: by comparing all pairs of 12", text)
        self.assertIn("2048 elements are what the program means, and to the bit those of the plan that is not cut", text)
        facts = self.facts("explain", STENCIL, "H=64", "W=32", "--streams", "2,4")["streams"]
        self.assertEqual([(each["name"], each["value"], each["most"]) for each in facts["coordinates"]][0], ("tasks", 4, 64))
        self.assertTrue(all(each["claim"] and each["shown"] for each in facts["obligations"]))

    def test_a_candidate_is_cut_behind_its_own_steps(self):
        candidates = self.facts("explore", PRODUCT, "M=64", "N=64", "K=64", "--sample", "20")["candidates"]
        for id in [each["id"] for each in candidates if "discarded" not in each][:3]:
            facts = self.facts("explain", PRODUCT, "M=64", "N=64", "K=64", "--id", id, "--streams", "1,2")
            self.assertEqual(facts["id"], id)
            self.assertEqual(facts["steps"], self.facts("explain", PRODUCT, "M=64", "N=64", "K=64", "--id", id)["steps"])
            self.assertEqual(facts["streams"]["rule"], "cutTasks")
            features = self.facts("features", PRODUCT, "M=64", "N=64", "K=64", "--id", id, "--streams")["features"]
            self.assertEqual(features["max_tasks"], facts["streams"]["coordinates"][0]["most"])
            text = self.hoist("explain", PRODUCT, "M=64", "N=64", "K=64", "--id", id, "--streams", "1,2").stdout
            self.assertIn(f"{len(facts['steps']) + 1}. cutTasks(tasks, partitions) of its plan", text)


class Features(Case):
    def test_of_a_stencil(self):
        facts = json.loads(self.hoist("features", STENCIL, "H=64", "W=32", "--streams", "--json").stdout)["features"]
        self.assertEqual(facts["loop_count"], 64)
        self.assertEqual(facts["max_tasks"], 64)
        self.assertEqual(facts["upload_bytes"], 64 * 32 * 4)
        self.assertEqual(facts["redundant_bytes"], 2 * 32 * 4)
        self.assertEqual(facts["transfers"], 2)
        self.assertGreater(facts["instructions"], 64 * 32)
        self.assertIn("max_tasks", self.hoist("features", STENCIL, "H=64", "W=32", "--streams").stdout)


class Sweep(Case):
    """hoist dev streams."""

    def jobs(self, *jobs, status=0, options=("--device", "host")):
        lines = "".join((each if isinstance(each, str) else json.dumps(each)) + "\n" for each in jobs)
        done = self.hoist("dev", "streams", *options, stdin=lines, status=status)
        return [json.loads(line) for line in done.stdout.splitlines()]

    def job(self, **changed):
        return {"program": str(STENCIL), "values": ["H=67", "W=31"], "random": 1, "pairs": [[1, 1], [1, 4], [1, 1000]]} | changed

    def test_each_pair_of_each_job_is_told(self):
        lines = self.jobs(self.job(rounds=2), self.job(values=["H=32", "W=31"], pairs=[[1, 8]], rounds=1, seconds=0.001))
        begun = [each["measuring"] for each in lines if "measuring" in each]
        told = [[each["partitions"], each["tasks"]] for each in lines if "tasks" in each]
        self.assertEqual(told, begun)
        # Of 1000 tasks nothing is said: the stencil cannot be cut so. Four tasks may be hopeless in the first round.
        self.assertEqual(told[:3], [[1, 1], [1, 4], [1, 1]])
        self.assertEqual(told[-1], [1, 8])
        self.assertEqual([each["round"] for each in lines if each.get("tasks") == 1], [1, 2])
        self.assertEqual(["kernel_seconds" in each for each in lines if each.get("tasks") == 1], [True, False])
        last = {(each["partitions"], each["tasks"]): each["is_last"] for each in lines if "tasks" in each}
        self.assertEqual(last, {(1, 1): True, (1, 4): True, (1, 8): True})
        self.assertEqual([each["features"]["loop_count"] for each in lines if "features" in each], [67, 32])
        self.assertEqual(sum("ended" in each for each in lines), 2)
        for each in lines:
            if "tasks" in each:
                self.assertIn(each["stop"], ["narrow", "spent", "hopeless"])
                self.assertGreaterEqual(len(each["seconds"]), 1)
                self.assertEqual(each["download_bytes"], 4 * 31 * (32 if each["tasks"] == 8 else 67))

    def test_what_is_wrong_ends_a_job_only(self):
        lines = self.jobs("nonsense", '{"program": 1}', self.job(program="none.hoist"), self.job(values=["H=0"]), self.job(pairs=[[0, 1]]),
                          self.job(pairs=[[1, 1]], rounds=1), self.job(rounds=0))
        for line, says in zip(lines, ["no object of JSON", "type must be string", "none.hoist cannot be read", "sizes are at least 1"]):
            self.assertTrue(line["ended"])
            self.assertIn(says, line["failed"])
        self.assertIn("partitions must be at least 1", lines[6]["failed"])
        self.assertEqual([next(iter(each)) for each in lines[4:]],
                         ["kernel", "measuring", "partitions", "ended", "kernel", "measuring", "partitions", "ended", "ended"])
        self.assertIn("below 1", lines[-1]["failed"])
        self.assertIn("there is no device host:9", self.hoist("dev", "streams", "--device", "host:9", stdin="", status=2).stderr)


if __name__ == "__main__":
    unittest.main()
