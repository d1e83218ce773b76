"""Interrupts end runs, threads run side by side, and the module takes in no more than it needs."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

import numpy
import toroid


def script(text):
    """What a program of Python prints."""
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(text)], capture_output=True, text=True, timeout=100)
    return done.stdout + done.stderr


def interrupted_run(call, setup=""):
    """What a program says that is interrupted after a while, in the middle of a run that takes very long."""
    return script(
        f"""
        import os, signal, threading, time, toroid
        {setup}
        threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        begin = time.monotonic()
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted", "in time" if time.monotonic() - begin < 20 else "late")
        print(toroid.simulate("mesh:2", [0, 1] and toroid.trace([["send to=1 bytes=1000"], ["recv from=0"]]), [0, 1], engine="fluid").runtime)
        """
    )


LONG = '"torus:16x16x16", "lu:class=D,ranks=4096"'


class Interrupts(unittest.TestCase):
    def test_runs(self):
        for call in (
            f'toroid.simulate({LONG}, engine="fluid")',
            f"toroid.simulate({LONG})",
            'toroid.map("torus:8x8x8", "stencil:grid=8x8x8", "anneal:sweeps=1000000")',
            f'toroid.compare("torus:16x16x16", "lu:class=D,ranks=4096", verify=False, workers=2)',
            'toroid.schedule("mesh:32x32", "derose:jobs=1000000", "conservative", "gen-alg")',
        ):
            with self.subTest(call=call):
                self.assertEqual(interrupted_run(call), "interrupted in time\n1.1e-06\n")

    def test_a_handler_of_the_user_is_asked(self):
        said = interrupted_run(
            f'toroid.simulate({LONG}, engine="fluid")',
            "def handle(number, frame): raise RuntimeError('by hand')\n        signal.signal(signal.SIGINT, handle)",
        )
        self.assertIn("RuntimeError: by hand", said)

    def test_a_handler_that_throws_nothing(self):
        said = interrupted_run(
            'toroid.map("torus:8x8x8", "stencil:grid=8x8x8", "anneal:sweeps=1000000")',
            "signal.signal(signal.SIGINT, lambda number, frame: None)",
        )
        self.assertEqual(said, "interrupted in time\n1.1e-06\n")

    def test_other_threads_are_left_alone(self):
        said = script(
            """
            import os, signal, threading, toroid
            search = lambda: toroid.map("torus:4x4x4", "stencil:grid=4x4x4", "anneal:base=random,sweeps=20000").tolist()
            alone, beside = search(), []
            thread = threading.Thread(target=lambda: beside.append(search()))
            thread.start()
            threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
            try:
                toroid.simulate("torus:16x16x16", "lu:class=D,ranks=4096", engine="fluid")
            except KeyboardInterrupt:
                print("interrupted")
            thread.join()
            print(beside == [alone])
            """
        )
        self.assertEqual(said, "interrupted\nTrue\n")

    def test_a_function_of_python_is_interrupted(self):
        said = interrupted_run(
            'toroid.map("mesh:2", "stencil:grid=2", "sleepy")',
            "toroid.register_mapper('sleepy', lambda problem: [time.sleep(0.1) for i in range(1000)])",
        )
        self.assertEqual(said, "interrupted in time\n1.1e-06\n")


class Threads(unittest.TestCase):
    def test_that_make_their_first_arrays_at_once(self):
        said = script(
            """
            import threading, toroid
            call = ("mesh:4x4", "stencil:grid=4x4", "snake")
            threads = [threading.Thread(target=toroid.map, args=call, daemon=True) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(30)
            print(sum(thread.is_alive() for thread in threads), "wait for ever", flush=True)
            """
        )
        self.assertEqual(said, "0 wait for ever\n")

    def test_side_by_side(self):
        """Runs give the lock away: while one goes on, this thread counts."""
        expected = toroid.simulate("torus:8x8x8", "cg:class=A,ranks=64", engine="fluid").runtime
        times = []
        threads = [
            threading.Thread(
                target=lambda engine=engine: times.append(
                    toroid.simulate("torus:8x8x8", "cg:class=A,ranks=64", engine=engine).runtime
                )
            )
            for engine in ("fluid", "simgrid", "fluid", "simgrid")
        ]
        for thread in threads:
            thread.start()
        counted = 0
        while any(thread.is_alive() for thread in threads):
            counted += 1
            time.sleep(0.001)
        self.assertEqual(len(times), 4)
        self.assertGreater(counted, 10)
        numpy.testing.assert_allclose(times, expected, rtol=1e-9)

    def test_a_function_of_python_that_uses_threads(self):
        def place(problem):
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(2) as pool:
                machines = list(pool.map(toroid.machine, ["mesh:2", "mesh:3"]))
            return problem.slots[: problem.ranks] if [one.nodes for one in machines] == [2, 3] else None

        toroid.register_mapper("py-threads", place)
        self.assertEqual(toroid.map("mesh:4", "stencil:grid=4", "py-threads").tolist(), [0, 1, 2, 3])

    def test_workers_with_functions_of_python_beside_threads(self):
        toroid.register_mapper("py-last", lambda problem: problem.slots[-problem.ranks :], uses_traffic=False)
        end = threading.Event()
        busy = threading.Thread(target=lambda: [None for _ in iter(end.is_set, True)])
        busy.start()
        try:
            for _ in range(5):
                study = toroid.compare("mesh:8", "stencil:grid=4", ["py-last", "random"], repeat=4, workers=2, verify=False)
                self.assertEqual(set(study.rows.error), {""})
        finally:
            end.set()
            busy.join()


class Import(unittest.TestCase):
    def test_takes_in_what_is_asked_for(self):
        said = script("import sys, toroid; print([name for name in ('numpy', 'pandas', 'scipy', 'tempfile') if name in sys.modules])")
        self.assertEqual(said, "[]\n")
        libraries = script("import toroid; print('libsimgrid' in open('/proc/self/maps').read())")
        self.assertEqual(libraries, "False\n")

    def test_simgrid_stays_out_of_this_process(self):
        said = script(
            """
            import toroid
            toroid.simulate("mesh:4x4", "stencil:grid=4x4", engine="fluid")
            print('libsimgrid' in open('/proc/self/maps').read())
            """
        )
        self.assertEqual(said, "False\n")


if __name__ == "__main__":
    unittest.main()
