// Who pays: what the critical path lost to other messages, by dimension, by link, by pair of ranks. Each splits the same
// total.
const lostBox = document.getElementById("lost");
function lossBars(title, rows) {
  const most = rows.reduce((m, row) => Math.max(m, row.seconds), 0);
  const cells = rows.flatMap((row) => {
    const bar = element("i");
    bar.style.width = (most > 0 ? 100 * row.seconds / most : 0) + "%";
    return [row.name, bar, element("span", {}, `${seconds(row.seconds)} (${percent(row.seconds / (jobs[state.shown].last_round_s || 1))})`)];
  });
  return element("div", {}, element("h3", {}, title), element("div", {class: "bars"}, ...cells));
}
function withRest(rows, most, what) {
  if (rows.length <= most) return rows;
  const rest = rows.slice(most);
  return [...rows.slice(0, most), {name: count(rest.length, "other " + what), seconds: rest.reduce((sum, row) => sum + row.seconds, 0)}];
}
function drawLosses() {
  const byDimension = new Map(), sum = (rows) => rows.reduce((all, row) => all + row.seconds, 0), runtime = jobs[state.shown].last_round_s;
  const links = Array.from(column.loss_link, (link, i) => ({link, name: linkButton(link), seconds: column.loss_link_s[i]})).filter((_, i) => jobOfLoss(i) === state.shown);
  for (const {link, seconds: lost} of links) {
    const kind = column.link_kind[link], name = kind >= injection ? "ports of nodes" : "links along " + dims[kind >> 1].name;
    byDimension.set(name, (byDimension.get(name) || 0) + lost);
  }
  const dimensions = [...byDimension].map(([name, s]) => ({name, seconds: s})).sort((a, b) => b.seconds - a.seconds), total = sum(links);
  const pairs = Array.from(column.loss_pair_s, (s, i) => ({from: column.loss_pair_from[i], to: column.loss_pair_to[i], seconds: s}))
    .filter(({from}) => jobOfRank[from] === state.shown).map((pair) => ({...pair, name: element("span", {}, rankButton(pair.from), " to ", rankButton(pair.to))}));
  document.getElementById("lost-note").textContent = total > 0
    ? `${seconds(total)} of ${seconds(runtime)} (${percent(total / runtime)}) are what other messages${hasJobs ? ", of any job," : ""} added to those of the critical path: on the same links, between the same two nodes or at the same card. Each loss counts at the link of the message's route that was used most while the message travelled; the three columns split the same total.`
    : "The critical path loses no time to other messages.";
  lostBox.replaceChildren(...(total > 0 ? [lossBars("By dimension", dimensions), lossBars("By link", withRest(links, 10, "link")), lossBars("By pair of ranks", withRest(pairs, 10, "pair"))] : []));
}
drawIn(lostBox, drawLosses, "shown");
