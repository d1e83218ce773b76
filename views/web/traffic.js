// The communication matrix, on a logarithmic scale, and how far bytes go.
const matrixCanvas = document.getElementById("matrix"), hopsCanvas = document.getElementById("hops");
const mostPair = column.pair_bytes.reduce((a, b) => Math.max(a, b), 0), leastPair = column.pair_bytes.reduce((a, b) => (b > 0 ? Math.min(a, b) : a), Infinity);
const asRings = meta.pairs_as_rings ? "Collectives along the grid of their members count as one ring of these, in the order of their ranks; the loads of links and all times are of the messages that were sent." : "";
document.getElementById("matrix-note").textContent = (column.pair_bytes.length < meta.pairs
  ? `Row: sender, column: receiver; the ${count(column.pair_bytes.length, "pair")} with the most bytes of ${meta.pairs.toLocaleString("en")}. `
  : "Row: sender, column: receiver; collectives as the messages that they are made of. ") + asRings;
function drawMatrix() {
  const [context, width, height] = sized(matrixCanvas);
  const left = 46, top = 6, side = Math.max(40, Math.min(width - left - 90, height - top - 24));
  const cells = Math.min(rankCount, 1024), sums = new Float64Array(cells * cells);
  for (let p = 0; p < column.pair_bytes.length; ++p) {
    const row = Math.floor(column.pair_from[p] * cells / rankCount), col = Math.floor(column.pair_to[p] * cells / rankCount);
    sums[row * cells + col] = Math.max(sums[row * cells + col], column.pair_bytes[p]);
  }
  const low = Math.log10(leastPair), high = Math.max(low + 1e-9, Math.log10(mostPair));
  const picture = element("canvas", {width: String(cells), height: String(cells)}), inner = picture.getContext("2d"), image = inner.createImageData(cells, cells);
  for (let i = 0; i < sums.length; ++i) {
    const colour = sums[i] > 0 ? shareColour(0.15 + 0.85 * (Math.log10(sums[i]) - low) / (high - low)) : isDark() ? [29, 33, 37] : [246, 247, 249];
    image.data.set([...colour, 255], 4 * i);
  }
  inner.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(picture, left, top, side, side);
  context.fillStyle = css("--soft");
  context.textAlign = "right";
  for (const rank of [0, rankCount - 1]) context.fillText(String(rank), left - 6, top + Math.min(side, Math.max(11, (rank + 0.5) / rankCount * side + 4)));
  context.textAlign = "center";
  context.fillText("0", left + 4, top + side + 15);
  context.fillText(String(rankCount - 1), left + side - 6, top + side + 15);
  const barLeft = left + side + 14, barHeight = Math.min(160, side);
  for (let i = 0; i < barHeight; ++i) {
    context.fillStyle = rgb(shareColour(0.15 + 0.85 * (1 - i / barHeight)));
    context.fillRect(barLeft, top + i, 10, 1.5);
  }
  context.fillStyle = css("--soft");
  context.textAlign = "left";
  context.fillText(bytesText(mostPair), barLeft + 15, top + 10);
  if (leastPair < mostPair) context.fillText(bytesText(leastPair), barLeft + 15, top + barHeight);
  if (state.rank !== null) {
    context.strokeStyle = "rgb(204,121,167)";
    context.strokeRect(left, top + state.rank / rankCount * side, side, Math.max(1, side / rankCount));
    context.strokeRect(left + state.rank / rankCount * side, top, Math.max(1, side / rankCount), side);
  }
}
const byHops = [];
for (let p = 0; p < column.pair_bytes.length; ++p) byHops[column.pair_hops[p]] = (byHops[column.pair_hops[p]] || 0) + column.pair_bytes[p];
document.getElementById("hops-note").textContent = `Bytes by the hops of their route; ${digits(meta.hops_per_byte)} hops per byte on average.`;
function drawHops() {
  const [context, width, height] = sized(hopsCanvas), left = 66, bottom = 40, top = 8;
  const most = byHops.reduce((a, b) => Math.max(a, b || 0), 0) || 1, plotWidth = width - left - 10, plotHeight = Math.min(300, height - bottom - top);
  const marks = ticks(most, 5), step = plotWidth / byHops.length;
  context.textAlign = "right";
  for (const mark of marks) {
    const y = top + plotHeight * (1 - mark / Math.max(most, marks[marks.length - 1]));
    context.strokeStyle = css("--line");
    context.strokeRect(left, y, plotWidth, 0.001);
    context.fillStyle = css("--soft");
    context.fillText(bytesText(mark), left - 6, y + 4);
  }
  context.textAlign = "center";
  const every = Math.ceil(byHops.length / Math.max(2, plotWidth / 34));
  for (let h = 0; h < byHops.length; ++h) {
    const size = (byHops[h] || 0) / Math.max(most, marks[marks.length - 1]) * plotHeight;
    context.fillStyle = css("--accent");
    context.fillRect(left + h * step + step * 0.15, top + plotHeight - size, step * 0.7, size);
    context.fillStyle = css("--soft");
    if (h % every === 0) context.fillText(String(h), left + (h + 0.5) * step, top + plotHeight + 16);
  }
  context.fillText("hops", left + plotWidth / 2, top + plotHeight + 33);
}
onChange(drawMatrix, "rank");
onChange(drawHops, "page");

