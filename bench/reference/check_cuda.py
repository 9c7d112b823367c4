#!/usr/bin/env python3
"""Compiles every reference kernel as CUDA C with NVRTC, which needs no GPU. Exit status 77 where there is no NVRTC."""
import ctypes
import pathlib
import sys

NAMES = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"]
# Every size and parameter that a reference may have, so that one prefix serves all.
DEFINES = {"N": 8192, "M": 8192, "K": 4096, "F": 34, "J": 128, "P": 128, "Q": 64, "D": 512, "H": 512, "W": 512,
           "GROUP": 128, "GROUPS": 2112, "PLANES": 16}


def load():
    for name in NAMES:
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    print("skipped: there is no NVRTC (" + ", ".join(NAMES) + ")")
    sys.exit(77)


def compile_log(nvrtc, name, source):
    """The log if `source` does not compile for sm_90 or the compiler warns; else None."""
    program = ctypes.c_void_p()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), 0, None, None)
    options = (ctypes.c_char_p * 1)(b"-arch=sm_90")
    status = nvrtc.nvrtcCompileProgram(program, len(options), options)
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    text = log.value.decode()
    return text or f"status {status}, no log" if status or "warning" in text else None


def main():
    nvrtc = load()
    folder = pathlib.Path(__file__).resolve().parent
    prefix = "".join(f"#define {name} {value}\n" for name, value in DEFINES.items()) + (folder / "prefix.h").read_text()
    kernels = sorted(folder.glob("*.cl"))
    failed = 0
    for path in kernels:
        log = compile_log(nvrtc, path.name, prefix + path.read_text())
        if log is not None:
            failed += 1
            print(f"{path.name}:\n{log}")
    print(f"{len(kernels) - failed} of {len(kernels)} compile")
    return 1 if failed or not kernels else 0


if __name__ == "__main__":
    sys.exit(main())
