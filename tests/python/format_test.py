"""The package has one format, whole types and no fault that flake8 finds. A program that is not there is skipped."""

import os
import shutil
import subprocess
import unittest

from support import SOURCE


class Package(unittest.TestCase):
    def found_by(self, program, *arguments):
        path = shutil.which(program, path="/usr/bin") or self.skipTest(f"there is no {program}")
        # The programs are Debian's, whatever Python the tests run in.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        done = subprocess.run([path, *arguments], cwd=SOURCE, env=environment, capture_output=True, text=True)
        return (done.returncode, done.stdout + done.stderr)

    def test_mypy(self):
        code, said = self.found_by("mypy", "--cache-dir", os.devnull)
        self.assertEqual(code, 0, said)

    def test_black(self):
        code, said = self.found_by("black", "--check", "--quiet", "--diff", "python")
        self.assertEqual(code, 0, said)

    def test_flake8(self):
        self.assertEqual(self.found_by("flake8", "--isolated", "--max-line-length=120", "--ignore=E203,W503", "python"), (0, ""))


if __name__ == "__main__":
    unittest.main()
