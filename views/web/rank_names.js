// Ranks: where they run, and what else the page of a run selects.
Object.assign(nothing, {rank: null});
Object.assign(state, {rank: null, linkColour: knowsJobsOfLinks ? "job" : "window", nodeColour: hasJobs ? "job" : "compute", top: linkCount});
const windows = Math.max(1, meta.windows);
const selectRank = (rank) => select({rank, shown: jobOfRank[rank]});
const rankName = (rank) => (hasJobs ? `${jobs[jobOfRank[rank]].name} ` : "") + `rank ${rank - jobs[jobOfRank[rank]].first_rank}`;
const rankButton = (rank) => element("button", {type: "button", onclick: () => selectRank(rank)}, rankName(rank));
const ranksOfNode = new Map();
for (let rank = 0; rank < rankCount; ++rank) {
  const node = column.rank_node[rank];
  if (!ranksOfNode.has(node)) ranksOfNode.set(node, []);
  ranksOfNode.get(node).push(rank);
}

// Use of a link at a window, 0 to 1; what the job that is explained lost on links, by number.
const useAt = (link, window) => column.link_use[window * linkCount + link] / 255;
const lossOf = new Float64Array(linkCount);
const jobOfLoss = (i) => (hasJobs ? column.loss_link_job[i] : 0);
onChange(() => {
  lossOf.fill(0);
  column.loss_link.forEach((link, i) => { if (jobOfLoss(i) === state.shown) lossOf[link] = column.loss_link_s[i]; });
}, "shown");
const machineHears = ["time", "rank", "job", "shown", "linkColour", "nodeColour", "top"];
onChange(() => { if (state.rank !== null) bringIntoView(routerOfNode[column.rank_node[state.rank]]); }, "rank");
