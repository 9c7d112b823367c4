"""A thousand wrong calls, generated from right ones (wrong_calls.py), in processes of their own: each raises an exception of the
right kind with a place or a name, and none crashes."""
import json
import pathlib
import random
import subprocess
import sys
import unittest

import hoist
from support import AXPY, JACOBI, PAIRS, Case

SEED, CALLS, PROCESSES = 1, 1000, 2


class WrongCalls(Case):
    def test_a_thousand(self):
        share = CALLS // PROCESSES
        script = pathlib.Path(__file__).with_name("wrong_calls.py")
        children = [subprocess.Popen([sys.executable, "-B", script, str(SEED), str(first), str(share)], stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE, text=True) for first in range(0, CALLS, share)]
        rights, wrongs = 0, []
        for child in children:
            told, errors = child.communicate(timeout=600)
            lines = [json.loads(line) for line in told.splitlines()]
            what = {line["call"]: line["what"] for line in lines if "what" in line}
            self.assertEqual((child.returncode, lines[-1:]), (0, [{"ended": True}]),
                             f"seed {SEED}: the process ended after {lines[-1:]}\n{errors}")
            for line in lines:
                if line.get("verdict") == "right":
                    rights += 1
                elif "verdict" in line:
                    wrongs.append(f"call {line['call']} of seed {SEED}: {what[line['call']]}\n    {line['verdict']}")
        self.assertEqual(wrongs, [], "\n".join(["", *wrongs]))
        self.assertEqual(rights, CALLS)

    def test_texts_of_programs(self):
        chance = random.Random(2)
        letters = "()[]{}|>=,.:+-*/ \nabcNfx0123456789\"'\\?_#"
        for text in [JACOBI, AXPY, PAIRS] * 60:
            changed = list(text)
            for _ in range(chance.randrange(1, 4)):
                at = chance.randrange(len(changed))
                changed[at] = chance.choice(letters) if chance.random() < 0.6 else ""
            try:
                hoist.program("".join(changed))
            except hoist.Error as error:
                self.assertNotIsInstance(error, hoist.Bug, "".join(changed))
                self.assertTrue(error.problems[0].location, "".join(changed))


if __name__ == "__main__":
    unittest.main()
