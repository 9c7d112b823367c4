"""The grammar for editors gives every word of a program the class that it has in the language."""
import json
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXTENSION = ROOT / "tools/editors/vscode"
GRAMMAR = json.loads((EXTENSION / "syntaxes/hoist.tmLanguage.json").read_text())


def classes(line):
    """(text, class) of what the grammar matches in a line, as an editor does: from the left, the first rule that matches there."""
    rules = [GRAMMAR["repository"][each["include"].removeprefix("#")] for each in GRAMMAR["patterns"]]
    expressions = [(re.compile(rule["match"]), rule) for rule in rules]
    result, place = [], 0
    while place < len(line):
        found = [(match.start(), number, match, rule) for number, (expression, rule) in enumerate(expressions)
                 if (match := expression.search(line, place)) and match.end() > match.start()]
        if not found:
            break
        _, _, match, rule = min(found, key=lambda each: each[:2])
        if "name" in rule:
            result.append((match[0], rule["name"]))
        for number, capture in rule.get("captures", {}).items():
            result.append((match[int(number)], capture["name"]))
        place = match.end()
    return result


class Editors(unittest.TestCase):
    def test_words_have_their_classes(self):
        found = classes("def f(x: [N]f32x4, n: size, g: _) = let m = x |> map(e => 2.5e-3f64 * e.0) in sqrt(inf) << pad2(?t, clamp, true) // = 1")
        for text, name in (("def", "keyword.control"), ("f", "entity.name.function"), ("f32x4", "storage.type"), ("size", "support.constant"),
                           ("_", "storage.type"), ("let", "keyword.control"), ("|>", "keyword.operator"), ("map", "support.function.high-level"),
                           ("=>", "keyword.operator"), ("2.5e-3f64", "constant.numeric"), ("in", "keyword.control"), ("sqrt", "support.function.scalar"),
                           ("inf", "constant.language"), ("<<", "keyword.operator"), ("pad2", "support.function.prelude"), ("?t", "variable.parameter"),
                           ("clamp", "support.constant"), ("true", "constant.language"), ("// = 1", "comment.line.double-slash")):
            self.assertIn((text, name + ".hoist"), found)
        self.assertIn(("split", "support.function.layout.hoist"), classes("x |> split(4)"))
        self.assertIn(("mapWrg", "support.function.low-level.hoist"), classes("x |> mapWrg(id)"))
        # Longer names are names.
        self.assertEqual(classes("mapping f32s in_ deflate x1 letters"), [])

    def test_programs_are_matched_whole(self):
        for path in sorted((ROOT / "kernels").rglob("*.hoist")):
            for line in path.read_text().splitlines():
                rest = line
                for text, _ in classes(line):
                    rest = rest.replace(text, " ", 1)
                self.assertRegex(rest, r"^[\w\s()\[\],:.]*$", f"{path}: {line}")

    def test_files_of_the_extension_are_there(self):
        package = json.loads((EXTENSION / "package.json").read_text())
        version = re.search(r"project\(hoist VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertEqual(package["version"], version)
        [language], [grammar] = package["contributes"]["languages"], package["contributes"]["grammars"]
        self.assertEqual(grammar["scopeName"], GRAMMAR["scopeName"])
        for path in (language["configuration"], grammar["path"]):
            json.loads((EXTENSION / path).read_text())


if __name__ == "__main__":
    unittest.main()
