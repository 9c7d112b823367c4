"""hoist new: what it writes runs, and nothing is ever replaced."""
import os
import pathlib
import shlex
import subprocess
import sys
import unittest

from support import HOIST, Case

try:
    import numpy  # noqa: F401
    HAS_NUMPY = True
except ImportError:
    HAS_NUMPY = False
PACKAGE = pathlib.Path(HOIST).resolve().parent / "python"


class New(Case):
    def begun(self, kind):
        """The commands that are printed for a new program of the kind's name."""
        facts = self.facts("new", kind, "--kind", kind)
        self.assertEqual(sorted(facts["written"]), sorted(f"{kind}/{path.name}" for path in (self.directory / kind).iterdir()))
        return [shlex.split(command) for command in facts["next"]]

    def test_what_is_written_runs(self):
        for kind in ("stencil", "product", "reduction"):
            with self.subTest(kind=kind):
                run, tune, script = self.begun(kind)
                self.assertEqual([run[:2], tune[:2], script], [["hoist", "run"], ["hoist", "tune"], ["python3", f"{kind}/run.py"]])
                inputs = [word for word in run[3:] if "=" in word]
                self.hoist("format", "--check", f"{kind}/{kind}.hoist")
                self.assertIn("result", self.hoist("eval", run[2], *inputs).stdout)
                self.assertIn("verified", self.hoist(*run[1:], "--device", "host").stdout)
                self.hoist("tune", *tune[2:-2], "--device", "host", "--evaluations", "2", "--budget", "20s", "--store", "store")
                if HAS_NUMPY and list(PACKAGE.glob("hoist/_hoist*")):
                    environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
                    done = subprocess.run([sys.executable, *script[1:]], cwd=self.directory, env=environment, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertTrue(done.stdout)

    def test_the_shell_script_runs(self):
        environment = {**os.environ, "PATH": f"{os.path.dirname(HOIST)}:{os.environ['PATH']}", "XDG_DATA_HOME": str(self.directory / "data")}
        for kind, results in (("stencil", ["result.npy"]), ("reduction", ["result0.npy", "result1.npy"])):
            with self.subTest(kind=kind):
                self.begun(kind)
                done = subprocess.run(["sh", f"{kind}/run.sh", "1s"], cwd=self.directory, env=environment, capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.count("verified"), 2)
                self.assertEqual(sorted(path.name for path in (self.directory / kind).glob("result*")), results)

    def test_tells_what_comes_next(self):
        text = self.hoist("new", "plate").stdout
        self.assertIn("wrote plate/plate.hoist, plate/u.npy, plate/run.sh, plate/run.py\nnext:\n", text)
        self.assertIn("\n  hoist run plate/plate.hoist u=plate/u.npy rate=0.2 --verify\n", text)

    def test_refuses(self):
        self.file("there", "text")
        (self.directory / "folder").mkdir()
        os.symlink("nowhere", self.directory / "link")
        for name in ("there", "folder", "link"):
            self.refused("new", name, says=[f"{name} exists", "nothing is ever replaced"])
        for name in ("", "a/b", "../up", "two words", "9lives", "dash-ed", "größe", "."):
            self.refused("new", name, says="cannot be the name of a program")
        for name in ("map", "sqrt", "f32", "let", "inf", "dotProduct"):
            self.refused("new", name, "--kind", "product", says=[f"'{name}' cannot be the name of this program", "choose another name"])
        self.refused("new", "mine", "--kind", "novel", says=["--kind"])
        self.refused("new", says=["NAME", "hoist new --help"])
        self.assertEqual(self.leftovers(), ["folder", "link", "there"])
        self.assertEqual((self.directory / "there").read_text(), "text")

    def test_a_folder_that_cannot_be_made(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        os.chmod(self.directory, 0o500)
        self.addCleanup(os.chmod, self.directory, 0o700)
        self.refused("new", "mine", status=2, says="the directory mine cannot be made")


if __name__ == "__main__":
    unittest.main()
