"""Data that are larger than a device's memory, on the fake CUDA driver: the table has every choice, and what is held is told."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "stream_memory.py"
MEMORY = 1 << 19  # of the device


class StreamMemory(unittest.TestCase):
    def run_script(self, *options, memory=MEMORY):
        library = os.environ["FAKE_CUDA"]
        environment = {**os.environ, "HOIST_CUDA_LIBRARY": library, "HOIST_NVRTC_LIBRARY": library, "FAKE_CUDA_MEMORY": str(memory)}
        return subprocess.run([sys.executable, SCRIPT, os.environ["HOIST"], "--device", "cuda:0", "--programs", "black_scholes",
                               "--rounds", "1", *options],
                              capture_output=True, text=True, env=environment)

    def test_runs_what_does_not_fit(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "memory.md"
            ran = self.run_script("--scale", str(MEMORY / (1 << 30)), "--choices", "auto", "1,64", "2,2", "-o", path)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            rows = {cells[1]: cells for line in path.read_text().splitlines() if line.startswith("| black_scholes")
                    for cells in [[cell.strip() for cell in line.strip("|").split("|")]]}
        self.assertEqual(set(rows), {"alone", "auto", "1,64", "2,2"})
        for choice in ("auto", "1,64"):
            self.assertGreater(float(rows[choice][-1]), 0)
            self.assertLess(float(rows[choice][3]), MEMORY / (1 << 30))
        self.assertIn("more tasks", rows["2,2"][-1])  # what does not fit says so

    def test_holds_memory(self):
        ran = self.run_script("--leave", str(1 / 2048), "--choices", "1,64", memory=1 << 30)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("0.000488 GiB are free, 1.0 GiB are held by another process", ran.stdout)
        ran = self.run_script("--leave", "2", memory=1 << 30)
        self.assertIn("no more than --leave says", ran.stderr)


if __name__ == "__main__":
    unittest.main()
