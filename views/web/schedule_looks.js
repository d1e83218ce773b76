// What nodes and links of a schedule look like: a node has the colour of its job, a link within a job, too.
const biggest = column.job_nodes.reduce((a, b) => Math.max(a, b), 1);
function colourOfJob(job) {
  if (state.nodeColour === "slowdown") return shareColour(0.08 + 0.92 * shareOfSlowdown(slowdownOf(job)));
  if (state.nodeColour === "size") return shareColour(0.08 + 0.92 * Math.log(column.job_nodes[job]) / Math.log(Math.max(2, biggest)));
  return jobColour(job);
}
// Jobs beside the selected one step back.
const backColour = () => (isDark() ? [70, 76, 84] : [188, 194, 201]);
const colourShown = (job) => (state.job !== null && state.job !== job ? backColour() : colourOfJob(job));

// The job that both routers have nodes of, the same on all nodes of each; -1: none.
function jobOfRouter(router) {
  const first = column.router_first_node[router], job = jobOfNode[first];
  for (let i = 1; i < nodesPerRouter; ++i) if (jobOfNode[first + i] !== job) return -1;
  return job;
}
const manyLinks = gridLinks > 8000;
// The window of links at the time that is shown, and the share of a link's capacity that was used in it.
const linkWindow = () => Math.max(0, Math.min(meta.windows - 1, Math.floor(state.time / meta.window_s)));
const linkUse = (link) => column.link_use[linkWindow() * linkCount + link] / 255;
if (meta.windows === 0) document.getElementById("links").querySelector("option[value=use]").remove();
if (manyLinks) document.getElementById("links").querySelector("option[value=all]").textContent = `all ${grouped(gridLinks)}`;
function lookOfLink(link, look) {
  const job = jobOfRouter(column.link_from[link]), isWithin = job >= 0 && job === jobOfRouter(column.link_to[link]);
  let colour = idleColour(), width = state.links === "all" || (!manyLinks && state.links === "jobs") ? 0.7 : 0;
  if (isWithin && state.links !== "none" && !dims[column.link_kind[link] >> 1].shared && (state.job === null || state.job === job)) {
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
const paintLines = putLinks;
function machineLegend() {
  const grey = isDark() ? [60, 66, 73] : [214, 218, 223], isThere = (s) => column.node_state.includes(s);
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
document.getElementById("node-colour").addEventListener("change", (e) => set({nodeColour: e.target.value}));
document.getElementById("links").addEventListener("change", (e) => set({links: e.target.value}));
const nodeScale = 1.8;
