"""Programs of several files, with the inputs that they are run on: Parboil's omp_base and Rodinia's OpenMP, in C. Their own data
sets are no part of the repositories, so inputs are made here. bench/openmp_suites.py reads these lists."""
import dataclasses
import random
import struct
from typing import Callable, Optional


@dataclasses.dataclass
class Listed:
    """A program: its sources under the suite's folder, and how it is run. `results` is the format of the file that it writes:
    "text", or what struct says of its numbers; nothing: what it prints counts."""
    name: str
    sources: list
    arguments: Optional[list] = None  # IN and OUT stand for files; None: it is built, not run
    make_input: Optional[Callable] = None
    results: Optional[str] = None
    flags: tuple = ()
    why: str = ""  # it is not run
    writes: str = "OUT"  # the file of the results, where the program names it itself


def floats(path, count, seed=1):
    rng = random.Random(seed)
    path.write_bytes(struct.pack(f"<{count}f", *(rng.random() for _ in range(count))))


def histogram_image(path):
    rng = random.Random(2)
    pixels = [int(rng.gauss(2000, 300)) % 4096 for _ in range(64 * 64)]
    path.write_bytes(struct.pack(f"<4I{len(pixels)}I", 64, 64, 64, 64, *pixels))


def matrix_market(path):
    rng = random.Random(3)
    places = sorted({(rng.randrange(200), rng.randrange(200)) for _ in range(1500)} | {(i, i) for i in range(200)})
    text = f"%%MatrixMarket matrix coordinate real general\n200 200 {len(places)}\n"
    path.write_text(text + "".join(f"{i + 1} {j + 1} {rng.random():.6f}\n" for i, j in places))


def atoms(path):
    rng = random.Random(4)
    path.write_text("".join(f"ATOM {i + 1} O HOH 1 {rng.uniform(0, 20):.3f} {rng.uniform(0, 20):.3f} {rng.uniform(0, 20):.3f} "
                            f"{rng.uniform(-1, 1):.3f}\n".replace("ATOM ", "ATOM   ", 1) for i in range(300)))


def obstacles(path):
    rows = []
    for z in range(150):
        for y in range(120):
            rows.append("".join("." if 0 < x < 119 and 0 < y < 119 and (x * y + z) % 97 else "#" for x in range(120)) + "\n")
        rows.append("\n")
    path.write_text("".join(rows))


def k_space(path):
    rng = random.Random(5)
    path.write_text("aquisition.numsamples=500\naquisition.kmax=64 64 64\naquisition.matrixSize=16 16 16\n"
                    "reconstruction.matrixSize=16 16 16\ngridding.matrixSize=32 32 32\ngridding.oversampling=1.5\nkernel.width=4\nkernel.useLUT=0\n")
    samples = [value for _ in range(500) for value in (*(rng.uniform(-1, 1) for _ in range(2)), *(rng.uniform(-50, 50) for _ in range(3)), 1.0)]
    path.with_name(path.name + ".data").write_bytes(struct.pack(f"<{len(samples)}f", *samples))


def points(path):
    rng = random.Random(6)
    for suffix in ("", ".random"):
        path.with_name(path.name + suffix).write_text("".join(f"{rng.uniform(0, 7):.6f} {rng.uniform(-5, 5):.6f}\n" for _ in range(200)))


def features(path):
    rng = random.Random(7)
    path.write_text("".join(f"{i} " + " ".join(f"{rng.random():.5f}" for _ in range(6)) + "\n" for i in range(400)))


def parboil(name, files, *more, **options):
    folder = f"benchmarks/{name}/src/omp_base"
    return Listed(name, [*(f"{folder}/{file}" for file in files), "common/src/parboil.c", "common/src/args.c", *more], **options)


PARBOIL = [
    parboil("cutcp", ["main.c", "readatom.c", "output.c", "excl.c", "cutcpu.c"], arguments=["-i", "IN", "-o", "OUT"],
            make_input=atoms, results="bytes4"),
    parboil("histo", ["main.c", "util.c"], arguments=["-i", "IN", "-o", "OUT", "2"], make_input=histogram_image, results="bytes1"),
    parboil("imghisto", ["main.c", "file.c"], why="its kernel.c is included by none of its files and needs data of its own"),
    parboil("lbm", ["main.c", "lbm.c"], arguments=["-i", "IN", "-o", "OUT", "2"], make_input=obstacles, results="f", flags=("-D_OPENMP",)),
    parboil("mri-gridding", ["CPU_kernels.c", "main.c"], arguments=["-i", "IN", "-o", "OUT", "32"], make_input=k_space, results="f"),
    parboil("spmv", ["main.c", "file.c"], "benchmarks/spmv/common_src/convert-dataset/convert_dataset.c",
            "benchmarks/spmv/common_src/convert-dataset/mmio.c", arguments=["-i", "IN,IN", "-o", "OUT"], make_input=matrix_market, results="f",
            flags=("-Ibenchmarks/spmv/common_src/convert-dataset",)),
    parboil("stencil", ["main.c", "kernels.c", "file.c"], arguments=["-i", "IN", "-o", "OUT", "32", "24", "16", "3"],
            make_input=lambda path: floats(path, 32 * 24 * 16), results="f"),
    parboil("tpacf", ["_args.c", "model_compute_cpu.c", "model_io.c", "main.c"],
            arguments=["-i", "IN,IN.random", "-o", "OUT", "-n", "1", "-p", "200"], make_input=points, results="text"),
]
# Its clocks give seeds: with the same time the same numbers are drawn.
CLOCK = ("-Wl,--wrap=time",)
RODINIA = [
    Listed("backprop", [f"openmp/backprop/{file}" for file in ("backprop.c", "facetrain.c", "imagenet.c", "backprop_kernel.c")],
           arguments=["1024"], flags=("-std=gnu89",)),
    Listed("b+tree", ["openmp/b+tree/kernel/kernel_cpu.c", "openmp/b+tree/kernel/kernel_cpu_2.c"], why="it needs data of its own"),
    Listed("heartwall", ["openmp/heartwall/main.c"], why="it needs a video of its own"),
    Listed("kmeans", [f"openmp/kmeans/kmeans_openmp/{file}" for file in ("kmeans.c", "cluster.c", "getopt.c", "kmeans_clustering.c")],
           arguments=["-i", "IN", "-n", "2", "-o"], make_input=features),
    Listed("lavaMD", [f"openmp/lavaMD/{file}" for file in ("main.c", "kernel/kernel_cpu.c", "util/num/num.c", "util/timer/timer.c")],
           arguments=["-cores", "4", "-boxes1d", "2"], results="text", flags=("-DOUTPUT", *CLOCK), writes="result.txt"),
    Listed("leukocyte", ["openmp/leukocyte/OpenMP/track_ellipse.c", "openmp/leukocyte/OpenMP/find_ellipse.c"], why="it needs a video of its own",
           flags=("-Iopenmp/leukocyte/meschach_lib",)),
    Listed("lud", ["openmp/lud/omp/lud.c", "openmp/lud/omp/lud_omp.c", "openmp/lud/common/common.c"], arguments=["-s", "64", "-v", "-n", "4"],
           flags=("-Iopenmp/lud/common",)),
    Listed("myocyte", ["openmp/myocyte/main.c"], why="it needs data of its own"),
    Listed("nn", ["openmp/nn/nn_openmp.c"], why="it needs data of its own"),
    Listed("particlefilter", ["openmp/particlefilter/ex_particle_OPENMP_seq.c"], arguments=["-x", "32", "-y", "32", "-z", "4", "-np", "400"],
           flags=CLOCK),
    Listed("srad_v1", ["openmp/srad/srad_v1/main.c"], why="it needs an image of its own"),
]
