// What routers, nodes and links are called: as the command prints them.
function coordinates(router) {
  return Array.from(column.router_at.subarray(router * dims.length, (router + 1) * dims.length));
}
const routerName = (router) => (nodesPerRouter === 1 ? "n" + column.router_first_node[router] : "r" + router);
function linkName(link) {
  const kind = column.link_kind[link], from = column.link_from[link];
  if (kind === injection) return `n${from} injection`;
  if (kind === ejection) return `n${from} ejection`;
  const d = dims[kind >> 1];
  if (d.shared) return `line of ${routerName(from)} (${d.name})`;
  return `${routerName(from)} -> ${routerName(column.link_to[link])} (${kind & 1 ? "-" : "+"}${d.name})`;
}
const linkButton = (link) => element("button", {type: "button", onclick: () => select({link})}, linkName(link));
const nodeButton = (node) => element("button", {type: "button", onclick: () => select({node})}, "n" + node);

const routerOfNode = new Uint32Array(nodeCount);
for (let r = 0; r < routerCount; ++r)
  for (let i = 0; i < nodesPerRouter; ++i) routerOfNode[column.router_first_node[r] + i] = r;
const nodeStates = ["computes", "service node", "failed", "absent"];
const computes = (node) => column.node_state[node] === 0;

// A node as the aside begins to tell of it.
function aboutNode(node) {
  const router = routerOfNode[node], others = Array.from({length: nodesPerRouter}, (_, i) => column.router_first_node[router] + i).filter((n) => n !== node);
  return [element("h3", {}, `n${node} at (${coordinates(router).join(",")}): ${nodeStates[column.node_state[node]]}`),
    ...(others.length > 0 ? [element("p", {}, `On ${routerName(router)} with `, ...others.slice(0, 16).flatMap((n) => [nodeButton(n), " "]))] : [])];
}
