"""docs/python.md and docs/cookbook.md do what they say: their blocks of Python are run, one behind the other, in a folder that has
their programs, and what they print is compared where they are written as a session."""
import contextlib
import doctest
import io
import os
import pathlib
import re
import tempfile
import unittest

from support import ROOT, Case


class Page(Case):
    def check(self, name, least):
        """Runs the page's blocks of Python, of which there are more than the least number."""
        page = (ROOT / "docs" / name).read_text()
        blocks = [(page[:match.start()].count("\n") + 2, match[1]) for match in re.finditer(r"```python\n(.*?)```", page, re.DOTALL)]
        self.assertGreater(len(blocks), least)
        names = {}
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            os.symlink(ROOT / "kernels", "kernels")
            for program in re.finditer(r"```hoist (\S+)\n(.*?)```", page, re.DOTALL):
                pathlib.Path(program[1]).write_text(program[2])
            for line, block in blocks:
                told = io.StringIO()
                if ">>>" not in block:
                    with contextlib.redirect_stdout(told):
                        exec(compile("\n" * (line - 1) + block, f"docs/{name}", "exec"), names)
                    continue
                test = doctest.DocTestParser().get_doctest(block, names, f"docs/{name}", f"docs/{name}", line - 1)
                runner.run(test, out=told.write, clear_globs=False)
                names.update(test.globs)
                self.assertEqual(runner.failures, 0, told.getvalue())
            os.chdir(ROOT)

    def test_python(self):
        self.check("python.md", 6)

    def test_cookbook(self):
        self.check("cookbook.md", 20)


if __name__ == "__main__":
    unittest.main()
