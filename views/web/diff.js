import {byId, column, dims, injection, isDark, linkCount, meta, shareColour} from "./data.js";
import {bytesText, changeText, digits, element, grouped, hideNarrow, keyOf, largest, numeric} from "./units.js";
import {onChoice, partsIn, percent, seconds, table} from "./units.js";
import {aboutNode, linkButton, linkName, onChange, select, set, state} from "./state.js";
import {directionNote, idleColour, inkColour, linksShown, panes, putLinks, selectedColour} from "./machine.js";
import {shareBar, showMachine} from "./machine.js";
import {leastOf, showTop} from "./controls.js";

// Two runs: what is shown of them, and their numbers by link and node.
Object.assign(state, {run: "difference", quantity: "use"});
showTop();
showMachine(1, ["run", "quantity", "top"],
  {lookOfLink, lookOfNode, paintLines, legend, nodePicked: (node) => select({node})});
const runs = [meta.before, meta.after];
const ofLinks = {use: [column.before_use, column.after_use], bytes: [column.before_bytes, column.after_bytes],
  lost_s: [column.before_lost_s, column.after_lost_s]};
const quantityText = {use: percent, bytes: bytesText, lost_s: seconds};
const quantityName = {use: "mean use", bytes: "bytes", lost_s: "time lost"};
const mostOf = Object.fromEntries(Object.entries(ofLinks).map(([name, [a, b]]) => {
  let value = 0, change = 0;
  for (let link = 0; link < linkCount; ++link) {
    if (column.link_kind[link] >= injection) continue;
    value = Math.max(value, a[link], b[link]);
    change = Math.max(change, Math.abs(b[link] - a[link]));
  }
  return [name, {value, change}];
}));

// What links and nodes look like: the difference from blue, less than before, to orange, more; or one of the runs.
const lessColour = [0, 114, 178], moreColour = [213, 94, 0];
// From -1 to 1.
function differenceColour(change) {
  const end = change < 0 ? lessColour : moreColour, ground = idleColour();
  const part = Math.min(1, 0.25 + 0.75 * Math.abs(change));
  return change === 0 ? ground : end.map((c, i) => Math.round(ground[i] * (1 - part) + c * part));
}
// What a pane shows: the difference, or one of the runs.
let shownRun = state.run;
panes.names = () => (state.run === "both" ? ["before", "after"] : [""]);
panes.begin = (name) => { shownRun = name || state.run; };
const shownValues = new Float32Array(linkCount);
let leastShown = -1;
function paintLines(put) {
  const [a, b] = ofLinks[state.quantity], {value, change} = mostOf[state.quantity];
  for (let link = 0; link < linkCount; ++link) {
    if (column.link_kind[link] >= injection) continue;
    shownValues[link] = shownRun === "difference" ? (change > 0 ? (b[link] - a[link]) / change : 0)
      : value > 0 ? (shownRun === "before" ? a : b)[link] / value : 0;
  }
  leastShown = leastOf(shownValues.map(Math.abs));
  putLinks(put);
}
function lookOfLink(link, look) {
  const value = shownValues[link], size = Math.abs(value);
  look[3] = 0;
  if (size < leastShown && state.link !== link) return;
  let colour = shownRun === "difference" ? differenceColour(value) : size > 0 ? shareColour(size) : idleColour();
  let width = size > 0 ? 1.6 + 4.4 * size : 0.8;
  if (state.link === link) { colour = inkColour(); width = Math.max(width, 6); }
  look[0] = colour[0]; look[1] = colour[1]; look[2] = colour[2]; look[3] = width;
}
function lookOfNode(node, look) {
  const a = column.before_wait[node], b = column.after_wait[node], isUsed = a >= 0 || b >= 0;
  const colour = node === state.node ? selectedColour : isUsed ? (isDark() ? [150, 158, 166] : [120, 128, 136])
    : isDark() ? [60, 66, 73] : [214, 218, 223];
  look[0] = colour[0]; look[1] = colour[1]; look[2] = colour[2]; look[3] = isUsed ? 0.8 : 0.5;
}
function legend() {
  const text = quantityText[state.quantity], {value, change} = mostOf[state.quantity];
  if (state.run !== "difference") return [`${linksShown()}${directionNote}; 0`, shareBar(), text(value)];
  return [linksShown(), keyOf(lessColour, `less than before, at most ${text(change)}`), keyOf(moreColour, "more")];
}
onChoice("shown-run", (run) => set({run}));
onChoice("quantity", (quantity) => set({quantity}));

// A link or a node in both runs; or the links that change most.
const detail = byId("detail");
const bothColumns = ["", numeric("before"), numeric("after"), numeric("change")];
const bothRow = (name, a, b, text) => [name, text(a), text(b), changeText(a, b)];
function diffLinkDetail(link) {
  return [element("h3", {}, linkName(link)), element("p", {}, `${bytesText(column.link_bandwidth[link])}/s before`),
    table(bothColumns, Object.entries(ofLinks)
      .map(([name, [a, b]]) => bothRow(quantityName[name], a[link], b[link], quantityText[name])))];
}
function diffNodeDetail(node) {
  const a = column.before_wait[node], b = column.after_wait[node];
  return [...aboutNode(node), a < 0 && b < 0 ? element("p", {}, "No rank runs here.")
    : table(bothColumns.slice(0, 3),
      [["its ranks wait", a < 0 ? "no rank" : percent(a), b < 0 ? "no rank" : percent(b)]])];
}
function diffOverview() {
  const [a, b] = ofLinks[state.quantity], text = quantityText[state.quantity];
  const links = largest(14, linkCount, (link) => (column.link_kind[link] < injection ? Math.abs(b[link] - a[link])
    : 0));
  return [element("h3", {}, links.length > 0 ? `Largest changes of ${quantityName[state.quantity]}`
    : `No link changes its ${quantityName[state.quantity]}`),
  ...(links.length > 0
      ? [table(["link", numeric("before"), numeric("after")],
        links.map((link) => [linkButton(link), text(a[link]), text(b[link])]))] : []),
  element("p", {}, "Click a link or a node to see it in both runs.")];
}
onChange(() => {
  detail.replaceChildren(...(state.link !== null ? diffLinkDetail(state.link) : state.node !== null
    ? diffNodeDetail(state.node) : diffOverview()));
}, "link", "node", "quantity");

// The headline, both critical paths on one scale, and both runs as a whole.
{
  const [a, b] = runs, factor = b.runtime_s > 0 ? a.runtime_s / b.runtime_s : 0, same = a.runtime_s === b.runtime_s;
  const time = (run) => seconds(run.runtime_s) + (run.computation_is_left_out ? " of communication" : "");
  const left = runs.filter((run) => run.computation_is_left_out).length;
  byId("title").textContent = same ? `${time(a)} in both runs`
    : `${time(a)} before, ${time(b)} after: ` +
      `${factor > 1 ? digits(factor) + " times as fast" : digits(1 / (factor || 1)) + " times as long"}`;
  const told = ["trace", "platform", "map", "engine"], differ = told.filter((key) => a[key] !== b[key]);
  const text = (run, keys) => keys.map((key) => (key === "map" ? "map " : key === "engine" ? "engine " : "") + run[key])
    .join(", ");
  byId("facts").textContent = (differ.length > 0 ? `Before: ${text(a, differ)}. After: ${text(b, differ)}. ` : "") +
    (differ.length < told.length ? `In both: ${text(a, told.filter((key) => !differ.includes(key)))}. ` : "") +
      (left === 0 ? "" : "Computation is left out " +
      `${left === 2 ? "in both runs" : a.computation_is_left_out ? "before" : "after"}. `) +
      `What the ${left === 2 ? "communication" : "run"} times are made of, on one scale:`;
  const box = byId("both-parts"), most = Math.max(a.runtime_s, b.runtime_s) || 1;
  runs.forEach((run, r) => {
    const bar = element("div", {class: "parts", role: "img", "aria-label": "parts of the run time " +
      `${r === 0 ? "before" : "after"}`});
    bar.style.width = 100 * run.runtime_s / most + "%";
    const words = (name, s) => `${name} ${seconds(s)}`;
    partsIn(bar, Object.entries(run.parts_s), run.runtime_s || 1, (...part) => [words(...part), words(...part)]);
    box.append(element("span", {class: "note"}, r === 0 ? "before" : "after"), element("div", {}, bar));
  });
  hideNarrow(box.querySelectorAll(".parts span"));
  byId("whole-table").append(
    table(bothColumns, [bothRow(left === 2 ? "communication time" : "run time", a.runtime_s, b.runtime_s, seconds),
      ...Object.keys(a.parts_s)
        .map((name) => bothRow(name + " on the critical path", a.parts_s[name], b.parts_s[name] || 0, seconds)),
      bothRow("bytes between nodes", a.bytes, b.bytes, bytesText),
      bothRow("messages between nodes", a.messages, b.messages, grouped),
      bothRow("hops per byte", a.hops_per_byte, b.hops_per_byte, digits)]));
  const lost = dims.map(() => [0, 0]), ports = [0, 0];
  for (let link = 0; link < linkCount; ++link) for (const r of [0, 1])
    (column.link_kind[link] >= injection ? ports : lost[column.link_kind[link] >> 1])[r] += ofLinks.lost_s[r][link];
  byId("lost-table").append(
    table(bothColumns, [...dims.map((d, i) => bothRow(`links along ${d.name}`, ...lost[i], seconds)),
      ...(ports[0] + ports[1] > 0 ? [bothRow("ports of nodes", ...ports, seconds)] : []),
      bothRow("in all", a.lost_s, b.lost_s, seconds)]));
}
set({});
