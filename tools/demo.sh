#!/usr/bin/env bash
# Hoist's main job on real input: a stencil's text becomes a kernel, runs on a device, is checked, and a faster one is
# searched.
#   tools/demo.sh HOIST_BINARY
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
hoist=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
title() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -t 1 ] || title() { printf '\n%s\n' "$*"; }

title "The devices here (hoist devices)"
"$hoist" devices

title "The program: one step of heat flow on a plate (kernels/jacobi2d5.hoist)"
cat kernels/jacobi2d5.hoist

title "The kernel that Hoist makes of it for a 2048 x 2048 plate (hoist compile)"
"$hoist" compile kernels/jacobi2d5.hoist H=2048 W=2048

title "An input: plate.npy, 2048 x 2048 temperatures, made by a Hoist program too"
"$hoist" run tools/demo/plate.hoist N=2048 n=random:1 -o "$work/plate.npy"

title "The run, checked element by element against the program's meaning (hoist run --verify)"
"$hoist" run kernels/jacobi2d5.hoist u="$work/plate.npy" --verify --repeat 20 -o "$work/next.npy"

title "The search for a faster kernel, 20 seconds of it (hoist tune)"
"$hoist" tune kernels/jacobi2d5.hoist u="$work/plate.npy" --budget 20 --store "$work/store.sqlite" --report build/demo.html

title "The page about it: build/demo.html. What next: docs/tuning.md, hoist run --help, docs/language.md, and kernels/"
