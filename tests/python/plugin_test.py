"""The command with plug-ins that are files of Python, and Python with those that are libraries."""

import json
import os
import subprocess
import tempfile
import unittest

import toroid
from support import COMMAND, SOURCE, command

EXAMPLE = os.path.join(SOURCE, "examples", "nearest.py")
LIBRARY = os.environ["TOROID_EXAMPLE_PLUGIN"]
JOBS = ["mesh:16x16", "derose:jobs=100,load=8,seed=2"]


def run(*arguments):
    return subprocess.run([COMMAND, *arguments], capture_output=True, text=True)


class Plugins(unittest.TestCase):
    def test_a_file_of_python(self):
        scope = {}
        with open(EXAMPLE) as file:
            exec(compile(file.read(), EXAMPLE, "exec"), scope)
        ours = toroid.schedule(*JOBS, "easy", "nearest:sample=4").totals
        theirs = command("--plugin", EXAMPLE, "schedule", *JOBS, "--alloc", "nearest:sample=4")
        self.assertEqual(ours, theirs)

    def test_with_workers_and_again_by_its_manifest(self):
        with tempfile.TemporaryDirectory() as folder:
            result = os.path.join(folder, "result.json")
            table = os.path.join(folder, "rows.csv")
            jobs = ["mesh:16x16", "derose:jobs=40,load=8"]
            sweep = ["--alloc", "nearest", "--alloc", "mc1x1", "--repeat", "3", "--csv", table, "--json", result]
            done = run("schedule", *jobs, *sweep, "--workers", "2", "--plugin", EXAMPLE)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            with open(result) as file:
                first = json.load(file)
            self.assertEqual(first["manifest"]["inputs"][0]["file"], EXAMPLE)
            os.remove(table)
            again = run("schedule", "--plugin", EXAMPLE, "--config", result, "--csv", table, "--json", "-")
            self.assertEqual(json.loads(again.stdout), first)

    def test_beside_a_library(self):
        done = run("--plugin", EXAMPLE, "--plugin", LIBRARY, "list", "allocators", "--json", "-")
        entries = json.loads(done.stdout)["allocators"]["entries"]
        self.assertEqual([entry["name"] for entry in entries if "from" in entry], ["nearest", "lowest"])

    def test_wrong_files(self):
        for text, message in (
            ("import toroid\nx = y\n", "py:2: NameError: name 'y' is not defined"),
            ("def\n", "its code: SyntaxError: "),
            ("import toroid\ntoroid.register_mapper('tabu', lambda problem: [])\n", "mapper 'tabu' is toroid's own"),
            ("raise SystemExit(3)\n", "py:1: SystemExit: 3"),
            ("def mine(free, job, machine):\n    return []\n", "adds no algorithm, expected one, as by toroid.register_"),
        ):
            with self.subTest(text=text), tempfile.NamedTemporaryFile("w", suffix=".py") as file:
                file.write(text)
                file.flush()
                done = run("--plugin", file.name, "list")
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                self.assertIn(message, done.stderr)

    def test_what_it_prints_imports_and_is_called(self):
        """Its folder has modules; a name of Python's own harms nobody; what it prints is no part of the output."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (
                ("beside.py", "ANSWER = 42\n"),
                ("random.py", "import beside, random, toroid\nprint('loaded', random.random() < 1, beside.ANSWER)\n"
                              "toroid.register_mapper('mine', lambda problem: problem.slots[: problem.ranks])\n"),
                ("toroid.py", "raise RuntimeError('the wrong one')\n"),
            ):
                with open(os.path.join(folder, name), "w") as file:
                    file.write(text)
            arguments = ["map", "mesh:4", "stencil:grid=4", "--map", "mine", "--json", "-"]
            done = subprocess.run([COMMAND, "--plugin", "random.py", *arguments], cwd=folder, capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stderr), (0, "loaded True 42\n"))
            self.assertEqual(json.loads(done.stdout)["mapping"], [0, 1, 2, 3])

    def plugged(self, text, *arguments):
        """Runs the command with a mapper `mine` whose function has this body, and says what became of it."""
        with tempfile.TemporaryDirectory() as folder:
            plugin, result = os.path.join(folder, "mine.py"), os.path.join(folder, "result.json")
            with open(plugin, "w") as file:
                file.write("import os, subprocess, sys, toroid\n\n\ndef place(problem):\n    nodes = problem.slots[: problem.ranks]\n")
                file.writelines(f"    {line}\n" for line in text.splitlines())
                file.write("    return nodes\n\n\ntoroid.register_mapper('mine', place)\n")
            run_of = ["map", "mesh:4", "stencil:grid=4", "--map", "mine"]
            done = run("--plugin", plugin, *run_of, *(arguments or ("--json", result)))
            return done, os.path.exists(result), plugin

    def test_what_its_processes_print_is_no_part_of_the_output(self):
        for text in ("os.write(1, b'noise\\n')", "subprocess.run(['echo', 'noise'])", "os.system('echo noise')",
                     "print('noise')", "sys.__stdout__.write('noise\\n'); sys.__stdout__.flush()"):
            with self.subTest(text=text):
                done, _, _ = self.plugged(text, "--json", "-")
                self.assertEqual((done.returncode, done.stderr), (0, "noise\n"))
                self.assertEqual(json.loads(done.stdout)["mapping"], [0, 1, 2, 3])
                done, _, _ = self.plugged(text, "--json", "/dev/stdout")
                self.assertEqual(json.loads(done.stdout)["mapping"], [0, 1, 2, 3])

    def test_it_does_not_end_the_command(self):
        done, is_written, plugin = self.plugged("os._exit(0)")
        self.assertEqual((done.returncode, is_written), (2, False))
        self.assertEqual(done.stderr, f"toroid: mapper 'mine': {plugin}:6: SystemExit: os._exit(0) in the process of the command\n")

    def test_its_processes_end_with_its_function(self):
        """A process that comes back from the function would do the rest of the run once more."""
        whole, _, _ = self.plugged("", "--seed", "1")
        back = "child = os.fork()\nif child:\n    assert os.waitpid(child, 0)[1] == STATUS\nelse:\n    THEN"
        for then, status, said in (("pass", 256, "comes back in a process that it has forked"),
                                   ("raise ValueError('no')", 256, "comes back in a process that it has forked"),
                                   ("sys.exit()", 0, ""), ("sys.exit(3)", 768, ""), ("os._exit(0)", 0, "")):
            with self.subTest(then=then):
                done, _, _ = self.plugged(back.replace("STATUS", str(status)).replace("THEN", then), "--seed", "1")
                self.assertEqual((done.returncode, done.stdout), (0, whole.stdout))
                self.assertEqual(done.stderr.count("\n"), 1 if said else 0)
                self.assertIn(said, done.stderr)
        pool = "import multiprocessing\nwith multiprocessing.get_context('METHOD').Pool(2) as pool:\n    assert pool.map(abs, [-1, -2]) == [1, 2]"
        for method in ("fork", "spawn"):
            with self.subTest(method=method):
                done, _, _ = self.plugged(pool.replace("METHOD", method), "--seed", "1")
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, whole.stdout, ""))

    def test_exceptions_whose_text_cannot_be_made(self):
        raising = "class E(Exception):\n    def __str__(self):\n        raise KeyError\nraise E"
        done, _, plugin = self.plugged(raising)
        self.assertEqual((done.returncode, done.stderr), (2, f"toroid: mapper 'mine': {plugin}:9: E: a text that cannot be made\n"))
        done, _, plugin = self.plugged("raise ValueError('t\\udcff')")
        self.assertEqual((done.returncode, done.stderr), (2, f"toroid: mapper 'mine': {plugin}:6: ValueError: t\\udcff\n"))

    def test_two_with_one_name(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write("import toroid\ntoroid.register_allocator('nearest', lambda free, job, machine: None)\n")
            file.flush()
            done = run("--plugin", EXAMPLE, "--plugin", file.name, "list")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"allocator 'nearest' is one of {EXAMPLE} already", done.stderr)

    def test_words_that_are_not_for_it(self):
        done = run("capture", "-o", "/dev/null", "echo", "--plugin", "nothing.py")
        self.assertIn("put -- before the program: toroid capture ... -- echo --plugin nothing.py", done.stderr)
        done = subprocess.run([COMMAND.encode(), b"--plugin", EXAMPLE.encode(), b"list", b"\xff"], capture_output=True)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))

    def test_errors_in_its_functions(self):
        with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
            file.write("import toroid\ntoroid.register_allocator('mine', lambda free, job, machine: [0] * job.nodes)\n")
            file.flush()
            done = run("--plugin", file.name, "schedule", *JOBS, "--alloc", "mine")
            self.assertEqual(done.returncode, 2)
            self.assertIn("allocator 'mine': job ", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_library_in_python(self):
        toroid.load_plugin(LIBRARY)
        theirs = toroid.schedule(*JOBS, "in-order", "lowest")
        ours = toroid.schedule(*JOBS, "fcfs", "consecutive")
        self.assertEqual(theirs.totals, ours.totals)
        with self.assertRaises(toroid.InputError):
            toroid.load_plugin("/nowhere.so")


if __name__ == "__main__":
    unittest.main()
