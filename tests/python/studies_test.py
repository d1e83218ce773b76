"""Comparisons and schedules: equal to what the command says."""

import os
import pathlib
import pickle
import subprocess
import tempfile
import unittest

import numpy
import pandas
import toroid
from support import COMMAND, command, complaint

JOBS = "derose:jobs=60,load=8,seed=4"


class Comparisons(unittest.TestCase):
    def test_equal_to_the_command(self):
        options = "--trace stencil:grid=4x4 cg:class=S,ranks=16 --map consecutive random --repeat 4 --seed 7 --engine fluid"
        expected = command("compare", "mesh:4x4", "torus:4x4", *options.split(), "--workers", "2")
        for workers in (1, 3):
            with self.subTest(workers=workers):
                study = toroid.compare(
                    ["mesh:4x4", toroid.machine("torus:4x4")],
                    ["stencil:grid=4x4", toroid.trace("cg:class=S,ranks=16")],
                    repeat=4,
                    seed=7,
                    workers=workers,
                )
                for field in ("rows", "summary", "statistics"):
                    ours, theirs = study.to_dict()[field], expected[field]
                    self.assertEqual(ours, theirs)
        self.assertEqual(len(study.rows), 4 * (1 + 4))
        self.assertEqual(set(study.rows.engine), {"fluid"})
        self.assertEqual(study.verdicts.verdict.tolist(), [one["verdict"] for one in expected["statistics"]])
        self.assertEqual(len(study.pairs), 4)

    def test_the_command_draws_what_python_writes(self):
        study = toroid.compare({"line": toroid.machine("mesh:4")}, {"grid": "stencil:grid=4"}, repeat=3, verify=False)
        with tempfile.TemporaryDirectory() as folder:
            written, drawn = pathlib.Path(folder, "study.json"), pathlib.Path(folder, "study.svg")
            written.write_text(study.to_json())
            subprocess.run([COMMAND, "plot", written, "--svg", drawn], check=True)
            self.assertIn("line", drawn.read_text())

    def test_things_that_have_no_text(self):
        trace = toroid.trace([["send to=1 bytes=1000000"], ["recv from=0 bytes=1000000"]])
        study = toroid.compare(
            {"line": "mesh:8"}, {"pair": trace}, {"near": numpy.array([0, 1]), "far": [0, 7]}, verify=False
        )
        rows = study.rows
        self.assertEqual((set(rows.platform), set(rows.trace), list(rows["map"])), ({"line"}, {"pair"}, ["near", "far"]))
        self.assertAlmostEqual(rows.runtime_s[1] - rows.runtime_s[0], 6e-7, delta=1e-12)
        self.assertEqual(study.verdicts.lowest_mean.tolist(), ["near"])

    def test_opinions(self):
        fast = "mesh:4x4,bw=50GBps,lat=200ns,injection=300GBps,ejection=300GBps"
        engines = ["fluid", "packet", "packet:buffer=1KiB"]
        options = ["--trace", "stencil:grid=4x4", "--map", "consecutive", "snake", "--no-verify", "--engines", *engines]
        expected = command("compare", fast, *options)
        study = toroid.compare(fast, "stencil:grid=4x4", ["consecutive", "snake"], engine=engines, verify=False)
        self.assertTrue(expected["remarks"])
        for field in ("rows", "statistics", "opinions", "remarks", "computation"):
            self.assertEqual(study.to_dict()[field], expected[field], field)
        with tempfile.TemporaryDirectory() as folder:
            table = os.path.join(folder, "rows.csv")
            command("compare", fast, *options, "--csv", table)
            theirs = pandas.read_csv(table)
        self.assertEqual(set(study.rows.columns), set(theirs.columns))
        for column in ("map", "engine", "runtime_s"):
            self.assertEqual(study.rows[column].tolist(), theirs[column].tolist(), column)

    def test_allocators(self):
        options = "--trace stencil:grid=2x2 --map quick --alloc consecutive mc1x1 --busy random:0.5 --repeat 6 --no-verify"
        expected = command("compare", "mesh:4x4", *options.split())
        study = toroid.compare(
            "mesh:4x4",
            "stencil:grid=2x2",
            "quick",
            alloc=["consecutive", "mc1x1"],
            busy="random:0.5",
            repeat=6,
            verify=False,
        )
        for field in ("rows", "summary", "allocators", "subject", "labels"):
            self.assertEqual(study.to_dict()[field], expected[field], field)
        self.assertEqual(study.rows.alloc.tolist(), 6 * ["consecutive"] + 6 * ["mc1x1"])
        self.assertEqual(study.verdicts.verdict.tolist(), [expected["allocators"][0]["verdict"]])
        self.assertEqual(study.pairs[["alloc", "other"]].values.tolist(), [["consecutive", "mc1x1"]])

    def test_gains_over_a_baseline(self):
        options = ["--trace", "stencil:grid=4x4", "--map", "random", "consecutive", "--repeat", "8", "--no-verify"]
        expected = command("compare", "mesh:4x4", *options, "--baseline", "random")
        study = toroid.compare(
            "mesh:4x4", "stencil:grid=4x4", ["random", "consecutive"], repeat=8, verify=False, baseline="random"
        )
        for field in ("statistics", "gain_notes", "subject"):
            self.assertEqual(study.to_dict()[field], expected[field], field)
        self.assertEqual(study.gains["map"].tolist(), ["consecutive"])
        self.assertEqual(study.gains.speedup.tolist(), [expected["statistics"][0]["gains"][0]["speedup"]])
        # With one mapper machines are judged, by the names that they have here; with one machine programs.
        machines = {"plain": "mesh:4x4", "wide": "mesh:4x4,bw=2GBps"}
        study = toroid.compare(machines, "stencil:grid=4x4", "random", repeat=8, verify=False, baseline="plain")
        self.assertEqual(study.gains[["platform", "other"]].values.tolist(), [["wide", "plain"]])
        self.assertGreater(study.gains.speedup[0], 1.1)
        self.assertTrue(study.verdict.startswith("stencil:grid=4x4: wide is fastest"), study.verdict)
        study = toroid.compare("mesh:4x4", ["stencil:grid=4x4", "stencil:grid=2x2"], "random", repeat=8, verify=False)
        self.assertEqual(study.pairs.trace.tolist(), ["stencil:grid=4x4"])
        self.assertTrue(study.gains.empty)
        with self.assertRaisesRegex(toroid.InputError, "^baseline: found 'scotch', expected one of the mappers: consec"):
            toroid.compare("mesh:4x4", "stencil:grid=4x4", baseline="scotch")

    def test_wrong_ones(self):
        with self.assertRaises(toroid.InputError) as caught:
            toroid.compare("mesh:2x2", "stencil:grid=4x4", verify=False)
        self.assertEqual(str(caught.exception), complaint("compare", "mesh:2x2", "--trace", "stencil:grid=4x4", "--no-verify"))
        for keywords in ({"repeat": 0}, {"alpha": 2}, {"engine": []}, {"maps": ["consecutive", "consecutive"]}):
            with self.subTest(keywords=keywords), self.assertRaises(toroid.InputError):
                toroid.compare("mesh:4x4", "stencil:grid=4x4", **keywords)


class Schedules(unittest.TestCase):
    def test_results_can_be_pickled(self):
        jobs = "derose:jobs=20"
        for made in (
            toroid.compare("mesh:4x4", "stencil:grid=4x4", repeat=2, verify=False),
            toroid.schedule("torus:8x8x8", jobs, timeline=True),
            toroid.sweep("torus:8x8x8", jobs, "easy"),
        ):
            kept = pickle.loads(pickle.dumps(made))
            self.assertEqual((repr(kept), kept.to_json()), (repr(made), made.to_json()))
            if isinstance(made, toroid.Schedule):
                self.assertTrue(kept.jobs.equals(made.jobs) and kept.timeline.equals(made.timeline))

    def test_equal_to_the_command(self):
        for keywords, options in (
            ({}, []),
            ({"scheduler": "fcfs", "allocator": "mc1x1", "estimates": "x3", "kill": True}, "--scheduler fcfs --alloc mc1x1 --estimates x3 --kill".split()),
            ({"allocator": "submesh", "too_large": "reject", "mtbf_hours": 50.0}, "--alloc submesh --too-large reject --mtbf 50".split()),
            ({"at": ["1h:fail-router x=0 until 2h", "99d:fail-node 3"]}, ["--at", "1h:fail-router x=0 until 2h", "--at", "99d:fail-node 3"]),
            (
                {"times": "replayed", "programs": ["stencil:grid=4x4 if size=16-1024", "broadcasts:ranks=1"], "map": "snake"},
                ["--times", "replayed", "--program", "stencil:grid=4x4 if size=16-1024", "--program", "broadcasts:ranks=1", "--map", "snake"],
            ),
        ):
            with self.subTest(keywords=keywords), tempfile.TemporaryDirectory() as folder:
                table = os.path.join(folder, "jobs.csv")
                expected = command("schedule", "mesh:16x16", JOBS, *options, "--jobs-csv", table)
                ran = toroid.schedule("mesh:16x16", JOBS, **keywords)
                self.assertEqual(ran.totals, expected)
                pandas.testing.assert_frame_equal(ran.jobs, pandas.read_csv(table))

    def test_sweeps_are_those_of_the_command(self):
        jobs = "derose:jobs=60,load=8"  # others with each seed
        with tempfile.TemporaryDirectory() as folder:
            rows = os.path.join(folder, "rows.csv")
            options = "--alloc consecutive --alloc mc1x1 --repeat 3 --seed 5 --workers 2 --csv".split()
            expected = command("schedule", "mesh:16x16", jobs, *options, rows)
        found = toroid.sweep("mesh:16x16", jobs, "easy", ["consecutive", "mc1x1"], repeat=3, seed=5, workers=1)
        self.assertEqual(set(found.rows.workload), {jobs})
        for field in ("rows", "summary", "trade_offs"):
            self.assertEqual(found.to_dict()[field], expected[field])
        between = found.differences("avg_sum_pairwise_hops")
        means = found.summary.avg_sum_pairwise_hops
        self.assertAlmostEqual(between["mean"][0], means[0] - means[1])
        self.assertIn("mc1x1", found.verdict)
        with self.assertRaises(toroid.InputError):
            found.differences("hops")

    def test_names_in_sweeps(self):
        frame = pandas.DataFrame({"size": [16, 16, 8], "submitted_s": [0, 0, 5], "run_time_s": [10, 20, 1]})
        found = toroid.sweep({"small": "mesh:4x4"}, {"mine": frame, "theirs": JOBS.replace("side", "")}, "fcfs",
                             ["consecutive", "mc1x1"], too_large="reject")
        self.assertEqual(set(found.rows.workload), {"mine", "theirs"})
        self.assertIn("jobs           mine on small\n", found.verdict)
        self.assertEqual(set(toroid.schedule("mesh:4x4", frame).jobs.workload_name), {"jobs"})
        with self.assertRaises(toroid.InputError):
            toroid.sweep("mesh:4x4", frame, map="node")

    def test_numbers_out_of_range(self):
        for keywords in ({"mtbf_hours": -1.0}, {"mtbf_hours": float("nan")}, {"repair_hours": -5.0}, {"requeue": -1},
                         {"windows": 10**7}, {"ranks_per_node": -3}):
            with self.subTest(keywords=keywords), self.assertRaises(toroid.InputError) as caught:
                toroid.schedule("mesh:16x16", JOBS, **keywords)
            self.assertTrue(str(caught.exception).startswith(next(iter(keywords))), caught.exception)

    def test_jobs_of_a_frame(self):
        jobs = pandas.DataFrame({"size": [16, 16, 8], "submitted_s": [0, 0, 5], "run_time_s": [10, 20, 1]})
        ran = toroid.schedule("mesh:4x4", jobs, "fcfs", timeline=True)
        self.assertEqual(ran.totals["makespan_s"], 31)
        self.assertEqual(ran.jobs.starting_time.tolist(), [0, 10, 30])
        self.assertEqual(ran.timeline.iloc[:, 0].tolist(), [0, 5, 10, 30, 31])

    def test_whole_numbers_beside_missing_ones(self):
        jobs = pandas.DataFrame({"size": [16.0, 8.0], "submitted_s": [0, 0.5], "run_time_s": [10, 20], "wait_s": [3, None]})
        self.assertEqual(toroid.schedule("mesh:4x4", jobs, "fcfs").jobs.starting_time.tolist(), [0, 10])

    def test_messages_name_arguments(self):
        def frame(*sizes):
            return pandas.DataFrame({"size": sizes, "submitted_s": 0, "run_time_s": 1})

        two, stencil = ["consecutive", "mc1x1"], "stencil:grid=2x2"
        for call, line in (
            (lambda: toroid.schedule("mesh:4x4", None), "jobs: found None, expected a text or a frame"),
            (lambda: toroid.schedule("mesh:4x4", frame(4, 8.5)), "jobs, row 1: size: found '8.5'"),
            (lambda: toroid.schedule("mesh:4x4", pandas.DataFrame({"nodes": [1]})), "jobs: found the columns nodes, expected size"),
            (lambda: toroid.schedule("mesh:4x4", frame(4), 5), "unknown scheduler '5'"),
            (lambda: toroid.schedule("mesh:4x4", frame(4), seed=1.5), "seed: found 1.5"),
            (lambda: toroid.sweep("mesh:4x4", {"mine": frame(4, -1)}, "easy", two), "mine, row 1: size: found '-1'"),
            (lambda: toroid.sweep("mesh:4x4", frame(4), "easy", 5), "allocators: found 5, expected one, a list"),
            (lambda: toroid.sweep("mesh:4x4", 5, "easy", two), "jobs: found 5, expected one, a list"),
            (lambda: toroid.compare("mesh:4x4", stencil, [[0, 1, 2, 99]]), "map 1: rank 3 is on node 99"),
            (lambda: toroid.compare("mesh:4x4", stencil, {"far": [0, 1, 2]}), "far: found nodes for 3 ranks, expected 4"),
            (lambda: toroid.compare("mesh:4x4", stencil, [[0.5, 1.5]]), "map 1: found an array of float64"),
            (lambda: toroid.compare(5, stencil), "machines: found 5, expected one, a list"),
            (lambda: toroid.compare("mesh:4x4", [None]), "trace 1: found None, expected a text or a toroid.Trace"),
        ):
            with self.subTest(line=line), self.assertRaises(toroid.InputError) as caught:
                call()
            self.assertTrue(str(caught.exception).startswith(line), caught.exception)

    def test_wrong_ones(self):
        for keywords in ({"scheduler": "esay"}, {"estimates": "soon"}, {"times": "later"}, {"programs": ["cg"]}, {"too_large": "no"}):
            with self.subTest(keywords=keywords), self.assertRaises(toroid.InputError) as caught:
                toroid.schedule("mesh:16x16", JOBS, **keywords)
            self.assertNotIn("\n", str(caught.exception))
        with self.assertRaisesRegex(toroid.InputError, "^job 1: its .* never fit on mesh:2x2"):
            toroid.sweep("mesh:2x2", "derose:side=8,jobs=20", "easy", ["mc1x1", "consecutive"])
        with self.assertWarnsRegex(RuntimeWarning, "^1 of 2 runs failed, the first of mesh:2x2,fail-node=0, .*easy, submesh: job 1: its 3 nodes"):
            toroid.sweep("mesh:2x2,fail-node=0", pandas.DataFrame({"size": [3], "submitted_s": [0], "run_time_s": [1]}), "easy", ["submesh", "mc1x1"])
        toroid.register_mapper("py-broken", lambda problem: [0] * problem.ranks)
        with self.assertWarnsRegex(RuntimeWarning, "^1 of 2 runs failed, the first of mesh:2x2, stencil:grid=2x2, py-broken: mapper "):
            toroid.compare("mesh:2x2", "stencil:grid=2x2", ["consecutive", "py-broken"], verify=False)
        with self.assertRaises(toroid.InputError):
            toroid.schedule("mesh:4x4", pandas.DataFrame({"nodes": [1]}))
        with self.assertRaises(toroid.InputError):
            toroid.schedule("mesh:4x4", "derose:jobs=3").timeline


if __name__ == "__main__":
    unittest.main()
