"""Many runs: mappings that are compared, and jobs that come and go."""

from __future__ import annotations

import json
import numbers
import os
import reprlib
import warnings
from typing import TYPE_CHECKING, Any, Iterable, Mapping, Sequence, Union, Unpack

from . import _core
from ._core import InputError, Machine, Trace
from .inputs import made
from .results import Comparison, Schedule, Sweep

if TYPE_CHECKING:
    from .options import CompareOptions, Jobs, JobsLike, MachineLike, Machines, Maps, Names, ScheduleOptions
    from .options import SweepOptions, Traces


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


def _cell(value: Any) -> str:
    """A value of a frame as tables of jobs have it: whole numbers have points in a column where one is missing."""
    import pandas

    if pandas.isna(value):
        return ""
    return str(int(value) if isinstance(value, numbers.Real) and float(value).is_integer() else value)


def _held(thing: Any, what: str, name: str) -> Any:
    """What C++ takes of a thing without a text: a Trace, the node of each rank, or the columns and rows of a frame."""
    if what == "jobs" and hasattr(thing, "itertuples"):
        columns = [str(column) for column in thing.columns]
        if "size" not in columns:
            raise InputError(f"{name}: found the columns {', '.join(columns)}, expected size among them")
        return columns, [[_cell(value) for value in row] for row in thing.itertuples(index=False)]
    if what == "map" or (what == "trace" and isinstance(thing, Trace)):
        return thing
    other = {"jobs": " or a frame", "machine": " or a toroid.Machine", "trace": " or a toroid.Trace"}.get(what, "")
    raise InputError(f"{name}: found {reprlib.repr(thing)}, expected a text{other}")


Thing = tuple[bytes, Any]


def _thing(thing: Any, what: str, name: str) -> Thing:
    """Its text, or its name and what C++ takes of it. Names of files may be no UTF-8."""
    text = os.fspath(thing) if isinstance(thing, (str, os.PathLike)) else getattr(thing, "text", "")
    return os.fsencode(text or name), None if text else _held(thing, what, name)


def _things(given: Any, single: tuple[type, ...], what: str, names: dict[str, str]) -> list[Thing]:
    """What a study varies, which is called `what`. `names` get what each text is called in tables."""
    plural = what if what == "jobs" else what + "s"
    is_frame = hasattr(given, "itertuples")
    some = _named([given] if is_frame else given, (str, *single), plural)
    things = []
    for number, (name, thing) in enumerate(some):
        label = name or f"{what} {number + 1}"
        text, held = _thing(thing, what, label)
        if what == "map" and held is not None:
            text = f"file:/given/{number}".encode()  # which C++ takes for this mapping while it compares
        things.append((text, held))
        names[os.fsdecode(text)] = name or (os.fsdecode(text) if held is None else label)
    return things


def _texts(things: Iterable[Thing]) -> list[bytes]:
    return [text for text, _ in things]


def compare(
    machines: Machines, traces: Traces, maps: Maps = ("consecutive", "random"), **options: Unpack[CompareOptions]
) -> Comparison:
    """The study of mappings that `toroid compare` does: every machine with every trace and mapper.

    Each of the three is one thing, a list, or a dictionary by the names that tables shall have. Machines are texts or
    Machine objects, traces texts or Trace objects, maps are mappers, or arrays with the node of each rank. Mappers that
    draw lots run `repeat` times, with the seeds `seed`, `seed + 1`, ...; differences are judged at the level `alpha`.
    `baseline` names the mapper over which `gains` are told; with one mapper an allocator, algorithms of collectives, a
    machine, or else a trace. A list as `alloc` compares allocators, each repetition beside `busy` nodes of its own if
    these are drawn; a list as `collectives` compares algorithms. Of several engines the others do all runs again, for
    whether the verdicts hold. `verify` has the best run of each mapper done again by the reference. Runs are done in
    `workers` processes, as many as there are cores by default; the result does not depend on that. Options are those of
    `map` and `simulate`. Raises InputError; a run that fails has its reason in its row, and a RuntimeWarning says so.
    """
    names: dict[str, str] = {}
    where = _texts(_things(machines, (Machine,), "machine", names))
    what, how = _things(traces, (Trace,), "trace", names), _things(maps, (), "map", names)
    labels = [[os.fsencode(names[os.fsdecode(text)]) for text in some] for some in (where, _texts(what), _texts(how))]
    report = json.loads(_core.compare(where, what, how, (labels[0], labels[1], labels[2]), dict(options)))
    _rename(report, names)
    for key in ("platforms", "traces", "maps"):
        report["manifest"][key] = [names.get(text, text) for text in report["manifest"][key]]
    _warn_of_failures(report["rows"])
    engine = options.get("engine") or "fluid"
    return Comparison(report, engine if isinstance(engine, str) else engine[0])


_factors = ("platform", "trace", "workload", "scheduler", "collectives", "alloc", "map")


def _warn_of_failures(rows: Sequence[Mapping[str, Any]]) -> None:
    """Says on behalf of the caller's caller that runs of a study failed: tables only have fewer runs."""
    failed = [row for row in rows if row.get("error")]
    if not failed:
        return
    first = ", ".join(failed[0][key] for key in _factors if key in failed[0])
    warnings.warn(
        f"{len(failed)} of {len(rows)} runs failed, the first of {first}: {failed[0]['error']}",
        RuntimeWarning,
        stacklevel=4,
    )


def _rename(report: Any, names: Mapping[str, str]) -> None:
    """Puts the names of what was compared in the place of the texts that the runs had for them."""
    for place in report.values() if isinstance(report, dict) else report:
        if isinstance(place, (dict, list)):
            _rename(place, names)
    if isinstance(report, dict):
        for key in (*_factors, "other", "lowest_mean", "jobs"):
            if isinstance(report.get(key), str):
                report[key] = names.get(report[key], report[key])


def schedule(
    machine: MachineLike,
    jobs: JobsLike,
    scheduler: str = "easy",
    allocator: str = "consecutive",
    **options: Unpack[ScheduleOptions],
) -> Schedule:
    """Jobs on a machine, as `toroid schedule` runs them.

    `jobs` is a job log, a stream such as "derose:load=10", or a frame with a row for each job and the columns size
    (nodes), submitted_s, run_time_s, and what else docs/reference/jobs.md has. Schedulers and allocators are those of
    `toroid list`, or registered ones. Options are those of the command: estimates, kill, dynamic, too_large, failing,
    mtbf_hours, repair_hours, requeue, at (a list of outages and reservations) and lenient. Where the network decides
    how long jobs run there are times ("replayed", "epochs" or "modelled"), programs (a list of rules), map,
    ranks_per_node, alone, reference, engine, windows, and the options of `simulate`. Raises InputError and
    SimulationError.
    """
    keywords: dict[str, Any] = {**options, "scheduler": scheduler, "allocator": allocator}
    result, lines, instants = _core.schedule(made(machine), _thing(jobs, "jobs", "jobs"), keywords)
    return Schedule(json.loads(result), lines, instants)


def sweep(
    machines: Machines,
    jobs: Jobs,
    schedulers: Names = "easy",
    allocators: Names = ("consecutive", "mc1x1"),
    **options: Unpack[SweepOptions],
) -> Sweep:
    """Every machine with every log of jobs, scheduler and allocator, as several of each in `toroid schedule`.

    Each of the four is one thing, a list, or a dictionary by names. What depends on the seed runs `repeat` times, and
    contenders are judged two by two in pairs of runs with the same jobs. Runs are done in `workers` processes. Options
    are those of `schedule`, with `maps` (a list) for `map`. Raises InputError; a run that fails has its reason in its
    row, and a RuntimeWarning tells of it.
    """
    names: dict[str, str] = {}
    where, what = _texts(_things(machines, (Machine,), "machine", names)), _things(jobs, (), "jobs", names)
    who, which = (
        _texts(_things(given, (), kind, names))
        for kind, given in (("scheduler", schedulers), ("allocator", allocators))
    )
    report = json.loads(_core.sweep(where, what, who, which, dict(options)))
    _rename(report, names)
    _warn_of_failures(report["rows"])
    return Sweep(report)
