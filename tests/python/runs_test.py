"""Machines, traces, mappings and runs: equal to what the command says, and to numbers by hand."""

import json
import os
import tempfile
import unittest

import numpy
import toroid
from support import SOURCE, command, complaint


class Machines(unittest.TestCase):
    def test_places_and_hops(self):
        machine = toroid.machine("torus:4x4x4")
        self.assertEqual((machine.shape, machine.nodes, machine.dimensions), ((4, 4, 4), 64, ("x", "y", "z")))
        at = machine.coordinates
        self.assertEqual((at.shape, at[6].tolist()), ((64, 3), [2, 1, 0]))
        everyone = numpy.arange(64)
        hops = machine.hops(everyone[:, None], everyone[None, :])
        apart = numpy.abs(at[:, None, :] - at[None, :, :])
        numpy.testing.assert_array_equal(hops, numpy.minimum(apart, 4 - apart).sum(axis=2))
        self.assertEqual(machine.hops(0, 2), 2)
        self.assertEqual([machine.link_name(link) for link in machine.route(0, 2)], ["n0 -> n1 (+x)", "n1 -> n2 (+x)"])
        links = toroid.links(machine)
        self.assertEqual(len(links), 64 * 6)
        self.assertEqual(set(links.bandwidth), {1e9})

    def test_properties(self):
        machine = toroid.machine("mesh:4x4", bandwidth=2e9, nodes_per_router=2, latency=(1e-7, "2us"))
        self.assertEqual(machine.nodes, 32)
        self.assertEqual(sorted(set(toroid.links(machine).latency_s)), [1e-7, 2e-6])
        half = toroid.machine(machine, **{"x.bandwidth": "x0.5"})
        self.assertEqual(sorted(set(toroid.links(half).bandwidth)), [1e9, 2e9])
        self.assertEqual(toroid.machine("mesh:8", wrap="torus").hops(0, 7), 1)


class Traces(unittest.TestCase):
    def test_from_lists(self):
        trace = toroid.trace([[toroid.op("send", to=1, bytes=1000), "compute amount=5"], ["recv from=0 bytes=1000"]])
        self.assertEqual(trace.ranks, 2)
        self.assertEqual(trace.operations(0), ["send to=1 bytes=1000", "compute amount=5"])
        self.assertEqual(trace.operations(0, 1), ["send to=1 bytes=1000"])
        self.assertEqual(trace.summary["by_kind"], {"compute": 1, "send": 1, "recv": 1})

    def test_of_communicators(self):
        rows = [["bcast comm=1 bytes=8"], ["bcast comm=2 bytes=8"], ["bcast comm=1 bytes=8"], ["bcast comm=2 bytes=8"]]
        matrix = toroid.matrix(toroid.trace(rows, communicators=[[0, 2], [1, 3]])).toarray()
        self.assertEqual(numpy.argwhere(matrix).tolist(), [[0, 2], [1, 3]])

    def test_matrix(self):
        trace = toroid.trace("stencil:grid=4x4")
        kinds = {kind: toroid.matrix(trace, kind=kind) for kind in ("p2p", "expanded")}
        self.assertEqual(kinds["p2p"].shape, (16, 16))
        self.assertGreater(kinds["expanded"].sum(), kinds["p2p"].sum())
        self.assertEqual(kinds["p2p"].sum(), trace.summary["bytes"])
        self.assertEqual(toroid.matrix(trace, kind="p2p", messages=True).sum(), trace.summary["messages"])

    def test_round_trip(self):
        trace = toroid.trace("cg:class=S,ranks=8")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "cg.trace")
            trace.write(path)
            again = toroid.trace(path)
        self.assertEqual([again.operations(r) for r in range(8)], [trace.operations(r) for r in range(8)])

    def test_wrong_ones(self):
        for wrong, message in (
            ([["send to=2 bytes=1"], []], "rank 0, operation 0, send: found rank 2, expected one below 2"),
            ([["sent to=1"], []], "rank 0, operation 0: found 'sent', expected an operation"),
            ([[], ["recv from=0", "send to=0 bites=1"]], "rank 1, operation 1: found 'bites=1', expected KEY=VALUE"),
            ([], "found no rank"),
            ("no/such.ti", "no/such.ti: no such file and no such generator"),
            ("cg:clas=A", "generator 'cg' has no key 'clas'; did you mean 'class'?"),
        ):
            with self.subTest(wrong=wrong), self.assertRaises(toroid.InputError) as caught:
                toroid.trace(wrong)
            self.assertIn(message, str(caught.exception))
        for wrong, found in ((7, "7"), ([7], "7"), (["send to=0 bytes=1"], "'send to=0 bytes=1'")):
            with self.subTest(wrong=wrong), self.assertRaises(TypeError) as caught:
                toroid.trace(wrong)
            self.assertEqual(str(caught.exception), f"trace: found {found}, expected a list with the operations of a rank")
        with self.assertRaises(toroid.InputError) as caught:
            toroid.trace([[], []], communicators=[[0, 0]])
        self.assertIn("communicators: found rank 0", str(caught.exception))


class Runs(unittest.TestCase):
    def test_by_hand(self):
        trace = toroid.trace([["send to=1 bytes=1000000"], ["recv from=0 bytes=1000000"]])
        result = toroid.simulate("mesh:4", trace, [0, 3], engine="fluid")
        self.assertAlmostEqual(result.runtime, 3 * 100e-9 + 1e6 / 1e9, delta=1e-15)
        self.assertEqual(result.links["bytes"].tolist(), [1000000] * 3)
        self.assertEqual(result.ranks.node.tolist(), [0, 3])
        self.assertAlmostEqual(result.critical_path["bandwidth_s"], 1e-3)

    def test_equal_to_the_command(self):
        for platform, trace, keywords, options in (
            ("torus:4x4x4", "cg:class=A,ranks=64", {}, []),
            ("mesh:8x8", "stencil:grid=4x4x4", {"mapping": "random", "seed": 3}, ["--map", "random", "--seed", "3"]),
            (
                "mesh:4x4,cores=2",
                "lu:class=S,ranks=16",
                {"mapping": "snake", "compute": "x2", "eager": "1KiB", "envelope": 16, "collectives": "smpi"}
                | {"ranks_per_node": 2, "nodes": range(3, 11)},
                "--map snake --compute x2 --eager 1KiB --envelope 16 --collectives smpi --ranks-per-node 2 --nodes 3-10".split(),
            ),
            (
                "torus:8x8",
                "stencil:grid=4x4",
                {"mapping": "tabu", "alloc": "mc1x1", "busy": "random:0.5", "order": "shared", "windows": 7},
                "--map tabu --alloc mc1x1 --busy random:0.5 --order shared --windows 7".split(),
            ),
        ):
            for engine in ("fluid", "packet"):
                with self.subTest(platform=platform, engine=engine):
                    result = toroid.simulate(platform, trace, engine=engine, **keywords)
                    expected = command("simulate", platform, trace, "--engine", engine, *options)
                    notes = expected.pop("notes", None)
                    self.assertEqual(result.to_dict(), expected)
                    self.assertEqual(json.loads(result.to_json()), expected)
                    self.assertEqual(result.runtime, expected["runtime_s"])
                    self.assertEqual(result.ranks.finish_s.tolist(), [rank["finish_s"] for rank in expected["ranks"]])
                    self.assertEqual(result.links.busy_s.tolist(), [link["busy_s"] for link in expected["links"]])
                    self.assertEqual(notes, None)

    def test_mean_computation(self):
        amounts = ((1, 2, 3), (3, 2, 1))
        trace = toroid.trace([["barrier"] + [op for a in one for op in (f"compute amount={a}e9", "barrier")] for one in amounts])
        runs = {how: toroid.simulate("mesh:2,lat=0s", trace, engine="fluid", compute=how) for how in ("trace", "mean")}
        self.assertAlmostEqual(runs["trace"].runtime, 8)
        self.assertAlmostEqual(runs["mean"].runtime, 6)
        self.assertAlmostEqual(runs["mean"].to_dict()["computation"]["mean"]["hidden"], 8 / 6 - 1)
        self.assertEqual(toroid.map("mesh:2", trace, "consecutive", compute="mean").tolist(), [0, 1])

    def test_simgrid_in_its_own_process(self):
        for _ in range(2):  # SimGrid allows one engine per process
            result = toroid.simulate("mesh:8x8", "cg:class=S,ranks=16", critical_steps=True)
            with tempfile.TemporaryDirectory() as folder:
                steps = os.path.join(folder, "steps.csv")
                expected = command("simulate", "mesh:8x8", "cg:class=S,ranks=16", "--critical-path-csv", steps)
            self.assertEqual(result.to_dict(), expected)

    def test_explanations(self):
        for keywords, options in (({}, []), ({"mapping": "random", "nodes": "0-31"}, ["--map", "random", "--nodes", "0-31"])):
            result = toroid.simulate("mesh:8x8", "cg:class=S,ranks=16", engine="fluid", explain=True, **keywords)
            expected = command("simulate", "mesh:8x8", "cg:class=S,ranks=16", "--engine", "fluid", "--explain", *options)
            self.assertEqual(result.to_dict(), expected)
            self.assertEqual(result.explanation, expected["explanation"])
            self.assertAlmostEqual(sum(cause["seconds"] for cause in result.explanation["causes"]), result.runtime)
        # Of a mapping as numbers `quick` is tried on its nodes alone.
        trace = toroid.trace([["send to=1 bytes=1000000"], ["recv from=0 bytes=1000000"]])
        far = toroid.simulate("mesh:9", trace, [8, 2], engine="fluid", explain=True).explanation
        self.assertNotIn("--map quick", [trial["change"] for trial in far["trials"] if trial["saves_s"] > 0])
        self.assertIsNone(toroid.simulate("mesh:9", trace, [0, 8], engine="fluid").explanation)
        with self.assertRaisesRegex(toroid.InputError, "windows: found 0, expected 1 or more"):
            toroid.simulate("mesh:9", trace, [0, 8], engine="fluid", explain=True, windows=0)

    def test_views_of_results(self):
        result = toroid.simulate("mesh:8x8", "cg:class=S,ranks=16", engine="fluid")
        for table in ("ranks", "links"):
            arrays = result.arrays(table)
            self.assertFalse(any(array.flags.owndata or array.flags.writeable for array in arrays.values()))
        kept = result.arrays("ranks")["finish_s"]
        expected = kept.tolist()
        del result
        self.assertEqual(kept.tolist(), expected)

    def test_what_a_user_should_know_of_the_engine(self):
        fast, engine = "mesh:4,bw=50GBps,lat=200ns,injection=300GBps,ejection=300GBps", "packet:buffer=1KiB"
        expected = command("simulate", fast, "stencil:grid=4", "--engine", engine)
        self.assertTrue(expected["remarks"])
        self.assertEqual(toroid.simulate(fast, "stencil:grid=4", engine=engine).to_dict(), expected)

    def test_arguments_of_other_kinds(self):
        import pathlib
        import pickle

        machine = toroid.machine("mesh:4", bandwidth=numpy.float32(2e9), nodes_per_router=numpy.int64(2))
        self.assertEqual(pickle.loads(pickle.dumps(machine)).properties, machine.properties)
        self.assertEqual(machine.nodes, 8)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "ring.trace")
            toroid.trace("stencil:grid=4").write(str(path))
            self.assertGreater(toroid.simulate(machine, path, [0, 1, 2, 3], engine="fluid").runtime, 0)
            rows = toroid.compare("mesh:4", path, [0, 1, 2, 3], verify=False).rows
            self.assertEqual(len(rows), 1)
        with self.assertRaises(toroid.InputError):
            machine.hops(1.7, 2.2)

    def test_mappings(self):
        notes = []
        mapping = toroid.map("mesh:8x8", "stencil:grid=4x4x4", "multilevel", seed=2, notes=notes)
        self.assertEqual((mapping.dtype, sorted(mapping.tolist())), (numpy.int32, list(range(64))))
        expected = command("map", "mesh:8x8", "stencil:grid=4x4x4", "--map", "multilevel", "--seed", "2")
        metrics = toroid.metrics("mesh:8x8", "stencil:grid=4x4x4", mapping)
        self.assertEqual({name: expected["metrics"][name] if "metrics" in expected else expected[name] for name in metrics}, metrics)

    def test_wrong_ones(self):
        run = ["simulate", "mesh:4x4", "stencil:grid=4x4", "--engine", "fluid"]
        for keywords, options, words in (
            ({"mapping": "randm"}, ["--map", "randm"], None),
            ({"compute": "fast"}, ["--compute", "fast"], "compute: "),
            ({"ranks_per_node": 2}, ["--ranks-per-node", "2"], "ranks_per_node: "),
            ({"nodes": "0-99"}, ["--nodes", "0-99"], None),
            ({"eager": -1}, ["--eager=-1"], "eager"),
        ):
            with self.subTest(keywords=keywords), self.assertRaises(toroid.InputError) as caught:
                toroid.simulate("mesh:4x4", "stencil:grid=4x4", **{"engine": "fluid", **keywords})
            line = str(caught.exception)
            if words is None:
                self.assertEqual(line, complaint(*run, *options))
            else:
                self.assertTrue(line.startswith(words), line)
            self.assertNotIn("\n", line)
        for mapping, message in (
            ([0], "the mapping has 1 nodes for 16 ranks"),
            ([99] * 16, "node 99 does not exist; mesh:4x4 has nodes 0 to 15"),
            (numpy.arange(16) / 2, "mapping: found an array of float64 with 1 dimensions, expected whole numbers in one"),
            (numpy.zeros((4, 4), int), "mapping: found an array of int64 with 2 dimensions, expected whole numbers in one"),
            ([0] * 16, "the mapping names node 0 more than 1 times"),
        ):
            with self.subTest(mapping=mapping), self.assertRaises(toroid.InputError) as caught:
                toroid.simulate("mesh:4x4", "stencil:grid=4x4", mapping, engine="fluid")
            self.assertIn(message, str(caught.exception))
        for keywords, message in (
            ({"widows": 3}, "unexpected keyword argument 'widows'"),
            ({"windows": "many"}, "windows: found 'many', expected a whole number, not below 0"),
            ({"windows": -1}, "windows: found -1, expected a whole number, not below 0"),
            ({"critical_steps": "yes"}, "critical_steps: found 'yes', expected True or False"),
        ):
            with self.subTest(keywords=keywords), self.assertRaises(TypeError) as caught:
                toroid.simulate("mesh:4x4", "stencil:grid=4x4", "snake", engine="fluid", **keywords)
            self.assertEqual(str(caught.exception), message)

    def test_programs_that_cannot_go_on(self):
        trace = toroid.trace([["recv from=1"], ["recv from=0"]])
        for engine in ("fluid", "simgrid"):
            with self.subTest(engine=engine), self.assertRaises(toroid.SimulationError) as caught:
                toroid.simulate("mesh:2", trace, [0, 1], engine=engine)
            self.assertIn("deadlock", str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))
        self.assertTrue(issubclass(toroid.SimulationError, RuntimeError) and issubclass(toroid.InputError, ValueError))


if __name__ == "__main__":
    unittest.main()
