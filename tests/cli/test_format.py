"""hoist format: what it prints and writes, and what it refuses."""
import os
import unittest

from support import ROOT, Case

MESSY = "// Twice.\ndef twice( x:[N]f32 ):[N]f32=x|>map( e=>2.0*e ) // behind\n"
TIDY = "// Twice.\ndef twice(x: [N]f32): [N]f32 = x |> map(e => 2.0 * e)  // behind\n"


class Format(Case):
    def test_prints_the_text(self):
        self.file("p.hoist", MESSY)
        self.assertEqual(self.hoist("format", "p.hoist").stdout, TIDY)
        self.assertEqual(self.hoist("format", "-", stdin=MESSY).stdout, TIDY)
        self.assertEqual((self.directory / "p.hoist").read_text(), MESSY)

    def test_writes_files(self):
        self.file("p.hoist", MESSY)
        self.file("q.hoist", TIDY)
        os.utime(self.directory / "q.hoist", (1, 1))
        done = self.hoist("format", "-i", "p.hoist", "q.hoist", "p.hoist")
        self.assertEqual((done.stdout, done.stderr), ("", "wrote p.hoist\n"))
        self.assertEqual((self.directory / "p.hoist").read_text(), TIDY)
        self.assertEqual((self.directory / "q.hoist").stat().st_mtime, 1)
        self.assertEqual(self.leftovers(), ["p.hoist", "q.hoist"])

    def test_checks_files(self):
        self.file("p.hoist", MESSY)
        self.file("q.hoist", TIDY)
        self.hoist("format", "--check", "q.hoist")
        done = self.hoist("format", "--check", "q.hoist", "p.hoist", status=1)
        self.assertEqual((done.stdout, done.stderr),
                         ("p.hoist\n", "error: p.hoist is not formatted\n  help: hoist format --in-place formats files\n"))
        self.file("r.hoist", MESSY)
        done = self.hoist("format", "--check", "r.hoist", "p.hoist", status=1)
        self.assertEqual(done.stdout, "r.hoist\np.hoist\n")
        self.assertIn("2 files are not formatted", done.stderr)
        self.assertIn("- is not formatted", self.hoist("format", "--check", "-", stdin=MESSY, status=1).stderr)
        self.assertEqual((self.directory / "p.hoist").read_text(), MESSY)

    def test_what_does_not_parse_changes_nothing(self):
        self.file("p.hoist", MESSY)
        self.file("bad.hoist", "def f(x) =\n  x |> |>\n")
        for words in (("bad.hoist",), ("-i", "p.hoist", "bad.hoist"), ("--check", "bad.hoist")):
            self.refused("format", *words, says=["bad.hoist:2:8: error: expected an expression, found '|>'", " 2 |   x |> |>"])
        self.assertEqual((self.directory / "p.hoist").read_text(), MESSY)
        # Types are not looked at.
        self.assertEqual(self.hoist("format", "-", stdin="def f(x:f32)=x+true").stdout, "def f(x: f32) = x + true\n")

    def test_refuses(self):
        self.file("p.hoist", MESSY)
        self.refused("format", says=["FILE", "hoist format --help"])
        self.refused("format", "none.hoist", says="none.hoist cannot be read")
        self.refused("format", ".", says=". is a directory, not a program")
        self.refused("format", "p.hoist", "p.hoist", says=["several files", "--in-place", "--check"])
        self.refused("format", "-i", "-", says="standard input cannot be written")
        self.refused("format", "-i", "--check", "p.hoist", says="--check")

    def test_programs_that_ship_are_formatted(self):
        files = sorted(str(path) for folder in ("kernels", "examples", "tests/programs") for path in (ROOT / folder).rglob("*.hoist"))
        self.assertGreater(len(files), 100)
        self.hoist("format", "--check", *files)


if __name__ == "__main__":
    unittest.main()
