#!/bin/bash
# Sixteen tuners of one program, which share a store on a server: sbatch examples/slurm/tune.sh
#SBATCH --job-name=hoist-tune
#SBATCH --array=0-15
#SBATCH --ntasks=1
#SBATCH --gpus=1
#SBATCH --time=01:00:00
set -euo pipefail
# Tuners of the same task on like devices divide its candidates: none measures what another does, and what one that was killed was
# about to measure another takes after a minute. A node that is slower than its kind is told of at the end. docs/store.md says more.
hoist=${HOIST:-hoist}
program=${PROGRAM:-kernels/matmul_nn.hoist}
sizes=${SIZES:-M=4096 N=4096 K=4096}
# shellcheck disable=SC2086 # a list of words
exec "$hoist" tune "$program" $sizes --store "${STORE:-postgresql://store.example/hoist}" --budget "${BUDGET:-3000}" ${OPTIONS:-}
