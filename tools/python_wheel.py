"""The build backend of `pip install .` (PEP 517): builds Hoist by CMake in build/wheel, and packs a wheel.

The wheel has the package `hoist` with the module, the library and the worker that tuning starts, and the program `hoist`; and what
ranks need, where MPI's headers are there.
Nothing is downloaded: the standard library is all that this needs beside CMake and what Hoist itself is built from.
HOIST_CMAKE_ARGUMENTS in the environment has more arguments for CMake; HOIST_BUILD names a folder where all is built already.
"""
import base64
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import tomllib
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("HOIST_BUILD", ROOT / "build" / "wheel"))
TARGETS = ("hoist", "libhoist", "hoist-worker", "_hoist")


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def version():
    """The version that CMakeLists.txt states."""
    return re.search(r"project\(hoist VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def run(*command):
    print(shlex.join(map(str, command)), flush=True)
    subprocess.run(command, check=True)


def build():
    """Builds what the wheel has."""
    if "HOIST_BUILD" in os.environ:
        return
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    run("cmake", "-S", ROOT, "-B", BUILD, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DHOIST_TESTS=OFF", "-DHOIST_BENCHMARKS=OFF",
        "-DHOIST_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}", *shlex.split(os.environ.get("HOIST_CMAKE_ARGUMENTS", "")))
    listed = subprocess.run(["cmake", "--build", BUILD, "--target", "help"], capture_output=True, text=True, check=True).stdout
    if not re.search(r"\b_hoist\b", listed):
        sys.exit("the module for Python cannot be built: install python3-dev, pybind11-dev and libdlpack-dev")
    # CMake says where MPI's headers are missing.
    ranks = ["hoist-mpi"] if re.search(r"\bhoist-mpi\b", listed) else []
    run("cmake", "--build", BUILD, "--parallel", os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count())), "--target", *TARGETS, *ranks)


def files(staged):
    """What was installed to a folder, by the names that it has in the wheel."""
    for path in sorted(staged.rglob("*")):
        if not path.is_file() or path.is_symlink():
            continue
        relative = path.relative_to(staged)
        if "dist-packages" in relative.parts:
            yield path, "/".join(relative.parts[relative.parts.index("dist-packages") + 1:])
        elif relative.name.startswith("libhoist.so"):
            # By the name that the module asks for: libhoist.so.0.1.
            yield path, "hoist/" + ".".join(relative.name.split(".")[:4])
        elif relative.name in ("hoist-worker", "libhoist-mpi.so"):
            yield path, f"hoist/{relative.name}"
        elif relative.parts == ("bin", "hoist"):
            yield path, f"hoist-{version()}.data/scripts/hoist"


def metadata():
    facts = project()
    lines = ["Metadata-Version: 2.1", "Name: hoist", f"Version: {version()}", f"Summary: {facts['description']}",
             f"License: {facts['license']['text']}", f"Requires-Python: {facts['requires-python']}",
             *(f"Requires-Dist: {each}" for each in facts["dependencies"]), "Description-Content-Type: text/markdown", "",
             (ROOT / facts["readme"]).read_text()]
    return "\n".join(lines)


def tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{platform}"


def record_line(name, content):
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Called by pip; returns the wheel's name."""
    build()
    information = f"hoist-{version()}.dist-info"
    wheel = f"hoist-{version()}-{tag()}.whl"
    with tempfile.TemporaryDirectory() as folder:
        staged = pathlib.Path(folder)
        run("cmake", "--install", BUILD, "--prefix", staged, "--strip")
        contents = [(name, path.read_bytes(), path.stat().st_mode) for path, name in files(staged)]
    texts = {"METADATA": metadata(), "WHEEL": f"Wheel-Version: 1.0\nGenerator: hoist\nRoot-Is-Purelib: false\nTag: {tag()}\n",
             "LICENSE": (ROOT / "LICENSE").read_text()}
    contents += [(f"{information}/{name}", text.encode(), 0o100644) for name, text in texts.items()]
    record = "".join(record_line(name, content) + "\n" for name, content, _ in contents) + f"{information}/RECORD,,\n"
    contents.append((f"{information}/RECORD", record.encode(), 0o100644))
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, mode in contents:
            entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return wheel
