#!/usr/bin/env bash
# Installs the packages that tools/package has made into bare systems of Debian 12, and runs what they have. As root.
#   bare.sh PACKAGES
set -euo pipefail
packages=$(realpath "$1")
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
systems=$(mktemp -d)
trap 'umount "$systems"/*/proc 2>/dev/null || true; rm -rf --one-file-system "$systems"' EXIT
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

step() { printf '%s  %s\n' "$(date +%T)" "$*"; }
# Runs a command in the system of that name.
run() { chroot "$systems/$1" "${@:2}"; }
# Installs Debian's packages, or those made here, in the system of that name, and leaves as little as an image has.
add() {
  local system=$1
  cp "$packages"/*.deb "$systems/$system/tmp"
  run "$system" apt-get -qq update
  run "$system" sh -c "apt-get -qq install --yes --no-install-recommends ${*:2}" >"$systems/log" 2>&1 || { cat "$systems/log"; exit 1; }
  rm -rf "$systems/$system"/{tmp/*,var/lib/apt/lists/*,var/cache/apt/*,var/log/*}
}
# What the image of Containerfile has besides the bare system.
image_files() {
  run "$1" ldd /usr/bin/toroid /usr/lib/libtoroid_platform.so | sed -nE 's|.*=> /(usr/)?(lib/.*) \(.*|usr/\2|p' | sort --unique
  echo usr/bin/toroid usr/lib/libtoroid_platform.so
}
megabytes() { du --one-file-system --summarize --apparent-size --block-size=1MB "$systems/$1" | cut -f1; }

step "a bare Debian, without documentation, as images for containers have it"
mapfile -t slim < <(printf -- '--dpkgopt=path-exclude=/usr/share/%s/*\n' doc man info locale groff lintian linda)
mmdebstrap --quiet --variant=minbase "${slim[@]}" bookworm "$systems/bare"
cp -a "$systems/bare" "$systems/wheel"
rm -rf "$systems"/bare/var/{lib/apt/lists,cache/apt}/*
bare=$(megabytes bare)
mount -t proc proc "$systems/bare/proc"
mount -t proc proc "$systems/wheel/proc"

step "the command"
add bare '/tmp/toroid_*.deb'
echo "$bare MB, with toroid $(megabytes bare) MB"
image=$(image_files bare | (cd "$systems/bare" && xargs du --dereference --total --apparent-size --block-size=1MB) | tail -1 | cut -f1)
echo "$((bare + image)) MB in an image"
((bare + image < 200))
run bare toroid simulate mesh:8x8 stencil:grid=8x8
run bare toroid compare mesh:4x4 --trace stencil:grid=4x4 --map consecutive random --repeat 3

step "the module for Python, and toroid capture"
add bare '/tmp/python3-toroid_*.deb /tmp/toroid-mpi_*.deb' openmpi-bin
python='import toroid; print([toroid.simulate("mesh:4", "stencil:grid=4", engine=e).runtime for e in ["fluid", "simgrid"]])'
run bare python3 -c "$python"
said=$(run bare toroid capture -o /tmp/trace -- true 2>&1 || true)
grep "nothing was recorded" <<<"$said"

step "the libraries, in a program"
add bare '/tmp/libtoroid-dev_*.deb' g++ cmake ninja-build
cp -r "$here/../consumer" "$systems/bare/tmp"
run bare cmake -G Ninja -S /tmp/consumer -B /tmp/build >"$systems/log"
run bare cmake --build /tmp/build --target consumer
run bare sh -c 'cd /tmp/build && ./consumer'

step "the wheel"
add wheel python3-venv python3-numpy
cp "$packages"/*.whl "$systems/wheel/tmp"
run wheel python3 -m venv --system-site-packages /tmp/env
# Processor seconds: others may use the machine, too.
TIMEFORMAT='%U %S'
spent=$({ time run wheel sh -c '/tmp/env/bin/pip install --quiet --no-index /tmp/*.whl' &>"$systems/log"; } 2>&1) ||
  { cat "$systems/log"; exit 1; }
awk '{ print "installed in", $1 + $2, "CPU s"; exit $1 + $2 >= 10 }' <<<"$spent"
run wheel /tmp/env/bin/toroid simulate mesh:8x8 stencil:grid=8x8 --engine fluid
run wheel /tmp/env/bin/python -c "${python/, \"simgrid\"/}"

step "the archive of the source, without git"
mkdir "$systems/source"
tar --extract --gzip --file "$packages"/*.tar.gz --strip-components 1 --directory "$systems/source"
cd "$systems/source"
cmake --preset command >"$systems/log"
cmake --build --preset command --target toroid toroid_platform
build/release/toroid simulate mesh:8x8 stencil:grid=8x8
step "done"
