// Numbers that change in steps over time, such as nodes in use, and their means over any time.

// The sum over all steps up to t of weight x time since the step.
function accumulated(times, weights) {
  const sums = new Float64Array(times.length + 1), moments = new Float64Array(times.length + 1);
  for (let i = 0; i < times.length; ++i) {
    const weight = weights ? weights[i] : 1;
    sums[i + 1] = sums[i] + weight;
    moments[i + 1] = moments[i] + weight * times[i];
  }
  const before = (t) => {  // how many steps are at t or before
    let low = 0, high = times.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (times[middle] <= t) low = middle + 1; else high = middle;
    }
    return low;
  };
  return {at: (t) => sums[before(t)], until: (t) => { const i = before(t); return sums[i] * t - moments[i]; }};
}
// What goes up by the weights at the times in `ups` and down at those in `downs`; both are sorted.
function stepped(ups, upWeights, downs, downWeights) {
  const up = accumulated(ups, upWeights), down = accumulated(downs, downWeights);
  return {
    at: (t) => up.at(t) - down.at(t),
    mean: (a, b) => (b > a ? Math.max(0, (up.until(b) - up.until(a) - down.until(b) + down.until(a)) / (b - a)) : up.at(a) - down.at(a)),
  };
}
const holdNodes = Float64Array.from(column.hold_job, (_, h) => {
  let sum = 0;
  for (let r = column.hold_runs_begin[h]; r < column.hold_runs_begin[h + 1]; ++r) sum += column.run_nodes[r];
  return sum;
});
const byEnd = Uint32Array.from(column.hold_job.keys()).sort((a, b) => column.hold_end[a] - column.hold_end[b]);
const nodesInUse = stepped(column.hold_begin, holdNodes, Float64Array.from(byEnd, (h) => column.hold_end[h]), Float64Array.from(byEnd, (h) => holdNodes[h]));
const jobsWaiting = stepped(column.job_submitted.slice().sort(), null, column.job_started.slice().sort(), null);
const jobsRunning = stepped(column.job_started.slice().sort(), null, column.job_ended.slice().sort(), null);
