// Who pays: what the critical path lost to other messages, by dimension, by link, by pair of ranks. Each splits the same
// total.
const lostBox = document.getElementById("lost");
function lossBars(title, rows) {
  const most = rows.reduce((m, row) => Math.max(m, row.seconds), 0);
  const cells = rows.flatMap((row) => {
    const bar = element("i");
    bar.style.width = (most > 0 ? 100 * row.seconds / most : 0) + "%";
    return [row.name, bar, element("span", {}, `${seconds(row.seconds)} (${percent(row.seconds / (meta.runtime_s || 1))})`)];
  });
  return element("div", {}, element("h3", {}, title), element("div", {class: "bars"}, ...cells));
}
function withRest(rows, most, what) {
  if (rows.length <= most) return rows;
  const rest = rows.slice(most);
  return [...rows.slice(0, most), {name: count(rest.length, "other " + what), seconds: rest.reduce((sum, row) => sum + row.seconds, 0)}];
}
{
  const byDimension = new Map();
  column.loss_link.forEach((link, i) => {
    const kind = column.link_kind[link], name = kind >= injection ? "ports of nodes" : dims[kind >> 1].name;
    byDimension.set(name, (byDimension.get(name) || 0) + column.loss_link_s[i]);
  });
  const dimensions = [...byDimension].map(([name, s]) => ({name: name === "ports of nodes" ? name : "links along " + name, seconds: s})).sort((a, b) => b.seconds - a.seconds);
  const links = Array.from(column.loss_link, (link, i) => ({name: linkButton(link), seconds: column.loss_link_s[i]}));
  const pairs = Array.from(column.loss_pair_s, (s, i) => ({name: element("span", {}, rankButton(column.loss_pair_from[i]), " to ", rankButton(column.loss_pair_to[i])), seconds: s}));
  document.getElementById("lost-note").textContent = meta.lost_s > 0
    ? `${seconds(meta.lost_s)} of ${seconds(meta.runtime_s)} (${percent(meta.lost_s / meta.runtime_s)}) are what other messages added to those of the critical path: on the same links, between the same two nodes or at the same card. Each loss counts at the link of the message's route that was used most while the message travelled; the three columns split the same total.`
    : "The critical path loses no time to other messages.";
  if (meta.lost_s > 0)
    lostBox.append(lossBars("By dimension", dimensions), lossBars("By link", withRest(links, 10, "link")), lossBars("By pair of ranks", withRest(pairs, 10, "pair")));
}

