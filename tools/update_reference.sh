#!/usr/bin/env bash
# Renews what is printed from the compiler's own tables: the reference at the end of docs/language.md, and the grammar that
# editors highlight programs by; with --check only says whether both are current.
#   tools/update_reference.sh HOIST_BINARY [--check]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
hoist=$1 mode=${2:-}
marker='<!-- What follows is printed by `hoist dev reference`; tools/update_reference.sh renews it. -->'
new=$(mktemp)
trap 'rm -f "$new"' EXIT
status=0

# Puts what was made in place of the file, or says whether they are the same.
settle() {
  if [ "$mode" = --check ]; then
    diff -u "$1" "$new" || { echo "$1 is not current: run tools/update_reference.sh $hoist"; status=1; }
  else
    cat "$new" >"$1"
  fi
}

{
  sed "/^$(printf '%s' "$marker" | sed 's/[.[\*^$/]/\\&/g')\$/,\$d" docs/language.md
  printf '%s\n\n' "$marker"
  "$hoist" dev reference
} >"$new"
settle docs/language.md
"$hoist" dev grammar >"$new"
settle tools/editors/vscode/syntaxes/hoist.tmLanguage.json
exit $status
