"""An allocator of one's own, judged against mc1x1 on streams of jobs, with the p of the difference."""

import nearest  # noqa: F401: examples/nearest.py, which registers the allocator
import toroid

study = toroid.sweep(
    "mesh:16x16", "derose:jobs=200,load=8", "easy", ["mc1x1", "nearest", "nearest:sample=256", "consecutive"], repeat=10
)
print(study.summary[["alloc", "runs", "mean_wait_s", "avg_sum_pairwise_hops", "verdict"]].to_string(index=False))
print(study.differences("avg_sum_pairwise_hops")[["one", "other", "mean", "pairs", "p_holm"]].to_string(index=False))
print(study.verdict)
