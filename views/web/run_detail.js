import {byId, column, css, linkCount, meta, routerOfNode} from "./data.js";
import {bytesText, count, digits, element, fillBox, grouped, largest, numeric, percent, seconds} from "./units.js";
import {sized, table} from "./units.js";
import {aboutNode, coordinates, drawIn, linkButton, linkName, onChange, set, state} from "./state.js";
import {bytesOnLink, collectiveNames, hasJobs, inCollectiveAt, jobButton, jobKey, jobNumbers, jobs} from "./run.js";
import {jobsOnLink, knowsJobsOfLinks, lossOf, momentText, rankButton, rankName, ranksOfNode} from "./run.js";
import {shownActivityWindow, useAt, waitInCollective, windows} from "./run.js";
import {asRings} from "./traffic.js";

// What is selected, in words and numbers: a link, a rank, a router; or the busiest links.
const detail = byId("detail");

function spark(values, most) {
  const picture = element("canvas");
  requestAnimationFrame(() => {
    const [context, width, height] = sized(picture);
    context.fillStyle = css("--accent");
    const step = width / values.length;
    values.forEach((value, i) => {
      const h = most > 0 ? value / most * (height - 2) : 0;
      context.fillRect(i * step, height - h, Math.max(1, step - 0.5), h);
    });
    fillBox(context, css("--warn"), state.time * step, 0, Math.max(1.5, step * 0.15), height);
  });
  return picture;
}
const useOverTime = (link) => Array.from({length: windows}, (_, w) => useAt(link, w));

function pairRows(numbers, total) {
  return numbers.map((p) => [rankButton(column.pair_from[p]), rankButton(column.pair_to[p]),
    bytesText(column.pair_bytes[p]), total > 0 ? percent(column.pair_bytes[p] / total) : "-"]);
}
const pairColumns = ["from", "to", numeric("bytes"), numeric("share")];

const jobBytes = (list, total) => table(["job", numeric("bytes"), numeric("share")],
  list.map(({job, bytes}) => [jobButton(job), bytesText(bytes), percent(bytes / (total || 1))]));

function linkDetail(link) {
  const pairs = Array.from(column.link_pairs.subarray(column.link_pairs_begin[link],
    column.link_pairs_begin[link + 1]));
  const rows = pairRows(pairs, column.link_bytes[link]);
  return [element("h3", {}, linkName(link)),
    element("p", {}, `${bytesText(column.link_bytes[link])} in ${count(column.link_messages[link], "message")}; ` +
      `${bytesText(column.link_bandwidth[link])}/s. ` +
      `Used ${percent(column.link_mean[link])} of the run time on average, ${percent(column.link_peak[link])} in its ` +
        `busiest window, ${percent(useAt(link, state.time))} now.` +
      (lossOf[link] > 0 ? ` The critical path loses ${seconds(lossOf[link])} here.` : "")),
    spark(useOverTime(link), 1),
    ...(knowsJobsOfLinks ? [element("h3", {}, "Jobs that load it"), jobBytes(jobsOnLink(link), column.link_bytes[link])]
      : []),
    element("h3", {}, "Who loads it"),
    rows.length > 0 ? table(pairColumns, rows) : element("p", {}, "No message takes this link in dimension order."),
    element("p", {}, (rows.length === 8 ? "The eight pairs of ranks with the most bytes, by dimension-order routes. "
      : "By dimension-order routes. ") + asRings)];
}

function collectivesOfRank(rank) {
  const waits = collectiveNames.map((name, i) => ({name, i, s: waitInCollective(rank, i)})).filter(({s}) => s > 0)
    .sort((a, b) => b.s - a.s);
  return waits.length === 0 ? [] : [element("h3", {}, "Waits in collectives"),
    table(["collective", numeric("waits"), numeric("of the run"), numeric("at the time shown")],
      waits.map(({name, i, s}) => [name, seconds(s), percent(s / meta.runtime_s),
        percent(inCollectiveAt(rank, shownActivityWindow(), i))]))];
}

function rankDetail(rank) {
  const node = column.rank_node[rank], router = routerOfNode[node];
  const partners = [];
  for (let p = 0; p < column.pair_from.length && partners.length < 12; ++p)
    if (column.pair_from[p] === rank) partners.push(p);
  const sent = column.rank_bytes[rank];
  return [element("h3", {}, `${rankName(rank)} on n${node} (${coordinates(router).join(",")})`),
    element("p", {}, `Computes ${seconds(column.rank_compute[rank])}, waits ${seconds(column.rank_transfer[rank])} ` +
      "for messages on their way and " +
      `${seconds(column.rank_wait[rank])} for other ranks; ends at ${seconds(column.rank_finish[rank])}. Sends ` +
        `${bytesText(sent)}.`),
    element("p", {}, momentText(rank, shownActivityWindow()) + "."),
    ...collectivesOfRank(rank),
    element("h3", {}, "To whom"),
    table(["to", numeric("bytes"), numeric("messages"), numeric("hops")],
      partners.map((p) => [rankButton(column.pair_to[p]), bytesText(column.pair_bytes[p]),
        grouped(column.pair_messages[p]), String(column.pair_hops[p])])),
    element("p", {}, "Coloured links are on the routes of its messages.")];
}

function nodeDetail(node) {
  const ranks = ranksOfNode.get(node) || [];
  return [...aboutNode(node),
    ranks.length > 0 ? element("p", {}, "Ranks: ", ...ranks.slice(0, 64).flatMap((r) => [rankButton(r), " "]))
      : element("p", {}, "No rank runs here.")];
}

function jobDetail(job) {
  const {name, trace, map, critical_path: path, rounds_s: rounds, runtime_s: runtime, alone_s: alone, slowdown} =
    jobs[job];
  const lost = (of, other) => (meta.contention || []).filter((pair) => pair[of] === name && pair[other] !== name &&
    pair.contention_s > 0)
    .sort((a, b) => b.contention_s - a.contention_s)
    .map((pair) => [pair[other] === null ? "changes of the machine" : jobButton(jobNumbers.get(pair[other])),
      seconds(pair.contention_s)]);
  const lines = (title, rows) => (rows.length > 0 ? [element("h3", {}, title), table(["job", numeric("lost")], rows)]
    : []);
  const beside = alone === null ? ""
    : `, alone ${seconds(alone)}: others make it ${digits(slowdown)} times as long`;
  const parts = ["compute", "latency", "bandwidth", "sharing"].map((part) =>
    `${part} ${percent(path[part + "_share"])}`);
  const links = knowsJobsOfLinks ? largest(8, linkCount, (link) => bytesOnLink(link, job)) : [];
  return [element("h3", {}, jobKey(job), name),
    element("p", {},
      `${trace}, placed by ${map}: ${count(jobs[job].ranks, "rank")}, ${count(rounds.length, "round")}.` +
      (runtime === null ? "" : ` Run time ${seconds(runtime)}${beside}.`)),
    element("p", {}, "Its critical path: " + parts.join(", ") +
      (meta.contention ? `, of which ${percent(path.sharing_others_share)} with other jobs.` : ".")),
    ...lines("Loses run time to", lost("victim", "aggressor")),
    ...lines("Costs others run time", lost("aggressor", "victim")),
    ...(links.length > 0 ? [element("h3", {}, "Its links with the most bytes"),
      table(["link", numeric("bytes of the job"), numeric("of all")],
        links.map((link) => [linkButton(link), bytesText(bytesOnLink(link, job)),
          percent(bytesOnLink(link, job) / column.link_bytes[link])]))] : [])];
}

function overview() {
  return [element("h3", {}, "Busiest links"),
    table(["link", numeric("bytes"), numeric("mean use"), numeric("peak")],
      largest(12, linkCount, (link) => column.link_mean[link])
        .map((link) => [linkButton(link), bytesText(column.link_bytes[link]), percent(column.link_mean[link]),
          percent(column.link_peak[link])])),
    element("p", {}, "Click a link or a node to see who loads it.")];
}
function selectedDetail() {
  if (state.link !== null) return linkDetail(state.link);
  if (state.rank !== null) return rankDetail(state.rank);
  if (state.node !== null) return nodeDetail(state.node);
  return state.job !== null ? jobDetail(state.job) : overview();
}
onChange(() => detail.replaceChildren(...selectedDetail()), "link", "rank", "node", "job", "shown", "time");

// The jobs as a table, what each lost to each, and which of them is explained below.
const shownInput = byId("shown-job");
function lossTable() {
  const aggressors = [...new Set(meta.contention.map((pair) => pair.aggressor))];
  const cells = new Map(meta.contention.map((pair) => [`${jobNumbers.get(pair.victim)} ${pair.aggressor}`, pair]));
  const cell = (victim, aggressor) => {
    const {contention_s: lost, runtime_share: part} = cells.get(`${victim} ${aggressor}`);
    return lost > 0 ? `${seconds(lost)} (${percent(part)})` : "-";
  };
  return table(["run time lost by",
    ...aggressors.map((name) => ({title: name === null ? "to changes of the machine" : "to " + name, number: true}))],
  jobs.map((_, job) => [jobButton(job), ...aggressors.map((name) => cell(job, name))]));
}
function drawJobTable() {
  const known = (value, text) => (value === null ? "-" : text(value));
  const made = table(["job", numeric("ranks"), numeric("from"), numeric("to"), numeric("rounds"),
    numeric("run time"), numeric("alone"), numeric("run time / alone")],
  jobs.map((job, i) => [jobButton(i), grouped(job.ranks), seconds(job.start_s), seconds(job.end_s) +
    (job.end === "done" ? "" : `, ${job.end}`), String(job.rounds_s.length),
  known(job.runtime_s, seconds), known(job.alone_s, seconds), known(job.slowdown, digits)]));
  jobs.forEach((_, job) => { if (job === state.job) made.tBodies[0].rows[job].className = "selected"; });
  byId("job-table").replaceChildren(made);
  shownInput.value = String(state.shown);
  for (const heading of document.querySelectorAll(".of-job"))
    heading.replaceChildren(": ", jobKey(state.shown), jobs[state.shown].name);
}
if (hasJobs) {
  byId("jobs-section").hidden = false;
  shownInput.append(...jobs.map(({name}, job) => element("option", {value: String(job)}, name)));
  shownInput.addEventListener("change", () => set({shown: Number(shownInput.value)}));
  byId("job-losses").append(meta.contention ? lossTable() : element("p", {class: "note"}, "Who slows whom cannot be " +
    `said: ${meta.no_contention_because}.`));
  drawIn(byId("jobs-section"), drawJobTable, "job", "shown");
}
