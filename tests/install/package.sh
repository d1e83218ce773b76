#!/usr/bin/env bash
# Makes the Debian packages, unpacks them into a folder, and runs what is in them.
#   package.sh CPACK CONFIG FOLDER
set -euo pipefail
cpack=$1 config=$2 folder=$3

rm -rf "$folder"
"$cpack" -G DEB --config "$config" -B "$folder"
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
