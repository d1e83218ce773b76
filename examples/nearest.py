"""A plug-in of Python: toroid --plugin nearest.py schedule mesh:16x16 derose:load=8 --alloc nearest"""

import numpy
import toroid


def nearest(free, job, machine, *, sample: int = 16):
    """the free nodes around the centre with the fewest hops to them, of a sample of centres"""
    nodes = numpy.flatnonzero(free)
    centres = nodes[:: max(1, len(nodes) // sample)]
    hops = machine.hops(centres[:, None], nodes[None, :])
    order = numpy.argsort(hops, axis=1, kind="stable")[:, : job.nodes]
    sums = numpy.take_along_axis(hops, order, axis=1).sum(axis=1)
    return nodes[order[sums.argmin()]]


toroid.register_allocator("nearest", nearest)
