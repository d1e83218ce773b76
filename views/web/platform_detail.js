// What is selected, in words and numbers: a node, a link; or the route, or what links there are.
const detail = document.getElementById("detail");
const nodeTitle = (node) => (meta.node_names && meta.node_names[node] !== "n" + node ? ` (${meta.node_names[node]})` : "");
const linkRow = (link) => [linkButton(link), bytesText(column.link_bandwidth[link]) + "/s", column.link_kind[link] < injection ? seconds(column.link_latency[link]) : "-", column.link_failed[link] ? "failed" : ""];
const linkColumns = [{title: "link"}, {title: "bandwidth", number: true}, {title: "latency", number: true}, {title: ""}];

function platformNodeDetail(node) {
  const router = routerOfNode[node], leaving = [];
  for (let link = 0; link < linkCount; ++link) if (column.link_kind[link] < injection && column.link_from[link] === router) leaving.push(link);
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
    element("p", {}, ...ends.flatMap((r, i) => [i > 0 ? " to " : "From ", nodeButton(column.router_first_node[r]), ` (${at[i].join(",")})`]))];
}
function routeDetail() {
  const {from, to, hops, latency_s: latency, bandwidth} = meta.route;
  return [element("h3", {}, `n${from} to n${to}: ${count(hops, "hop")}`),
    element("p", {}, `The first byte arrives after ${seconds(latency)}${bandwidth ? `; at most ${bytesText(bandwidth)}/s` : ""}.`),
    table(linkColumns, Array.from(column.route_link, linkRow))];
}
function platformOverview() {
  const {classes: all} = colourings.bandwidth;
  return [element("h3", {}, "Bandwidths of links"), table([{title: "bandwidth"}, {title: "links", number: true}, {title: "along"}],
    all.slice(0, 12).map((one) => [keyOf(one.colour, bytesText(one.value) + "/s"), grouped(one.links), [...one.dimensions].map((d) => dims[d].name).join(", ")])),
  element("h3", {}, "Nodes"), table([{title: "state"}, {title: "nodes", number: true}],
    nodeStates.map((name, kind) => [name, column.node_state.reduce((n, s) => n + (s === kind ? 1 : 0), 0)]).filter(([, n]) => n > 0).map(([name, n]) => [name, grouped(n)])),
  element("p", {}, "Click a link or a node to see what it is.")];
}
onChange(() => {
  detail.replaceChildren(...(state.node !== null ? platformNodeDetail(state.node) : state.link !== null ? platformLinkDetail(state.link)
    : meta.route ? routeDetail() : platformOverview()));
}, "node", "link");
