"""Algorithms of your own, under names like all others."""

from __future__ import annotations

import os
from typing import Any, Callable, Sequence, TypeVar, Union

from . import _core

Algorithm = TypeVar("Algorithm", bound=Callable[..., Any])


def _keys(function: Callable[..., Any]) -> list[tuple[str, Any]]:
    """The keys of specs: parameters that only go by their names, with the defaults from which their types follow."""
    import inspect

    keys = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is not inspect.Parameter.KEYWORD_ONLY:
            continue
        if not isinstance(parameter.default, (bool, int, float, str)):
            raise TypeError(
                f"{name}: expected a default that is a bool, an int, a float or a str: keys of specs are those"
            )
        keys.append((name, parameter.default))
    return keys


def _register(kind: str, name: str, function: Algorithm, help: str, **options: bool) -> Algorithm:
    import functools

    if not callable(function):
        raise TypeError(f"expected a function or a class, found {function!r}")
    text = help or (function.__doc__ or "").strip().partition("\n")[0] or "a function of Python"

    def make(**keys: Any) -> Any:
        return function(**keys) if isinstance(function, type) else functools.partial(function, **keys)

    _core.register(kind, name, text, make, _keys(function), options)
    return function


def register_allocator(name: str, find: Algorithm, *, help: str = "", may_refuse: bool = False) -> Algorithm:
    """Lets `name` stand for an allocator wherever allocators are named.

    find(free, job, machine) returns the nodes that a job gets, in the order of its ranks: `free` is an array of bools
    by node, True where a node is free, a read-only view that follows what happens; `job` is a Job; `machine` a Machine.
    It is asked only when at least `job.nodes` nodes are free. An allocator that may return None then (no suitable
    nodes), or more nodes than asked for, says so by `may_refuse`; schedulers reserve nodes, instead of counting them,
    where it does.

    Parameters that only go by their names are keys: find(free, job, machine, *, radius=2) is called by "mine:radius=5".
    A class in the place of a function is made anew for each run, with the keys as its arguments, and called then. The
    function must give the same answer for the same arguments: results are no others for it than for all allocators.
    Wrong answers are InputErrors that name the allocator and the job; nothing is taken then. Its own exceptions come
    through. A name is registered again by registering it again; while a run goes on, in another thread or around this
    call, registering is an InputError.
    """
    return _register("allocator", name, find, help, may_refuse=may_refuse)


def register_scheduler(name: str, start: Algorithm, *, help: str = "") -> Algorithm:
    """Lets `name` stand for a scheduler wherever schedulers are named.

    start(state) returns the ids of the jobs that start now, in this order: `state` is a SchedulerState, which says of
    each job whose it is, to which queue it went and what it is called in its log, and what placements would cost. A job
    for which the allocator has no nodes goes on waiting. It is asked whenever jobs were submitted or ended, and at
    `state.wake`, if it sets that. Keys, classes and errors are as for `register_allocator`.
    """
    return _register("scheduler", name, start, help)


def register_mapper(
    name: str, place: Algorithm, *, help: str = "", uses_seed: bool = False, uses_traffic: bool = True
) -> Algorithm:
    """Lets `name` stand for a mapper wherever mappers are named.

    place(problem) returns the node of each rank, out of `problem.slots`: `problem` is a MappingProblem. A mapper that
    draws lots draws them by `problem.seed` alone and says so by `uses_seed=True`: studies run it with several seeds.
    Without that, reading the seed is an InputError. A mapper that does not look at `problem.matrix` may say so by
    `uses_traffic=False`, which saves the time to make that. Keys, classes and errors are as for `register_allocator`.
    """
    return _register("mapper", name, place, help, uses_seed=uses_seed, uses_traffic=uses_traffic)


def register_generator(name: str, generate: Algorithm, *, help: str = "") -> Algorithm:
    """Lets `name` stand for a generator of traces wherever traces are named.

    generate() returns a Trace, or a list with the operations of each rank, as `toroid.trace` takes it; what it depends
    on are its keys: generate(*, ranks=16, bytes=1024). Keys and errors are as for `register_allocator`.
    """
    return _register("generator", name, generate, help)


def load_plugin(path: Union[str, os.PathLike[str]]) -> None:
    """Loads a shared library with a TOROID_PLUGIN, whose names are then names like all others. Raises InputError."""
    _core.load_plugin(path)


def names(kind: str) -> Sequence[str]:
    """The names of all "allocators", "schedulers", "mappers", "generators" or "engines"."""
    return _core.names(kind)
