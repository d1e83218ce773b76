import {byId, column, css, injection, isDark, layout, linkCount, meta, okabeIto, routerOfNode} from "./data.js";
import {shareColour} from "./data.js";
import {bytesText, count, digits, element, gridLinks, hideNarrow, keyOf, keySquare, partsIn, percent} from "./units.js";
import {onChoice, seconds} from "./units.js";
import {nothing, onChange, select, set, state} from "./state.js";
import {directionNote, failedColour, idleColour, inkColour, linksShown, putLinks, selectedColour} from "./machine.js";
import {shareBar, showMachine} from "./machine.js";
import {bringIntoView, leastOf, showTime, showTop} from "./controls.js";

// The jobs of a run, whose ranks are numbered on from job to job: a run of one program is one job without a name.
export const rankCount = column.rank_node.length, hasJobs = meta.jobs !== undefined;
export const jobs = meta.jobs ||
  [{first_rank: 0, ranks: rankCount, last_round_s: meta.runtime_s, steps: meta.steps, explanation: meta.explanation}];
export const jobOfRank = new Uint32Array(rankCount);
jobs.forEach(({first_rank: first, ranks}, job) => jobOfRank.fill(job, first, first + ranks));
export const jobNumbers = new Map(jobs.map(({name}, job) => [name, job]));
export const jobColour = (job) => okabeIto[jobs[job].colour];
export const jobKey = (job) => keySquare(jobColour(job));
// A job that is picked is also the one that is explained; that stays when something else is picked.
const pickJob = (job) => select({job, shown: job});
export const jobButton = (job) => element("button", {type: "button", onclick: () => pickJob(job)}, jobKey(job),
  jobs[job].name);
Object.assign(nothing, {job: null});
// At first the job that loses the largest part of its time to others is explained.
const lostToOthers = (job) => (hasJobs ? jobs[job].critical_path.sharing_others_share : 0);
Object.assign(state,
  {job: null, shown: jobs.reduce((most, _, job) => (lostToOthers(job) > lostToOthers(most) ? job : most), 0)});

// What each job carried over each link, those with the most bytes first: {job, bytes}.
export const knowsJobsOfLinks = hasJobs && column.link_job.length > 0;
export function jobsOnLink(link) {
  const found = [];
  for (let i = column.link_jobs_begin[link]; i < column.link_jobs_begin[link + 1]; ++i)
    found.push({job: column.link_job[i], bytes: column.link_job_bytes[i]});
  return found.sort((a, b) => b.bytes - a.bytes || a.job - b.job);
}
export function bytesOnLink(link, job) {
  for (let i = column.link_jobs_begin[link]; i < column.link_jobs_begin[link + 1]; ++i)
    if (column.link_job[i] === job) return column.link_job_bytes[i];
  return 0;
}

// Ranks: where they run, and what else the page of a run selects.
Object.assign(nothing, {rank: null});
Object.assign(state, {rank: null, linkColour: knowsJobsOfLinks ? "job" : "window", nodeColour: hasJobs ? "job"
  : "compute", top: linkCount});
export const windows = Math.max(1, meta.windows);
export const selectRank = (rank) => select({rank, shown: jobOfRank[rank]});
export const rankName = (rank) => (hasJobs ? `${jobs[jobOfRank[rank]].name} ` : "") +
  `rank ${rank - jobs[jobOfRank[rank]].first_rank}`;
export const rankButton = (rank) =>
  element("button", {type: "button", onclick: () => selectRank(rank)}, rankName(rank));
export const ranksOfNode = new Map();
for (let rank = 0; rank < rankCount; ++rank) {
  const node = column.rank_node[rank];
  if (!ranksOfNode.has(node)) ranksOfNode.set(node, []);
  ranksOfNode.get(node).push(rank);
}

// Use of a link at a window, 0 to 1; what the job that is explained lost on links, by number.
export const useAt = (link, window) => column.link_use[window * linkCount + link] / 255;
export const lossOf = new Float64Array(linkCount);
export const jobOfLoss = (i) => (hasJobs ? column.loss_link_job[i] : 0);
onChange(() => {
  lossOf.fill(0);
  column.loss_link.forEach((link, i) => { if (jobOfLoss(i) === state.shown) lossOf[link] = column.loss_link_s[i]; });
}, "shown");
showTop();
showMachine(1, ["time", "rank", "job", "shown", "linkColour", "nodeColour", "top"],
  {lookOfLink, lookOfNode, paintLines, legend, nodePicked});
onChange(() => { if (state.rank !== null) bringIntoView(routerOfNode[column.rank_node[state.rank]]); }, "rank");

// What ranks do at a time, in shares of a window of their activity and in words.
export const activityWindows = Math.max(1, meta.activity_windows), activityWindow = meta.activity_window_s;
export const doingWords = {compute: "computing", transfer: "waiting for a message on its way",
  wait: "waiting for another rank"};
export const collectiveNames = meta.collectives.map(({collective, algorithm}) => `${collective} (${algorithm})`);
export const activityWindowAt = (t) =>
  Math.max(0, Math.min(activityWindows - 1, Math.floor(t / (activityWindow || 1))));
export const shownActivityWindow = () => activityWindowAt((state.time + 0.5) * meta.window_s);
export const doingAt = (rank, window, kind) => column.rank_doing[(rank * activityWindows + window) * 3 + kind] / 255;
export const inCollectiveAt = (rank, window, collective) =>
  column.rank_in_collective[(collective * rankCount + rank) * activityWindows + window] / 255;
// Seconds that the rank waits in a collective in the whole run: of all rounds of its job.
export const waitInCollective = (rank, collective) => column.rank_collective_wait[collective * rankCount + rank];

// "1.20 ms to 1.25 ms: waiting for another rank 60 %, computing 10 %; in allreduce (ring) 60 %": the largest shares
// first.
export function momentText(rank, window) {
  const told = (names, part) => names.map((name, i) => ({name, share: part(i)})).filter(({share}) => share > 0)
    .sort((a, b) => b.share - a.share).map(({name, share}) => `${name} ${Math.round(100 * share)} %`).join(", ");
  const doing = told(Object.values(doingWords), (kind) => doingAt(rank, window, kind));
  const within = told(collectiveNames, (collective) => inCollectiveAt(rank, window, collective));
  const begin = window * activityWindow;
  return `${seconds(begin)} to ${seconds(Math.min(meta.runtime_s, begin + activityWindow))}: ` +
    `${doing || "nothing that takes time"}${within && `; in ${within}`}`;
}

// What links and nodes of a run look like: by use, bytes or time lost; by what ranks do; by jobs.
const mostBytes = column.link_bytes.reduce((a, b) => Math.max(a, b), 0);
const mostLoss = () => lossOf.reduce((a, b) => Math.max(a, b), 0);
// The job that carries most over a link; -1: none.
const mainJob = new Int32Array(linkCount).fill(-1);
if (knowsJobsOfLinks) for (let link = 0; link < linkCount; ++link) mainJob[link] = jobsOnLink(link)[0]?.job ?? -1;
function shareOf(link, lossScale) {
  if (state.linkColour === "window") return useAt(link, state.time);
  if (state.linkColour === "job") return useAt(link, state.time) *
    (state.job === null ? 1 : bytesOnLink(link, state.job) / (column.link_bytes[link] || 1));
  if (state.linkColour === "mean") return Math.min(1, column.link_mean[link]);
  if (state.linkColour === "bytes") return mostBytes > 0 ? column.link_bytes[link] / mostBytes : 0;
  return lossScale > 0 ? lossOf[link] / lossScale : 0;
}
// The colour of a share of a link: that of the job that is picked, or that carries most.
const colourOfLink = (link, share) => (state.linkColour === "job" ? jobColour(state.job ?? mainJob[link])
  : shareColour(share));
// What a node is coloured by: the mean of its ranks' shares of the run time, of its job's last round.
function shareOfNode(node) {
  const ranks = ranksOfNode.get(node);
  if (!ranks) return null;
  const secondsOf = {compute: column.rank_compute, transfer: column.rank_transfer,
    wait: column.rank_wait}[state.nodeColour];
  if (!secondsOf) return ranks[0] / Math.max(1, rankCount - 1);
  return ranks.reduce((sum, rank) => sum + secondsOf[rank],
    0) / ranks.length / (jobs[jobOfRank[ranks[0]]].last_round_s || meta.runtime_s || 1);
}

// Links on the routes of the selected rank's messages.
function linksOfRank(rank) {
  const found = new Set();
  for (let link = 0; link < linkCount; ++link)
    for (let i = column.link_pairs_begin[link]; i < column.link_pairs_begin[link + 1]; ++i)
      if (column.pair_from[column.link_pairs[i]] === rank) { found.add(link); break; }
  return found;
}
let rankLinks = new Set(), rankLinksOf = null;

const shares = new Float32Array(linkCount);
let leastShare = -1;
function paintLines(put) {
  if (state.rank !== rankLinksOf) {
    rankLinks = state.rank === null ? new Set() : linksOfRank(state.rank);
    rankLinksOf = state.rank;
  }
  const lossScale = mostLoss();
  for (let link = 0; link < linkCount; ++link)
    if (column.link_kind[link] < injection) shares[link] = shareOf(link, lossScale);
  leastShare = leastOf(shares);
  putLinks(put);
}
function lookOfLink(link, look) {
  const share = shares[link];
  look[3] = 0;
  if (share < leastShare && state.link !== link && !column.link_failed[link] &&
    !(rankLinks.size > 0 && rankLinks.has(link))) return;
  let colour = share > 0 ? colourOfLink(link, share) : idleColour(), width = share > 0 ? 1.6 + 4.4 * share : 0.8;
  if (column.link_failed[link]) { colour = failedColour; width = 2.2; }
  if (rankLinks.has(link)) { colour = selectedColour; width = Math.max(width, 3.2); }
  if (state.link === link) { colour = inkColour(); width = Math.max(width, 6); }
  look[0] = colour[0]; look[1] = colour[1]; look[2] = colour[2]; look[3] = width;
}
// The colour of a node's job, which steps back behind a job that is picked.
function jobColourOfNode(node) {
  const job = jobOfRank[ranksOfNode.get(node)[0]];
  return state.job === null || state.job === job ? jobColour(job) : isDark() ? [70, 76, 84] : [188, 194, 201];
}
// Nodes are grey, the darker the more, so that they are not taken for links; jobs, and ranks by number, have colours.
function lookOfNode(node, look) {
  const share = shareOfNode(node), selected = state.rank === null ? state.node : column.rank_node[state.rank];
  let colour;
  if (column.node_state[node] === 2) colour = failedColour;
  else if (node === selected) colour = state.nodeColour === "job" ? inkColour() : selectedColour;
  else if (state.nodeColour === "job" && share !== null) colour = jobColourOfNode(node);
  else if (state.nodeColour === "plain" && share !== null) colour = shareColour(0.1 + 0.9 * share);
  else {
    const grey = share === null ? (isDark() ? 60 : 214) : isDark() ? 95 + 150 * share : 190 - 160 * share;
    colour = [grey, grey, Math.min(255, grey + 8)];
  }
  look[0] = colour[0]; look[1] = colour[1]; look[2] = colour[2];
  look[3] = share === null && node !== selected ? 0.5 : 1;
  // Inside of large machines only nodes with ranks are drawn.
  if (share === null && node !== selected && layout.shown > 20000 && !layout.isOutside[routerOfNode[node]]) look[3] = 0;
  look[4] = column.node_state[node] === 2 ? 3 : column.node_state[node] === 3 ? 1 : 0;
}
function jobKeys() {
  const keys = jobs.slice(0, 12).map((_, job) => keyOf(jobColour(job), jobs[job].name));
  return jobs.length > 12 ? [...keys, `and ${count(jobs.length - 12, "other job")} below`] : keys;
}
// What nodes look like where their colours are not those of jobs.
function nodeKeys() {
  if (state.nodeColour === "job") return [];
  if (state.nodeColour === "plain") return ["nodes: first rank", shareBar(), "last rank"];
  return [element("span", {}, `nodes: ${isDark() ? "lighter" : "darker"} the longer they ` +
    `${state.nodeColour === "compute" ? "compute" : "wait"}`)];
}
function legend() {
  if (state.linkColour === "job")
    return [...jobKeys(), `${linksShown()}: colour of the job with the most bytes there, wider the more they are ` +
      `used at the time below${directionNote}`, ...nodeKeys()];
  const most = {window: "100 % of capacity", mean: "100 % of capacity", bytes: bytesText(mostBytes),
    loss: seconds(mostLoss())}[state.linkColour];
  return [...(state.nodeColour === "job" ? jobKeys() : []), `${linksShown()}${directionNote}; 0`, shareBar(), most,
    ...nodeKeys()];
}
function nodePicked(node) {
  const ranks = ranksOfNode.get(node);
  if (ranks && ranks.length === 1) selectRank(ranks[0]);
  else select({node});
}

for (const {id, isThere, chosen} of [
  {id: "link-colour", isThere: knowsJobsOfLinks, chosen: state.linkColour},
  {id: "node-colour", isThere: hasJobs, chosen: state.nodeColour},
]) {
  const list = byId(id);
  if (!isThere) list.querySelector("option[value=job]").remove();
  list.value = chosen;
}
onChoice("link-colour", (linkColour) => set({linkColour}));
onChoice("node-colour", (nodeColour) => set({nodeColour}));
// Where nothing is computed, waits say more.
if (!hasJobs && column.rank_compute.every((s) => s === 0)) {
  state.nodeColour = "transfer";
  byId("node-colour").value = "transfer";
}

// The windows of a run: how busy the links are on average, and the busiest one.
const meanUse = [], mostUse = [];
for (let w = 0; w < windows; ++w) {
  const kinds = column.link_kind, uses = column.link_use.subarray(w * linkCount, (w + 1) * linkCount);
  let sum = 0, most = 0;
  for (let link = 0; link < linkCount; ++link) {
    if (kinds[link] >= injection) continue;
    const use = uses[link];
    sum += use;
    most = Math.max(most, use);
  }
  meanUse.push(sum / 255 / Math.max(1, gridLinks));
  mostUse.push(most / 255);
}
function windowText(window) {
  const begin = window * meta.window_s;
  return `${seconds(begin)} to ${seconds(Math.min(meta.runtime_s, begin + meta.window_s))}`;
}
function paintUse(context, width, height) {
  const step = width / windows;
  for (const {values, colour} of [{values: mostUse, colour: "--line"}, {values: meanUse, colour: "--accent"}]) {
    context.fillStyle = css(colour);
    values.forEach((value, w) => context.fillRect(w * step, height - value * height, Math.max(1, step - 0.5),
      value * height));
  }
}
showTime(() => ({min: 0, max: windows - 1, step: 1}), windowText, paintUse);
byId("time-caption").replaceChildren(keyOf("var(--accent)", "use of all links on average"),
  keyOf("var(--line)", "of the busiest link"));

// The headline, and the first picture of everything.
byId("title").textContent = `${seconds(meta.runtime_s)}${meta.computation_is_left_out ? " of communication" : ""}: ` +
  `${meta.trace} on ${meta.platform}`;
byId("facts").textContent = `${count(rankCount, "rank")} placed by ${meta.map}, engine ${meta.engine}; ` +
  `${count(meta.messages, "message")} between nodes, ${bytesText(meta.bytes)}, ${digits(meta.hops_per_byte)} hops ` +
  "per byte." +
  (hasJobs ? "" : " The critical path, the chain of computations and messages that the run time is made of:");
// What a training gets done, and what its ranks wait for.
if (meta.training) {
  const {tokens_per_second: speed, mfu, attention, of_peak: ofPeak} = meta.training;
  const waits = meta.exposed.map(({purpose, transfer_s: transfer, wait_s: wait}) => ({purpose, s: transfer + wait}));
  byId("training").hidden = false;
  byId("training").textContent = (speed === null ? "Tokens/s and MFU need computation (--compute trace). "
    : `${digits(speed)} tokens/s, ${digits(speed / rankCount)} by each rank; MFU ${percent(mfu)} of the published ` +
      `peak, attention counted ${attention === "causal" ? "in its causal half" : "in full"}; computation at ` +
      `${ofPeak === 1 ? "the peak, which no program reaches" : `${percent(ofPeak)} of the peak`}. `) +
    (waits.length > 0 ? "A rank waits, on average, for " : "No rank waits") +
    waits.map(({purpose, s}) =>
      `${purpose || "other messages"} ${seconds(s)} (${percent(s / (meta.runtime_s || 1))})`).join(", ") + ".";
}
byId("parts").hidden = hasJobs;
if (!hasJobs) {
  const parts = byId("parts"), total = meta.runtime_s || 1;
  parts.setAttribute("aria-label", "parts of the critical path");
  partsIn(parts, Object.entries(meta.parts_s), total, (name, s) => {
    const text = `${name} ${percent(s / total)}`;
    return [text, `${text}, ${seconds(s)}`];
  });
  hideNarrow(parts.children);
}
set({time: meanUse.indexOf(Math.max(...meanUse))});
