#!/usr/bin/env bash
# Makes the Debian packages, unpacks them into a folder, and runs what is in them.
#   package.sh CPACK CONFIG FOLDER
set -euo pipefail
cpack=$1 config=$2 folder=$3

rm -rf "$folder"
SOURCE_DATE_EPOCH=1000000000 "$cpack" -G DEB --config "$config" -B "$folder"
root=$folder/root
for package in "$folder"/*.deb; do
  dpkg-deb --info "$package"
  dpkg-deb --extract "$package" "$root"
done
# MPI, which is large, is needed by its own package alone.
dpkg-deb --field "$folder"/toroid_*.deb Depends | grep libsimgrid | grep -v mpi
if command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error "$folder"/*.deb
else
  echo "skipped: lintian is not installed (tests/install/packages.txt)"
fi

zcat "$root/usr/share/doc/toroid/changelog.gz" | grep "Sun, 09 Sep 2001 01:46:40 +0000"
# Without that the date is the last commit's, and in an archive, which git does not know, that of its files.
source=$(realpath "$(dirname "$0")/../..")
mkdir -p "$folder/archive/cmake"
cp "$source/cmake/debian.cmake" "$folder/archive/cmake"
touch --date=@1100000000 "$folder/archive/cmake/debian.cmake"
date_in() { cmake -P "$1/cmake/debian.cmake" | grep "$(LC_ALL=C date --utc --date=@"$2" "+%a, %d %b %Y %T +0000")"; }
date_in "$folder/archive" 1100000000
if committed=$(git -C "$source" log -1 --format=%ct 2>/dev/null); then
  date_in "$source" "$committed"
fi
test -s "$root/usr/share/man/man1/toroid.1.gz"
test -s "$root/usr/share/bash-completion/completions/toroid"
test -s "$root/usr/lib/cmake/toroid/toroid-config.cmake"
# Unpacked elsewhere than in /usr, libraries have to be told where.
export LD_LIBRARY_PATH=$root/usr/lib
# Where there is MPI, the library that captures is found where it was installed.
if [[ -n $(find "$root/usr" -name libtoroid_capture.so) ]]; then
  said=$("$root/usr/bin/toroid" capture -o "$folder/none.trace" -- true 2>&1 || true)
  grep "nothing was recorded" <<<"$said"
fi
for engine in simgrid fluid; do
  "$root/usr/bin/toroid" simulate mesh:4 stencil:grid=4 --engine "$engine"
done
# Where there is Python, its module is found below the prefix, and finds the library of SimGrid's engine.
if [[ -n $(find "$root/usr" -name '_core.*.so') ]]; then
  PYTHONPATH=$root/usr/lib/python3/dist-packages /usr/bin/python3 - <<'END'
import toroid
for engine in ("simgrid", "fluid"):
    print(engine, toroid.simulate("mesh:4", "stencil:grid=4", engine=engine).runtime)
END
fi
