import {byId, column, dims, injection, linkCount, meta} from "./data.js";
import {bytesText, changeText, count, element, grouped, numeric, percent, seconds, table} from "./units.js";
import {drawIn, linkButton, linkName, set, state} from "./state.js";
import {hasJobs, jobButton, jobNumbers, jobOfLoss, jobOfRank, jobs, rankButton, windows} from "./run.js";

// The bill: what the critical path lost to other messages, by dimension, by link, by pair of ranks. Each splits the
// same total.
const lostBox = byId("lost");
function lossBars(title, rows) {
  const most = rows.reduce((m, row) => Math.max(m, row.seconds), 0);
  const cells = rows.flatMap((row) => {
    const bar = element("i");
    bar.style.width = (most > 0 ? 100 * row.seconds / most : 0) + "%";
    return [row.name, bar, element("span", {}, `${seconds(row.seconds)} ` +
      `(${percent(row.seconds / (jobs[state.shown].last_round_s || 1))})`)];
  });
  return element("div", {}, element("h3", {}, title), element("div", {class: "bars"}, ...cells));
}
function withRest(rows, most, what) {
  if (rows.length <= most) return rows;
  const rest = rows.slice(most);
  return [...rows.slice(0, most),
    {name: count(rest.length, "other " + what), seconds: rest.reduce((sum, row) => sum + row.seconds, 0)}];
}
function drawLosses() {
  const byDimension = new Map(), sum = (rows) => rows.reduce((all, row) => all + row.seconds, 0);
  const runtime = jobs[state.shown].last_round_s;
  const links = Array.from(column.loss_link,
    (link, i) => ({link, name: linkButton(link), seconds: column.loss_link_s[i]})).filter((_, i) =>
    jobOfLoss(i) === state.shown);
  for (const {link, seconds: lost} of links) {
    const kind = column.link_kind[link];
    const name = kind >= injection ? "ports of nodes" : "links along " + dims[kind >> 1].name;
    byDimension.set(name, (byDimension.get(name) || 0) + lost);
  }
  const dimensions = [...byDimension].map(([name, s]) => ({name, seconds: s})).sort((a, b) => b.seconds - a.seconds);
  const total = sum(links);
  const pairs = Array.from(column.loss_pair_s,
    (s, i) => ({from: column.loss_pair_from[i], to: column.loss_pair_to[i], seconds: s}))
    .filter(({from}) => jobOfRank[from] === state.shown)
    .map((pair) => ({...pair, name: element("span", {}, rankButton(pair.from), " to ", rankButton(pair.to))}));
  byId("lost-note").textContent = total > 0
    ? `${seconds(total)} of ${seconds(runtime)} (${percent(total / runtime)}) are what other ` +
      `messages${hasJobs ? ", of any job," : ""} added to those of the critical path: on the same links, between the ` +
      "same two nodes or at the same card. Each loss counts at the link of the message's route that was used most " +
      "while the message travelled; the three columns split the same total."
    : "The critical path loses no time to other messages.";
  lostBox.replaceChildren(
    ...(total > 0 ? [lossBars("By dimension", dimensions), lossBars("By link", withRest(links, 10, "link")),
      lossBars("By pair of ranks", withRest(pairs, 10, "pair"))] : []));
}
drawIn(lostBox, drawLosses, "shown");

// Why a job takes its time, as `toroid simulate --explain` found: what one change saves, and what was in the way on the
// links that lose most.
const linkNamed = new Map(), hasOthers = jobs.length > 1;
function drawExplanation() {
  const {explanation, last_round_s: runtime} = jobs[state.shown];
  byId("explanation").hidden = !explanation;
  if (!explanation) return;
  if (linkNamed.size === 0) for (let link = 0; link < linkCount; ++link) linkNamed.set(linkName(link), link);
  const {main_cause: cause, trials, links, what_to_change: advice, no_trials: why} = explanation;
  byId("main-cause").textContent = cause[0].toUpperCase() + cause.slice(1) + ".";
  byId("what-to-change").replaceChildren(...advice.map((line) => element("li", {}, line)));
  byId("explanation-note").textContent = why
    ? `Nothing was tried: ${why}.`
    : `The run was repeated with one change at a time, by the engine ${meta.engine}; all else stays as it ` +
      `is.${hasOthers ? " Other jobs are named where their run times change by 1 % or more." : ""}`;
  const rankOf = (job, rank) => rankButton(jobs[job === undefined ? 0 : jobNumbers.get(job)].first_rank + rank);
  const pairs = (some) => some.flatMap(({from, to, bytes, job}, i) => [i > 0 ? ", " : "", rankOf(job, from), " to ",
    rankOf(job, to), ` (${bytesText(Math.round(bytes))})`]);
  const ofOthers = (others) =>
    others.flatMap(({job, saves_share: saved}, i) => [i > 0 ? ", " : "", jobButton(jobNumbers.get(job)),
      ` ${changeText(1, 1 - saved)}`]);
  const tried = trials.map(({change, runtime_s: time, others}) =>
    [change, ...(time === null ? ["not possible", "-"] : [seconds(time), changeText(runtime, time)]),
      ...(hasOthers ? [element("span", {}, ...ofOthers(others))] : [])]);
  const lost = links.map((link) =>
    [linkButton(linkNamed.get(link.link)), `${seconds(link.lost_s)} (${percent(link.share)})`,
      percent(link.mean_utilization), element("span", {}, ...pairs(link.in_the_way))]);
  byId("explanation-parts").replaceChildren(
    element("div", {}, element("h3", {}, "With one change"),
      table(["change", numeric("run time"), numeric("difference"), ...(hasOthers ? ["other jobs"] : [])], tried)),
    element("div", {class: "scroll"}, element("h3", {}, "In the way on the links that lose most"),
      links.length > 0 ? table(["link", numeric("lost"), numeric("mean use"), "in the way"], lost)
        : element("p", {class: "note"}, "No message of the critical path loses time on a link.")));
}
drawIn(byId("explanation"), drawExplanation, "shown");

// The longest steps of the critical path, in the order of time.
const obstaclesOf = new Map();
column.obstacle_step.forEach((step, i) => {
  if (!obstaclesOf.has(step)) obstaclesOf.set(step, []);
  obstaclesOf.get(step).push(i);
});
// The messages that were in the way of a step, those with the most bytes there first.
function inTheWay(step) {
  const list = obstaclesOf.get(step);
  if (!list) return "-";
  return element("div", {class: "obstacles"},
    ...list.map((i) => element("div", {}, rankButton(column.obstacle_from[i]), " to ",
      rankButton(column.obstacle_to[i]),
      `, ${bytesText(Math.round(column.obstacle_bytes_meanwhile[i]))} over `, linkButton(column.obstacle_link[i]))));
}
function inCollective(step) {
  const number = column.step_collective[step];
  return number > 0 ? ", in " + meta.step_collectives[number - 1] : "";
}
// A row for the steps from `first` until before `last`, as one.
function sumOfSteps(first, last, what) {
  const sum = (part) => part.subarray(first, last).reduce((a, b) => a + b, 0);
  return [seconds(column.step_begin[first]), seconds(column.step_end[last - 1] - column.step_begin[first]), what, "-",
    secondsOrDash(sum(column.step_latency)), secondsOrDash(sum(column.step_bandwidth)),
    secondsOrDash(sum(column.step_lost)), ""];
}
const secondsOrDash = (value) => (value > 0 ? seconds(value) : "-");
function rowOfStep(i) {
  const isMessage = column.step_is_message[i] === 1;
  const time = element("button",
    {type: "button", onclick: () =>
      set({time: Math.min(windows - 1, Math.floor(column.step_begin[i] / (meta.window_s || 1)))})},
    seconds(column.step_begin[i]));
  return [time, seconds(column.step_end[i] - column.step_begin[i]),
    isMessage ? element("span", {}, rankButton(column.step_rank[i]), " to ", rankButton(column.step_receiver[i]),
      inCollective(i)) : element("span", {}, rankButton(column.step_rank[i]), " computes"),
    isMessage ? bytesText(column.step_bytes[i]) : "-", secondsOrDash(column.step_latency[i]),
    secondsOrDash(column.step_bandwidth[i]), secondsOrDash(column.step_lost[i]), inTheWay(i)];
}
// The longest steps, what lies between two of them as one row each, and the sum of all, which is the run time.
function drawChain() {
  const {steps} = jobs[state.shown], takes = (i) => column.step_end[i] - column.step_begin[i];
  const kept = Array.from(column.step_begin.keys()).filter((i) => jobOfRank[column.step_rank[i]] === state.shown);
  const longest = kept.slice().sort((a, b) => takes(b) - takes(a) || a - b).slice(0, 40).sort((a, b) => a - b);
  const isWhole = kept.length === steps;
  const many = `the ${longest.length} longest follow, and what lies between them`;
  byId("chain-note").textContent =
    `${count(steps, "step")} make up the run time; ${longest.length === steps ? "all of them follow" : many}. ` +
    "\"Lost\" is what other messages added (sharing). \"In the way\" are the up to four messages that had the most " +
    "bytes on a link of the step's route while it travelled, with these bytes; routes are in dimension order." +
    (isWhole ? "" : ` Of the ${grouped(steps)} steps the page has the ${grouped(kept.length)} longest; sums are of ` +
      "these.");
  const rows = [], sums = [];  // the rows of the table, and numbers of those that are sums
  const addSum = (first, last, what) => {
    if (first >= last) return;
    sums.push(rows.length);
    rows.push(sumOfSteps(first, last, what));
  };
  const end = kept.length > 0 ? kept[kept.length - 1] + 1 : 0;
  let told = kept[0];
  for (const i of longest) {
    addSum(told, i, `${count(i - told, "step")} ${told === kept[0] ? "at first" : "between"}`);
    rows.push(rowOfStep(i));
    told = i + 1;
  }
  addSum(told, end, `${count(end - told, "step")} to the end`);
  addSum(kept[0], end, "all");
  const made = table(["begins", numeric("takes"), "what", numeric("bytes"),
    numeric("latency"), numeric("bandwidth"), numeric("lost"), "in the way"], rows);
  for (const i of sums) made.tBodies[0].rows[i].className = "sum";
  byId("chain").replaceChildren(made);
}
drawIn(byId("chain"), drawChain, "shown");
