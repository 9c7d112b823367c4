"""Hoist's measurer of streams (hoist dev streams) on a device: a process that is asked for one program at one size after the other, and
that is started anew where it ends or hangs."""
import json
import os
import select
import subprocess
import tempfile
import time

HANGS = 120  # seconds without an answer


class Ended(Exception):
    """The process gave no answer, and is no more; why."""


class Timeout(Exception):
    """The time is over that the caller gave; the process is no more."""


class StreamDevice:
    """`answers` asks for a job and gives the lines of its answer, each as it comes. What fails is asked of a new process."""

    def __init__(self, hoist, device, folder):
        self.command = [str(hoist), "dev", "streams", "--device", device]
        self.folder = folder
        self.process = None

    def start(self):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(self.command, cwd=self.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors)
        self.rest = b""

    def close(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process.stdin.close()
            self.process.stdout.close()
            self.errors.close()
            self.process = None

    def line(self, end):
        """The next line; nothing where the process has ended."""
        limit = time.monotonic() + HANGS
        while b"\n" not in self.rest:
            now = time.monotonic()
            if now >= end:
                raise Timeout
            if now >= limit:
                raise Ended(f"no answer in {HANGS} s")
            if not select.select([self.process.stdout], [], [], min(limit, end) - now)[0]:
                continue
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                return None
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def why_ended(self):
        status = self.process.wait()
        self.errors.seek(0)
        told = [each for each in self.errors.read().decode(errors="replace").splitlines() if "error: " in each or "bug: " in each]
        return told[-1] if told else f"the process ended with status {status}"

    def answers(self, job, end):
        try:
            if self.process is None:
                self.start()
            try:
                self.process.stdin.write(json.dumps(job).encode() + b"\n")
                self.process.stdin.flush()
            except BrokenPipeError:
                raise Ended(self.why_ended()) from None
            while True:
                line = self.line(end)
                if line is None:
                    raise Ended(self.why_ended())
                yield line
                if line.get("ended"):
                    if "failed" in line:
                        self.close()
                    return
        except (Ended, Timeout):
            self.close()
            raise
