#!/usr/bin/env bash
# Renews the reference at the end of docs/language.md from the compiler's own tables; with --check only says whether
# it is current.
#   tools/update_reference.sh HOIST_BINARY [--check]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
hoist=$1
marker='<!-- What follows is printed by `hoist dev reference`; tools/update_reference.sh renews it. -->'
new=$(mktemp)
trap 'rm -f "$new"' EXIT
{
  sed "/^$(printf '%s' "$marker" | sed 's/[.[\*^$/]/\\&/g')\$/,\$d" docs/language.md
  printf '%s\n\n' "$marker"
  "$hoist" dev reference
} >"$new"
if [ "${2:-}" = --check ]; then
  diff -u docs/language.md "$new" || { echo "docs/language.md is not current: run tools/update_reference.sh $hoist"; exit 1; }
else
  cat "$new" >docs/language.md
fi
