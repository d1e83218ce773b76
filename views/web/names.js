// What routers and links are called: as the command prints them.
function coordinates(router) {
  return Array.from(column.router_at.subarray(router * dims.length, (router + 1) * dims.length));
}
const routerName = (router) => (meta.nodes_per_router === 1 ? "n" + column.router_first_node[router] : "r" + router);
function linkName(link) {
  const kind = column.link_kind[link], from = column.link_from[link];
  if (kind === injection) return `n${from} injection`;
  if (kind === ejection) return `n${from} ejection`;
  const d = dims[kind >> 1];
  if (d.shared) return `line of ${routerName(from)} (${d.name})`;
  return `${routerName(from)} -> ${routerName(column.link_to[link])} (${kind & 1 ? "-" : "+"}${d.name})`;
}
const linkButton = (link) => element("button", {type: "button", onclick: () => selectLink(link)}, linkName(link));
const rankButton = (rank) => element("button", {type: "button", onclick: () => selectRank(rank)}, "rank " + rank);

const routerOfNode = new Map();
for (let r = 0; r < routerCount; ++r)
  for (let i = 0; i < meta.nodes_per_router; ++i) routerOfNode.set(column.router_first_node[r] + i, r);
const ranksOfRouter = new Map();
for (let rank = 0; rank < rankCount; ++rank) {
  const router = routerOfNode.get(column.rank_node[rank]);
  if (!ranksOfRouter.has(router)) ranksOfRouter.set(router, []);
  ranksOfRouter.get(router).push(rank);
}

// Use of a link at a window, 0 to 1; loss of links by number.
const useAt = (link, window) => column.link_use[window * linkCount + link] / 255;
const lossOf = new Float64Array(linkCount);
column.loss_link.forEach((link, i) => { lossOf[link] += column.loss_link_s[i]; });

