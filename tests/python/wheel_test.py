"""The wheel that pip makes of what is built here, installed into a folder of its own."""

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

SOURCE, BUILD = Path(os.environ["TOROID_SOURCE_DIR"]), Path(os.environ["TOROID_BUILD_DIR"])


@unittest.skipIf(importlib.util.find_spec("pip") is None, "skipped: this Python has no pip (package python3-pip)")
class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.site = cls.folder / "site"
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
        options = ["install", "--root-user-action=ignore", "--no-index", "--no-deps", "--config-settings", f"build-dir={BUILD}", "--target", cls.site]
        subprocess.run([*pip, *options, SOURCE], check=True, cwd=cls.folder)

    def run_there(self, *words):
        """What a program prints that sees the installed package alone."""
        environment = {**os.environ, "PYTHONPATH": str(self.site)}
        done = subprocess.run(words, env=environment, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_module_with_both_engines(self):
        script = (
            "import toroid; m = toroid.machine('mesh:4'); t = toroid.trace([['send to=1 bytes=1000000'], ['recv from=0']]); "
            "print(toroid.__file__); "
            "print([round(toroid.simulate(m, t, [0, 1], engine=e).runtime, 6) for e in ('fluid', 'simgrid')])"
        )
        file, times = self.run_there(sys.executable, "-c", script).splitlines()
        self.assertTrue(file.startswith(str(self.site)), file)
        fluid, simgrid = eval(times)
        self.assertGreater(fluid, 0)
        self.assertAlmostEqual(fluid, simgrid, places=6)

    def test_command(self):
        built = subprocess.run([BUILD / "toroid", "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(self.run_there(self.site / "bin/toroid", "--version"), built)

    def test_command_with_a_plugin_of_python(self):
        shown = self.run_there(self.site / "bin/toroid", "--plugin", SOURCE / "examples/nearest.py", "list", "allocators")
        self.assertIn("nearest", shown)


class Archive(unittest.TestCase):
    def test_the_same_files_give_the_same_bytes(self):
        sys.path.insert(0, str(SOURCE / "python"))
        import toroid_wheel

        with tempfile.TemporaryDirectory() as folder:
            wheels = []
            for name in ("one", "other"):
                os.mkdir(os.path.join(folder, name))
                file = toroid_wheel.build_wheel(os.path.join(folder, name), {"build-dir": str(BUILD)})
                wheels.append(Path(folder, name, file).read_bytes())
        self.assertEqual(*wheels)

    def test_it_takes_no_library_but_its_own_and_those_of_a_bare_debian(self):
        # SimGrid and MPI are loaded by those alone who ask for them, and are not in the wheel.
        sys.path.insert(0, str(SOURCE / "python"))
        import toroid_wheel

        with tempfile.TemporaryDirectory() as folder:
            file = toroid_wheel.build_wheel(folder, {"build-dir": str(BUILD)})
            shutil.unpack_archive(Path(folder, file), folder, "zip")
            own = {path.name: path for path in Path(folder, "toroid").rglob("*.so*")}
            for path in [Path(folder, "toroid/bin/toroid"), *own.values()]:
                said = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True).stdout
                needed = {line.split("[")[1].split("]")[0] for line in said.splitlines() if "(NEEDED)" in line}
                foreign = {name.split(".so")[0] for name in needed - own.keys()}
                bare = {"libc", "libm", "libstdc++", "libgcc_s", "ld-linux-x86-64", "libz", "libzstd", "libcrypto", "libbz2", "liblzma"}
                loads = {"libtoroid_platform.so": {"libsimgrid"}, "libtoroid_capture.so": {"libmpi"}}
                self.assertLessEqual(foreign, bare | loads.get(path.name, set()), path.name)
                # Others' libraries do not say where theirs are: the command has opened them before.
                if path.parent.name == "bin" and not path.name.startswith("libtoroid"):
                    command = subprocess.run(["readelf", "-d", Path(folder, "toroid/bin/toroid")], check=True, capture_output=True, text=True).stdout
                    for name in needed & own.keys():
                        self.assertIn(f"[{name}]", command, path.name)

    def test_what_it_says_is_known_before_it_is_built(self):
        sys.path.insert(0, str(SOURCE / "python"))
        import toroid_wheel

        with tempfile.TemporaryDirectory() as folder:
            info = toroid_wheel.prepare_metadata_for_build_wheel(folder)
            said = {path.name: path.read_text() for path in Path(folder, info).iterdir()}
            file = toroid_wheel.build_wheel(folder, {"build-dir": str(BUILD)})
            with zipfile.ZipFile(Path(folder, file)) as wheel:
                self.assertEqual(said, {name: wheel.read(f"{info}/{name}").decode() for name in ("METADATA", "WHEEL")})

    def test_no_build_tree(self):
        sys.path.insert(0, str(SOURCE / "python"))
        import toroid_wheel

        with tempfile.TemporaryDirectory() as folder, self.assertRaisesRegex(SystemExit, "expected one that `cmake"):
            toroid_wheel.build_wheel(folder, {"build-dir": folder})

    def test_a_library_without_a_licence(self):
        sys.path.insert(0, str(SOURCE / "python"))
        import toroid_wheel

        if shutil.which("dpkg-query") is None:
            self.skipTest("not a Debian system")
        with self.assertRaisesRegex(SystemExit, "^toroid: found no licence of /opt/lib/libforeign.so.1, which goes into the wheel"):
            toroid_wheel._licences([Path("/opt/lib/libforeign.so.1")])


if __name__ == "__main__":
    unittest.main()
