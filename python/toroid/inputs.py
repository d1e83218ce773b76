"""Machines and traces: what runs and studies begin with."""

from __future__ import annotations

import numbers
import os
import reprlib
from typing import TYPE_CHECKING, Any, Iterable, Sequence, Union, Unpack

from . import _core
from ._core import InputError, Machine, Trace

if TYPE_CHECKING:
    import pandas
    import scipy.sparse

    from .options import MachineLike, MatrixOptions, Path, TraceLike


def _property_text(name: str, value: Any) -> str:
    """The text of a property: a number is in the unit of its quantity, and a list has a value for each dimension, or
    all that a list of nodes or names has."""
    unit, of_dimension = _core.property_facts(name) or ("", False)
    slow = {"Bps": "bytes per second", "f": "flop per second"}.get(unit)
    if hasattr(value, "tolist"):
        value = value.tolist()  # a number of numpy or pandas
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Iterable) and not isinstance(value, str):
        is_by_dimension = "." not in name and of_dimension
        between = "/" if is_by_dimension else {"shape": "x", "node-names": ","}.get(name, " ")
        return between.join(_property_text(name, one) for one in value)
    if not isinstance(value, numbers.Real):
        return str(value)
    if slow and 0 < float(value) < 1e6:
        raise InputError(
            f"{name}: found {value}, which would be {slow}; expected a unit, such as '{value}G{unit}', "
            "or a number from 1e6"
        )
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
    second), `gap=1e-6` (seconds), `bandwidth="x0.5"` for half of what it was, `nodes_per_router=4`, `wrap=("torus",
    "mesh")` by dimension, `fail_node=[3, 4]`, and `x_bandwidth=1e9` of one dimension. Lists may be arrays. Given a
    Machine, makes another one that differs from it. Raises InputError.
    """
    text = spec.text if isinstance(spec, Machine) else spec
    names = {name: _property_name(name) for name in properties}
    return _core.machine(
        text, [(names[name], _property_text(names[name], value)) for name, value in properties.items()]
    )


def links(machine: Machine) -> pandas.DataFrame:
    """All links of a machine that work, a row each: number, name, kind (link, line, injection, ejection), dimension,
    direction, the routers that it joins, bandwidth (bytes per second) and latency (seconds)."""
    import pandas

    return pandas.DataFrame(machine._link_columns()).set_index("link")


def op(kind: str, /, **fields: Any) -> str:
    """An operation of a rank, as `trace` takes it: op("isend", to=1, bytes=8, request=0). Lists are joined by
    slashes."""

    def text(value: Any) -> str:
        return (
            "/".join(str(one) for one in value)
            if isinstance(value, Iterable) and not isinstance(value, str)
            else str(value)
        )

    return " ".join([kind] + [f"{name.replace('_', '-')}={text(value)}" for name, value in fields.items()])


def trace(source: Union[Path, Sequence[Iterable[str]]], /, *, communicators: Sequence[Sequence[int]] = ()) -> Trace:
    """The trace of a TRACE text: a generator such as "cg:class=A,ranks=64", or a file in any form that is known.

    A trace is also a list with the operations of each rank in their order: [["send to=1 bytes=1000"], ["recv from=0"]].
    Their words are those of traces in own form (docs/reference/traces.md): the kind and KEY=VALUE for what it needs;
    `compute amount=1e9` is in flops. `op` writes them. `communicators` are lists of ranks, which operations know by
    their numbers from 1 (`comm=1`); all ranks are communicator 0. Raises InputError.
    """
    if isinstance(source, (str, os.PathLike)):
        return _core.trace(source)
    ranks: list[list[str]] = []
    for number, rank in enumerate(source if isinstance(source, Iterable) else (source,)):
        if isinstance(rank, str) or not isinstance(rank, Iterable):
            raise InputError(f"trace: found {reprlib.repr(rank)}, expected a list with the operations of a rank")
        ranks.append(list(rank))
        for index, operation in enumerate(ranks[number]):
            if not isinstance(operation, str):
                raise InputError(f"rank {number}, operation {index}: found {reprlib.repr(operation)}, expected a text")
    return _core.trace_of_lists(ranks, communicators)


def matrix(trace: TraceLike, **options: Unpack[MatrixOptions]) -> scipy.sparse.csr_matrix:
    """The bytes (or `messages`) that each rank (row) sends to each other one (column), as a sparse matrix of integers.

    `kind` is "expanded" (with the messages that collectives are made of, by `collectives`) or "p2p" (without them).
    """
    return opened(trace)._matrix(dict(options))


def made(machine_like: MachineLike) -> Machine:
    return machine_like if isinstance(machine_like, Machine) else machine(machine_like)


def opened(trace_like: TraceLike) -> Trace:
    return trace_like if isinstance(trace_like, Trace) else trace(trace_like)
