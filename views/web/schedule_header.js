// The headline, and the first picture of everything.
{
  const t = meta.totals, share = (x) => (x === undefined ? "" : percent(x));
  const jobs = t.jobs ?? jobCount, others = jobCount - jobs;
  document.getElementById("title").textContent = `${share(t.utilization)} used: ${meta.jobs} on ${meta.platform}`;
  document.getElementById("facts").textContent = `${count(jobs, "job")}${others > 0 ? ` (and ${count(others, "run")} that did not come to the end)` : ""} by ${meta.scheduler}, nodes by ${meta.allocator}; over ${duration(t.makespan_s || 0)} jobs wait ${duration(t.mean_wait_s || 0)} on average and ${duration(t.max_wait_s || 0)} at most, their bounded slowdown is ${digits(t.mean_bounded_slowdown || 0)} (${meta.bound_of_slowdown})` +
    (t.mean_slowdown > 0 ? `; the network makes them ${digits(t.mean_slowdown)} times as long as alone on their nodes` : "") + ".";
  // The first look is at the time with the most jobs.
  const most = column.hold_begin.reduce((best, time) => { const n = jobsRunning.at(time); return n > best.n ? {n, time} : best; }, {n: 0, time: begin});
  set({time: most.time});
}
