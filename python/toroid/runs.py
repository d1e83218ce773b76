"""A program on a machine: who goes where, and how long that takes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Union, Unpack

from . import _core
from .inputs import made, opened
from .results import Result

if TYPE_CHECKING:
    from .options import (
        Array,
        MachineLike,
        MapLike,
        MapOptions,
        MetricsOptions,
        Nodes,
        Path,
        SimulateOptions,
        TraceLike,
    )


def map(
    machine: MachineLike,
    trace: TraceLike,
    mapper: Path = "auto",
    *,
    notes: Union[None, list[str]] = None,
    **options: Unpack[MapOptions],
) -> Array:
    """The node of each rank, by a mapper (`toroid list mappers`) or a mapping file: an array of `trace.ranks` int32.

    `nodes` are those of the job in their order, all by default; or an allocator chooses them (`alloc`). `busy` are
    nodes that it may not have, "0-15,20" or "random:0.7"; `ranks_per_node` ranks share a node. Lots are drawn by
    `seed`. What mappers have to say of what they did is appended to `notes`. Options: `matrix`, the messages that
    mappers see, "expanded" or "p2p"; and, for those that simulate, the options of `simulate`. Raises InputError.
    """
    mapping, said = _core.map(made(machine), opened(trace), mapper, dict(options))
    if notes is not None:
        notes.extend(said)
    return mapping


def metrics(
    machine: MachineLike, trace: TraceLike, mapping: Nodes, **options: Unpack[MetricsOptions]
) -> dict[str, Any]:
    """What can be said of a mapping without a run: hop-bytes, dilation, loads of links, costs. Names are those of
    results. Options are `matrix` and `collectives`, as for `map`."""
    found: dict[str, Any] = json.loads(_core.metrics(made(machine), opened(trace), mapping, dict(options)))
    return found


def simulate(
    machine: MachineLike, trace: TraceLike, mapping: MapLike = "consecutive", **options: Unpack[SimulateOptions]
) -> Result:
    """The predicted run of a trace on a machine.

    `mapping` has the node of each rank, or names a mapper, which gets the options that `map` takes.
    `engine` is "simgrid", the reference, which runs in a process of its own; "fluid", which solves the same model 10 to
    100 times faster in this one; or "packet". `compute` is "none" (infinitely fast processors: the run time is that of
    the communication), "trace", "x0.5", or "default",
    which is "trace" for what a run has measured and "none" for what a generator has modelled. `eager` is the largest
    message, in bytes, that is sent without waiting for its receive. `envelope` is the bytes that each message carries
    besides its own. `collectives` are the algorithms, "default:bcast=binomial". `order` is what travels one after
    another: "pair", "node" or "shared". `repeats` is "off" where iterations that begin in the same state shall be
    simulated one by one all the same, or "sample:1%" where as many iterations shall be simulated as tell the run time
    to 1 % either way (`result.to_dict()["sampled"]` tells how well it is known). `windows` equal parts of the run are
    measured for peak utilisations. With `critical_steps` the result has the chain of steps that its critical path is
    the sum of. With `explain` it has an `explanation`, for which the program runs again with each change of the
    machine, and with the mapper "quick" on the same nodes. Raises InputError and SimulationError.
    """
    return Result(_core.simulate(made(machine), opened(trace), mapping, dict(options)))
