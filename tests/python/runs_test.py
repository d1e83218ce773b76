"""Machines, traces, mappings and runs: equal to what the command says, and to numbers by hand."""

import json
import os
import pickle
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

    def test_numbers_are_in_the_unit_of_the_property(self):
        for unit, names in {
            "s": ("latency", "lat", "x.lat", "base_latency", "base", "loopback_latency", "loopback_lat", "overhead", "gap", "handshake", "copy", "reduce", "memcpy"),
            "Bps": ("bandwidth", "bw", "y.bw", "injection_bandwidth", "injection", "ejection", "loopback_bandwidth", "loopback_bw"),
            "f": ("speed",),
            "": ("cores", "nodes_per_router", "links", "router.packet", "router.vcs", "eager"),
        }.items():
            for name in names:
                with self.subTest(name=name):
                    value = 2**30 if unit in ("Bps", "f") else 2
                    made = toroid.machine("mesh:4x4", **{name: value}).properties
                    self.assertEqual(made, toroid.machine("mesh:4x4", **{name: f"{value}{unit}"}).properties)
                    self.assertEqual(made, toroid.machine("mesh:4x4", **{name: float(value)}).properties)
                    self.assertEqual(made, toroid.machine("mesh:4x4", **{name: numpy.float32(value)}).properties)

    def test_small_numbers_want_a_unit(self):
        for keywords, message in (
            ({"bandwidth": 2}, "bandwidth: found 2, which would be bytes per second; expected a unit, such as '2GBps', or a number from 1e6"),
            ({"z_bandwidth": 2.5}, "z.bandwidth: found 2.5, which would be bytes per second; expected a unit, such as '2.5GBps', or a number from 1e6"),
            ({"bandwidth": [1e9, 2]}, "bandwidth: found 2, which would be bytes per second; expected a unit, such as '2GBps', or a number from 1e6"),
            ({"speed": 20}, "speed: found 20, which would be flop per second; expected a unit, such as '20Gf', or a number from 1e6"),
        ):
            with self.subTest(keywords=keywords), self.assertRaises(toroid.InputError) as caught:
                toroid.machine("mesh:4x4x4", **keywords)
            self.assertEqual(str(caught.exception), message)

    def test_properties_of_a_dimension_as_keywords(self):
        named = toroid.machine("torus:4x4x4", z_bandwidth=2e9, x_lat="1us", y_wrap="mesh", router_packet=512)
        dotted = {"z.bandwidth": 2e9, "x.lat": "1us", "y.wrap": "mesh", "router.packet": 512}
        self.assertEqual(named.properties, toroid.machine("torus:4x4x4", **dotted).properties)

    def test_lists_of_properties(self):
        for name, value, text in (
            ("bandwidth", numpy.array([1e9, 2e9]), "1e9Bps/2e9Bps"),
            ("links", numpy.array([1, 2]), "1/2"),
            ("wrap", ["torus", "mesh"], "torus/mesh"),
            ("fail_node", [3, 4], "3 4"),
            ("fail_node", numpy.array([3, 4]), "3 4"),
            ("fail_router", range(3, 5), "3 4"),
            ("routing", ["y", "x"], "y x"),
            ("shape", (4, 4), "4x4"),
            ("x.cabling", [0, 2, 3, 1], "0 2 3 1"),
            ("shared", True, "yes"),
        ):
            with self.subTest(name=name, value=value):
                machines = [toroid.machine("mesh:4x4", **{name: one}).properties for one in (value, text)]
                self.assertEqual(machines[0], machines[1])
        for name, value, line in (
            ("cores", 2.5, "cores: found '2.5', expected a whole number from 1 to 1048576"),
            ("bandwidth", [1e9] * 3, "bandwidth: 3 values for 2 dimensions; expected 1 or 2"),
            ("speed", float("inf"), "speed: 'inff' is no number with a unit"),
        ):
            with self.subTest(name=name, value=value), self.assertRaises(toroid.InputError) as caught:
                toroid.machine("mesh:4x4", **{name: value})
            self.assertIn(line, str(caught.exception))

    def test_nodes_without_routes(self):
        machine = toroid.machine("torus:4x4,fail-router=3,fail-node=5")
        for ask in (machine.hops, machine.latency, machine.route):
            for ends in ((3, 1), (1, 3)):
                with self.subTest(ask=ask, ends=ends), self.assertRaisesRegex(toroid.InputError, "^node 3 has no routes, as its router failed"):
                    ask(*ends)
        self.assertEqual(machine.hops(5, 6), 1)  # its router goes on
        works = machine.compute_nodes
        self.assertEqual(machine.hops(works[:, None], works[None, :]).shape, (14, 14))

    def test_wrong_ones(self):
        machine = toroid.machine("mesh:4x4")
        for ask, line in (
            (lambda: machine.hops([0, 1], [2, 3, 4]), "found arrays of the shapes (2,) and (3,), expected shapes that go together"),
            (lambda: machine.route(0.5, 1), "a: found 0.5, expected a whole number"),
            (lambda: machine.link_name("n0"), "link: found 'n0', expected a whole number"),
            (lambda: toroid.machine(5), "machine: found 5, expected a text"),
            (
                lambda: toroid.machine("mesh:4,bandwidth=1..2GBps"),
                "bandwidth: found the interval 1GBps..2GBps, expected one value; the commands simulate "
                "and compare draw machines from intervals with uncertainty N",
            ),
            (lambda: toroid.names(5), "kind: found 5, expected a text"),
            (lambda: toroid.load_plugin(None), "path: found None, expected a text"),
            (lambda: toroid.trace("stencil:grid=4").operations(1.5), "rank: found 1.5, expected a whole number"),
            (lambda: toroid.trace("stencil:grid=4").write(5), "path: found 5, expected a text"),
            (lambda: toroid.map(machine, "stencil:grid=4", 5), "mapper: found 5, expected a text"),
            (lambda: toroid.map(machine, "stencil:grid=4", seed=-1), "seed: found -1, expected a whole number, not below 0"),
            (lambda: toroid.map(machine, "stencil:grid=4", seed=1.5), "seed: found 1.5, expected a whole number, not below 0"),
        ):
            with self.subTest(line=line), self.assertRaises(toroid.InputError) as caught:
                ask()
            self.assertEqual(str(caught.exception), line)


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
            with self.subTest(wrong=wrong), self.assertRaises(toroid.InputError) as caught:
                toroid.trace(wrong)
            self.assertEqual(str(caught.exception), f"trace: found {found}, expected a list with the operations of a rank")
        for communicators, message in (([[0, 0]], "communicators: found rank 0"), ([["a"]], "communicators: found an array of")):
            with self.subTest(communicators=communicators), self.assertRaises(toroid.InputError) as caught:
                toroid.trace([[], []], communicators=communicators)
            self.assertIn(message, str(caught.exception))
        with self.assertRaisesRegex(toroid.InputError, "^rank 1, operation 0: found 5, expected a text$"):
            toroid.trace([[], [5]])

    def test_operations_are_counted_from_0(self):
        for rows, errors, place in (
            ([["compute amount=1", "foo"], []], toroid.InputError, "rank 0, operation 1: "),
            ([["compute amount=1", "send to=9 bytes=1"], []], toroid.InputError, "rank 0, operation 1, send: "),
            ([["compute amount=1", "recv from=1"], []], toroid.SimulationError, "rank 0 in recv at operation 1 "),
        ):
            with self.subTest(rows=rows), self.assertRaises(errors) as caught:
                toroid.simulate("mesh:2", toroid.trace(rows), [0, 1], engine="fluid")
            self.assertIn(place, str(caught.exception))
        trace = toroid.trace([["compute amount=1", "send to=1 bytes=9"], ["recv from=0 bytes=9"]])
        result = toroid.simulate("mesh:2", trace, [0, 1], engine="fluid", compute="trace", critical_steps=True)
        steps = result.to_dict()["critical_path"]["steps"]
        self.assertIn((0, 1), {(step["rank"], step["operation"]) for step in steps})


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
                    self.assertEqual(result.to_dict(), expected)
                    self.assertEqual(json.loads(result.to_json()), expected)
                    self.assertEqual(result.runtime, expected["runtime_s"])
                    self.assertEqual(result.ranks.finish_s.tolist(), [rank["finish_s"] for rank in expected["ranks"]])
                    self.assertEqual(result.links.busy_s.tolist(), [link["busy_s"] for link in expected["links"]])

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

    def test_results_can_be_pickled(self):
        result = toroid.simulate("mesh:4x4", "stencil:grid=4x4", "random", engine="fluid", explain=True)
        kept = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(result))))
        self.assertEqual((repr(kept), kept.runtime), (repr(result), result.runtime))
        for links in (True, False):
            self.assertEqual(kept.to_json(links=links), result.to_json(links=links))
        for name in ("computation", "critical_path", "explanation", "engine_settings"):
            self.assertEqual(getattr(kept, name), getattr(result, name), name)
        self.assertTrue(kept.ranks.equals(result.ranks) and kept.links.equals(result.links))

    def test_notes_of_mappers(self):
        expected = command("simulate", "torus:4x4x4", "stencil:grid=4x4x4", "--map", "multilevel", "--engine", "fluid")
        result = toroid.simulate("torus:4x4x4", "stencil:grid=4x4x4", "multilevel", engine="fluid")
        self.assertTrue(expected["notes"])
        self.assertEqual(result.to_dict(), expected)

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
            toroid.trace("stencil:grid=4").write(path)
            self.assertGreater(toroid.simulate(machine, path, [0, 1, 2, 3], engine="fluid").runtime, 0)
            file = pathlib.Path(folder, "mapping.txt")
            file.write_text("3\n2\n1\n0\n")
            self.assertEqual(toroid.map(machine, path, file).tolist(), [3, 2, 1, 0])
            self.assertEqual(toroid.simulate(machine, path, file, engine="fluid").ranks.node.tolist(), [3, 2, 1, 0])
            rows = toroid.compare("mesh:4", path, [0, 1, 2, 3], verify=False).rows
            self.assertEqual(len(rows), 1)
        with self.assertRaises(toroid.InputError):
            machine.hops(1.7, 2.2)

    def test_names_of_files_that_are_no_utf_8(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, os.fsdecode(b"t\xff.ti"))
            toroid.trace("stencil:grid=4").write(path)
            self.assertEqual(toroid.trace(path).text, path)
            self.assertIn(path, repr(toroid.trace(path)))
            expected = toroid.simulate("mesh:4", "stencil:grid=4", engine="fluid").runtime
            self.assertEqual(toroid.simulate("mesh:4", path, engine="fluid").runtime, expected)
            rows = toroid.compare("mesh:4", path, "consecutive", verify=False).rows
            self.assertEqual(rows.runtime_s.tolist(), [expected])
            for wrong in (lambda name: toroid.trace(name), lambda name: toroid.machine(name), lambda name: toroid.simulate("mesh:4", path, name),
                          lambda name: toroid.simulate("mesh:4", path, engine=name), lambda name: toroid.schedule("mesh:4", name),
                          lambda name: toroid.compare("mesh:4", name, verify=False), lambda name: toroid.sweep("mesh:4", name)):
                with self.assertRaises(toroid.InputError) as caught:
                    wrong(os.path.join(folder, os.fsdecode(b"none\xff")))
                self.assertIn("none\\xff", str(caught.exception))
        for other in (lambda: toroid.trace("\ud800"), lambda: toroid.map("mesh:4", "stencil:grid=4", "\ud800")):
            with self.assertRaisesRegex(toroid.InputError, "found '.ud800', expected a text or a path"):
                other()

    def test_mappings(self):
        notes = []
        mapping = toroid.map("mesh:8x8", "stencil:grid=4x4x4", "multilevel", seed=2, notes=notes)
        self.assertEqual((mapping.dtype, sorted(mapping.tolist())), (numpy.int32, list(range(64))))
        expected = command("map", "mesh:8x8", "stencil:grid=4x4x4", "--map", "multilevel", "--seed", "2")
        metrics = toroid.metrics("mesh:8x8", "stencil:grid=4x4x4", mapping)
        self.assertEqual({name: expected["metrics"][name] if "metrics" in expected else expected[name] for name in metrics}, metrics)

    def test_metrics_are_those_of_the_command_and_of_a_run(self):
        for machine, trace, mapper, collectives in (
            ("tpu-v4:4x4x4", "sharded:mesh=4x16", "mesh", "default"),  # collectives go along the grid of their members
            ("torus:4x4x2", "llm:model=llama2-7b,layers=2,tensor=8,data=4,pipeline=1", "random", "default"),
            ("torus:4x4", "cg:class=S,ranks=16,iterations=1", "random", "torus"),
            ("mesh:4x4", "cg:class=S,ranks=16,iterations=1", "random", "default:allreduce=ring"),
        ):
            with self.subTest(machine=machine, trace=trace, collectives=collectives):
                mapping = toroid.map(machine, trace, mapper, collectives=collectives)
                metrics = toroid.metrics(machine, trace, mapping, collectives=collectives)
                expected = command("map", machine, trace, "--map", mapper, "--collectives", collectives)
                self.assertEqual(expected["mapping"], mapping.tolist())
                self.assertEqual({name: expected[name] for name in metrics}, metrics)
                run = toroid.simulate(machine, trace, mapping, engine="fluid", envelope=0, collectives=collectives)
                for name in ("network_messages", "network_bytes", "hop_bytes", "dilation_mean", "dilation_max", "links_used"):
                    self.assertEqual(run.to_dict()[name], metrics[name], name)

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
            ({"seed": -1}, "seed: found -1, expected a whole number, not below 0"),
            ({"windows": "many"}, "windows: found 'many', expected a whole number, not below 0"),
            ({"windows": -1}, "windows: found -1, expected a whole number, not below 0"),
            ({"critical_steps": "yes"}, "critical_steps: found 'yes', expected True or False"),
        ):
            with self.subTest(keywords=keywords), self.assertRaises(toroid.InputError) as caught:
                toroid.simulate("mesh:4x4", "stencil:grid=4x4", "snake", engine="fluid", **keywords)
            self.assertEqual(str(caught.exception), message)
        stencil = ("mesh:4x4", "stencil:grid=4x4", "snake")
        for call, name, meant in (
            (lambda **given: toroid.simulate(*stencil, engine="fluid", **given), "widows", "windows"),
            (lambda **given: toroid.simulate(*stencil, **given), "engin", "engine"),
            (lambda **given: toroid.simulate(*stencil, **given), "colectives", "collectives"),
            (lambda **given: toroid.map(*stencil, **given), "ranks_per_nod", "ranks_per_node"),
            (lambda **given: toroid.compare(*stencil, **given), "verfy", "verify"),
            (lambda **given: toroid.metrics("mesh:4", "stencil:grid=4", range(4), **given), "colectives", "collectives"),
            (lambda **given: toroid.schedule("mesh:4", "derose:jobs=2", **given), "alloc", "allocator"),
            (lambda **given: toroid.schedule("mesh:4", "derose:jobs=2", **given), "mtbf", "mtbf_hours"),
            (lambda **given: toroid.sweep("mesh:4", "derose:jobs=2", **given), "alloc", "allocators"),
        ):
            with self.subTest(name=name), self.assertRaises(TypeError) as caught:
                call(**{name: 3})
            self.assertRegex(str(caught.exception), f"unexpected keyword argument '{name}'; did you mean '{meant}'\\?$")
        with self.assertRaisesRegex(TypeError, "^unexpected keyword argument 'nonsense'$"):
            toroid.simulate(*stencil, engine="fluid", nonsense=3)

    def test_computation_that_is_left_out(self):
        program = ("torus:4x4", "cg:class=S,ranks=16,iterations=1", "snake")
        without, whole = (toroid.simulate(*program, engine="fluid", compute=compute) for compute in (None, "trace"))
        said = command("simulate", "torus:4x4", program[1], "--map", "snake", "--engine", "fluid")["computation"]
        self.assertTrue(said["left_out"])
        self.assertEqual(without.computation, said)
        self.assertEqual(
            repr(without),
            f"<toroid.Result {without.runtime:.9g} s of communication; left out: {said['busiest_rank_s']:.4g} s of computation by the busiest rank>",
        )
        self.assertFalse(whole.computation["left_out"])
        self.assertEqual(repr(whole), f"<toroid.Result {whole.runtime:.9g} s>")
        self.assertEqual(repr(toroid.simulate("mesh:4", [["send to=1 bytes=9"], ["recv from=0"]], [0, 1], engine="fluid"))[-3:], " s>")
        study = toroid.compare(program[0], program[1], ["snake", "random"], verify=False)
        self.assertEqual(repr(study), "<toroid.Comparison of 2 runs; run times are of communication, computation is left out>")
        study = toroid.compare(program[0], program[1], ["snake", "random"], verify=False, compute="trace")
        self.assertEqual(repr(study), "<toroid.Comparison of 2 runs>")
        for options, end in (({}, "; run times are of communication, computation is left out>"), ({"compute": "trace"}, ">")):
            made = toroid.schedule("torus:4x4", "derose:jobs=3,side=4", times="replayed", engine="fluid", programs=["stencil:grid=1,flops=1Mf"], **options)
            self.assertEqual(repr(made), "<toroid.Schedule of 3 jobs" + end)
        with self.assertRaisesRegex(toroid.InputError, "engine '5'"):
            toroid.simulate("mesh:4x4", "stencil:grid=4x4", engine=5)

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
