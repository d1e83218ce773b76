"""What comes of runs and of studies. All of it can be pickled."""

from __future__ import annotations

import functools
import json
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Mapping, Union

from . import _core
from ._core import InputError

if TYPE_CHECKING:
    import pandas

    from .options import Columns

_common = ("platform", "trace", "collectives", "alloc")  # what the contenders of a contest may have in common
_without_computation = "; run times are of communication, computation is left out"


def _object(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found


def _table(rows: Any) -> pandas.DataFrame:
    import pandas

    return pandas.DataFrame(rows)


def _restored(runtime: float, settings: dict[str, str], told: dict[str, Any], whole: tuple[str, str]) -> Result:
    """The Result that was pickled: with what its run told, without the run."""
    core = SimpleNamespace(runtime=runtime, engine_settings=settings, _json=lambda links: whole[links])
    for name in told:
        setattr(core, name, functools.partial(dict.get, told, name))
    return Result(core)


class Result:
    """What came of a run. Times are in seconds, sizes in bytes."""

    def __init__(self, core: Any) -> None:
        self._core: _core.Result = core

    def __reduce__(self) -> tuple[Any, ...]:
        core = self._core
        tables = {"_rank_columns": core._rank_columns(), "_link_columns": core._link_columns()}
        parts = {name: getattr(core, name)() for name in ("_computation", "_critical_path", "_explanation")}
        return _restored, (core.runtime, core.engine_settings, tables | parts, (core._json(False), core._json(True)))

    @property
    def runtime(self) -> float:
        """The predicted run time in seconds: when the last rank has finished. Where `computation["left_out"]`, as of
        all generators unless `compute` says otherwise, that of the communication alone."""
        return self._core.runtime

    @functools.cached_property
    def computation(self) -> dict[str, Any]:
        """What the run makes of the program's computation, with the fields of docs/reference/results.md: whether it is
        `left_out`, and how long the busiest rank and all ranks compute (busiest_rank_s, all_ranks_s)."""
        return _object(self._core._computation())

    @property
    def ranks(self) -> pandas.DataFrame:
        """A row for each rank: its node, what it did (compute_s, transfer_s, wait_s), finish_s, what it sent."""
        return _table(self._core._rank_columns()).rename_axis("rank")

    @property
    def links(self) -> pandas.DataFrame:
        """A row for each link that carried anything, by its number: bytes, messages, busy_s, utilisations from 0 to 1,
        peak_flows. `toroid.links` has what each link is."""
        return _table(self._core._link_columns()).set_index("link")

    def arrays(self, table: str = "ranks") -> Columns:
        """The columns of `ranks` or `links` as arrays that are not copies: read-only views of the result."""
        if table not in ("ranks", "links"):
            raise InputError(f"found '{table}', expected ranks or links")
        return self._core._rank_columns() if table == "ranks" else self._core._link_columns()

    @property
    def critical_path(self) -> dict[str, float]:
        """What the run time is made of, in seconds and as shares of it."""
        return _object(self._core._critical_path())

    @property
    def explanation(self) -> Union[None, dict[str, Any]]:
        """Why the run takes its time and what to change, with the fields of docs/reference/results.md: `causes`,
        `links` and the messages in the way on them, `chain`, `trials`, `what_to_change`. None unless `simulate` had
        `explain`.
        """
        found: Union[None, dict[str, Any]] = json.loads(self._core._explanation())
        return found

    @property
    def engine_settings(self) -> dict[str, str]:
        """The settings of the engine that were in effect."""
        return self._core.engine_settings

    def to_dict(self, *, links: bool = True) -> dict[str, Any]:
        """The whole result, with the fields of docs/reference/results.md."""
        return _object(self._core._json(links))

    def to_json(self, *, links: bool = True) -> str:
        """The whole result as the command writes it, but for the manifest; without the table of links if not
        `links`."""
        return self._core._json(links)

    def __repr__(self) -> str:
        use = self.computation
        left_out = f" of communication; left out: {use['busiest_rank_s']:.4g} s of computation by the busiest rank"
        return f"<toroid.Result {self.runtime:.9g} s{left_out if use['left_out'] else ''}>"


class _Report:
    """A study as JSON, whose fields docs/reference/results.md has."""

    def __init__(self, report: dict[str, Any]) -> None:
        self._report = report

    @property
    def rows(self) -> pandas.DataFrame:
        """A row for each run: what was run, its repetition and seed, and what came of it."""
        return _table(self._report["rows"])

    def to_dict(self) -> dict[str, Any]:
        """The whole report, with the fields of docs/reference/results.md."""
        return self._report

    def to_json(self) -> str:
        """The whole report as JSON, which `toroid plot` draws."""
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
        """A row for each run, as in the command's CSV: what was run, its repetition, seed and engine, and what came of
        it."""
        by_engine = [{"engine": self._engine, "rows": self._report["rows"]}, *self._report.get("opinions", ())]
        return _table([{**row, "engine": one["engine"]} for one in by_engine for row in one["rows"]])

    def __repr__(self) -> str:
        left_out = any(one["left_out"] for one in self._report["computation"])
        return super().__repr__()[:-1] + (_without_computation if left_out else "") + ">"

    @property
    def summary(self) -> pandas.DataFrame:
        """A row for each machine, trace, allocator and mapper: runs, best_s, mean_s, standard_deviation_s,
        mean_normalized, place."""
        return _table(self._report["summary"])

    @property
    def _contests(self) -> list[dict[str, Any]]:
        """What is judged: mappers; with one mapper allocators, or else collectives, machines, or programs."""
        subject = self._report["subject"]
        kinds = {"map": "statistics", "alloc": "allocators", "platform": "machines", "trace": "programs"}
        found = self._report[kinds.get(subject, subject)]
        return found if isinstance(found, list) else [found]

    def _of_contests(self, field: str) -> pandas.DataFrame:
        return _table(
            [
                {**{name: one[name] for name in _common if name in one}, **pair}
                for one in self._contests
                for pair in one[field]
            ]
        )

    @property
    def verdicts(self) -> pandas.DataFrame:
        """A row for each machine and trace: the verdict in words, and the mapper with the lowest mean. With one mapper
        the verdicts are on allocators, or machines by trace; with one machine, too, on programs."""
        told = [name for name in ("collectives", "alloc") if name in self._contests[0]]
        names = ("platform", "trace", *told, "verdict", "lowest_mean")
        return _table([{name: one.get(name) for name in names} for one in self._contests])

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
        return "\n".join(
            ", ".join(one[name] for name in _common if name in one) + f": {one['verdict']}" for one in self._contests
        )


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


def _contender(row: Mapping[str, Any]) -> str:
    return ", ".join(row[key] for key in ("scheduler", "alloc", "map") if key in row)


class Sweep(_Report):
    """What came of many schedules."""

    @property
    def summary(self) -> pandas.DataFrame:
        """A row for each contender (scheduler, allocator, mapper): the means of its runs, its verdict ("dominated",
        "not dominated", "undecided", or None where one run each says nothing), and the numbers of those that dominate
        it."""
        return _table(self._report["summary"])

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
        names = self._report["summary"]
        rows = []
        for group in self._report["trade_offs"]:
            for pair in group["pairs"]:
                if field not in pair["differences"]:
                    raise InputError(f"found '{field}', expected one of {', '.join(pair['differences'])}")
                ends = {end: _contender(names[pair[end]]) for end in ("one", "other")}
                where = {"platform": group["platform"], "workload": group["workload"], "relation": pair["relation"]}
                rows.append({**where, **ends, **(pair["differences"][field] or {})})
        return _table(rows)
