"""Run times of MPI programs on mesh and torus machines, predicted under link contention.

    import toroid

    machine = toroid.machine("torus:4x4x4", bandwidth="2GBps")
    trace = toroid.trace("cg:class=A,ranks=64")
    mapping = toroid.map(machine, trace, "multilevel", seed=1)
    result = toroid.simulate(machine, trace, mapping, engine="fluid")
    result.runtime, result.links

Texts such as "torus:4x4x4" and "tabu:budget=20" are those of the command `toroid`; `toroid list` prints them all. Times
are in seconds, sizes in bytes, bandwidths in bytes per second; nodes, ranks and links are numbers from 0. Tables are
pandas frames and matrices scipy's, which are imported when one is asked for.

Two exceptions are for users: InputError (a ValueError) for what is wrong with arguments and files, SimulationError (a
RuntimeError) for a simulated program that cannot go on. An interrupt (Ctrl-C) ends a run. A run leaves other threads of
Python alone; what needs a process of its own (the engine simgrid, the runs of compare) forks one.
"""

from __future__ import annotations

import functools
import inspect
import json
import numbers
import os
import re
import reprlib
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, Union

from . import _core
from ._core import InputError, Machine, SimulationError, Trace, __version__
from ._core import Job, MappingProblem, RunningJob, SchedulerState, WaitingJob
from .outside import check_deterministic, load_plugin, names, register_allocator, register_generator, register_mapper, register_scheduler

if TYPE_CHECKING:
    import numpy
    import pandas
    import scipy.sparse

    Nodes = Union[Sequence[int], numpy.ndarray]
    TraceLike = Union[str, os.PathLike, Trace]
    MachineLike = Union[str, os.PathLike, Machine]
    MapLike = Union[str, os.PathLike, Nodes]

__all__ = [
    "Comparison",
    "InputError",
    "Job",
    "Machine",
    "MappingProblem",
    "Result",
    "RunningJob",
    "Schedule",
    "Sweep",
    "SchedulerState",
    "SimulationError",
    "Trace",
    "WaitingJob",
    "__version__",
    "check_deterministic",
    "compare",
    "links",
    "load_plugin",
    "machine",
    "map",
    "matrix",
    "metrics",
    "names",
    "op",
    "register_allocator",
    "register_generator",
    "register_mapper",
    "register_scheduler",
    "schedule",
    "simulate",
    "sweep",
    "trace",
]


def _hinting(function: Any) -> Any:
    """The function. Where it does not know an argument, its complaint names the argument that was perhaps meant."""

    @functools.wraps(function)
    def call(*given: Any, **options: Any) -> Any:
        try:
            return function(*given, **options)
        except TypeError as error:
            found = re.search(r"unexpected keyword argument '(\w+)'$", str(error))
            known = list(inspect.signature(function).parameters)
            meant = _core.nearest(found[1], known) if found and found[1] in options else None
            if meant is None:
                raise
            raise TypeError(f"{error}; did you mean '{meant}'?") from None

    return call


def _property_text(name: str, value: Any) -> str:
    """The text of a property: a number is in the unit of its quantity, and a list has a value for each dimension, or all
    that a list of nodes or names has."""
    unit, of_dimension = _core.property_facts(name) or ("", False)
    slow = {"Bps": "bytes per second", "f": "flop per second"}.get(unit)
    if hasattr(value, "tolist"):
        value = value.tolist()  # of numpy or pandas
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Iterable) and not isinstance(value, str):
        is_by_dimension = "." not in name and of_dimension
        between = "/" if is_by_dimension else {"shape": "x", "node-names": ","}.get(name, " ")
        return between.join(_property_text(name, one) for one in value)
    if not isinstance(value, numbers.Real):
        return str(value)
    if slow and 0 < value < 1e6:
        raise InputError(f"{name}: found {value}, which would be {slow}; expected a unit, such as '{value}G{unit}', or a number from 1e6")
    is_whole = isinstance(value, numbers.Integral) or (not unit and float(value).is_integer())
    return repr(int(value) if is_whole else float(value)) + unit


def _property_name(name: str) -> str:
    """The property that a keyword names: `node-names` for node_names, `z.bandwidth` for z_bandwidth."""
    dimension, _, rest = name.partition("_")
    spellings = (name, name.replace("_", "-"), f"{dimension}.{rest.replace('_', '-')}")
    return next((one for one in spellings if _core.property_facts(one)), spellings[1])


def machine(spec: MachineLike, /, **properties: Any) -> Machine:
    """The machine of a PLATFORM text: "mesh:8x8", a preset such as "bigben", or an XML file.

    Keywords are its properties, or change them (`toroid list properties`): `bandwidth="2GBps"` or `2e9` (bytes per
    second), `gap=1e-6` (seconds), `bandwidth="x0.5"` for half of what it was, `nodes_per_router=4`, `wrap=("torus", "mesh")`
    by dimension, `fail_node=[3, 4]`, and `x_bandwidth=1e9` of one dimension. Lists may be arrays. Given a Machine, makes another one that differs from it. Raises
    InputError.
    """
    text = spec.text if isinstance(spec, Machine) else spec
    names = {name: _property_name(name) for name in properties}
    return _core.machine(text, [(names[name], _property_text(names[name], value)) for name, value in properties.items()])


def links(machine: Machine) -> pandas.DataFrame:
    """All links of a machine that work, a row each: number, name, kind (link, line, injection, ejection), dimension,
    direction, the routers that it joins, bandwidth (bytes per second) and latency (seconds)."""
    import pandas

    return pandas.DataFrame(machine._link_columns()).set_index("link")


def op(kind: str, /, **fields: Any) -> str:
    """An operation of a rank, as `trace` takes it: op("isend", to=1, bytes=8, request=0). Lists are joined by slashes."""

    def text(value: Any) -> str:
        return "/".join(str(one) for one in value) if isinstance(value, Iterable) and not isinstance(value, str) else str(value)

    return " ".join([kind] + [f"{name.replace('_', '-')}={text(value)}" for name, value in fields.items()])


@_hinting
def trace(
    source: Union[str, os.PathLike, Sequence[Iterable[str]]], /, *, communicators: Sequence[Sequence[int]] = ()
) -> Trace:
    """The trace of a TRACE text: a generator such as "cg:class=A,ranks=64", or a file in any form that is known.

    Or a list with the operations of each rank in the order of its program: [["send to=1 bytes=1000"], ["recv from=0"]].
    Their words are those of traces in own form (docs/reference/traces.md): the kind and KEY=VALUE for what it needs;
    `compute amount=1e9` is in flops. `op` writes them. `communicators` are lists of ranks, which operations know by
    their numbers from 1 (`comm=1`); all ranks are communicator 0. Raises InputError.
    """
    if isinstance(source, (str, os.PathLike)):
        return _core.trace(source)
    ranks = list(source) if isinstance(source, Iterable) else [source]
    for number, rank in enumerate(ranks):
        if isinstance(rank, str) or not isinstance(rank, Iterable):
            raise InputError(f"trace: found {reprlib.repr(rank)}, expected a list with the operations of a rank")
        ranks[number] = list(rank)
        for index, operation in enumerate(ranks[number]):
            if not isinstance(operation, str):
                raise InputError(f"rank {number}, operation {index}: found {reprlib.repr(operation)}, expected a text")
    return _core.trace_of_lists(ranks, communicators)


@_hinting
def matrix(
    trace: TraceLike, *, kind: str = "expanded", collectives: str = "default", messages: bool = False
) -> scipy.sparse.csr_matrix:
    """The bytes (or messages) that each rank (row) sends to each other one (column), as a sparse matrix of integers.

    `kind` is "expanded" (with the messages that collectives are made of) or "p2p" (without them).
    """
    return _opened(trace)._matrix(dict(kind=kind, collectives=collectives, messages=messages))


def _made(machine_like: MachineLike) -> Machine:
    return machine_like if isinstance(machine_like, Machine) else machine(machine_like)


def _opened(trace_like: TraceLike) -> Trace:
    return trace_like if isinstance(trace_like, Trace) else trace(trace_like)


@_hinting
def map(
    machine: MachineLike,
    trace: TraceLike,
    mapper: Union[str, os.PathLike] = "auto",
    *,
    seed: int = 1,
    nodes: Union[None, str, Nodes] = None,
    alloc: Union[None, str] = None,
    busy: Union[None, str] = None,
    ranks_per_node: int = 1,
    notes: Union[None, list] = None,
    **options: Any,
) -> numpy.ndarray:
    """The node of each rank, by a mapper (`toroid list mappers`) or a mapping file: an array of `trace.ranks` int32.

    `nodes` are those of the job in their order, all by default; or an allocator chooses them (`alloc`). `busy` are nodes
    that it may not have, "0-15,20" or "random:0.7". What mappers have to say of what they did is appended to `notes`.
    Options: `matrix`, the messages that mappers see, "expanded" or "p2p"; and, for those that simulate, the options of
    `simulate`. Raises InputError.
    """
    options.update(seed=seed, nodes=nodes, alloc=alloc, busy=busy, ranks_per_node=ranks_per_node)
    mapping, said = _core.map(_made(machine), _opened(trace), mapper, options)
    if notes is not None:
        notes.extend(said)
    return mapping


@_hinting
def metrics(
    machine: MachineLike,
    trace: TraceLike,
    mapping: Nodes,
    *,
    matrix: str = "expanded",
    collectives: str = "default",
) -> dict[str, Any]:
    """What can be said of a mapping without a run: hop-bytes, dilation, loads of links, costs. Names are those of results."""
    return json.loads(_core.metrics(_made(machine), _opened(trace), mapping, dict(matrix=matrix, collectives=collectives)))


class Result:
    """What came of a run. Times are in seconds, sizes in bytes."""

    def __init__(self, core: _core.Result) -> None:
        self._core = core

    @property
    def runtime(self) -> float:
        """The predicted run time in seconds: when the last rank has finished. Where `computation["left_out"]`, as of all
        generators unless `compute` says otherwise, that of the communication alone."""
        return self._core.runtime

    @functools.cached_property
    def computation(self) -> dict[str, Any]:
        """What the run makes of the program's computation, with the fields of docs/reference/results.md: whether it is
        `left_out`, and how long the busiest rank and all ranks compute (busiest_rank_s, all_ranks_s)."""
        return json.loads(self._core._computation())

    @property
    def ranks(self) -> pandas.DataFrame:
        """A row for each rank: its node, what it did (compute_s, transfer_s, wait_s), finish_s, what it sent."""
        import pandas

        return pandas.DataFrame(self._core._rank_columns()).rename_axis("rank")

    @property
    def links(self) -> pandas.DataFrame:
        """A row for each link that carried anything, by its number: bytes, messages, busy_s, utilisations from 0 to 1,
        peak_flows. `toroid.links` has what each link is."""
        import pandas

        return pandas.DataFrame(self._core._link_columns()).set_index("link")

    def arrays(self, table: str = "ranks") -> dict[str, numpy.ndarray]:
        """The columns of `ranks` or `links` as arrays that are not copies: read-only views of the result."""
        if table not in ("ranks", "links"):
            raise InputError(f"found '{table}', expected ranks or links")
        return self._core._rank_columns() if table == "ranks" else self._core._link_columns()

    @property
    def critical_path(self) -> dict[str, float]:
        """What the run time is made of, in seconds and as shares of it."""
        return json.loads(self._core._critical_path())

    @property
    def explanation(self) -> Union[None, dict[str, Any]]:
        """Why the run takes its time and what to change, with the fields of docs/reference/results.md: `causes`, `links`
        and the messages in the way on them, `chain`, `trials`, `what_to_change`. None unless `simulate` had `explain`."""
        return json.loads(self._core._explanation())

    @property
    def engine_settings(self) -> dict[str, str]:
        """The settings of the engine that were in effect."""
        return self._core.engine_settings

    def to_dict(self, *, links: bool = True) -> dict[str, Any]:
        """The whole result, with the fields of docs/reference/results.md."""
        return json.loads(self._core._json(links))

    def to_json(self, *, links: bool = True) -> str:
        """The whole result as the command writes it, but for the manifest; without the table of links if not `links`."""
        return self._core._json(links)

    def __repr__(self) -> str:
        use = self.computation
        left_out = f" of communication; left out: {use['busiest_rank_s']:.4g} s of computation by the busiest rank"
        return f"<toroid.Result {self.runtime:.9g} s{left_out if use['left_out'] else ''}>"


@_hinting
def simulate(
    machine: MachineLike,
    trace: TraceLike,
    mapping: MapLike = "consecutive",
    *,
    engine: str = "simgrid",
    seed: int = 1,
    compute: Union[None, str] = None,
    eager: Union[None, str, int] = None,
    envelope: Union[None, str, int] = None,
    collectives: Union[None, str] = None,
    order: Union[None, str] = None,
    repeats: Union[None, str] = None,
    windows: int = 64,
    critical_steps: bool = False,
    explain: bool = False,
    **placement: Any,
) -> Result:
    """The predicted run of a trace on a machine.

    `mapping` has the node of each rank, or names a mapper, which gets `seed` and the `placement` that `map` takes.
    `engine` is "simgrid", the reference, which runs in a process of its own; "fluid", which solves the same model 10 to
    100 times faster in this one; or "packet". `compute` is "none" (infinitely fast processors: the run time is that of
    the communication), "trace", "mean" (averaged over the iterations of a recorded program), "x0.5", or "default",
    which is "trace" for what a run has measured and "none" for what a generator has modelled; `eager` the largest
    message, in bytes, that is sent without waiting for its receive; `envelope` the bytes that each message carries
    besides its own; `collectives` the algorithms, "default:bcast=binomial"; `order` what
    travels one after another: "pair", "node" or "shared"; `repeats` is "off" where iterations that begin in the same
    state shall be simulated one by one all the same, or "sample:1%" where as many iterations shall be simulated as tell
    the run time to 1 % either way (`result.to_dict()["sampled"]` tells how well it is known). `windows` equal parts of the run are measured for peak
    utilisations. With `critical_steps` the result has the chain of steps that its critical path is the sum of. With
    `explain` it has an `explanation`, for which the program runs again with each change of the machine, and with the
    mapper "quick" on the same nodes. Raises InputError and SimulationError.
    """
    made, opened = _made(machine), _opened(trace)
    replay = dict(
        compute=compute, eager=eager, envelope=envelope, collectives=collectives, order=order, repeats=repeats
    )
    is_quick = mapping == "quick" if isinstance(mapping, str) else False
    notes: list[str] = []
    if isinstance(mapping, (str, os.PathLike)):
        mapping = map(made, opened, mapping, seed=seed, notes=notes, **replay, **placement)
    elif placement:
        raise TypeError(f"'{next(iter(placement))}' is for mappers, found a mapping")
    elif explain:
        import numpy

        nodes, ranks = numpy.unique(mapping, return_counts=True)
        placement = dict(nodes=nodes, ranks_per_node=int(ranks.max(initial=1)))
    others = {"quick": map(made, opened, "quick", seed=seed, **replay, **placement)} if explain and not is_quick else {}
    keywords = dict(replay, engine=engine, windows=windows, critical_steps=critical_steps, explain=explain, others=others)
    return Result(_core.simulate(made, opened, mapping, dict(keywords, notes=notes)))


_without_computation = "; run times are of communication, computation is left out"


class _Report:
    """A study as JSON, whose fields docs/reference/results.md has."""

    def __init__(self, report: dict[str, Any]) -> None:
        self._report = report

    def _frame(self, field: str) -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame(self._report[field])

    @property
    def rows(self) -> pandas.DataFrame:
        """A row for each run: what was run, its repetition and seed, and what came of it."""
        return self._frame("rows")

    def to_dict(self) -> dict[str, Any]:
        """The whole report, with the fields of docs/reference/results.md."""
        return self._report

    def to_json(self) -> str:
        """The whole report as JSON."""
        return json.dumps(self._report)

    def __repr__(self) -> str:
        return f"<toroid.{type(self).__name__} of {len(self._report['rows'])} runs>"


class Comparison(_Report):
    """What came of a study of mappings."""

    def __init__(self, report: dict[str, Any], engine: str) -> None:
        super().__init__(report)
        self._engine = engine

    @property
    def rows(self) -> pandas.DataFrame:
        """A row for each run, as in the command's CSV: what was run, its repetition, seed and engine, and what came of it."""
        import pandas

        by_engine = [{"engine": self._engine, "rows": self._report["rows"]}, *self._report.get("opinions", ())]
        return pandas.DataFrame([{**row, "engine": one["engine"]} for one in by_engine for row in one["rows"]])

    def __repr__(self) -> str:
        left_out = any(one["left_out"] for one in self._report["computation"])
        return super().__repr__()[:-1] + (_without_computation if left_out else "") + ">"

    @property
    def summary(self) -> pandas.DataFrame:
        """A row for each machine, trace, allocator and mapper: runs, best_s, mean_s, standard_deviation_s, mean_normalized, place."""
        return self._frame("summary")

    @property
    def _contests(self) -> list[dict[str, Any]]:
        """What is judged: mappers by machine, trace and allocator; with one mapper allocators by machine and trace; with
        one allocator machines by trace; with one machine programs."""
        kind = {"map": "statistics", "alloc": "allocators", "platform": "machines", "trace": "programs"}[
            self._report["subject"]
        ]
        found = self._report[kind]
        return found if isinstance(found, list) else [found]

    def _of_contests(self, field: str) -> pandas.DataFrame:
        import pandas

        common = ("platform", "trace", "alloc")
        return pandas.DataFrame(
            [
                {**{name: one[name] for name in common if name in one}, **pair}
                for one in self._contests
                for pair in one[field]
            ]
        )

    @property
    def verdicts(self) -> pandas.DataFrame:
        """A row for each machine and trace: the verdict in words, and the mapper with the lowest mean. With one mapper
        the verdicts are on allocators, or machines by trace; with one machine, too, on programs."""
        import pandas

        names = ("platform", "trace", *(("alloc",) if "alloc" in self._contests[0] else ()), "verdict", "lowest_mean")
        return pandas.DataFrame([{name: one.get(name) for name in names} for one in self._contests])

    @property
    def pairs(self) -> pandas.DataFrame:
        """A row for each two that are compared: the test, its p, and p corrected by Holm."""
        return self._of_contests("pairs")

    @property
    def gains(self) -> pandas.DataFrame:
        """A row for each that is compared with the `baseline`: speedup, speedup_interval, p_holm, runs_to_show."""
        return self._of_contests("gains")

    @property
    def verdict(self) -> str:
        """The verdicts in words, a line for each machine and trace."""
        lines = [
            ", ".join(one[name] for name in ("platform", "trace", "alloc") if name in one) + f": {one['verdict']}"
            for one in self._contests
        ]
        return "\n".join(lines)


class _Files:
    """Files of what has no text. In messages stands what they are of: `jobs, row 3`, not the path and `:5`."""

    def __init__(self) -> None:
        import tempfile

        self._folder = tempfile.TemporaryDirectory(prefix="toroid-")
        self._said: list[tuple[str, str, str]] = []

    def __enter__(self) -> _Files:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        self._folder.cleanup()
        if isinstance(error, (InputError, SimulationError)) and self.said(str(error)) != str(error):
            raise type(error)(self.said(str(error))) from None

    def add(self, name: str, line: str) -> str:
        """A path for a file; `line` says what its lines are, and how many come before the first: "row -2"."""
        path = os.path.join(self._folder.name, f"{len(self._said) + 1}.txt")
        self._said.append((path, name, line))
        return path

    def said(self, message: str) -> str:
        for path, name, line in self._said:
            word, _, before = line.partition(" ")
            message = re.sub(
                re.escape(path) + r"(?::(\d+))?",
                lambda found: name + (f", {word} {int(found[1]) + int(before or 0)}" if found[1] else ""),
                message,
            )
        return message


def _named(given: Any, single: tuple[type, ...], what: str) -> list[tuple[Union[None, str], Any]]:
    """What is compared, each with its name if it has one: one thing, several, or a dictionary by names."""
    if isinstance(given, Mapping):
        return [(str(name), one) for name, one in given.items()]
    is_mapping = getattr(given, "ndim", 0) == 1 or (
        isinstance(given, (list, tuple)) and len(given) > 0 and all(isinstance(one, numbers.Integral) for one in given)
    )
    if isinstance(given, (os.PathLike, *single)) or is_mapping:
        return [(None, given)]
    if not isinstance(given, Iterable):
        raise InputError(f"{what}: found {reprlib.repr(given)}, expected one, a list or a dictionary")
    return [(None, one) for one in given]


def _bytes(lists: Iterable[Iterable[str]]) -> list[list[bytes]]:
    """Lists of texts as C++ has them: names of files may be no UTF-8."""
    return [[os.fsencode(text) for text in texts] for texts in lists]


def _file_of(thing: Any, kind: str, name: str, files: _Files) -> str:
    """The path of a file that has a trace or a mapping without a text."""
    if isinstance(thing, Trace):
        path = files.add(name, "line")
        thing.write(path)
        return path
    if kind != "map":
        raise InputError(f"{name}: found {reprlib.repr(thing)}, expected a text or a toroid.{kind.capitalize()}")
    path = files.add(name, "rank -1")
    with open(path, "w") as file:
        file.writelines(f"{node}\n" for node in _core.whole_numbers(thing, name))
    return path


@_hinting
def compare(
    machines: Any,
    traces: Any,
    maps: Any = ("consecutive", "random"),
    *,
    repeat: int = 1,
    seed: int = 1,
    engine: Union[str, Sequence[str]] = "fluid",
    verify: bool = True,
    alpha: float = 0.05,
    baseline: Union[None, str] = None,
    workers: Union[None, int] = None,
    **options: Any,
) -> Comparison:
    """The study of mappings that `toroid compare` does: every machine with every trace and mapper.

    Each of the three is one thing, a list, or a dictionary by the names that tables shall have. Machines are texts or
    Machine objects, traces texts or Trace objects, maps are mappers, or arrays with the node of each rank. Mappers that
    draw lots run `repeat` times, with the seeds `seed`, `seed + 1`, ...; differences are judged at the level `alpha`. `baseline`
    names the mapper over which `gains` are told; with one mapper an allocator, a machine, or else a trace. A list as
    `alloc` compares allocators, each repetition beside `busy` nodes of its own if these are drawn. Of several engines the others do all runs again, for whether the verdicts hold. `verify` has the best run of each mapper
    done again by the reference. Runs are done in `workers` processes, as many as there are cores by default; the result
    does not depend on that. Options are those of `map` and `simulate`. Raises InputError; a run that fails has its
    reason in its row, and a RuntimeWarning tells of it.
    """
    with _Files() as files:
        texts: list[list[str]] = [[], [], []]
        labels: list[list[str]] = [[], [], []]
        given = (
            _named(machines, (str, Machine), "machines"),
            _named(traces, (str, Trace), "traces"),
            _named(maps, (str,), "maps"),
        )
        for which, things in enumerate(given):
            for number, (name, thing) in enumerate(things):
                text = os.fspath(thing) if isinstance(thing, (str, os.PathLike)) else getattr(thing, "text", "")
                kind = ("machine", "trace", "map")[which]
                if not text:
                    name = name or f"{kind} {number + 1}"
                    text = _file_of(thing, kind, name, files)
                texts[which].append(text)
                labels[which].append(name or text)
        engines = [engine] if isinstance(engine, str) else list(engine)
        options.update(repeat=repeat, seed=seed, engines=engines, verify=verify, alpha=alpha, workers=workers)
        if baseline is not None:
            options.update(baseline=baseline)
        report = json.loads(_core.compare(*_bytes(texts), tuple(_bytes(labels)), options))
    _rename(report, dict(zip(sum(texts, []), sum(labels, []))), files)
    _warn_of_failures(report["rows"])
    return Comparison(report, engines[0])


def _warn_of_failures(rows: Sequence[Mapping[str, Any]]) -> None:
    """Says on behalf of the caller's caller that runs of a study failed: tables only have fewer runs."""
    failed = [row for row in rows if row.get("error")]
    if not failed:
        return
    first = ", ".join(failed[0][key] for key in ("platform", "trace", "workload", "scheduler", "alloc", "map") if key in failed[0])
    warnings.warn(f"{len(failed)} of {len(rows)} runs failed, the first of {first}: {failed[0]['error']}", RuntimeWarning, stacklevel=4)


def _rename(report: Any, names: Mapping[str, str], files: _Files) -> None:
    """Puts the names of what was compared in the place of the texts that the runs had for them."""
    places = report.values() if isinstance(report, dict) else report
    for place in places:
        if isinstance(place, (dict, list)):
            _rename(place, names, files)
    if isinstance(report, dict):
        if isinstance(report.get("error"), str):
            report["error"] = files.said(report["error"])
        for key in ("platform", "trace", "map", "other", "lowest_mean", "jobs", "workload", "scheduler", "alloc"):
            if isinstance(report.get(key), str):
                report[key] = names.get(report[key], report[key])


def _frame_of(csv: bytes) -> pandas.DataFrame:
    import io

    import pandas

    return pandas.read_csv(io.BytesIO(csv))


class Schedule:
    """What came of a schedule of jobs."""

    def __init__(self, result: dict[str, Any], jobs: bytes, timeline: bytes) -> None:
        self.totals: dict[str, Any] = result
        """The totals of docs/reference/scheduling.md: makespan_s, utilization, mean_wait_s, ..."""
        self._jobs, self._timeline = jobs, timeline

    @property
    def jobs(self) -> pandas.DataFrame:
        """A row for each job in the order of their ends: the columns of `schedule --jobs-csv`, times in seconds."""
        return _frame_of(self._jobs)

    @property
    def timeline(self) -> pandas.DataFrame:
        """A row for each instant in which jobs came, started or ended, if `timeline` was asked for."""
        if not self._timeline:
            raise InputError("no timeline was kept; expected schedule(..., timeline=True)")
        return _frame_of(self._timeline)

    def to_json(self) -> str:
        """The totals as the command writes them, but for the manifest."""
        return json.dumps(self.totals)

    def __repr__(self) -> str:
        left_out = self.totals.get("mean_computation_left_out_s")
        return f"<toroid.Schedule of {self.totals['jobs']} jobs{_without_computation if left_out else ''}>"


def _jobs_file(jobs: Any, name: str, files: _Files) -> str:
    if isinstance(jobs, (str, os.PathLike)):
        return os.fspath(jobs)
    if not hasattr(jobs, "to_csv") or not hasattr(jobs, "columns"):
        raise InputError(f"{name}: found {reprlib.repr(jobs)}, expected a text or a frame")
    if "size" not in jobs.columns:
        raise InputError(f"{name}: found the columns {', '.join(str(one) for one in jobs.columns)}, expected size among them")
    path = files.add(name, "row -2")  # its first line has the names of columns
    # A column of whole numbers has points when one of them is missing, or is none.
    jobs.to_csv(path, index=False, float_format=lambda one: repr(int(one) if float(one).is_integer() else float(one)))
    return path


@_hinting
def schedule(
    machine: MachineLike,
    jobs: Any,
    scheduler: str = "easy",
    allocator: str = "consecutive",
    *,
    seed: int = 1,
    timeline: bool = False,
    **options: Any,
) -> Schedule:
    """Jobs on a machine, as `toroid schedule` runs them.

    `jobs` is a job log, a stream such as "derose:load=10", or a frame with a row for each job and the columns size
    (nodes), submitted_s, run_time_s, and what else docs/reference/jobs.md has. Schedulers and allocators are those of
    `toroid list`, or registered ones. Options are those of the command: estimates, kill, dynamic, too_large, failing,
    mtbf_hours, repair_hours, requeue, at (a list of outages and reservations), lenient, and, where the network decides how long jobs
    run: times ("replayed" or "epochs"), programs (a list of rules), map, ranks_per_node, alone, reference, engine,
    windows, and the options of `simulate`. Raises InputError and SimulationError.
    """
    options.update(scheduler=scheduler, allocator=allocator, seed=seed, timeline=timeline)
    with _Files() as files:
        text = _jobs_file(jobs, "jobs", files)
        name = text if isinstance(jobs, (str, os.PathLike)) else "jobs"
        result, lines, instants = _core.schedule(_made(machine), *_bytes([[text, name]])[0], options)
    return Schedule(json.loads(result), lines, instants)


def _contender(row: Mapping[str, Any]) -> str:
    return ", ".join(row[key] for key in ("scheduler", "alloc", "map") if key in row)


class Sweep(_Report):
    """What came of many schedules."""

    @property
    def summary(self) -> pandas.DataFrame:
        """A row for each contender (scheduler, allocator, mapper): the means of its runs, its verdict ("dominated", "not
        dominated", "undecided", or None where one run each says nothing), and the numbers of those that dominate it."""
        return self._frame("summary")

    @property
    def verdict(self) -> str:
        """What speaks for which contender, and what one pays for what, in words."""
        said = [one.rstrip() for one in self._report["verdicts"]]
        if len(said) > 1:
            for number, group in enumerate(self._report["trade_offs"]):
                said[number] = f"jobs           {group['workload']} on {group['platform']}\n{said[number]}"
        return "\n\n".join(said)

    def differences(self, field: str) -> pandas.DataFrame:
        """A row for each two contenders: how the mean of `field` (a column of `summary`) of `one` differs from that of
        `other`, with the confidence interval of the difference, the test, its p, and p corrected by Holm (p_holm)."""
        import pandas

        names = self._report["summary"]
        rows = []
        for group in self._report["trade_offs"]:
            for pair in group["pairs"]:
                if field not in pair["differences"]:
                    raise InputError(f"found '{field}', expected one of {', '.join(pair['differences'])}")
                ends = {end: _contender(names[pair[end]]) for end in ("one", "other")}
                where = {"platform": group["platform"], "workload": group["workload"], "relation": pair["relation"]}
                rows.append({**where, **ends, **(pair["differences"][field] or {})})
        return pandas.DataFrame(rows)


@_hinting
def sweep(
    machines: Any,
    jobs: Any,
    schedulers: Union[str, Sequence[str]] = "easy",
    allocators: Union[str, Sequence[str]] = ("consecutive", "mc1x1"),
    *,
    repeat: int = 1,
    seed: int = 1,
    workers: Union[None, int] = None,
    **options: Any,
) -> Sweep:
    """Every machine with every log of jobs, scheduler and allocator, as several of each in `toroid schedule`.

    Each of the four is one thing, a list, or a dictionary by names. What depends on the seed runs `repeat` times, and
    contenders are judged two by two in pairs of runs with the same jobs. Runs are done in `workers` processes.
    Options are those of `schedule`, with `maps` (a list) for `map`. Raises InputError; a run that fails has its reason in
    its row, and a RuntimeWarning tells of it.
    """
    given = dict(machines=machines, jobs=jobs, schedulers=schedulers, allocators=allocators)
    with _Files() as files:
        names: dict[str, str] = {}
        texts: list[list[str]] = []
        for what, things in given.items():
            texts.append([])
            is_frame = hasattr(things, "to_csv")
            for name, thing in [(None, things)] if is_frame else _named(things, (str, Machine), what):
                has_text = isinstance(thing, (str, os.PathLike, Machine))
                if not has_text:
                    name = name or (f"jobs {len(texts[-1]) + 1}" if what == "jobs" else what)
                text = thing.text if isinstance(thing, Machine) else _jobs_file(thing, name or what, files)
                names[text] = name or text
                texts[-1].append(text)
        options.update(repeat=repeat, seed=seed, workers=workers)
        report = json.loads(_core.sweep(*_bytes(texts), options))
    _rename(report, names, files)
    _warn_of_failures(report["rows"])
    return Sweep(report)
