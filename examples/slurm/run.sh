#!/bin/bash
# A program on all GPUs of two nodes: sbatch examples/slurm/run.sh
#SBATCH --job-name=hoist-run
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --gpus-per-node=4
#SBATCH --time=00:30:00
set -euo pipefail
# The ranks of a node take its GPUs in turn. All need the same file system for what they write.
launch=${LAUNCH:-mpirun}
hoist=${HOIST:-hoist}
program=${PROGRAM:-kernels/jacobi2d5.hoist}
sizes=${SIZES:-H=65536 W=65536}
# shellcheck disable=SC2086 # both are lists of words
exec $launch "$hoist" run "$program" $sizes --random 1 --steps "${STEPS:-1000}" -o "${RESULT:-u.npy}"
