#!/usr/bin/env bash
# Looks at every program and library below the folders: those that they are linked with are looked for in folders with a
# whole path (or beside the file), never in the one that the user happens to be in, where anybody may have put them.
#   runpaths.sh BUILD PREFIX
set -euo pipefail

fail() {
  echo "$*" >&2
  exit 1
}

# Prints where the file looks, an entry a line; an empty one is an empty line.
entries() {
  readelf --dynamic "$1" 2>/dev/null | sed -nE 's/.*\((RPATH|RUNPATH)\).*\[(.*)\]$/\2/p' | tr ':' '\n'
}

is_elf() {
  [[ $(head -c 4 "$1" | tr -d '\0') == $'\x7fELF' ]]
}

looked_at=0
while IFS= read -r -d '' file; do
  is_elf "$file" || continue
  looked_at=$((looked_at + 1))
  while IFS= read -r entry; do
    [[ $entry == /* || $entry == "\$ORIGIN" || $entry == "\$ORIGIN/"* ]] ||
      fail "$file: looks for libraries in '$entry', expected a whole path or \$ORIGIN"
  done < <(entries "$file")
done < <(find "$@" -type f \( -perm -u+x -o -name '*.so*' \) -not -path '*/CMakeFiles/*' -print0)
[[ $looked_at -ge 6 ]] || fail "found $looked_at programs and libraries, expected those of the build and the prefix"

# The same seen from outside: in a folder with a file for each library, all of which are none.
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
for program in "$1/toroid" "$2/bin/toroid"; do
  readelf --dynamic "$program" | sed -nE 's/.*\(NEEDED\).*\[(.*)\]$/\1/p' | (cd "$here" && xargs touch)
  (cd "$here" && "$program" --version) || fail "$program takes libraries from the current folder"
done
echo "$looked_at programs and libraries"
