#!/usr/bin/env python3
"""run.py MODULE: runs a module of these tests; exit status 77, which means skipped, without NumPy."""
import importlib.util
import sys
import unittest

if __name__ == "__main__":
    if importlib.util.find_spec("numpy") is None:
        print("skipped: NumPy is not installed")
        sys.exit(77)
    unittest.main(module=sys.argv[1], argv=[sys.argv[0], *sys.argv[2:]])
