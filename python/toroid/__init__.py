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

from ._core import InputError, Job, Machine, MappingProblem, RunningJob, SchedulerState, SimulationError, Trace
from ._core import WaitingJob, __version__
from .inputs import links, machine, matrix, op, trace
from .outside import load_plugin, names
from .outside import register_allocator, register_generator, register_mapper, register_scheduler
from .results import Comparison, Result, Schedule, Sweep
from .runs import map, metrics, simulate
from .studies import compare, schedule, sweep

__all__ = [
    "Comparison", "InputError", "Job", "Machine", "MappingProblem", "Result", "RunningJob", "Schedule", "Sweep",
    "SchedulerState", "SimulationError", "Trace", "WaitingJob", "__version__", "compare",
    "links", "load_plugin", "machine", "map", "matrix", "metrics", "names", "op", "register_allocator",
    "register_generator", "register_mapper", "register_scheduler", "schedule", "simulate", "sweep", "trace",
]  # fmt: skip
