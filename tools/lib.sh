# shellcheck shell=bash
# What tools/demo and tools/test share; they source it. It works in the checkout it lies in, whatever the current
# directory.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
jobs=${JOBS:-$(nproc)}

say() { printf '%s\n' "$*"; }
fail() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# The lists of packages for everything that is built.
# shellcheck disable=SC2034  # for those who source this
every_package=(packages.txt tests/packages.txt)

# Installs the packages that lists name and that are not there. As root, or through sudo.
install_packages() {
  local package
  local -a missing=()
  command -v dpkg-query >/dev/null ||
    fail "no dpkg-query: not a Debian system. Install what packages.txt names and build by hand, see README.md"
  while read -r package; do
    [[ "$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] ||
      missing+=("$package")
  done < <(sed -e 's/#.*//' -e 's/[[:space:]]//g' -e '/^$/d' "${@/#/$root/}")
  ((${#missing[@]} > 0)) || return 0

  local -a as_root=(env)
  if [[ $(id -u) -ne 0 ]]; then
    command -v sudo >/dev/null || fail "missing packages, and neither root nor sudo to install them: ${missing[*]}"
    as_root=(sudo env)
  fi
  say "Installing ${missing[*]}"
  quietly "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get update
  quietly "${as_root[@]}" DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends "${missing[@]}"
}

# Runs a command and shows what it says only if it fails.
quietly() {
  local log
  log=$(mktemp)
  if ! "$@" >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "failed: $*"
  fi
  rm -f "$log"
}

# Configures and builds a preset of CMakePresets.json, or only the targets named after it; the result is in
# build/PRESET.
build() {
  local preset=$1
  shift
  say "Building build/$preset"
  (cd "$root" && quietly cmake --preset "$preset" &&
    cmake --build --preset "$preset" --parallel "$jobs" ${1:+--target "$@"}) ||
    fail "the build of $preset failed"
}
