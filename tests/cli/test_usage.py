"""How hoist is called: help, manual pages, version, mistakes in commands and options, completion, how fast it starts."""
import json
import os
import pty
import re
import shutil
import subprocess
import time
import unittest

from support import HOIST, ROOT, TWICE, Case

COMMANDS = ("demo", "check", "format", "eval", "run", "compile", "features", "stencils", "rules", "rewrite", "store", "devices", "new", "dev",
            "completion")


class Usage(Case):
    def test_help_of_every_command_has_examples(self):
        text = self.hoist("--help").stdout
        for command in COMMANDS:
            self.assertIn(f"  {command} ", text)
            own = self.hoist(command, "--help").stdout
            self.assertIn(f"Usage: hoist {command}", own)
            if command not in ("dev", "store"):
                self.assertIn("Example", own)
        self.assertIn("Usage: hoist run FILE [NAME=VALUE ...] [options]", self.hoist("run", "--help").stdout)
        for command in ("simplify", "print", "loop", "workload", "assembly", "learn", "reference", "grammar"):
            self.assertIn(f"hoist dev {command}", self.hoist("dev", command, "--help").stdout)

    def test_help_fits_a_terminal(self):
        for command in COMMANDS:
            for line in self.hoist(command, "--help").stdout.splitlines():
                self.assertLessEqual(len(line), 115, line)

    def test_version(self):
        self.assertRegex(self.hoist("--version").stdout, r"^hoist \d+\.\d+\.\d+\n$")

        self.assertEqual(self.hoist("-V").stdout, self.hoist("--version").stdout)

    def test_help_is_a_command_too(self):
        self.assertEqual(self.hoist("help").stdout, self.hoist("--help").stdout)
        self.assertEqual(self.hoist("help", "run").stdout, self.hoist("run", "--help").stdout)
        self.assertEqual(self.hoist("help", "store", "list").stdout, self.hoist("store", "list", "--help").stdout)
        self.refused("help", "rnu", says="hoist has no command 'rnu'; did you mean 'run'?")

    def test_errors_as_json_where_facts_are(self):
        self.file("bad.hoist", "def f(x: [N]f32): [N]f32 =\n  x |> map(e => y)\n")
        for words, status, kind, says in (
                (("check", "bad.hoist"), 1, "error", "y"), (("check", "none.hoist"), 1, "error", "none.hoist"),
                (("run", "bad.hoist", "--frob"), 1, "error", "--frob"), (("chekc",), 1, "error", "chekc"),
                (("run", self.file("p.hoist", TWICE), "N=4", "--random", "1", "--device", "opencl:99"), 2, "device error",
                 "opencl:99")):
            done = self.hoist(*words, "--json", status=status)
            error = json.loads(done.stdout)["error"]
            self.assertEqual((error["kind"], error["status"]), (kind, status), words)
            self.assertIn(says, error["messages"][0]["message"])
            self.assertIn(error["messages"][0]["message"], done.stderr)
        place = json.loads(self.hoist("check", "bad.hoist", "--json", status=1).stdout)["error"]["messages"][0]
        self.assertEqual((place["file"], place["line"], place["column"]), ("bad.hoist", 2, 17))

    def test_results_are_not_written_to_a_file_called_minus(self):
        self.file("p.hoist", TWICE)
        for command in (("run", "p.hoist", "N=4", "--random", "1", "--device", "host"), ("eval", "p.hoist", "N=4", "--random", "1")):
            self.refused(*command, "-o", "-", says=["'-' does not name a file to write", "./-"])
        self.assertEqual(self.leftovers(), ["p.hoist"])
        self.hoist("eval", "p.hoist", "N=4", "--random", "1", "-o", "./-")
        self.assertEqual(self.leftovers(), ["-", "p.hoist"])

    def test_a_name_of_three_hundred_letters(self):
        name = "long" * 75
        self.file("p.hoist", TWICE.replace("twice", name))
        for device in ("host", "opencl:0"):
            if device in self.hoist("devices", "--ids").stdout.split():
                text = self.hoist("run", "p.hoist", "N=4", "--random", "1", "--device", device, "--verify").stdout
                self.assertIn("verified", text)
        self.assertIn(name, self.hoist("check", "p.hoist").stdout)
        self.hoist("compile", "p.hoist", "N=4")
        self.refused("export", "p.hoist", "N=4", "--device", "host", "-o", "out", says=["too long", "--name"])
        self.hoist("export", "p.hoist", "N=4", "--device", "host", "-o", "out", "--name", "twice")

    def test_a_relative_directory_of_caches_is_ignored(self):
        self.file("p.hoist", TWICE)
        home = self.directory / "home"
        home.mkdir()
        self.hoist("run", "p.hoist", "N=4", "--random", "1", "--device", "host",
                   env={**os.environ, "XDG_CACHE_HOME": "caches", "HOME": str(home)})
        self.assertEqual(self.leftovers(), ["home", "p.hoist"])
        self.assertTrue((home / ".cache" / "hoist").is_dir())

    def test_no_command(self):
        self.refused(says=["a command is missing: one of demo, check", "hoist --help"])

    def test_unknown_commands(self):
        self.refused("chekc", "p.hoist", says=["hoist has no command 'chekc'; did you mean 'check'?", "its commands are demo, check"])
        self.refused("frobnicate", says="hoist has no command 'frobnicate'\n")
        self.refused("dev", "simplfy", "1", says="hoist dev has no command 'simplfy'; did you mean 'simplify'?")
        self.refused("dev", says="a command is missing: one of simplify, print, loop, workload, assembly, learn, streams, manual, reference, grammar")

    def test_unknown_options(self):
        self.file("p.hoist", TWICE)
        self.refused("run", "p.hoist", "--verfy", says=["run takes no '--verfy'; did you mean '--verify'?", "hoist run --help"])
        self.refused("--frob", says="hoist takes no '--frob'")
        self.refused("check", "p.hoist", "--entry", says="--entry")

    def test_a_file_is_needed(self):
        self.refused("check", says=["FILE", "hoist check --help"])

    def test_a_file_named_like_a_command(self):
        self.file("run", TWICE)
        self.assertIn("twice", self.hoist("check", "run").stdout)

    def test_colours_only_on_a_terminal(self):
        self.assertNotIn("\x1b", self.hoist("check", "none.hoist", status=1).stderr)
        for variables, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            master, slave = pty.openpty()
            environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
            subprocess.run([HOIST, "check", "none.hoist"], stderr=slave, env={**environment, **variables})
            os.close(slave)
            text = os.read(master, 10000).decode()
            os.close(master)
            self.assertEqual("\x1b[1;31merror:\x1b[0m none.hoist cannot be read" in text, coloured, text)

    def test_starts_fast(self):
        self.file("p.hoist", TWICE)
        times = []
        for _ in range(15):
            start = time.perf_counter()
            self.hoist("check", "p.hoist")
            times.append(time.perf_counter() - start)
        # 20 ms is the aim on an idle machine, with room for a sanitizer or a busy one.
        self.assertLess(min(times), 0.2)


class Manual(Case):
    def setUp(self):
        super().setUp()
        self.hoist("dev", "manual", "pages")
        self.pages = self.directory / "pages"

    def test_pages_say_what_help_says(self):
        names = [line.split()[0] for line in self.hoist("--help").stdout.partition("Subcommands:\n")[2].splitlines()
                 if re.match(r"  [a-z]", line)]
        self.assertEqual(sorted(path.name for path in self.pages.iterdir()),
                         sorted(["hoist.1", *(f"hoist-{name}.1" for name in names)]))
        for name in names:
            page = (self.pages / f"hoist-{name}.1").read_text().replace("\\-", "-")
            text = self.hoist(name, "--help").stdout
            self.assertIn(text.splitlines()[0].removeprefix("Usage: "), page)
            for option in re.findall(r"(?<![\w-])--[a-z-]+", text):
                self.assertIn(option, page, name)
            self.assertIn(".SH EXAMPLES\n.EX\n" if "Example" in text else ".SH COMMANDS\n", page)
        for part in ("hoist store list", "--dry-run"):
            self.assertIn(part.replace("-", "\\-"), (self.pages / "hoist-store.1").read_text())

    def test_pages_are_sound(self):
        for page in sorted(self.pages.iterdir()):
            for check in (["mandoc", "-T", "lint", "-W", "warning"],
                          ["man", "--warnings", "-E", "UTF-8", "-Tutf8", "-Z", "-l"]):
                if shutil.which(check[0]):
                    done = subprocess.run([*check, page], capture_output=True, text=True, env={**os.environ, "MANWIDTH": "80"})
                    # A page has a version and no date, so that each build writes the same.
                    told = [line for line in (done.stderr + done.stdout * (check[0] == "mandoc")).splitlines()
                            if "missing date" not in line]
                    self.assertEqual(told, [], page.name)


class Demo(Case):
    def test_runs(self):
        shown = self.hoist("demo", "there", "--budget", "1s").stdout
        for each in ("$ hoist devices", "verified", "faster", "hoist help run"):
            self.assertIn(each, shown)
        self.assertGreater(len((self.directory / "there" / "report.html").read_text()), 100000)
        shipped = (ROOT / "kernels" / "jacobi2d5.hoist").read_text()
        self.assertIn(shipped[shipped.index("def "):], (self.directory / "there" / "jacobi2d5.hoist").read_text())

    def test_keeps_what_is_not_its_own(self):
        self.file("jacobi2d5.hoist", TWICE)
        self.refused("demo", ".", says=["jacobi2d5.hoist is there, and is not the demo's", "name another directory"])
        self.assertEqual(self.leftovers(), ["jacobi2d5.hoist"])


class Completion(Case):
    def complete(self, *words):
        """What bash offers for the last word."""
        script = self.hoist("completion", "bash").stdout
        line = " ".join(f"'{word}'" for word in ("hoist", *words))
        done = subprocess.run(["bash", "-c", f"{script}\nPATH={os.path.dirname(HOIST)}:$PATH\nCOMP_WORDS=({line})\n"
                                             f"COMP_CWORD={len(words)}\n_hoist\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""],
                              cwd=self.directory, capture_output=True, text=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_bash(self):
        self.file("p.hoist", TWICE)
        self.file("x.npy", "")
        self.assertEqual(self.complete("ch"), ["check"])
        self.assertEqual(set(COMMANDS) - set(self.complete("")), set())
        self.assertEqual(self.complete("run", "--ver"), ["--verify"])
        self.assertEqual(self.complete("check", "p"), ["p.hoist"])
        self.assertEqual(self.complete("check", "x"), [])
        self.assertEqual(self.complete("run", "p.hoist", "x", "=", "x"), ["x.npy"])
        self.assertIn("host", self.complete("run", "p.hoist", "--device", ""))
        self.assertEqual(self.complete("compile", "--stage", "l"), ["low", "loop"])
        self.assertEqual(self.complete("compile", "--without", "barrier"), ["barrier-elimination"])
        self.assertEqual(self.complete("dev", "sim"), ["simplify"])
        self.assertEqual(self.complete("dev", "simplify", "--si"), ["--size"])
        self.assertEqual(self.complete("store", "ex"), ["export"])
        self.assertEqual(self.complete("store", "prune", "--dry"), ["--dry-run"])
        self.assertEqual(self.complete("store", "import", "x"), ["x.npy"])
        self.assertEqual(self.complete("rewrite", "--rule", "map_fus"), ["map_fusion"])
        self.assertEqual(self.complete("rewrite", "--strategy", "norm"), ["normalize"])
        self.assertEqual(self.complete("tune", "--search", "gen"), ["genetic"])
        self.assertEqual(self.complete("tune", "--search", "pre"), ["predict"])
        self.assertEqual(self.complete("stencils", "--only", "thumbtack_y_r5"), ["thumbtack_y_r5"])
        self.assertEqual(self.complete("completion", "z"), ["zsh"])

    def test_other_shells(self):
        for shell, check in (("zsh", ["zsh", "-n"]), ("fish", ["fish", "--no-execute"])):
            script = self.hoist("completion", shell).stdout
            for command in COMMANDS:
                self.assertIn(command, script)
            self.assertIn("barrier-elimination", script)
            if shutil.which(shell):
                self.file("script", script)
                subprocess.run([*check, "script"], cwd=self.directory, check=True)
        self.refused("completion", "tcsh", says="tcsh")


if __name__ == "__main__":
    unittest.main()
