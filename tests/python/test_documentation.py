"""docs/python.md does what it says: its blocks of Python are run, one behind the other, and what they print is compared where they
are written as a session."""
import contextlib
import doctest
import io
import os
import re
import tempfile
import unittest

from support import ROOT, Case


class Page(Case):
    def test_blocks(self):
        page = (ROOT / "docs/python.md").read_text()
        blocks = [(page[:match.start()].count("\n") + 2, match[1]) for match in re.finditer(r"```python\n(.*?)```", page, re.DOTALL)]
        self.assertGreater(len(blocks), 6)
        names = {}
        runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            os.symlink(ROOT / "kernels", "kernels")
            for line, block in blocks:
                told = io.StringIO()
                if ">>>" not in block:
                    with contextlib.redirect_stdout(told):
                        exec(compile("\n" * (line - 1) + block, "docs/python.md", "exec"), names)
                    continue
                test = doctest.DocTestParser().get_doctest(block, names, "docs/python.md", "docs/python.md", line - 1)
                runner.run(test, out=told.write, clear_globs=False)
                names.update(test.globs)
                self.assertEqual(runner.failures, 0, told.getvalue())
            os.chdir(ROOT)


if __name__ == "__main__":
    unittest.main()
