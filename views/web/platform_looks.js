// What links and nodes of a machine look like: links by bandwidth, latency or dimension, nodes by their state.
const nodeScale = 0.9;
const lookColours = [[0, 114, 178], [230, 159, 0], [0, 158, 115], [86, 180, 233], [140, 86, 75], [127, 127, 127]];
const stateColours = () => [isDark() ? [150, 160, 171] : [128, 138, 148], [240, 228, 66], failedColour, isDark() ? [70, 76, 84] : [196, 201, 207]];
const stateShapes = [0, 2, 3, 1];

// How many links of the grid have each value, by dimension: one pass over all links.
function countsByDimension(values) {
  const counts = dims.map(() => new Map());
  // Most links are as the one before them along the dimension: a run of equal ones is looked up once.
  const runs = dims.map(() => ({value: undefined, length: 0}));
  const end = (d) => { if (runs[d].length > 0) counts[d].set(runs[d].value, (counts[d].get(runs[d].value) || 0) + runs[d].length); };
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
const differingDimensions = (a, b) => dims.filter((_, d) => column.router_at[a * dims.length + d] !== column.router_at[b * dims.length + d]);
const isTwistedWrap = (link) => dims[column.link_kind[link] >> 1].twisted && differingDimensions(column.link_from[link], column.link_to[link]).length > 1;
const twistColour = () => lookColours[Math.min(colourings[state.linkColour].classes.length, lookColours.length - 1)];
const mostBandwidth = column.link_bandwidth.reduce((a, b) => Math.max(a, b), 0);
const onRoute = new Uint8Array(linkCount);
for (const link of column.route_link) onRoute[link] = 1;

// The usual value of each dimension: links that differ from it are drawn also inside of large machines.
const usual = colourings.bandwidth.counts.map((counts) => [...counts].sort((a, b) => b[1] - a[1])[0]?.[0]);
const isSpecial = (link) => column.link_failed[link] === 1 || column.link_bandwidth[link] !== usual[column.link_kind[link] >> 1];

const manyLinks = 20000;
const hidesInner = () => !state.inner && layout.shown * dims.length * 2 > manyLinks;
// Nobody can tell the two directions of a line apart on so large a machine: one link stands for both.
const isSecondWay = (link) => (column.link_kind[link] & 1) === 1;
function lookOfLink(link, look) {
  const {values, of} = colourings[state.linkColour];
  let colour = of.get(values[link]).colour, width = 0.8 + 2.6 * column.link_bandwidth[link] / (mostBandwidth || 1);
  if (isTwistedWrap(link)) { colour = twistColour(); width *= 0.6; }
  const isWay = onRoute[link] === 1, special = isSpecial(link);
  if (hidesInner() && !isWay && !special && (isSecondWay(link) || !(layout.isOutside[column.link_from[link]] && layout.isOutside[column.link_to[link]]))) width = 0;
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
  const routers = Array.from({length: routerCount}, (_, r) => r).sort((a, b) => column.router_first_node[a] - column.router_first_node[b]).filter((r) => layout.isShown[r]);
  shown = 0;
  for (let i = 0; i + 1 < routers.length; ++i) put(routers[i], routers[i + 1], 0xffffffff, wholeLine, shareColour(0.1 + 0.9 * i / routers.length), routers.length > 4000 ? 1.2 : 2.4);
}
function lookOfNode(node, look) {
  const kind = column.node_state[node], route = meta.route;
  let colour = stateColours()[kind], size = kind === 0 ? 0.75 : 1;
  if (hidesInner() && kind === 0 && !layout.isOutside[routerOfNode[node]]) size = 0;
  if (route && (node === route.from || node === route.to)) { colour = selectedColour; size = 1; }
  if (node === state.node) { colour = inkColour(); size = 1; }
  look[0] = colour[0]; look[1] = colour[1]; look[2] = colour[2]; look[3] = size; look[4] = stateShapes[kind];
}
function machineLegend() {
  const keys = [];
  if (state.linkColour === "numbers") keys.push("path from the first number", shareBar(), "to the last");
  else {
    const {classes: all, text} = colourings[state.linkColour];
    for (const one of all.slice(0, lookColours.length))
      keys.push(keyOf(one.colour, all.length > lookColours.length && one === all[lookColours.length - 1] ? "others" :
        text(one.value) + (state.linkColour === "dimension" ? "" : ` (${one.dimensions.map((d) => dims[d].name).join(", ")})`)));
    if (dims.some((d) => d.twisted)) keys.push(keyOf(twistColour(), "wraps of the twist"));
    keys.push(`${linksShown()}; thicker: more bandwidth${hidesInner() ? "; a line stands for both ways" : directionNote}`);
  }
  const marks = ["disc", "square", "cross", "ring"];
  for (const kind of [1, 2, 3]) if (column.node_state.includes(kind)) keys.push(keyOf(stateColours()[kind], `${marks[kind]}: ${nodeStates[kind]}`));
  if (column.link_failed.includes(1)) keys.push(keyOf(failedColour, "failed link"));
  if (meta.route) keys.push(keyOf(selectedColour, "route"));
  return keys;
}
const nodePicked = (node) => select({node});
document.getElementById("link-colour").addEventListener("change", (e) => set({linkColour: e.target.value}));
document.getElementById("inner").addEventListener("change", (e) => set({inner: e.target.checked}));
onChange(() => {
  document.getElementById("inner-label").hidden = !state.inner && !hidesInner();
}, "inner", "axes", "planes", "view");
