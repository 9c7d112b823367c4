#!/usr/bin/env bash
# Time and memory of hoist explore by the number of candidates asked for, as a table and a picture. Needs gnuplot and GNU time.
#   bench/explore_growth.sh build/release/hoist bench/results/explore-growth
set -euo pipefail
hoist=$1 folder=$2
mkdir -p "$folder"
echo "# candidates seconds MiB" >"$folder/growth.txt"
for count in 0 500 1000 2000 4000 8000; do
  /usr/bin/time -f "%e %M" -o "$folder/.time" "$hoist" explore kernels/matmul_nn.hoist M=1024 N=1024 K=1024 --sample "$count" >/dev/null
  read -r seconds kib <"$folder/.time"
  echo "$count $seconds $((kib / 1024))" | tee -a "$folder/growth.txt" >&2
done
rm "$folder/.time"
gnuplot <<END
set terminal svg size 700,380 font 'sans,11' background 'white'
set output '$folder/growth.svg'
set xlabel 'candidates looked at'
set ylabel 's'
set y2label 'MiB'
set y2tics
set yrange [0:*]
set y2range [0:400]
set key left top
plot '$folder/growth.txt' using 1:2 with linespoints lw 2 title 'time', '' using 1:3 axes x1y2 with linespoints lw 2 title 'memory'
END
