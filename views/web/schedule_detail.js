import {byId, column, linkCount, meta} from "./data.js";
import {bytesText, count, digits, element, grouped, largest, numeric, percent, table} from "./units.js";
import {aboutNode, linkButton, linkName, onChange, set, state} from "./state.js";
import {forEachLine} from "./machine.js";
import {hasPrograms, loggedTexts, lossesOf, programText} from "./jobs.js";
import {begin, clock, contentionOf, duration, ends, jobButton, jobCount, jobKey, jobName} from "./schedule.js";
import {jobOfRouter, jobsRunning, linkUse, linkWindow, runTimeOf, running, slowdownOf, waitOf} from "./schedule.js";

// What is selected, in words and numbers: a job, a node, a link; or what runs at the time.
const detail = byId("detail");

// The jobs beside a job on the machine at the time that is shown: by how many links join them.
function jobsBeside(job) {
  const links = new Map();
  forEachLine((link, from, to) => {
    const [a, b] = [jobOfRouter(from), jobOfRouter(to)];
    if (a === job && b >= 0 && b !== job) links.set(b, (links.get(b) || 0) + 1);
  });
  return [...links].sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}
function nodeRuns(job) {
  const texts = [];
  let nodes = 0;
  for (let h = 0; h < column.hold_job.length; ++h) {
    if (column.hold_job[h] !== job || (texts.length > 0 && state.time < column.hold_begin[h])) continue;
    texts.length = nodes = 0;
    for (let r = column.hold_runs_begin[h]; r < column.hold_runs_begin[h + 1]; ++r) {
      const first = column.run_first_node[r], n = column.run_nodes[r];
      nodes += n;
      texts.push(n === 1 ? `n${first}` : `n${first}-${first + n - 1}`);
    }
  }
  return `${count(nodes, "node")}: ` +
    `${texts.slice(0, 40).join(" ")}${texts.length > 40 ? ` and ${texts.length - 40} more runs` : ""}`;
}
function jobDetail(job) {
  const beside = jobsBeside(job), facts = [];
  if (hasPrograms) facts.push(`runs ${programText(job) || "an unknown program"}`);
  facts.push(...loggedTexts(job));
  return [element("h3", {}, jobKey(job), `job ${jobName(job)}`),
    element("p", {}, [...facts, `${ends[column.job_end[job]]}`].join("; ")),
    element("p", {}, `Submitted ${clock(column.job_submitted[job])}, waited ${duration(waitOf(job))}, ran ` +
      `${duration(runTimeOf(job))} of the ${duration(column.job_estimate[job])} expected, until ` +
      `${clock(column.job_ended[job])}: slowdown ${digits(slowdownOf(job))}.` +
      (contentionOf(job) > 0 ? ` Alone on its nodes its program takes ${duration(column.job_alone[job])}: others ` +
        `make it ${digits(contentionOf(job))} times as long.` : "")),
    element("p", {}, nodeRuns(job) + `. ${count(column.job_components[job], "piece")}, ` +
      `${digits(column.job_mean_hops[job])} hops between two of its nodes on average.`),
    ...lossesOf(job),
    element("h3", {}, "Beside it, at the time shown"),
    ...(beside.length > 0 ? [table(["job", numeric("nodes"), numeric("links to it")],
      beside.slice(0, 12).map(([other, links]) => [jobButton(other), grouped(column.job_nodes[other]),
        grouped(links)]))] : [element("p", {}, "No job.")])];
}
function scheduleNodeDetail(node) {
  const held = [];
  for (let h = 0; h < column.hold_job.length && held.length < 200; ++h)
    for (let r = column.hold_runs_begin[h]; r < column.hold_runs_begin[h + 1]; ++r)
      if (column.run_first_node[r] <= node && node < column.run_first_node[r] + column.run_nodes[r]) held.push(h);
  return [...aboutNode(node),
    element("p", {}, held.length === 0 ? "No job has it."
    : `${held.length >= 200 ? "The first 200 jobs" : count(held.length, "job")} that had it:`),
    table(["job", numeric("from"), numeric("to")],
      held.map((h) => [jobButton(column.hold_job[h]), clock(column.hold_begin[h]), clock(column.hold_end[h])]))];
}
// The window of links that is shown.
const linkTimes = () => `from ${clock(linkWindow() * meta.window_s)} to ${clock((linkWindow() + 1) * meta.window_s)}`;
function busiestLinks() {
  const busy = largest(12, linkCount, linkUse);
  return [element("h3", {}, `Busiest links ${linkTimes()}`),
    busy.length > 0 ? table(["link", numeric("use"), "jobs at its ends now"],
      busy.map((link) => [linkButton(link), percent(linkUse(link)), jobsAt(link)]))
      : element("p", {}, "No link carries anything.")];
}
// The jobs at both ends of a link.
function jobsAt(link) {
  const jobs = [column.link_from[link], column.link_to[link]].map(jobOfRouter), [a, b] = jobs;
  return element("span", {}, ...(a === b ? [a] : jobs)
    .flatMap((job, i) => [i > 0 ? " and " : "", job >= 0 ? jobButton(job) : "no single job"]));
}
function scheduleLinkDetail(link) {
  return [element("h3", {}, linkName(link)),
    element("p", {}, `${bytesText(column.link_bandwidth[link])}/s${column.link_failed[link] ? ", failed" : ""}`),
    ...(meta.windows > 0 ? [element("p", {}, `Used ${percent(linkUse(link))} of its capacity ${linkTimes()}.`)] : []),
    element("p", {}, "Between ", jobsAt(link))];
}
function scheduleOverview() {
  const bySizes = running.slice().sort((a, b) => column.job_nodes[b] - column.job_nodes[a] || a - b);
  return [element("h3", {}, `${count(running.length, "job")} at ${clock(state.time)}`),
    table(["job", numeric("nodes"), numeric("ends"), numeric("pieces")],
      bySizes.slice(0, 14)
        .map((job) => [jobButton(job), grouped(column.job_nodes[job]), clock(column.job_ended[job]),
          String(column.job_components[job])])),
    element("p", {}, (bySizes.length > 14 ? `and ${bySizes.length - 14} smaller. ` : "") + "Click a node, a box " +
      "below or a name to pick a job everywhere.")];
}
onChange(() => {
  const overview = () => [...(state.links === "use" ? busiestLinks() : []), ...scheduleOverview()];
  detail.replaceChildren(...(state.job !== null ? jobDetail(state.job)
    : state.node !== null ? scheduleNodeDetail(state.node)
    : state.link !== null ? scheduleLinkDetail(state.link) : overview()));
}, "job", "node", "link", "links", "time");

// The headline, and the first picture of everything.
{
  const t = meta.totals, share = (x) => (x === undefined ? "" : percent(x));
  const jobs = t.jobs ?? jobCount, others = jobCount - jobs;
  byId("title").textContent = `${share(t.utilization)} used: ${meta.jobs} on ${meta.platform}`;
  byId("facts").textContent =
    `${count(jobs, "job")}${others > 0 ? ` (and ${count(others, "run")} that did not come to the end)` : ""} by ` +
    `${meta.scheduler}, nodes by ${meta.allocator}; over ${duration(t.makespan_s || 0)} jobs wait ` +
    `${duration(t.mean_wait_s || 0)} on average and ${duration(t.max_wait_s || 0)} at most, their bounded slowdown ` +
    `is ${digits(t.mean_bounded_slowdown || 0)} (${meta.bound_of_slowdown})` +
    (t.mean_slowdown > 0 ? `; the network makes them ${digits(t.mean_slowdown)} times as long as alone on their nodes`
      : "") + ".";
  // The first look is at the time with the most jobs.
  const most = column.hold_begin.reduce((best, time) => {
    const n = jobsRunning.at(time);
    return n > best.n ? {n, time} : best;
  }, {n: 0, time: begin});
  set({time: most.time});
}
