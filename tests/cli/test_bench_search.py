"""hoist bench-search: search strategies on recorded spaces."""
import gzip
import json
import unittest

from support import Case


def recorded(device=1.0, parameters=("block", "unroll"), fails=lambda block, unroll: False):
    """A small space in Kernel Tuner's format: block 1 to 12, unroll 0 to 5, the optimum at (8, 3)."""
    cache = {}
    for block in range(1, 13):
        for unroll in range(6):
            time = device * (1 + abs(block - 8) + 2 * abs(unroll - 3))
            entry = {parameters[0]: block, parameters[1]: unroll, "compile_time": 100.0, "benchmark_time": 10 * time,
                     "time": "RuntimeFailedConfig" if fails(block, unroll) else time}
            cache[f"{block},{unroll}"] = entry
    return json.dumps({"device_name": "made up", "kernel_name": "k", "tune_params_keys": list(parameters), "cache": cache})


class BenchSearch(Case):
    def test_table_of_every_strategy_with_random_and_transfer_beside(self):
        self.file("a.json", recorded())
        self.file("b.json", recorded(device=2.0))
        text = self.hoist("bench-search", "a.json", "b.json", "--search", "genetic", "--seeds", 5).stdout
        self.assertIn("a: 72 configurations, 72 valid, optimum 1 ms", text)
        for name in ("random", "transfer", "genetic"):
            self.assertEqual(sum(line.startswith(name + " ") for line in text.splitlines()), 3, text)
        self.assertNotIn("annealing", text)

    def test_facts_with_curves_are_the_same_for_a_seed(self):
        self.file("a.json", recorded(fails=lambda block, unroll: block < 3))
        facts = self.facts("bench-search", "a.json", "--search", "model", "local", "--seeds", 4, "--jobs", 2)
        again = self.facts("bench-search", "a.json", "--search", "model", "local", "--seeds", 4, "--jobs", 1)
        space = facts["spaces"][0]
        self.assertEqual((space["configurations"], space["valid"]), (72, 60))
        names = [each["name"] for each in space["strategies"]]
        self.assertEqual(names, ["random", "model", "local"])  # no other device: no transfer
        for each, other in zip(space["strategies"], again["spaces"][0]["strategies"]):
            self.assertEqual(each["score"], other["score"])
            # The start counts as the median of the space, which a first draw may be worse than.
            self.assertLessEqual(each["by_seconds"][-1]["median"], each["by_seconds"][0]["median"])
            self.assertEqual(len(each["by_evaluations"]), 20)

    def test_transfer_finds_the_optimum_at_once_where_the_other_device_has_the_same(self):
        self.file("a.json", recorded())
        self.file("b.json", recorded(device=2.0))
        for space in self.facts("bench-search", "a.json", "b.json", "--search", "random", "--seeds", 3)["spaces"]:
            by_name = {each["name"]: each for each in space["strategies"]}
            self.assertEqual(by_name["transfer"]["by_evaluations"][-1]["median"], 1)
            self.assertGreater(by_name["transfer"]["score"], by_name["random"]["score"])

    def test_an_informed_search_does_not_stay_with_what_proves_wrong(self):
        """One device is like the other, or all that is fast there is slow here: then the search still beats drawing at random."""
        self.file("a.json", recorded())
        self.file("like.json", recorded(device=2.0))
        space = self.facts("bench-search", "a.json", "like.json", "--search", "informed", "--seeds", 3)["spaces"][0]
        by_name = {each["name"]: each for each in space["strategies"]}
        self.assertEqual(by_name["informed"]["by_evaluations"][-1]["median"], 1)
        cache = json.loads(recorded())
        for entry in cache["cache"].values():
            entry["time"] = 1 / entry["time"]
        self.file("against.json", json.dumps(cache))
        space = self.facts("bench-search", "a.json", "against.json", "--search", "informed", "--seeds", 3)["spaces"][0]
        by_name = {each["name"]: each for each in space["strategies"]}
        self.assertGreater(by_name["informed"]["score"], by_name["transfer"]["score"])

    def test_the_choice_of_a_strategy_is_scored_on_the_kernel_that_had_no_part_in_it(self):
        for name in ("k", "l", "m"):
            self.file(name + ".json", recorded().replace('"kernel_name": "k"', f'"kernel_name": "{name}"'))
        command = ("bench-search", "k.json", "l.json", "m.json", "--search", "model", "informed", "--seeds", 3, "--leave-out")
        facts = self.facts(*command)
        scores = {space["kernel"]: {each["name"]: each["score"] for each in space["strategies"]} for space in facts["spaces"]}
        self.assertEqual([fold["kernel"] for fold in facts["left_out"]], ["k", "l", "m"])
        for fold in facts["left_out"]:
            others = [own for kernel, own in scores.items() if kernel != fold["kernel"]]
            means = {name: sum(own[name] for own in others) / 2 for name in ("random", "model")}
            self.assertEqual(fold["chosen"], max(means, key=means.get))
            self.assertAlmostEqual(fold["mean_elsewhere"], max(means.values()))
            self.assertEqual(fold["score"], scores[fold["kernel"]][fold["chosen"]])
            self.assertIn(fold["best"], ("random", "model"), "what needs times of the same kernel is no choice for a new one")
        self.assertIn("kernel left out", self.hoist(*command).stdout)
        self.refused("bench-search", "k.json", "--leave-out", says="needs spaces of two kernels or more")

    def test_a_file_that_is_cut_is_read_with_a_note(self):
        text = recorded()
        self.file("cut.json.gz", gzip.compress(text[:len(text) * 3 // 4].encode()))
        done = self.hoist("bench-search", "cut.json.gz", "--search", "random", "--seeds", 2)
        self.assertIn("note: cut.json.gz: the file is cut off", done.stderr)

    def test_mistakes(self):
        self.file("a.json", recorded())
        self.file("text.json", "no json")
        self.file("other.json", "{}")
        self.file("failed.json", recorded(fails=lambda block, unroll: True))
        self.refused("bench-search", "none.json", says="there is no file 'none.json'")
        self.refused("bench-search", "text.json", says="'text.json' is no JSON")
        self.refused("bench-search", "other.json", says=["'other.json' is no recorded tuning space", "tune_params_keys"])
        self.refused("bench-search", "failed.json", says="has no valid configuration among its 72")
        self.refused("bench-search", "a.json", "--search", "genetics", says=["no search strategy 'genetics'", "did you mean 'genetic'"])
        self.refused("bench-search", "a.json", "--seeds", "0", says="--seeds")


if __name__ == "__main__":
    unittest.main()
