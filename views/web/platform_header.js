// The headline, what dimensions have, what is not as the rest, and the first picture.
{
  const f = meta.figures, limit = (b) => (b === null ? "without limit" : bytesText(b) + "/s");
  document.getElementById("title").textContent = meta.platform + (meta.text ? ": " + meta.text : "");
  document.getElementById("facts").textContent = `${dims.map((d) => d.extent).join(" x ")}, ${count(f.routers, "router")} with ${count(nodesPerRouter, "node")} each, ${grouped(f.compute_nodes)} compute; ` +
    `${digits(f.mean_hops)} hops on average, ${f.is_sampled ? "about " : ""}${f.diameter} at most` +
    (f.bisection ? `; bisection ${bytesText(f.bisection.bandwidth)}/s, ${count(f.bisection.links, "link")} across ${dims[f.bisection.dimension].name}` : "") +
    `; a node injects ${limit(meta.injection)}, ejects ${limit(meta.ejection)}; ${seconds(meta.base_latency_s)} for each message.`;
  const texts = (d, {counts, text}) => {
    const all = [...counts[d]].sort((a, b) => b[1] - a[1]);
    return all.slice(0, 4).map(([value, n]) => (all.length > 1 ? `${text(value)} (${grouped(n)})` : text(value))).join(", ") + (all.length > 4 ? ", ..." : "");
  };
  document.getElementById("dimensions").append(table([{title: "dimension"}, {title: "extent", number: true}, {title: "wrap"}, {title: "bandwidth of a link"}, {title: "latency of a hop"}, {title: ""}],
    dims.map((d, i) => [d.name, String(d.extent), d.wrap === "ring" ? "ring, one way" : d.wrap, texts(i, colourings.bandwidth) || "no link", texts(i, colourings.latency),
      [d.shared ? "a line is one link" : "", d.twisted ? "twisted" : "", d.places ? "cables fold" : ""].filter(Boolean).join(", ")])));
  const links = [], most = 200;
  for (let link = 0; link < linkCount; ++link) if (column.link_kind[link] < injection && isSpecial(link)) links.push(link);
  const nodes = Array.from(column.node_state.keys()).filter((node) => !computes(node));
  document.getElementById("special-section").hidden = links.length + nodes.length === 0;
  document.getElementById("special-note").textContent = `${count(nodes.length, "node")} without computation, ${count(links.length, "link")} failed or of another bandwidth than most of the dimension` +
    (nodes.length + links.length > most ? `; the first ${most} of them` : "") + ".";
  document.getElementById("special").append(table([{title: "what"}, {title: "where"}, {title: "is"}],
    [...nodes.slice(0, most).map((node) => [nodeButton(node), coordinates(routerOfNode[node]).join(","), nodeStates[column.node_state[node]]]),
      ...links.slice(0, most).map((link) => [linkButton(link), coordinates(column.link_from[link]).join(","), column.link_failed[link] ? "failed" : bytesText(column.link_bandwidth[link]) + "/s"])].slice(0, most)));
}
set({});
