"""An allocator of one's own, judged against mc1x1 on streams of jobs, with the p of the difference."""

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

if __name__ == "__main__":  # so that others can import the allocator
    study = toroid.sweep(
        "mesh:16x16", "derose:jobs=200,load=8", "easy", ["mc1x1", "nearest", "nearest:sample=256", "consecutive"], repeat=10
    )
    print(study.summary[["alloc", "runs", "mean_wait_s", "avg_sum_pairwise_hops", "verdict"]].to_string(index=False))
    print(study.differences("avg_sum_pairwise_hops")[["one", "other", "mean", "pairs", "p_holm"]].to_string(index=False))
    print(study.verdict)
