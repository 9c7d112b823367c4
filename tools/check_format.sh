#!/usr/bin/env bash
# Whether all C++ is as .clang-format says; `./x format` makes it so. Exit status 77 without clang-format 14, other versions
# of which format otherwise.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
command -v clang-format-14 >/dev/null || exit 77
files=$(find bench examples include src tests -name '*.cpp' -o -name '*.hpp')
# shellcheck disable=SC2086  # one argument for each file; no name has a space
if ! wrong=$(clang-format-14 --dry-run -Werror $files 2>&1); then
  grep -o '^[^:]*:[0-9]*' <<<"$wrong" | sort -u -t: -k1,1
  echo "not as .clang-format says: run ./x format"
  exit 1
fi
echo "format: all C++ is as .clang-format says"
