"""tools/check_layers.py finds what is planted in small trees, and nothing in this one."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LAYERS = "base:\nlower: base\nruntime: base\n"


def include(*headers):
    return "".join(f'#include "{header}"\n' for header in headers)


class CheckLayers(unittest.TestCase):
    def check(self, files):
        """The exit status and what is printed of a tree with these files under src/."""
        with tempfile.TemporaryDirectory() as root:
            path = pathlib.Path(root)
            (path / "docs").mkdir()
            (path / "docs/layers.txt").write_text(LAYERS)
            for name, text in files.items():
                (path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
                (path / "src" / name).write_text(text)
            done = subprocess.run([sys.executable, "-B", ROOT / "tools/check_layers.py", root], capture_output=True, text=True)
            return done.returncode, done.stdout

    def accepted(self, files):
        status, said = self.check(files)
        self.assertEqual(status, 0, said)

    def refused(self, files, *says):
        status, said = self.check(files)
        self.assertEqual(status, 1, said)
        for each in says:
            self.assertIn(each, said)
        return said

    def test_this_tree(self):
        done = subprocess.run([sys.executable, "-B", ROOT / "tools/check_layers.py"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_what_a_layer_may_include(self):
        self.accepted({"lower/a.hpp": include("base/b.hpp"), "base/b.hpp": ""})
        self.refused({"base/b.hpp": include("lower/a.hpp"), "lower/a.hpp": ""},
                     "src/base/b.hpp:1: base may not include lower")
        self.refused({"other/b.hpp": ""}, "the layer 'other' is not in docs/layers.txt")
        self.refused({"runtime/cuda/a.hpp": include("runtime/opencl/b.hpp"), "runtime/opencl/b.hpp": ""},
                     "the backend cuda may not include its sibling opencl")

    def test_long_files(self):
        self.accepted({"base/b.cpp": "\n" * 700})
        self.refused({"base/b.cpp": "\n" * 701}, "src/base/b.cpp: 701 lines")

    def test_a_circle_of_headers(self):
        said = self.refused({"base/a.hpp": include("base/b.hpp"), "base/b.hpp": "\n" + include("base/c.hpp"),
                             "base/c.hpp": include("base/a.hpp"), "base/d.hpp": include("base/a.hpp")},
                            "a circle of includes: base/a -> base/b -> base/c -> base/a", "    src/base/a.hpp:1",
                            "    src/base/b.hpp:2", "    src/base/c.hpp:1")
        self.assertNotIn("base/d", said)

    def test_files_of_one_stem_are_one_component(self):
        self.accepted({"base/a.hpp": "", "base/a.cpp": include("base/a.hpp")})
        # Neither of the headers includes the other, so the compiler has nothing to object to.
        self.refused({"base/a.hpp": "", "base/a.cpp": include("base/a.hpp", "base/b.hpp"),
                      "base/b.hpp": "", "base/b.cpp": include("base/b.hpp", "base/a.hpp")},
                     "base/a -> base/b -> base/a")

    def test_members_of_a_class_belong_to_its_header(self):
        files = {"lower/walk.hpp": "class Walk {\n  void begin();\n};\n",
                 "lower/reading.cpp": include("lower/launch.hpp") + "void Walk::begin() {}\n",
                 "lower/launch.hpp": "", "lower/launch.cpp": include("lower/launch.hpp")}
        self.accepted(files)
        self.refused({**files, "lower/launch.cpp": include("lower/launch.hpp", "lower/walk.hpp")},
                     "lower/launch -> lower/walk -> lower/launch", "src/lower/reading.cpp:1")

    def test_a_file_of_free_functions_is_a_component_of_itself(self):
        self.accepted({"base/a.hpp": "void free();\n", "base/part.cpp": include("base/b.hpp") + "void free() {}\n",
                       "base/b.hpp": include("base/a.hpp")})

    def test_classes_of_a_file_are_no_others(self):
        self.accepted({"base/a.hpp": "class State {\n};\n", "base/b.hpp": include("base/a.hpp"),
                       "base/part.cpp": include("base/b.hpp") + "struct State {\n  void run();\n};\nvoid State::run() {}\n"})

    def test_each_circle_is_told(self):
        self.refused({"base/a.hpp": include("base/b.hpp"), "base/b.hpp": include("base/a.hpp"),
                      "lower/c.hpp": include("lower/d.hpp"), "lower/d.hpp": include("lower/c.hpp")},
                     "base/a -> base/b -> base/a", "lower/c -> lower/d -> lower/c")


if __name__ == "__main__":
    unittest.main()
