// A link or a node in both runs; or the links that change most.
const detail = document.getElementById("detail");
const bothColumns = [{title: ""}, {title: "before", number: true}, {title: "after", number: true}, {title: "change", number: true}];
const bothRow = (name, a, b, text) => [name, text(a), text(b), changeText(a, b)];
function diffLinkDetail(link) {
  return [element("h3", {}, linkName(link)), element("p", {}, `${bytesText(column.link_bandwidth[link])}/s before`),
    table(bothColumns, Object.entries(ofLinks).map(([name, [a, b]]) => bothRow(quantityName[name], a[link], b[link], quantityText[name])))];
}
function diffNodeDetail(node) {
  const a = column.before_wait[node], b = column.after_wait[node];
  return [...aboutNode(node), a < 0 && b < 0 ? element("p", {}, "No rank runs here.")
    : table(bothColumns.slice(0, 3), [["its ranks wait", a < 0 ? "no rank" : percent(a), b < 0 ? "no rank" : percent(b)]])];
}
function diffOverview() {
  const [a, b] = ofLinks[state.quantity], text = quantityText[state.quantity];
  const links = largest(14, linkCount, (link) => (column.link_kind[link] < injection ? Math.abs(b[link] - a[link]) : 0));
  return [element("h3", {}, links.length > 0 ? `Largest changes of ${quantityName[state.quantity]}` : `No link changes its ${quantityName[state.quantity]}`),
    ...(links.length > 0 ? [table([{title: "link"}, {title: "before", number: true}, {title: "after", number: true}], links.map((link) => [linkButton(link), text(a[link]), text(b[link])]))] : []),
    element("p", {}, "Click a link or a node to see it in both runs.")];
}
onChange(() => {
  detail.replaceChildren(...(state.link !== null ? diffLinkDetail(state.link) : state.node !== null ? diffNodeDetail(state.node) : diffOverview()));
}, "link", "node", "quantity");
