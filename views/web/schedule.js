import {byId, column, css, dims, isDark, linkCount, meta, nodeCount, nodesPerRouter, okabeIto} from "./data.js";
import {shareColour} from "./data.js";
import {count, digits, element, gridLinks, grouped, keyOf, keySquare, niceStep, onChoice, seconds} from "./units.js";
import {computes, nothing, onChange, select, set, state} from "./state.js";
import {failedColour, idleColour, inkColour, shareBar, showMachine} from "./machine.js";
import {showTime} from "./controls.js";

// Jobs: their names, colours and times, and who holds which node at the time that is shown.
Object.assign(nothing, {job: null});
export const begin = meta.begin_s, end = Math.max(meta.end_s, begin + 1e-12), jobCount = column.job_started.length;
Object.assign(state, {job: null, nodeColour: "job", links: "jobs", from: begin, to: end, low: 0, high: nodeCount});
const decoder = new TextDecoder();
export const jobName = (job) =>
  decoder.decode(column.job_name.subarray(column.job_name_begin[job], column.job_name_begin[job + 1]));
export const jobButton = (job) =>
  element("button", {type: "button", onclick: () => pickJob(job)}, jobKey(job), jobName(job));
const jobColour = (job) => okabeIto[column.job_colour[job]];
export const jobKey = (job) => keySquare(jobColour(job));
export const waitOf = (job) => column.job_started[job] - column.job_submitted[job];
export const runTimeOf = (job) => column.job_ended[job] - column.job_started[job];
export const slowdownOf = (job) => Math.max(1, (waitOf(job) + runTimeOf(job)) / Math.max(runTimeOf(job), 10));
export const contentionOf = (job) => (column.job_alone[job] > 0 ? runTimeOf(job) / column.job_alone[job] : NaN);
export const hasContention = column.job_alone.some((s) => s > 0);
export const ends = ["done", "killed at its estimate", "its program could not go on", "lost a node", "rejected"];
// A slowdown from 1 to 100 and more, as a share of the colours.
const shareOfSlowdown = (slowdown) => Math.min(1, Math.log10(slowdown) / 2);

// Picks a job, at a time at which it runs.
function pickJob(job) {
  const runs = column.job_started[job] <= state.time && state.time < column.job_ended[job];
  select({job, ...(runs ? {} : {time: (column.job_started[job] + column.job_ended[job]) / 2})});
}

const jobOfNode = new Int32Array(nodeCount), isOut = new Uint8Array(nodeCount);
let holdersAt = NaN;
export let running = [];
function updateHolders() {
  if (holdersAt === state.time) return;
  holdersAt = state.time;
  jobOfNode.fill(-1);
  isOut.fill(0);
  running = [];
  const t = state.time;
  for (let h = 0; h < column.hold_job.length && column.hold_begin[h] <= t; ++h) {
    if (column.hold_end[h] <= t) continue;
    running.push(column.hold_job[h]);
    for (let r = column.hold_runs_begin[h]; r < column.hold_runs_begin[h + 1]; ++r) {
      const first = column.run_first_node[r];
      jobOfNode.fill(column.hold_job[h], first, first + column.run_nodes[r]);
    }
  }
  for (let i = 0; i < column.out_node.length; ++i)
    if (column.out_begin[i] <= t && t < column.out_end[i]) isOut[column.out_node[i]] = 1;
}
onChange(updateHolders, "time");
showMachine(1.8, ["time", "job", "nodeColour", "links"], {lookOfLink, lookOfNode, legend, nodePicked});

// Times of schedules, from nanoseconds to years.
export function duration(s) {
  if (s < 120) return seconds(s);
  if (s < 7200) return digits(s / 60) + " min";
  return s < 172800 ? digits(s / 3600) + " h" : digits(s / 86400) + " d";
}
// A time since the beginning: "12 d 03:15:20", or below a minute `1.34 ms`.
export function clock(s) {
  if (s < 60) return seconds(s);
  const two = (n) => String(Math.floor(n)).padStart(2, "0"), days = Math.floor(s / 86400), rest = s % 86400;
  return (days > 0 ? days + " d " : "") + `${two(rest / 3600)}:${two(rest % 3600 / 60)}:${two(rest % 60)}`;
}
// What people write: the same, or seconds as a number. NaN where it is neither.
export function readClock(text) {
  const found = /^\s*(?:(\d+)\s*d\s*)?(?:(\d+):(\d+)(?::(\d+))?)?\s*$/.exec(text);
  const part = (i) => Number(found[i] || 0);
  if (found && (found[1] || found[2])) return 86400 * part(1) + 3600 * part(2) + 60 * part(3) + part(4);
  const small = /^\s*([\d.]+(?:e[+-]?\d+)?)\s*(ns|us|ms|s)?\s*$/.exec(text);
  return small ? Number(small[1]) * {ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1}[small[2] || "s"] : NaN;
}
// Round times from `from` to `to`, at most `wanted`, and their texts.
export function timeTicks(from, to, wanted) {
  const steps = [60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200];
  let step = (to - from) / wanted;
  if (step > 43200) step = 86400 * Math.max(1, niceStep(step / 86400));
  else if (step > 30) step = steps.find((s) => s >= step);
  else step = niceStep(step);
  const all = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-12); ++i) {
    const t = i * step;
    const minutes = () => clock(t < 60 ? 0 : t).replace(/:00$/, "").replace(/^0 s$/, "00:00");
    all.push({at: t, text: step >= 86400 ? `${Math.round(t / 86400)} d` : step >= 60 ? minutes()
      : to >= 60 ? clock(t) : seconds(t)});
  }
  return all;
}

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
    mean: (a, b) => (b > a ? Math.max(0, (up.until(b) - up.until(a) - down.until(b) + down.until(a)) / (b - a))
      : up.at(a) - down.at(a)),
  };
}
const holdNodes = Float64Array.from(column.hold_job, (_, h) => {
  let sum = 0;
  for (let r = column.hold_runs_begin[h]; r < column.hold_runs_begin[h + 1]; ++r) sum += column.run_nodes[r];
  return sum;
});
const byEnd = Uint32Array.from(column.hold_job.keys()).sort((a, b) => column.hold_end[a] - column.hold_end[b]);
export const nodesInUse = stepped(column.hold_begin, holdNodes, Float64Array.from(byEnd, (h) => column.hold_end[h]),
  Float64Array.from(byEnd, (h) => holdNodes[h]));
export const jobsWaiting = stepped(column.job_submitted.slice().sort(), null, column.job_started.slice().sort(), null);
export const jobsRunning = stepped(column.job_started.slice().sort(), null, column.job_ended.slice().sort(), null);

// What nodes and links of a schedule look like: a node has the colour of its job, a link within a job, too.
export const biggest = column.job_nodes.reduce((a, b) => Math.max(a, b), 1);
function colourOfJob(job) {
  if (state.nodeColour === "slowdown") return shareColour(0.08 + 0.92 * shareOfSlowdown(slowdownOf(job)));
  if (state.nodeColour === "size")
    return shareColour(0.08 + 0.92 * Math.log(column.job_nodes[job]) / Math.log(Math.max(2, biggest)));
  return jobColour(job);
}
// Jobs beside the selected one step back.
const backColour = () => (isDark() ? [70, 76, 84] : [188, 194, 201]);
export const colourShown = (job) => (state.job !== null && state.job !== job ? backColour() : colourOfJob(job));

// The job that both routers have nodes of, the same on all nodes of each; -1: none.
export function jobOfRouter(router) {
  const first = column.router_first_node[router], job = jobOfNode[first];
  for (let i = 1; i < nodesPerRouter; ++i) if (jobOfNode[first + i] !== job) return -1;
  return job;
}
const manyLinks = gridLinks > 8000;
// The window of links at the time that is shown, and the share of a link's capacity that was used in it.
export const linkWindow = () => Math.max(0, Math.min(meta.windows - 1, Math.floor(state.time / meta.window_s)));
export const linkUse = (link) => column.link_use[linkWindow() * linkCount + link] / 255;
if (meta.windows === 0) byId("links").querySelector("option[value=use]").remove();
if (manyLinks) byId("links").querySelector("option[value=all]").textContent = `all ${grouped(gridLinks)}`;
function lookOfLink(link, look) {
  const job = jobOfRouter(column.link_from[link]), isWithin = job >= 0 && job === jobOfRouter(column.link_to[link]);
  let colour = idleColour(), width = state.links === "all" || (!manyLinks && state.links === "jobs") ? 0.7 : 0;
  if (isWithin && state.links !== "none" && !dims[column.link_kind[link] >> 1].shared &&
    (state.job === null || state.job === job)) {
    colour = colourOfJob(job);
    width = 1.5;
  }
  if (state.links === "use") {
    const use = linkUse(link);
    colour = use > 0 ? shareColour(use) : idleColour();
    width = use > 0 ? 0.8 + 3.2 * use : manyLinks ? 0 : 0.7;
  }
  if (column.link_failed[link]) { colour = failedColour; width = 2.2; }
  if (state.link === link) { colour = inkColour(); width = 6; }
  if (state.view === "floor" && state.link !== link) width = 0;
  look[0] = colour[0]; look[1] = colour[1]; look[2] = colour[2]; look[3] = width;
}
function lookOfNode(node, look) {
  const job = jobOfNode[node];
  let colour, size = 1, shape = 0;
  if (isOut[node] || column.node_state[node] === 2) { colour = inkColour(); shape = 3; }
  else if (job >= 0) colour = colourShown(job);
  else {
    colour = isDark() ? [60, 66, 73] : [214, 218, 223];
    size = 0.5;
    if (!computes(node)) { shape = column.node_state[node] === 3 ? 1 : 2; size = 0.4; }
  }
  if (node === state.node) { colour = inkColour(); size = 1; }
  look[0] = colour[0]; look[1] = colour[1]; look[2] = colour[2]; look[3] = size; look[4] = shape;
}
function legend() {
  const grey = isDark() ? [60, 66, 73] : [214, 218, 223], isThere = (s) => column.node_state.includes(s);
  /** @type {(string | HTMLElement)[]} */
  const keys = [keyOf(grey, "free")];
  if (isThere(1)) keys.push(element("span", {}, "small square: service"));
  if (isThere(3)) keys.push(element("span", {}, "small ring: absent"));
  if (column.out_node.length > 0 || isThere(2)) keys.push(element("span", {}, "cross: out"));
  if (state.nodeColour === "slowdown") keys.push("slowdown 1", shareBar(), "100");
  if (state.nodeColour === "size") keys.push("1 node", shareBar(), count(biggest, "node"));
  if (state.links === "use") keys.push("links: idle", shareBar(), element("span", {}, "100 % of capacity"));
  if (state.nodeColour === "job") keys.push("colours: jobs; jobs beside each other differ");
  return keys;
}
function nodePicked(node) {
  const job = jobOfNode[node];
  if (job >= 0) pickJob(job); else select({node});
}
onChoice("node-colour", (nodeColour) => set({nodeColour}));
onChoice("links", (links) => set({links}));

// The time of a schedule: the slider goes over the times that the charts show.
byId("time-caption").replaceChildren(keyOf("var(--accent)", "nodes in use"));
function paintNodesInUse(context, width, height) {
  context.fillStyle = css("--accent");
  for (let x = 0; x < width; ++x) {
    const a = state.from + (state.to - state.from) * x / width;
    const share = nodesInUse.mean(a, a + (state.to - state.from) / width) / Math.max(1, meta.compute_nodes);
    context.fillRect(x, height - share * height, 1, share * height);
  }
}
showTime(() => ({min: state.from, max: state.to, step: (state.to - state.from) / 400}), clock, paintNodesInUse);
