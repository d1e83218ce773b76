import {byId, column, meta} from "./data.js";
import {count, digits, element, grouped, numeric, percent, table} from "./units.js";
import {drawIn, set, state} from "./state.js";
import {clock, contentionOf, duration, hasContention, jobButton, jobCount, jobName, runTimeOf} from "./schedule.js";
import {slowdownOf, waitOf} from "./schedule.js";
import {judged} from "./series.js";

// Jobs as a table, and what programs or users got.
/** @type {["user", "group", "queue", "partition"]} */
const kinds = ["user", "group", "queue", "partition"];
const known = kinds.filter((kind) => column[`job_${kind}`].some((number) => number >= 0));
const textOf = (kind, job) => (column[`job_${kind}`][job] >= 0 ? `${kind} ${column[`job_${kind}`][job]}` : "");
export const loggedTexts = (job) => known.map((kind) => textOf(kind, job)).filter((text) => text !== "");
const userText = (job) => textOf("user", job);
export const programText = (job) => meta.programs[column.job_program[job]] || "";
export const hasPrograms = meta.programs.some((p) => p !== ""), hasUsers = known.includes("user");
const ratio = (x) => (x > 0 ? digits(x) : "-");
const whose = (job) => (hasPrograms ? programText(job) : userText(job));

if (hasPrograms || hasUsers) {
  const groups = new Map();
  for (const job of judged) {
    const key = whose(job);
    if (!groups.has(key)) groups.set(key, {jobs: 0, work: 0, wait: 0, slowdown: 0, contention: 0, known: 0});
    const g = groups.get(key), contention = contentionOf(job);
    ++g.jobs;
    g.work += column.job_nodes[job] * runTimeOf(job);
    g.wait += waitOf(job);
    g.slowdown += slowdownOf(job);
    if (contention > 0) { g.contention += contention; ++g.known; }
  }
  const sorted = [...groups].sort((a, b) => b[1].work - a[1].work), shownGroups = sorted.slice(0, 20);
  const all = sorted.reduce((sum, [, g]) => sum + g.work, 0) || 1;
  byId("h-groups").textContent = (hasPrograms ? "Programs" : "Users") +
    (sorted.length > 20 ? `: the 20 with the most node time of ${grouped(sorted.length)}` : "");
  byId("groups").append(
    table([{title: hasPrograms ? "program" : "user"}, numeric("jobs"), numeric("share of node time"),
      numeric("mean wait"), numeric("mean slowdown"),
      ...(hasContention ? [numeric("run time / alone on its nodes")] : [])],
    shownGroups.map(([key, g]) => [key || "not known", grouped(g.jobs), percent(g.work / all),
      duration(g.wait / g.jobs), digits(g.slowdown / g.jobs),
      ...(hasContention ? [ratio(g.contention / g.known)] : [])])));
} else byId("groups-section").hidden = true;

const jobColumns = [
  {title: "job", key: null, cell: jobButton},
  ...(hasPrograms ? [{title: "program", key: (job) => column.job_program[job], cell: programText}] : []),
  ...known.map((kind) => ({title: kind, key: (job) => column[`job_${kind}`][job],
    cell: (job) => textOf(kind, job).slice(kind.length + 1)})),
  {title: "nodes", number: true, key: (job) => column.job_nodes[job], cell: (job) => grouped(column.job_nodes[job])},
  {title: "submitted", number: true, key: (job) => column.job_submitted[job],
    cell: (job) => clock(column.job_submitted[job])},
  {title: "waits", number: true, key: waitOf, cell: (job) => duration(waitOf(job))},
  {title: "runs", number: true, key: runTimeOf, cell: (job) => duration(runTimeOf(job))},
  {title: "slowdown", number: true, key: slowdownOf, cell: (job) => digits(slowdownOf(job))},
  ...(hasContention ? [{title: "run time / alone", number: true, key: (job) => contentionOf(job) || 0,
    cell: (job) => ratio(contentionOf(job))}] : []),
  {title: "pieces", number: true, key: (job) => column.job_components[job],
    cell: (job) => String(column.job_components[job])},
  {title: "hops a pair", number: true, key: (job) => column.job_mean_hops[job],
    cell: (job) => digits(column.job_mean_hops[job])},
];
const mostRows = 100;
let order = null, sortedBy = jobColumns.find((c) => c.title === "submitted"), isFalling = false, filterText = "";
function sortedJobs() {
  const keys = Float64Array.from({length: jobCount}, (_, job) => (sortedBy.key ? sortedBy.key(job) : job));
  const all = Uint32Array.from({length: jobCount}, (_, job) => job)
    .sort((a, b) => (isFalling ? keys[b] - keys[a] : keys[a] - keys[b]) || a - b);
  const wanted = filterText.toLowerCase();
  return wanted === "" ? all
    : all.filter((job) => [jobName(job), programText(job), ...loggedTexts(job)].some((text) => text.toLowerCase()
      .includes(wanted)));
}
function drawJobs() {
  if (order === null) order = sortedJobs();
  const titles = jobColumns.map((c) => ({...c, title: element("button", {type: "button", onclick: () => {
    isFalling = sortedBy === c ? !isFalling : c.number === true && c.title !== "submitted";
    sortedBy = c;
    order = null;
    drawJobs();
  }}, c.title + (sortedBy === c ? (isFalling ? " \u25bc" : " \u25b2") : ""))}));
  const rows = Array.from(order.subarray(0, mostRows));
  if (state.job !== null && !rows.includes(state.job)) rows.unshift(state.job);
  const made = table(titles, rows.map((job) => jobColumns.map((c) => c.cell(job))));
  rows.forEach((job, i) => { if (job === state.job) made.tBodies[0].rows[i].className = "selected"; });
  byId("jobs").replaceChildren(made);
  byId("jobs-note").textContent = `${Math.min(mostRows, order.length)} of ${count(order.length, "job")} shown`;
}
byId("filter").addEventListener("input", () => { filterText = byId("filter").value; order = null; drawJobs(); });
drawIn(byId("jobs"), drawJobs, "job");

// Jobs that slow each other: what jobs lost to others, by program or user, and the pairs of jobs behind each number.
const losses = column.loss_s, mostGroups = 8, mostPairs = 50;
if (losses.length === 0) byId("who-section").hidden = true;
const whoBy = byId("who-by");
if (!hasPrograms || !hasUsers) byId("who-by-label").hidden = true;
whoBy.value = hasPrograms ? "program" : "user";
Object.assign(state, {whoBy: whoBy.value, pair: null});
whoBy.addEventListener("change", () => set({whoBy: whoBy.value, pair: null}));
const groupOf = (job) => (state.whoBy === "user" ? userText(job) : programText(job)) || "not known";

// The groups whose jobs lost or took most, and the rest together: by number, with names, and what each lost to each.
const restName = "all others";
function lossMatrix() {
  const weight = new Map(), runTime = new Map();
  losses.forEach((s, i) => {
    for (const job of [column.loss_job[i], column.loss_to[i]])
      weight.set(groupOf(job), (weight.get(groupOf(job)) || 0) + s);
  });
  const names = [...weight].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
  const groups = names.length > mostGroups + 1 ? [...names.slice(0, mostGroups), restName] : names;
  const numbers = new Map(names.map((name, i) => [name, Math.min(i, groups.length - 1)]));
  const numberOf = (job) => numbers.get(groupOf(job));
  const lost = groups.map(() => new Float64Array(groups.length));
  losses.forEach((s, i) => { lost[numberOf(column.loss_job[i])][numberOf(column.loss_to[i])] += s; });
  for (let job = 0; job < jobCount; ++job) {
    const number = numberOf(job);
    if (number !== undefined && contentionOf(job) > 0) runTime.set(number, (runTime.get(number) || 0) + runTimeOf(job));
  }
  return {groups, numberOf, lost, runTime: groups.map((_, i) => runTime.get(i) || 0)};
}
function drawMatrixOfLosses() {
  if (losses.length === 0) return;
  const {groups, lost, runTime, numberOf} = lossMatrix(), sum = (row) => row.reduce((a, b) => a + b, 0);
  const most = lost.reduce((m, row) => Math.max(m, ...row), 0);
  const cell = (victim, other) => {
    const s = lost[victim][other];
    if (!(s > 0)) return "";
    const picked = state.pair !== null && state.pair[0] === victim && state.pair[1] === other;
    const button = element("button",
      {type: "button", "aria-pressed": String(picked), onclick: () => set({pair: picked ? null : [victim, other]})},
      `${duration(s)} (${percent(s / runTime[victim])})`);
    button.style.borderLeftWidth = `${1 + Math.round(8 * s / most)}px`;
    return button;
  };
  const made = table([{title: `${state.whoBy} that loses, to`}, ...groups.map((name) => ({title: name, number: true})),
    numeric("all")],
  groups.map((name, i) => [name, ...groups.map((_, j) => cell(i, j)), sum(lost[i]) > 0
      ? `${duration(sum(lost[i]))} (${percent(sum(lost[i]) / runTime[i])})` : ""]));
  byId("who").replaceChildren(made);
  const [victim, other] = state.pair || [];
  const pairs = Array.from(losses, (_, i) => i)
    .filter((i) => state.pair === null ||
    (numberOf(column.loss_job[i]) === victim && numberOf(column.loss_to[i]) === other))
    .sort((a, b) => losses[b] - losses[a] || a - b);
  byId("pairs-note").textContent = (state.pair === null ? "All pairs of jobs" : `Jobs of ${groups[victim]} that lose ` +
    `to jobs of ${groups[other]}`) +
    `: ${count(pairs.length, "pair")}, ` +
      `${pairs.length > mostPairs ? `the ${mostPairs} with the largest losses` : "the largest loss first"}.`;
  byId("pairs").replaceChildren(table(
    ["job", {title: state.whoBy}, "lost to job", {title: state.whoBy}, numeric("lost"), numeric("of its run time")],
    pairs.slice(0, mostPairs).map((i) => {
      const [job, to] = [column.loss_job[i], column.loss_to[i]];
      return [jobButton(job), groupOf(job), jobButton(to), groupOf(to), duration(losses[i]),
        percent(losses[i] / runTimeOf(job))];
    })));
}
drawIn(byId("who-section"), drawMatrixOfLosses, "whoBy", "pair");
// Whom a job lost time to, and who lost time to the job: for the aside.
export function lossesOf(job) {
  const lines = (title, of, other) => {
    const found = Array.from(losses, (_, i) => i).filter((i) => of[i] === job)
      .sort((a, b) => losses[b] - losses[a] || a - b);
    return found.length === 0 ? []
      : [element("h3", {}, title),
        table(["job", numeric("lost")], found.slice(0, 8).map((i) => [jobButton(other[i]), duration(losses[i])]))];
  };
  return [...lines("Loses run time to", column.loss_job, column.loss_to),
    ...lines("Costs others run time", column.loss_to, column.loss_job)];
}
