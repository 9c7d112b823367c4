"""The pages for users of other languages: every line of their tables gives what it says, every program is accepted."""
import json
import re
import unittest

from support import ROOT, Case

PAGES = ["from-numpy.md", "from-futhark.md"]
PARAMETERS = "x: [N]f32, y: [N]f32, k: [N]i32, A: [H][W]f32, B: [W][M]f32"
INPUTS = {"x": ("f4", [3, 1, 4, 1, 5]), "y": ("f4", [2, 7, 1, 8, 2]), "k": ("i4", [0, 2, 2, 1, 0]),
          "A": ("f4", [[1, 2, 3], [4, 5, 6]]), "B": ("f4", [[1, 0], [2, 1], [0, 3]])}


def shape_of(value):
    return [len(value), *shape_of(value[0])] if isinstance(value, list) else []


def flat(value):
    return [leaf for each in value for leaf in flat(each)] if isinstance(value, list) else [value]


def rows(page):
    """What is written here and what it gives, of every line of the page's tables."""
    for line in page.splitlines():
        cells = re.split(r"(?<!\\)\|", line)
        if len(cells) == 5 and cells[2].strip().startswith("`"):
            yield [cell.strip().strip("`").replace("\\|", "|") for cell in cells[2:4]]


class Pages(Case):
    def test_every_line_gives_what_it_says(self):
        given = []
        for name, (code, value) in INPUTS.items():
            self.npy(f"{name}.npy", code, shape_of(value), flat(value))
            given.append(f"{name}={name}.npy")
        for page in PAGES:
            found = list(rows((ROOT / "docs" / page).read_text()))
            self.assertGreater(len(found), 30)
            for text, gives in found:
                with self.subTest(page=page, text=text):
                    self.file("row.hoist", f"def row({PARAMETERS}) = {text}\n")
                    [result] = self.facts("eval", "row.hoist", *given)["result"]
                    expected = json.loads(gives)
                    self.assertEqual(result["shape"], shape_of(expected))
                    self.assertEqual(len(result["first_elements"]), len(flat(expected)))
                    for got, wanted in zip(result["first_elements"], flat(expected)):
                        self.assertAlmostEqual(got, wanted, places=6)

    def test_every_program_is_accepted(self):
        for page in PAGES:
            programs = re.findall(r"```\n(def .*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
            self.assertTrue(programs)
            for program in programs:
                self.file("program.hoist", program)
                self.hoist("check", "program.hoist")


if __name__ == "__main__":
    unittest.main()
