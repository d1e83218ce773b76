import {byId, column, css, isDark, meta, rgb, shareColour} from "./data.js";
import {bytesText, count, digits, drawMarks, element, everyLabel, fillBox, grouped, keyOf, sized} from "./units.js";
import {ticks} from "./units.js";
import {drawIn, state} from "./state.js";
import {rankCount} from "./run.js";

// The communication matrix, on a logarithmic scale, and how far bytes go.
const matrixCanvas = byId("matrix"), hopsCanvas = byId("hops"), sizesCanvas = byId("sizes");
export const asRings = meta.pairs_as_rings
  ? "Collectives along the grid of their members count as one ring of these, in the order of their ranks; the loads " +
    "of links and all times are of the messages that were sent."
  : "";
byId("matrix-note").textContent = (column.pair_bytes.length < meta.pairs
  ? `Row: sender, column: receiver; the ${count(column.pair_bytes.length, "pair")} with the most bytes of ` +
    `${grouped(meta.pairs)}. `
  : "Row: sender, column: receiver; collectives as the messages that they are made of. ") +
    "The colours are bytes on a logarithmic scale. " + asRings;
// The matrix as a small picture that is stretched, and the ends of its scale: who is selected changes neither.
let matrix = null;
function paintMatrix() {
  const most = column.pair_bytes.reduce((a, b) => Math.max(a, b), 0);
  const least = column.pair_bytes.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), Infinity);
  const cells = Math.min(rankCount, 1024), sums = new Float64Array(cells * cells);
  for (let p = 0; p < column.pair_bytes.length; ++p) {
    const row = Math.floor(column.pair_from[p] * cells / rankCount);
    const col = Math.floor(column.pair_to[p] * cells / rankCount);
    sums[row * cells + col] = Math.max(sums[row * cells + col], column.pair_bytes[p]);
  }
  const low = Math.log10(least), high = Math.max(low + 1e-9, Math.log10(most));
  const picture = element("canvas", {width: String(cells), height: String(cells)}), inner = picture.getContext("2d");
  const image = inner.createImageData(cells, cells);
  for (let i = 0; i < sums.length; ++i)
    if (sums[i] > 0)
      image.data.set([...shareColour(0.15 + 0.85 * (Math.log10(sums[i]) - low) / (high - low)), 255], 4 * i);
  inner.putImageData(image, 0, 0);
  matrix = {picture, most, least};
}
function drawMatrix() {
  const [context, width, height] = sized(matrixCanvas), {picture, most, least} = matrix;
  const left = 46, top = 6, side = Math.max(40, Math.min(width - left - 90, height - top - 24));
  fillBox(context, isDark() ? "rgb(29,33,37)" : "rgb(246,247,249)", left, top, side, side);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, left, top, side, side);
  context.fillStyle = css("--soft");
  context.textAlign = "right";
  for (const rank of [0, rankCount - 1])
    context.fillText(String(rank), left - 6, top + Math.min(side, Math.max(11, (rank + 0.5) / rankCount * side + 4)));
  context.textAlign = "center";
  context.fillText("0", left + 4, top + side + 15);
  context.fillText(String(rankCount - 1), left + side - 6, top + side + 15);
  const barLeft = left + side + 14, barHeight = Math.min(160, side);
  for (let i = 0; i < barHeight; ++i)
    fillBox(context, rgb(shareColour(0.15 + 0.85 * (1 - i / barHeight))), barLeft, top + i, 10, 1.5);
  context.fillStyle = css("--soft");
  context.textAlign = "left";
  context.fillText(bytesText(most), barLeft + 15, top + 10);
  if (least < most) context.fillText(bytesText(least), barLeft + 15, top + barHeight);
  if (state.rank !== null) {
    context.strokeStyle = "rgb(204,121,167)";
    context.strokeRect(left, top + state.rank / rankCount * side, side, Math.max(1, side / rankCount));
    context.strokeRect(left + state.rank / rankCount * side, top, Math.max(1, side / rankCount), side);
  }
}
byId("hops-note").textContent = `Bytes by the hops of their route; ${digits(meta.hops_per_byte)} hops per byte on ` +
  "average.";
// Bars side by side for each label: `series` are {values, colour}; `text` says what a value is.
function drawBars(chart, labels, series, text, what) {
  const [context, width, height] = sized(chart), left = 66, bottom = 40, top = 8;
  const most = series.flatMap((s) => s.values).reduce((a, b) => Math.max(a, b || 0), 0) || 1, marks = ticks(most, 5);
  const plotWidth = width - left - 10, plotHeight = height - bottom - top;
  const high = Math.max(most, marks[marks.length - 1]), step = plotWidth / labels.length;
  drawMarks(context, marks, (mark) => top + plotHeight * (1 - mark / high), left, plotWidth, text);
  context.textAlign = "center";
  const every = everyLabel(context, labels, step, 20);
  labels.forEach((label, i) => {
    series.forEach(({values, colour}, k) => {
      const size = (values[i] || 0) / high * plotHeight, wide = 0.7 * step / series.length;
      fillBox(context, colour, left + (i + 0.15) * step + k * wide, top + plotHeight - size, wide, size);
    });
    context.fillStyle = css("--soft");
    if (i % every === 0)
      context.fillText(label, Math.min(width - context.measureText(label).width / 2, left + (i + 0.5) * step),
        top + plotHeight + 16);
  });
  context.fillText(what, left + plotWidth / 2, top + plotHeight + 33);
}
// Sizes by powers of two: the share of all messages and of all bytes.
const sizeClasses = column.class_size.length > 0 ? Math.max(...column.class_size) - Math.min(...column.class_size) + 1
  : 0;
const firstSize = sizeClasses > 0 ? Math.min(...column.class_size) : 0, sizeMessages = new Array(sizeClasses).fill(0);
const sizeBytes = new Array(sizeClasses).fill(0);
column.class_size.forEach((size, i) => {
  sizeMessages[size - firstSize] += column.class_messages[i];
  sizeBytes[size - firstSize] += column.class_bytes[i];
});
function powerText(size) {
  const unit = Math.max(0, Math.min(3, Math.floor((size - 1) / 10)));
  return size === 0 ? "0 B" : `${2 ** (size - 1 - 10 * unit)} ${["B", "KiB", "MiB", "GiB"][unit]}`;
}
const sumOf = (values) => values.reduce((a, b) => a + b, 0) || 1;
byId("sizes-note").replaceChildren(keyOf("var(--accent)", "share of the messages between nodes"), " ",
  keyOf("#e69f00", "share of their bytes"), ", by size: from each label up to the next power of two.");
function drawSizes() {
  drawBars(sizesCanvas, sizeMessages.map((_, i) => powerText(firstSize + i)),
    [{values: sizeMessages.map((n) => n / sumOf(sizeMessages)), colour: css("--accent")},
      {values: sizeBytes.map((n) => n / sumOf(sizeBytes)), colour: "#e69f00"}], (v) => `${Math.round(100 * v)} %`,
    "size of a message");
}
function drawHops() {
  const byHops = [];
  column.pair_bytes.forEach((bytes, p) => {
    byHops[column.pair_hops[p]] = (byHops[column.pair_hops[p]] || 0) + bytes;
  });
  drawBars(hopsCanvas, Array.from(byHops, (_, h) => String(h)),
    [{values: Array.from(byHops, (b) => b || 0), colour: css("--accent")}], bytesText, "hops");
}
drawIn(matrixCanvas, paintMatrix, "page");
drawIn(matrixCanvas, drawMatrix, "rank");
drawIn(hopsCanvas, drawHops, "page");
drawIn(sizesCanvas, drawSizes, "page");
