"""What pip asks for a wheel (PEP 517, PEP 427): builds the module and the command with CMake and packs them.

    pip install .                                             # builds in build/wheel, for the Python that runs pip
    pip install . --config-settings build-dir=build/release   # takes what is built there

The wheel has the package as it lies in the build tree, and below `toroid/bin` the command with the libraries that
belong beside it, and libraries of others that a Debian 12 with Python may not have. SimGrid and MPI are not among
these: the engine `simgrid` needs the package libsimgrid3.32 besides, and capturing MPI programs libopenmpi3.
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path
from shutil import which

SOURCE = Path(__file__).resolve().parent.parent

# Libraries that are where the wheel is installed: those that Python or apt bring, and those that users add.
ELSEWHERE = re.compile(r"lib(c|m|stdc\+\+|gcc_s|z|zstd|crypto|bz2|lzma|simgrid|mpi)\.so|ld-linux")

# pip puts its own Python into the first line, and the file where commands are.
LAUNCHER = """#!python
import importlib.util, os, sys
command = os.path.join(importlib.util.find_spec("toroid").submodule_search_locations[0], "bin", "toroid")
os.execv(command, [command, *sys.argv[1:]])
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel into a folder and returns the file's name."""
    files = _package(_built((config_settings or {}).get("build-dir")))
    version = _version()
    name = f"toroid-{version}-{_tag()}.whl"
    info = f"toroid-{version}.dist-info"
    files[f"toroid-{version}.data/scripts/toroid"] = LAUNCHER.encode()
    files |= {f"{info}/{file}": text.encode() for file, text in _metadata().items()}
    _write(Path(wheel_directory) / name, files, f"{info}/RECORD")
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes what pip asks before it asks for the wheel, and returns the folder's name. Nothing is built for that."""
    info = f"toroid-{_version()}.dist-info"
    folder = Path(metadata_directory) / info
    folder.mkdir()
    for file, text in _metadata().items():
        (folder / file).write_text(text)
    return info


def build_sdist(sdist_directory, config_settings=None):
    """A source archive: the files that git knows."""
    version = _version()
    name = f"toroid-{version}.tar.gz"
    subprocess.run(
        ["git", "archive", f"--prefix=toroid-{version}/", "-o", str(Path(sdist_directory) / name), "HEAD"],
        cwd=SOURCE, check=True,
    )  # fmt: skip
    return name


def _version():
    """The version, as CMakeLists.txt has it."""
    return re.search(r"project\(toroid VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]


def _tag():
    """The Pythons and the machines that a wheel is for."""
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{re.sub('[-.]', '_', sysconfig.get_platform())}"


def _metadata():
    """What a wheel says of itself: name of the file -> its text."""
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text())["project"]
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {_version()}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
        *(f"Requires-Dist: {name}" for name in project["dependencies"]),
    ]
    for extra, names in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {name}; extra == "{extra}"' for name in names)]
    wheel = f"Wheel-Version: 1.0\nGenerator: toroid_wheel\nRoot-Is-Purelib: false\nTag: {_tag()}\n"
    return {"METADATA": "\n".join([*lines, ""]), "WHEEL": wheel}


def _built(folder):
    """The build tree, brought up to date. Without a folder it is one for this Python."""
    build = SOURCE / (folder or "build/wheel")
    if folder is None:
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DTOROID_TESTS=OFF", "-DTOROID_BENCH=OFF", "-DTOROID_WERROR=OFF"]
        _cmake("-S", SOURCE, "-B", build, f"-DPython3_EXECUTABLE={sys.executable}", *options)
    elif not (build / "CMakeCache.txt").exists():
        sys.exit(f"toroid: found no build tree in {folder}, expected one that `cmake --preset release` has made")
    # The number is given because make would take any number of compilers at once, and their memory.
    _cmake("--build", build, "--parallel", os.cpu_count(), "--target", "toroid_installed")
    module = build / "python/toroid" / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}"
    if not module.exists():
        sys.exit(f"toroid: {build} has no {module.name}: its module is for another Python than {sys.executable}")
    return build


def _cmake(*arguments):
    subprocess.run(["cmake", *map(str, arguments)], cwd=SOURCE, check=True)


def _package(build):
    """What goes into the wheel: name in the wheel -> bytes."""
    package = build / "python/toroid"
    paths = [*package.glob("*.py"), *package.glob("*.pyi"), package / "py.typed"]
    paths.append(package / f"_core{sysconfig.get_config_var('EXT_SUFFIX')}")
    files = {f"toroid/{path.name}": path.read_bytes() for path in paths}
    libraries_of_its_own = (build / f"libtoroid_{name}.so" for name in ("platform", "capture"))
    programs = [build / "toroid", *(path for path in libraries_of_its_own if path.exists())]
    for path in [*programs, *(libraries := _libraries(programs))]:
        files[f"toroid/bin/{path.name}"] = path.read_bytes()
    return files | {name: path.read_bytes() for name, path in _licences(libraries).items()}


def _libraries(programs):
    """The libraries of others that programs need and that are not there where the wheel is installed."""
    found, left = {}, list(programs)
    while left:
        file = left.pop()
        needed = re.findall(r"NEEDED.*\[(.*)\]", _said("readelf", "--dynamic", file))
        places = dict(re.findall(r"(\S+) => (/\S+)", _said("ldd", file)))
        for name in needed:
            if name not in found and not ELSEWHERE.match(name):
                found[name] = Path(places[name])
                left.append(found[name])
    return found.values()


def _licences(libraries):
    """Under which terms others give these libraries, where Debian says so: name in the wheel -> file."""
    licences = {}
    for path in libraries if which("dpkg-query") else ():
        query = subprocess.run(["dpkg-query", "--search", f"*/{path.name}"], capture_output=True, text=True)
        package = query.stdout.split(":")[0]
        file = Path(f"/usr/share/doc/{package}/copyright")
        if not package or not file.exists():
            sys.exit(
                f"toroid: found no licence of {path}, which goes into the wheel; expected a library of a Debian package"
            )
        licences[f"toroid/bin/licences/{package}"] = file
    return licences


def _said(*command):
    return subprocess.run([*map(str, command)], check=True, capture_output=True, text=True).stdout


def _write(path, files, record):
    """A wheel is a zip archive with a list of the hashes of its files. The same files give the same bytes."""
    lines = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name in sorted(files):
            digest = base64.urlsafe_b64encode(hashlib.sha256(files[name]).digest()).rstrip(b"=").decode()
            lines.append(f"{name},sha256={digest},{len(files[name])}\n")
            _add(wheel, name, files[name])
        _add(wheel, record, "".join([*lines, f"{record},,\n"]).encode())


def _add(wheel, name, content):
    entry = zipfile.ZipInfo(name)  # the date is one of 1980: the time would be different in each build
    entry.compress_type = zipfile.ZIP_DEFLATED
    is_program = name == "toroid/bin/toroid" or "/scripts/" in name
    entry.external_attr = (0o100755 if is_program else 0o100644) << 16
    wheel.writestr(entry, content)
