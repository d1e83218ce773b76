# What functions of the package take: kinds of arguments, and keywords. What a keyword means stands where the functions
# are, and in `toroid simulate --help` and its like.

import os
from typing import Any, Mapping, Optional, Sequence, TypedDict, Union

import numpy
import numpy.typing
import pandas

from ._core import Machine, Trace

Array = numpy.typing.NDArray[Any]
Columns = dict[str, Array]
Path = Union[str, os.PathLike[str]]
Nodes = Union[Sequence[int], Array]
TraceLike = Union[Path, Trace]
MachineLike = Union[Path, Machine]
MapLike = Union[Path, Nodes]
JobsLike = Union[Path, pandas.DataFrame]
# One thing, several, or several by the names that tables shall have.
Machines = Union[MachineLike, Sequence[MachineLike], Mapping[str, MachineLike]]
Traces = Union[TraceLike, Sequence[TraceLike], Mapping[str, TraceLike]]
Maps = Union[MapLike, Sequence[MapLike], Mapping[str, MapLike]]
Jobs = Union[JobsLike, Sequence[JobsLike], Mapping[str, JobsLike]]
Names = Union[str, Sequence[str], Mapping[str, str]]
Text = Union[str, int, float]
Texts = Union[str, Sequence[str]]

# The keywords of functions, from the tables of options: hints_test.py compares them with the module, and writes them
# with TOROID_REFRESH_DOCS=1.
class RunOptions(TypedDict, total=False):
    seed: Optional[int]
    estimates: Optional[Text]
    kill: Optional[bool]
    too_large: Optional[Text]
    dynamic: Optional[bool]
    mtbf_hours: Optional[float]
    repair_hours: Optional[float]
    at: Optional[Sequence[str]]
    requeue: Optional[int]
    engine: Optional[Text]
    times: Optional[Text]
    programs: Optional[Sequence[str]]
    ranks_per_node: Optional[int]
    reference: Optional[Text]
    communication: Optional[float]
    alone: Optional[bool]
    failing: Optional[Text]
    epoch_rounds: Optional[int]
    epoch_samples: Optional[int]
    epoch_error: Optional[float]
    compute: Optional[Text]
    eager: Optional[Text]
    envelope: Optional[Text]
    collectives: Optional[Text]
    order: Optional[Text]
    repeats: Optional[Text]
    windows: Optional[int]
    lenient: Optional[bool]

class MatrixOptions(TypedDict, total=False):
    kind: Optional[Text]
    collectives: Optional[Text]
    messages: Optional[bool]

class MetricsOptions(TypedDict, total=False):
    matrix: Optional[Text]
    collectives: Optional[Text]

class MapOptions(MetricsOptions, total=False):
    seed: Optional[int]
    nodes: Optional[Union[str, Nodes]]
    alloc: Optional[Text]
    busy: Optional[Text]
    ranks_per_node: Optional[int]
    compute: Optional[Text]
    eager: Optional[Text]
    envelope: Optional[Text]
    order: Optional[Text]
    repeats: Optional[Text]

class SimulateOptions(MapOptions, total=False):
    engine: Optional[Text]
    windows: Optional[int]
    critical_steps: Optional[bool]
    explain: Optional[bool]

class CompareOptions(TypedDict, total=False):
    repeat: Optional[int]
    seed: Optional[int]
    engine: Optional[Texts]
    verify: Optional[bool]
    alpha: Optional[float]
    baseline: Optional[Text]
    workers: Optional[int]
    matrix: Optional[Text]
    alloc: Optional[Texts]
    nodes: Optional[Union[str, Nodes]]
    busy: Optional[Text]
    ranks_per_node: Optional[int]
    collectives: Optional[Texts]
    compute: Optional[Text]
    eager: Optional[Text]
    envelope: Optional[Text]
    order: Optional[Text]
    repeats: Optional[Text]

class ScheduleOptions(RunOptions, total=False):
    timeline: Optional[bool]
    map: Optional[Text]

class SweepOptions(RunOptions, total=False):
    repeat: Optional[int]
    workers: Optional[int]
    maps: Optional[Texts]
