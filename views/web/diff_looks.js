// What links and nodes look like: the difference from blue, less than before, to orange, more; or one of the runs.
const lessColour = [0, 114, 178], moreColour = [213, 94, 0];
// From -1 to 1.
function differenceColour(change) {
  const end = change < 0 ? lessColour : moreColour, ground = idleColour(), part = Math.min(1, 0.25 + 0.75 * Math.abs(change));
  return change === 0 ? ground : end.map((c, i) => Math.round(ground[i] * (1 - part) + c * part));
}
// What a pane shows: the difference, or one of the runs.
let shownRun = state.run;
panes.names = () => (state.run === "both" ? ["before", "after"] : [""]);
panes.begin = (name) => { shownRun = name || state.run; };
const shownValues = new Float32Array(linkCount);
let leastShown = -1;
function paintLines(put) {
  const [a, b] = ofLinks[state.quantity], {value, change} = mostOf[state.quantity];
  for (let link = 0; link < linkCount; ++link) {
    if (column.link_kind[link] >= injection) continue;
    shownValues[link] = shownRun === "difference" ? (change > 0 ? (b[link] - a[link]) / change : 0)
      : value > 0 ? (shownRun === "before" ? a : b)[link] / value : 0;
  }
  leastShown = leastOf(shownValues.map(Math.abs));
  putLinks(put);
}
function lookOfLink(link, look) {
  const value = shownValues[link], size = Math.abs(value);
  look[3] = 0;
  if (size < leastShown && state.link !== link) return;
  let colour = shownRun === "difference" ? differenceColour(value) : size > 0 ? shareColour(size) : idleColour(), width = size > 0 ? 1.6 + 4.4 * size : 0.8;
  if (state.link === link) { colour = inkColour(); width = Math.max(width, 6); }
  look[0] = colour[0]; look[1] = colour[1]; look[2] = colour[2]; look[3] = width;
}
function lookOfNode(node, look) {
  const a = column.before_wait[node], b = column.after_wait[node], isUsed = a >= 0 || b >= 0;
  const colour = node === state.node ? selectedColour : isUsed ? (isDark() ? [150, 158, 166] : [120, 128, 136]) : isDark() ? [60, 66, 73] : [214, 218, 223];
  look[0] = colour[0]; look[1] = colour[1]; look[2] = colour[2]; look[3] = isUsed ? 0.8 : 0.5;
}
const nodePicked = (node) => select({node});
function machineLegend() {
  const text = quantityText[state.quantity], {value, change} = mostOf[state.quantity];
  if (state.run !== "difference") return [`${linksShown()}${directionNote}; 0`, shareBar(), text(value)];
  return [linksShown(), keyOf(lessColour, `less than before, at most ${text(change)}`), keyOf(moreColour, "more")];
}
document.getElementById("shown-run").addEventListener("change", (e) => set({run: e.target.value}));
document.getElementById("quantity").addEventListener("change", (e) => set({quantity: e.target.value}));
