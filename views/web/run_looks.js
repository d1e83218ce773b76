// What links and nodes of a run look like: by use, bytes or time lost; by what ranks do; by jobs.
const mostBytes = column.link_bytes.reduce((a, b) => Math.max(a, b), 0);
const mostLoss = () => lossOf.reduce((a, b) => Math.max(a, b), 0);
// The job that carries most over a link; -1: none.
const mainJob = new Int32Array(linkCount).fill(-1);
if (knowsJobsOfLinks) for (let link = 0; link < linkCount; ++link) mainJob[link] = jobsOnLink(link)[0]?.job ?? -1;
function shareOf(link, lossScale) {
  if (state.linkColour === "window") return useAt(link, state.time);
  if (state.linkColour === "job") return useAt(link, state.time) * (state.job === null ? 1 : bytesOnLink(link, state.job) / (column.link_bytes[link] || 1));
  if (state.linkColour === "mean") return Math.min(1, column.link_mean[link]);
  if (state.linkColour === "bytes") return mostBytes > 0 ? column.link_bytes[link] / mostBytes : 0;
  return lossScale > 0 ? lossOf[link] / lossScale : 0;
}
// The colour of a share of a link: that of the job that is picked, or that carries most.
const colourOfLink = (link, share) => (state.linkColour === "job" ? jobColour(state.job ?? mainJob[link]) : shareColour(share));
// What a node is coloured by: the mean of its ranks' shares of the run time, of its job's last round.
function shareOfNode(node) {
  const ranks = ranksOfNode.get(node);
  if (!ranks) return null;
  const secondsOf = {compute: column.rank_compute, transfer: column.rank_transfer, wait: column.rank_wait}[state.nodeColour];
  if (!secondsOf) return ranks[0] / Math.max(1, rankCount - 1);
  return ranks.reduce((sum, rank) => sum + secondsOf[rank], 0) / ranks.length / (jobs[jobOfRank[ranks[0]]].last_round_s || meta.runtime_s || 1);
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
  for (let link = 0; link < linkCount; ++link) if (column.link_kind[link] < injection) shares[link] = shareOf(link, lossScale);
  leastShare = leastOf(shares);
  putLinks(put);
}
function lookOfLink(link, look) {
  const share = shares[link];
  look[3] = 0;
  if (share < leastShare && state.link !== link && !column.link_failed[link] && !(rankLinks.size > 0 && rankLinks.has(link))) return;
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
  return [element("span", {}, `nodes: ${isDark() ? "lighter" : "darker"} the longer they ${state.nodeColour === "compute" ? "compute" : "wait"}`)];
}
function machineLegend() {
  if (state.linkColour === "job")
    return [...jobKeys(), `${linksShown()}: colour of the job with the most bytes there, wider the more they are used at the time below${directionNote}`, ...nodeKeys()];
  const most = {window: "100 % of capacity", mean: "100 % of capacity", bytes: bytesText(mostBytes), loss: seconds(mostLoss())}[state.linkColour];
  return [...(state.nodeColour === "job" ? jobKeys() : []), `${linksShown()}${directionNote}; 0`, shareBar(), most, ...nodeKeys()];
}
function nodePicked(node) {
  const ranks = ranksOfNode.get(node);
  if (ranks && ranks.length === 1) selectRank(ranks[0]);
  else select({node});
}

for (const [id, isThere, chosen] of [["link-colour", knowsJobsOfLinks, state.linkColour], ["node-colour", hasJobs, state.nodeColour]]) {
  const list = document.getElementById(id);
  if (!isThere) list.querySelector("option[value=job]").remove();
  list.value = chosen;
}
document.getElementById("link-colour").addEventListener("change", (e) => set({linkColour: e.target.value}));
document.getElementById("node-colour").addEventListener("change", (e) => set({nodeColour: e.target.value}));
// Where nothing is computed, waits say more.
if (!hasJobs && column.rank_compute.every((s) => s === 0)) {
  state.nodeColour = "transfer";
  document.getElementById("node-colour").value = "transfer";
}
const nodeScale = 1;
