// Ranks: where they run, and what else the page of a run selects.
Object.assign(nothing, {rank: null});
Object.assign(state, {rank: null, linkColour: "window", nodeColour: "compute", top: linkCount});
const rankCount = column.rank_node.length, windows = Math.max(1, meta.windows);
const selectRank = (rank) => select({rank});
const rankButton = (rank) => element("button", {type: "button", onclick: () => selectRank(rank)}, "rank " + rank);
const ranksOfNode = new Map();
for (let rank = 0; rank < rankCount; ++rank) {
  const node = column.rank_node[rank];
  if (!ranksOfNode.has(node)) ranksOfNode.set(node, []);
  ranksOfNode.get(node).push(rank);
}

// Use of a link at a window, 0 to 1; loss of links by number.
const useAt = (link, window) => column.link_use[window * linkCount + link] / 255;
const lossOf = new Float64Array(linkCount);
column.loss_link.forEach((link, i) => { lossOf[link] += column.loss_link_s[i]; });
const machineHears = ["time", "rank", "linkColour", "nodeColour", "top"];
onChange(() => { if (state.rank !== null) bringIntoView(routerOfNode[column.rank_node[state.rank]]); }, "rank");
