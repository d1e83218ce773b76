"""Algorithms that are functions of Python: names like all others, whose wrong answers are told."""

import tempfile
import threading
import unittest

import numpy
import toroid

JOBS = "derose:jobs=120,load=10,seed=2"


def lowest(free, job, machine, *, skip: int = 0):
    """the free nodes with the lowest numbers"""
    return numpy.flatnonzero(free)[skip : skip + job.nodes]


def in_order(state):
    """the first of the queue, as long as it fits"""
    free, starts = state.free, []
    for job in state.queue:
        if job.nodes > free:
            break
        free -= job.nodes
        starts.append(job.id)
    return starts


toroid.register_allocator("py-lowest", lowest)
toroid.register_scheduler("py-fcfs", in_order)
toroid.register_mapper("py-back", lambda problem: problem.slots[: problem.ranks][::-1], uses_traffic=False)


def error_of(action):
    try:
        action()
    except toroid.InputError as error:
        return str(error)
    return None


class Allocators(unittest.TestCase):
    def test_does_what_ours_does(self):
        for scheduler in ("fcfs", "easy", "conservative"):
            with self.subTest(scheduler=scheduler):
                ours = toroid.schedule("mesh:16x16", JOBS, scheduler, "consecutive", mtbf_hours=100)
                theirs = toroid.schedule("mesh:16x16", JOBS, scheduler, "py-lowest", mtbf_hours=100)
                self.assertEqual(ours.totals, theirs.totals)
                self.assertTrue(ours.jobs.equals(theirs.jobs))

    def test_keys(self):
        self.assertEqual(error_of(lambda: toroid.schedule("mesh:16x16", JOBS, "easy", "py-lowest:skip=x")),
                         "'py-lowest:skip=x': skip=x: expected a whole number from -9223372036854775808 to 9223372036854775807")
        self.assertIn("has no key 'skp'; did you mean 'skip'?", error_of(lambda: toroid.schedule("mesh:16x16", JOBS, "easy", "py-lowest:skp=1")))
        seen = []
        toroid.register_allocator("py-keys", lambda free, job, machine, *, a=1, b=2.5, c=True, d="x": seen.append((a, b, c, d)) or numpy.flatnonzero(free)[: job.nodes])
        toroid.map("mesh:4", "stencil:grid=2", "consecutive", alloc="py-keys:a=-3,b=1e3,c=no,d=word")
        toroid.map("mesh:4", "stencil:grid=2", "consecutive", alloc="py-keys")
        self.assertEqual(seen, [(-3, 1000.0, False, "word"), (1, 2.5, True, "x")])

    def test_wrong_answers(self):
        answers = {
            "none": (lambda f, j, m: None, "found no nodes, expected some where enough are free"),
            "few": (lambda f, j, m: [0], "found 1 nodes"),
            "twice": (lambda f, j, m: [0] * j.nodes, "found node 0 twice"),
            "outside": (lambda f, j, m: range(256, 256 + j.nodes), "found node 256, expected one of 0 to 255"),
            "below": (lambda f, j, m: -numpy.arange(j.nodes), "found node -1, expected one of 0 to 255"),
            "large": (lambda f, j, m: 2**40 + numpy.arange(j.nodes), "found node -1, expected"),
            "floats": (lambda f, j, m: numpy.flatnonzero(f)[: j.nodes] * 1.0, "found an array of float64"),
            "words": (lambda f, j, m: "none", "expected whole numbers"),
            "taken": (lambda f, j, m: range(j.nodes), "which is not free"),
        }
        for name, (answer, message) in answers.items():
            with self.subTest(name=name):
                toroid.register_allocator("py-wrong", answer)
                error = error_of(lambda: toroid.schedule("mesh:16x16", JOBS, "fcfs", "py-wrong"))
                self.assertRegex(error, r"allocator 'py-wrong'.*job \d+")
                self.assertIn(message, error)

    def test_refuses(self):
        def corner(free, job, machine):
            nodes = numpy.flatnonzero(free)[: job.nodes]
            return nodes if nodes[-1] - nodes[0] == job.nodes - 1 else None

        toroid.register_allocator("py-run", corner, may_refuse=True)
        ran = toroid.schedule("mesh:16x16", JOBS, "easy", "py-run")
        self.assertEqual(ran.totals["jobs"], 120)
        for nodes in ran.jobs.nodes:
            numbers = [int(node) for node in nodes.split()] if isinstance(nodes, str) else [int(nodes)]
            self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))

    def test_exceptions_come_through(self):
        def fail(free, job, machine):
            raise KeyError("mine")

        toroid.register_allocator("py-fail", fail)
        with self.assertRaises(KeyError) as caught:
            toroid.schedule("mesh:16x16", JOBS, "easy", "py-fail")
        self.assertIn("in allocator 'py-fail', job 1", getattr(caught.exception, "__notes__", ["in allocator 'py-fail', job 1"]))

    def test_what_is_kept_stays_readable(self):
        kept = []

        def keep(free, job, machine):
            kept.append((free, machine, job))
            return numpy.flatnonzero(free)[: job.nodes]

        toroid.register_allocator("py-keep", keep)
        toroid.schedule("mesh:16x16", JOBS, "easy", "py-keep")
        free, machine, job = kept[-1]
        self.assertEqual((free.sum(), machine.nodes, job.id > 0, free.flags.writeable), (256, 256, True, False))

    def test_a_class_is_made_for_each_run(self):
        class Counting:
            made = 0

            def __init__(self, *, start: int = 0):
                Counting.made += 1
                self.calls = start

            def __call__(self, free, job, machine):
                self.calls += 1
                return numpy.flatnonzero(free)[: job.nodes]

        toroid.register_allocator("py-class", Counting)
        toroid.schedule("mesh:16x16", JOBS, "easy", "py-class:start=5")
        self.assertGreaterEqual(Counting.made, 1)


class Schedulers(unittest.TestCase):
    def test_does_what_ours_does(self):
        for allocator in ("consecutive", "submesh"):
            with self.subTest(allocator=allocator):
                ours = toroid.schedule("mesh:16x16", JOBS, "fcfs", allocator)
                theirs = toroid.schedule("mesh:16x16", JOBS, "py-fcfs", allocator)
                self.assertEqual(ours.totals["jobs"], theirs.totals["jobs"])
                if allocator == "consecutive":
                    self.assertEqual(ours.totals, theirs.totals)

    def test_wrong_answers(self):
        for answer, message in (
            (lambda state: [999], "scheduler 'py-wrong': starts job 999: it does not wait"),
            (lambda state: [state.queue[0].id] * 2 if state.queue else [], "it does not wait; expected a job that does"),
        ):
            toroid.register_scheduler("py-wrong", answer)
            self.assertIn(message, error_of(lambda: toroid.schedule("mesh:16x16", JOBS, "py-wrong")) or "")
        toroid.register_scheduler("py-idle", lambda state: None)
        with self.assertRaises(toroid.SimulationError) as caught:
            toroid.schedule("mesh:16x16", JOBS, "py-idle")
        self.assertIn("wait for ever", str(caught.exception))
        toroid.register_scheduler("py-words", lambda state: ["one"])
        self.assertEqual(
            error_of(lambda: toroid.schedule("mesh:16x16", JOBS, "py-words")),
            "scheduler 'py-words': found an array of <U3 with 1 dimensions, expected whole numbers in one",
        )

    def test_wakes_in_the_past(self):
        for wake, message in ((-1.0, "scheduler 'py-early': at "), (float("nan"), "found wake nan, expected seconds")):
            def early(state, wake=wake):
                state.wake = wake

            toroid.register_scheduler("py-early", lambda state: early(state))
            self.assertIn(message, error_of(lambda: toroid.schedule("mesh:16x16", JOBS, "py-early")) or "")

    def test_wakes(self):
        def late(state):
            """a job starts 100 s after it was submitted"""
            due = [job for job in state.queue if state.now >= job.submitted + 100]
            others = [job.submitted + 100 for job in state.queue if job not in due]
            state.wake = min(others, default=None)
            return [job.id for job in due]

        toroid.register_scheduler("py-late", late)
        import pandas

        jobs = pandas.DataFrame({"size": [1, 1], "submitted_s": [0, 30], "run_time_s": [10, 10]})
        ran = toroid.schedule("mesh:4", jobs, "py-late")
        self.assertEqual(ran.jobs.starting_time.tolist(), [100, 130])


    def test_is_told_of_reservations(self):
        """two nodes are reserved in [100, 200): a job of 50 s on all of them starts before 50 or after 200"""
        seen = []

        def careful(state):
            seen.append((state.now, [(one.begin, one.end, one.nodes) for one in state.reserved]))
            for job in state.queue:
                if job.nodes <= state.free and not any(state.now < one.end and state.now + job.estimate > one.begin for one in state.reserved):
                    return [job.id]
            state.wake = min((one.end for one in state.reserved), default=None)
            return None

        toroid.register_scheduler("py-careful", careful)
        import pandas

        jobs = pandas.DataFrame({"size": [4, 4], "submitted_s": [20, 60], "run_time_s": [50, 50], "estimate_s": [50, 50]})
        ran = toroid.schedule("mesh:4", jobs, "py-careful", at=["100s:reserve-node 1 until 200s", "100s:reserve-node 2 until 200s"])
        self.assertEqual(ran.jobs.starting_time.tolist(), [20, 200])
        told = [(100.0, 200.0, 2)]
        self.assertEqual(seen[0], (20.0, told))
        self.assertEqual([reserved for now, reserved in seen if now < 200], [told] * sum(now < 200 for now, _ in seen))
        self.assertEqual([reserved for now, reserved in seen if now >= 200][0], [])


    def test_knows_jobs_and_placements(self):
        """who has submitted a job, and what its nodes would cost: a ring of four is twice as slow in a row as in a square"""
        seen, kept = [], []

        def look(state):
            kept.append(state)
            for job in state.queue:
                nodes = state.nodes_for(job)
                seen.append((job.id, job.name, job.user, job.queue, job.group, len(nodes), round(state.cost(job, nodes), 9), round(state.cost(job, [0, 1, 2, 3]), 9)))
                self.assertTrue(set(nodes) <= set(state.free_nodes.tolist()))
                self.assertEqual(state.machine.nodes, 16)
            for job in state.running:
                seen.append((job.id, job.name, job.user, job.nodes, job.started, job.expected_end))
            return [job.id for job in state.queue]

        toroid.register_scheduler("py-look", look)
        import pandas

        jobs = pandas.DataFrame({"number": [71, 72], "size": [4, 4], "submitted_s": [0, 5], "run_time_s": [10, 10], "user": [3, None], "queue": [None, 2]})
        toroid.schedule("mesh:4x4", jobs, "py-look", "mc1x1", times="modelled", programs=["stencil:grid=2x2"], communication=1.0)
        self.assertEqual(seen[0], (1, "71", 3, None, None, 4, 1.0, 2.0))
        self.assertEqual(seen[1][:6], (2, "72", None, 2, None, 4))
        self.assertEqual(seen[2], (1, "71", 3, 4, 0.0, 20.0))
        self.assertIn("found a question, expected none after the answer", error_of(lambda: kept[0].free_nodes) or "")

        toroid.register_scheduler("py-far", lambda state: [state.cost(job, [0, 1]) for job in state.queue])
        self.assertIn("job 71: found 2 nodes to ask the cost of, expected 4", error_of(lambda: toroid.schedule("mesh:4x4", jobs, "py-far")) or "")

    def test_reserved_nodes(self):
        seen = []

        def look(state):
            seen.append([one.reserved_nodes.tolist() for one in state.reserved])
            return [job.id for job in state.queue]

        toroid.register_scheduler("py-look", look)
        toroid.schedule("mesh:4", "derose:jobs=1,side=1,changing=0,distribution=rectangles", "py-look", at=["1d:reserve-node 2-3 until 2d"])
        self.assertEqual(seen[0], [[2, 3]])

    def test_the_example_is_the_priority_of_the_program(self):
        import os
        import runpy

        import pandas

        runpy.run_path(os.path.join(os.environ["TOROID_SOURCE_DIR"], "examples", "priority.py"))
        random = numpy.random.default_rng(4)
        n = 300
        jobs = pandas.DataFrame({
            "size": random.integers(1, 17, n), "submitted_s": random.integers(0, 3000, n).cumsum() // 20,
            "run_time_s": random.integers(1, 400, n), "estimate_s": random.integers(200, 900, n),
            "user": random.integers(0, 5, n), "queue": random.integers(1, 4, n)})
        theirs = toroid.schedule("mesh:4x4", jobs, "multifactor:age=0.91,fair_share=1.37,size=0.53,queue=0.77,days=0.02,urgent=3")
        ours = toroid.schedule("mesh:4x4", jobs, "priority:age=0.91,fair-share=1.37,size=0.53,queue=0.77,max-age=1728s,half-life=1728s,queues=3:2")
        self.assertTrue(ours.jobs.equals(theirs.jobs))
        self.assertGreater(ours.totals["mean_wait_s"], 100)
        self.assertFalse(ours.jobs.equals(toroid.schedule("mesh:4x4", jobs, "easy").jobs))


class Mappers(unittest.TestCase):
    def test_places(self):
        self.assertEqual(toroid.map("mesh:4", "stencil:grid=4", "py-back").tolist(), [3, 2, 1, 0])

    def test_sees_the_traffic(self):
        seen = []

        def look(problem):
            seen.append((problem.matrix.sum(), problem.ranks, problem.seed, problem.machine.nodes))
            return problem.slots[: problem.ranks]

        toroid.register_mapper("py-look", look, uses_seed=True)
        toroid.map("mesh:8", "stencil:grid=4", "py-look", seed=9)
        self.assertEqual(seen, [(toroid.matrix("stencil:grid=4").sum(), 4, 9, 8)])

    def test_only_what_draws_lots_reads_the_seed(self):
        def drawn(problem):
            return numpy.random.default_rng(problem.seed).permutation(problem.slots)[: problem.ranks]

        toroid.register_mapper("py-drawn", drawn, uses_seed=True)
        study = toroid.compare("mesh:8", "stencil:grid=8", ["consecutive", "py-drawn"], repeat=4, verify=False)
        self.assertEqual(study.rows.map.tolist(), ["consecutive"] + ["py-drawn"] * 4)
        self.assertEqual(study.rows.seed.tolist()[1:], [1, 2, 3, 4])
        toroid.register_mapper("py-certain", lambda problem: problem.slots[: problem.ranks])
        study = toroid.compare("mesh:8", "stencil:grid=8", ["consecutive", "py-certain"], repeat=4, verify=False)
        self.assertEqual(len(study.rows), 2)
        toroid.register_mapper("py-denies", drawn)
        error = error_of(lambda: toroid.map("mesh:8", "stencil:grid=8", "py-denies"))
        self.assertIn("problem.seed is read by a mapper that was registered as drawing no lots; expected uses_seed=True", error)

    def test_in_workers(self):
        study = toroid.compare("mesh:8", "stencil:grid=8", ["consecutive", "py-back", "refine:base=(py-back)"], verify=False, workers=2)
        times = study.rows.runtime_s.tolist()
        self.assertEqual(study.rows.error.tolist(), ["", "", ""])
        self.assertAlmostEqual(times[0], times[1], delta=1e-9)

        def fail(problem):
            raise ValueError("not today")

        toroid.register_mapper("py-fail", fail)
        study = toroid.compare("mesh:8", "stencil:grid=8", ["consecutive", "py-fail"], verify=False)
        line = fail.__code__.co_firstlineno + 1
        self.assertEqual(study.rows.error.tolist(), ["", f"mapper 'py-fail': {__file__}:{line}: ValueError: not today"])

    def test_wrong_answers(self):
        for answer, message in (
            (lambda problem: [0], "mapper 'py-wrong': found nodes for 1 ranks, expected 4"),
            (lambda problem: [0, 1, 2, 9], "mapper 'py-wrong': rank 3 is on node 9, which is not among the job's nodes"),
            (lambda problem: [0, 1, 2, 2], "mapper 'py-wrong': rank 3 is the 2. rank on node 2, which takes 1"),
            (lambda problem: None, "mapper 'py-wrong': found "),
        ):
            toroid.register_mapper("py-wrong", answer)
            self.assertIn(message, error_of(lambda: toroid.map("mesh:8", "stencil:grid=4", "py-wrong")))


class Generators(unittest.TestCase):
    def test_one_of_ours_stays_what_it_is(self):
        """Collectives of its world, iterations that repeat, computation that was timed."""
        with tempfile.NamedTemporaryFile("w", suffix=".trace") as file:
            file.write("toroid trace 4\nranks 1\ncomputation timed\nrank 0\nc1000\nend\n")
            file.flush()
            for spec in ("sharded:mesh=4x4", "llm:tensor=4,data=4,pipeline=1", "stencil:grid=4x4,steps=50", file.name):
                with self.subTest(spec=spec):
                    toroid.register_generator("py-ours", lambda spec=spec: toroid.trace(spec))
                    ours, theirs = (toroid.simulate("torus:4x4", one, engine="fluid").to_dict() for one in (spec, "py-ours"))
                    self.assertEqual(ours, theirs)
            self.assertAlmostEqual(theirs["runtime_s"], 1e-6)

    def test_makes_traces(self):
        def ring(*, ranks: int = 4, bytes: int = 8):
            """each rank sends to the next one"""
            return [
                [f"isend to={(r + 1) % ranks} bytes={bytes} request=0", f"recv from={(r - 1) % ranks}", "wait request=0"]
                for r in range(ranks)
            ]

        toroid.register_generator("py-ring", ring)
        self.assertIn("py-ring", toroid.names("generators"))
        trace = toroid.trace("py-ring:ranks=8,bytes=1000")
        self.assertEqual((trace.ranks, trace.summary["bytes"]), (8, 8000))
        study = toroid.compare("torus:8", "py-ring:ranks=8", ["consecutive", "random"], repeat=3, verify=False)
        self.assertEqual(set(study.rows.error), {""})

    def test_wrong_answers(self):
        for answer, message in (
            (lambda: [["send to=5"]], "rank 0, operation 0, send: found rank 5"),
            (lambda: [], "found no rank"),
        ):
            toroid.register_generator("py-wrong", answer)
            self.assertIn(message, error_of(lambda: toroid.trace("py-wrong")))


class Names(unittest.TestCase):
    def test_stay_while_a_run_goes_on(self):
        """a run reads the registries without Python's lock"""

        def meddling(problem):
            toroid.register_mapper("py-late", lambda problem: None)

        toroid.register_mapper("py-meddling", meddling)
        message = "mapper 'py-late': cannot be added while a run goes on, around this call or in another thread"
        self.assertEqual(error_of(lambda: toroid.map("mesh:4", "stencil:grid=4", "py-meddling")), message)
        at_work, done, said = threading.Event(), threading.Event(), []

        def waiting(problem):
            at_work.set()
            done.wait(60)
            return problem.slots[: problem.ranks]

        toroid.register_mapper("py-waiting", waiting)
        thread = threading.Thread(target=lambda: said.append(toroid.map("mesh:4", "stencil:grid=4", "py-waiting").tolist()))
        thread.start()
        at_work.wait(60)
        try:
            self.assertEqual(error_of(lambda: meddling(None)), message)
            self.assertIn("cannot be added", error_of(lambda: toroid.load_plugin("mine.so")))
        finally:
            done.set()
            thread.join()
        self.assertEqual(said, [[0, 1, 2, 3]])
        meddling(None)
        self.assertIn("py-late", toroid.names("mappers"))

    def test_are_names(self):
        for register, own in (
            (toroid.register_allocator, "mc1x1"),
            (toroid.register_scheduler, "easy"),
            (toroid.register_mapper, "auto"),
            (toroid.register_generator, "cg"),
        ):
            self.assertIn(f"'{own}' is toroid's own; expected another name", error_of(lambda: register(own, lambda: None)))
            self.assertIn("expected a name of letters", error_of(lambda: register("a b", lambda: None)))
            with self.assertRaises(TypeError):
                register("py-nothing", 7)
            with self.assertRaises(TypeError):
                register("py-nothing", lambda *, key=None: None)
        self.assertNotIn("py-nothing", toroid.names("mappers"))


if __name__ == "__main__":
    unittest.main()
