import {byId, column, dims, injection, isDark, layout, linkCount, meta, nodesPerRouter, routerCount} from "./data.js";
import {routerOfNode, shareColour} from "./data.js";
import {wholeLine} from "./renderer.js";
import {bytesText, count, digits, element, grouped, keyOf, numeric, onChoice, seconds, table} from "./units.js";
import {aboutNode, computes, coordinates, linkButton, linkName, nodeButton, nodeStates, onChange} from "./state.js";
import {select, set, state} from "./state.js";
import {directionNote, failedColour, idleColour, inkColour, linksShown, putLinks, selectedColour} from "./machine.js";
import {shareBar, showMachine} from "./machine.js";
import "./controls.js";

// What the page of a machine knows besides what is selected.
Object.assign(state, {linkColour: "bandwidth", inner: false});
showMachine(0.9, ["linkColour", "inner"],
  {lookOfLink, lookOfNode, paintLines, legend, nodePicked: (node) => select({node})});

// What links and nodes of a machine look like: links by bandwidth, latency or dimension, nodes by their state.
const lookColours = [[0, 114, 178], [230, 159, 0], [0, 158, 115], [86, 180, 233], [140, 86, 75], [127, 127, 127]];
const stateColours = () => [isDark() ? [150, 160, 171] : [128, 138, 148], [240, 228, 66], failedColour,
  isDark() ? [70, 76, 84] : [196, 201, 207]];
const stateShapes = [0, 2, 3, 1];

// How many links of the grid have each value, by dimension: one pass over all links.
function countsByDimension(values) {
  const counts = dims.map(() => new Map());
  // Most links are as the one before them along the dimension: a run of equal ones is looked up once.
  const runs = dims.map(() => ({value: undefined, length: 0}));
  const end = (d) => {
    const {value, length} = runs[d];
    if (length > 0) counts[d].set(value, (counts[d].get(value) || 0) + length);
  };
  for (let link = 0; link < linkCount; ++link) {
    const d = column.link_kind[link] >> 1, value = values[link];
    if (d >= dims.length) continue;  // a port
    if (value !== runs[d].value) { end(d); runs[d] = {value, length: 0}; }
    ++runs[d].length;
  }
  runs.forEach((_, d) => end(d));
  return counts;
}
// The different values, the most frequent first; how many links have each, and in which dimensions.
function classes(counts) {
  const found = new Map();
  counts.forEach((ofDimension, d) => ofDimension.forEach((links, value) => {
    if (!found.has(value)) found.set(value, {value, links: 0, dimensions: []});
    found.get(value).links += links;
    found.get(value).dimensions.push(d);
  }));
  const sorted = [...found.values()].sort((a, b) => b.links - a.links || b.value - a.value);
  sorted.forEach((one, i) => { one.colour = lookColours[Math.min(i, lookColours.length - 1)]; });
  return sorted;
}
function colouring(values, text) {
  const counts = countsByDimension(values);
  return {values, text, counts, classes: classes(counts)};
}
const colourings = {
  bandwidth: colouring(column.link_bandwidth, (v) => bytesText(v) + "/s"),
  latency: colouring(column.link_latency, seconds),
  dimension: colouring(column.link_kind.map((kind) => kind >> 1), (d) => `along ${dims[d].name}`),
};
colourings.dimension.classes.sort((a, b) => a.value - b.value);
for (const one of Object.values(colourings)) one.of = new Map(one.classes.map((c) => [c.value, c]));
// Wraps of a twisted torus, which lead to another place along another dimension, have a colour of their own.
const differingDimensions = (a, b) =>
  dims.filter((_, d) => column.router_at[a * dims.length + d] !== column.router_at[b * dims.length + d]);
const isTwistedWrap = (link) => dims[column.link_kind[link] >> 1].twisted &&
  differingDimensions(column.link_from[link], column.link_to[link]).length > 1;
const twistColour = () => lookColours[Math.min(colourings[state.linkColour].classes.length, lookColours.length - 1)];
const mostBandwidth = column.link_bandwidth.reduce((a, b) => Math.max(a, b), 0);
const onRoute = new Uint8Array(linkCount);
for (const link of column.route_link) onRoute[link] = 1;

// The usual value of each dimension: links that differ from it are drawn also inside of large machines.
const usual = colourings.bandwidth.counts.map((counts) => [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]);
const isSpecial = (link) => column.link_failed[link] === 1 ||
  column.link_bandwidth[link] !== usual[column.link_kind[link] >> 1];

const manyLinks = 20000;
const hidesInner = () => !state.inner && layout.shown * dims.length * 2 > manyLinks;
// Nobody can tell the two directions of a line apart on so large a machine: one link stands for both.
const isSecondWay = (link) => (column.link_kind[link] & 1) === 1;
function lookOfLink(link, look) {
  const {values, of} = colourings[state.linkColour];
  let colour = of.get(values[link]).colour, width = 0.8 + 2.6 * column.link_bandwidth[link] / (mostBandwidth || 1);
  if (isTwistedWrap(link)) { colour = twistColour(); width *= 0.6; }
  const isWay = onRoute[link] === 1, special = isSpecial(link);
  const isOutside = layout.isOutside[column.link_from[link]] && layout.isOutside[column.link_to[link]];
  if (hidesInner() && !isWay && !special && (isSecondWay(link) || !isOutside)) width = 0;
  if (column.route_link.length > 0 && !isWay) { colour = idleColour(); width = Math.min(width, 1); }
  if (column.link_failed[link]) { colour = failedColour; width = 3; }
  if (isWay) { colour = selectedColour; width = 5; }
  if (state.link === link) { colour = inkColour(); width = 6; }
  if (state.view === "floor" && !isWay && state.link !== link && !column.link_failed[link]) width = 0;
  look[0] = colour[0]; look[1] = colour[1]; look[2] = colour[2]; look[3] = width;
}
// From the router of the lowest number to that of the highest.
function paintLines(put) {
  if (state.linkColour !== "numbers") return putLinks(put);
  const routers = Array.from({length: routerCount}, (_, r) => r)
    .sort((a, b) => column.router_first_node[a] - column.router_first_node[b]).filter((r) => layout.isShown[r]);
  for (let i = 0; i + 1 < routers.length; ++i)
    put(routers[i], routers[i + 1], 0xffffffff, wholeLine, shareColour(0.1 + 0.9 * i / routers.length),
    routers.length > 4000 ? 1.2 : 2.4);
}
function lookOfNode(node, look) {
  const kind = column.node_state[node], route = meta.route;
  let colour = stateColours()[kind], size = kind === 0 ? 0.75 : 1;
  if (hidesInner() && kind === 0 && !layout.isOutside[routerOfNode[node]]) size = 0;
  if (route && (node === route.from || node === route.to)) { colour = selectedColour; size = 1; }
  if (node === state.node) { colour = inkColour(); size = 1; }
  look[0] = colour[0]; look[1] = colour[1]; look[2] = colour[2]; look[3] = size; look[4] = stateShapes[kind];
}
function legend() {
  const keys = [];
  if (state.linkColour === "numbers") keys.push("path from the first number", shareBar(), "to the last");
  else {
    const {classes: all, text} = colourings[state.linkColour];
    for (const one of all.slice(0, lookColours.length))
      keys.push(keyOf(one.colour, all.length > lookColours.length && one === all[lookColours.length - 1] ? "others"
        : text(one.value) + (state.linkColour === "dimension" ? ""
          : ` (${one.dimensions.map((d) => dims[d].name).join(", ")})`)));
    if (dims.some((d) => d.twisted)) keys.push(keyOf(twistColour(), "wraps of the twist"));
    keys.push(`${linksShown()}; thicker: more ` +
      `bandwidth${hidesInner() ? "; a line stands for both ways" : directionNote}`);
  }
  const marks = ["disc", "square", "cross", "ring"];
  for (const kind of [1, 2, 3])
    if (column.node_state.includes(kind)) keys.push(keyOf(stateColours()[kind], `${marks[kind]}: ${nodeStates[kind]}`));
  if (column.link_failed.includes(1)) keys.push(keyOf(failedColour, "failed link"));
  if (meta.route) keys.push(keyOf(selectedColour, "route"));
  return keys;
}
onChoice("link-colour", (linkColour) => set({linkColour}));
onChoice("inner", () => set({inner: byId("inner").checked}));
onChange(() => {
  byId("inner-label").hidden = !state.inner && !hidesInner();
}, "inner", "axes", "planes", "view");

// What is selected, in words and numbers: a node, a link; or the route, or what links there are.
const detail = byId("detail");
const nodeTitle = (node) => (meta.node_names && meta.node_names[node] !== "n" + node ? ` (${meta.node_names[node]})`
  : "");
const linkRow = (link) => [linkButton(link), bytesText(column.link_bandwidth[link]) + "/s",
  column.link_kind[link] < injection ? seconds(column.link_latency[link]) : "-", column.link_failed[link] ? "failed"
  : ""];
const linkColumns = ["link", numeric("bandwidth"), numeric("latency"), ""];

function platformNodeDetail(node) {
  const router = routerOfNode[node], leaving = [];
  for (let link = 0; link < linkCount; ++link)
    if (column.link_kind[link] < injection && column.link_from[link] === router) leaving.push(link);
  const [title, ...rest] = aboutNode(node);
  title.append(nodeTitle(node));
  return [title, ...rest, element("h3", {}, "Links from here"), table(linkColumns, leaving.map(linkRow))];
}
function platformLinkDetail(link) {
  const d = dims[column.link_kind[link] >> 1], ends = [column.link_from[link], column.link_to[link]];
  const facts = [`${bytesText(column.link_bandwidth[link])}/s, ${seconds(column.link_latency[link])} a hop`];
  if (column.link_failed[link]) facts.push("failed");
  if (d && d.shared) facts.push("one link that all routers of the line share");
  if (d && d.wrap === "ring") facts.push("one way only");
  const at = ends.map(coordinates), moved = differingDimensions(...ends).map((one) => one.name);
  if (moved.length > 1) facts.push(`a wrap of a twisted torus: it leads to another place along ${moved.join(" and ")}`);
  return [element("h3", {}, linkName(link)), element("p", {}, facts.join("; ") + "."),
    element("p", {}, ...ends.flatMap((r, i) => [i > 0 ? " to " : "From ", nodeButton(column.router_first_node[r]),
      ` (${at[i].join(",")})`]))];
}
function routeDetail() {
  const {from, to, hops, latency_s: latency, bandwidth} = meta.route;
  return [element("h3", {}, `n${from} to n${to}: ${count(hops, "hop")}`),
    element("p", {}, "The first byte arrives after " +
      `${seconds(latency)}${bandwidth ? `; at most ${bytesText(bandwidth)}/s` : ""}.`),
    table(linkColumns, Array.from(column.route_link, linkRow))];
}
function platformOverview() {
  const {classes: all} = colourings.bandwidth;
  return [element("h3", {}, "Bandwidths of links"), table(["bandwidth", numeric("links"), "along"],
    all.slice(0, 12).map((one) => [keyOf(one.colour, bytesText(one.value) + "/s"), grouped(one.links),
      [...one.dimensions].map((d) => dims[d].name).join(", ")])),
  element("h3", {}, "Nodes"), table(["state", numeric("nodes")],
    nodeStates.map((name, kind) => [name, column.node_state.reduce((n, s) => n + (s === kind ? 1 : 0), 0)])
      .filter(([, n]) => n > 0).map(([name, n]) => [name, grouped(n)])),
  element("p", {}, "Click a link or a node to see what it is.")];
}
onChange(() => {
  detail.replaceChildren(...(state.node !== null ? platformNodeDetail(state.node)
    : state.link !== null ? platformLinkDetail(state.link) : meta.route ? routeDetail() : platformOverview()));
}, "node", "link");

// The headline, what dimensions have, what is not as the rest, and the first picture.
{
  const f = meta.figures, limit = (b) => (b === null ? "without limit" : bytesText(b) + "/s");
  byId("title").textContent = meta.platform + (meta.text ? ": " + meta.text : "");
  byId("facts").textContent = `${dims.map((d) => d.extent).join(" x ")}, ${count(f.routers, "router")} with ` +
    `${count(nodesPerRouter, "node")} each, ${grouped(f.compute_nodes)} compute; ` +
    `${digits(f.mean_hops)} hops on average, ${f.is_sampled ? "about " : ""}${f.diameter} at most` +
    (f.bisection ? `; bisection ${bytesText(f.bisection.bandwidth)}/s, ${count(f.bisection.links, "link")} across ` +
      `${dims[f.bisection.dimension].name}` : "") +
    `; a node injects ${limit(meta.injection)}, ejects ${limit(meta.ejection)}; ${seconds(meta.base_latency_s)} for ` +
      "each message.";
  const texts = (d, {counts, text}) => {
    const all = [...counts[d]].sort((a, b) => b[1] - a[1]);
    return all.slice(0, 4).map(([value, n]) => (all.length > 1 ? `${text(value)} (${grouped(n)})` : text(value)))
      .join(", ") + (all.length > 4 ? ", ..." : "");
  };
  byId("dimensions").append(table(["dimension", numeric("extent"), "wrap", "bandwidth of a link", "latency of a hop",
    ""],
  dims.map((d, i) => [d.name, String(d.extent), d.wrap === "ring" ? "ring, one way" : d.wrap,
    texts(i, colourings.bandwidth) || "no link", texts(i, colourings.latency),
    [d.shared ? "a line is one link" : "", d.twisted ? "twisted" : "", d.places ? "cables fold" : ""].filter(Boolean)
      .join(", ")])));
  const links = [], most = 200;
  for (let link = 0; link < linkCount; ++link)
    if (column.link_kind[link] < injection && isSpecial(link)) links.push(link);
  const nodes = Array.from(column.node_state.keys()).filter((node) => !computes(node));
  byId("special-section").hidden = links.length + nodes.length === 0;
  byId("special-note").textContent = `${count(nodes.length, "node")} without computation, ` +
    `${count(links.length, "link")} failed or of another bandwidth than most of the dimension` +
    (nodes.length + links.length > most ? `; the first ${most} of them` : "") + ".";
  byId("special").append(table(["what", "where", "is"],
    [...nodes.slice(0, most)
      .map((node) => [nodeButton(node), coordinates(routerOfNode[node]).join(","),
        nodeStates[column.node_state[node]]]),
    ...links.slice(0, most)
      .map((link) => [linkButton(link), coordinates(column.link_from[link]).join(","), column.link_failed[link]
        ? "failed" : bytesText(column.link_bandwidth[link]) + "/s"])].slice(0, most)));
}
set({});
