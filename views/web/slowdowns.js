// Slowdowns by size and by time, as boxes on a logarithmic scale.
const judged = Array.from({length: jobCount}, (_, job) => job).filter((job) => column.job_end[job] !== 3);  // what lost a node is queued again
function binned(bins, binOf, label) {
  const values = Array.from({length: bins}, () => []);
  for (const job of judged) values[binOf(job)].push(slowdownOf(job));
  return values.map((list, i) => ({label: label(i), values: Float64Array.from(list).sort()}));
}
const sizeBins = Math.floor(Math.log2(biggest)) + 1;
const bySize = binned(sizeBins, (job) => Math.floor(Math.log2(column.job_nodes[job] || 1)), (i) => (i === 0 ? "1" : i === 1 ? "2-3" : String(2 ** i)) + (i > 1 ? "+" : ""));
const lastSubmitted = column.job_submitted.reduce((a, b) => Math.max(a, b), begin), timeBins = lastSubmitted > begin ? Math.min(12, jobCount) : 1;
const byTime = binned(timeBins, (job) => Math.min(timeBins - 1, Math.floor((column.job_submitted[job] - begin) / Math.max(1e-12, lastSubmitted - begin) * timeBins)),
  (i) => duration(begin + i * (lastSubmitted - begin) / timeBins));
function drawBoxes(id, bins, what) {
  const [context, width, height] = sized(document.getElementById(id)), left = 56, bottom = 56, top = 8;
  const plotWidth = width - left - 8, plotHeight = height - bottom - top, step = plotWidth / bins.length;
  const quantile = (values, q) => values[Math.min(values.length - 1, Math.floor(q * values.length))];
  const most = 1.1 * bins.reduce((m, b) => Math.max(m, b.values.length ? quantile(b.values, 0.95) : 1), 1.2), decades = Math.log10(most);
  const y = (v) => top + plotHeight * (1 - Math.log10(v) / decades);
  const marks = [1, 2, 3, 5].flatMap((m) => Array.from({length: 8}, (_, d) => m * 10 ** d)).filter((m) => m <= most && (decades < 1.5 || String(m)[0] === "1"));
  for (const mark of most < 2 ? [1, 1.2, 1.4, 1.6, 1.8].filter((m) => m <= most) : marks) {
    context.fillStyle = css("--line");
    context.fillRect(left, y(mark), plotWidth, 1);
    context.fillStyle = css("--soft");
    context.textAlign = "right";
    context.fillText(grouped(mark), left - 6, y(mark) + 4);
  }
  context.textAlign = "center";
  const every = Math.ceil(bins.reduce((m, b) => Math.max(m, context.measureText(b.label).width + 8), 30) / step);
  bins.forEach(({label, values}, i) => {
    const x = left + (i + 0.5) * step, half = Math.min(22, step * 0.32);
    context.fillStyle = css("--soft");
    if (i % every === 0) context.fillText(label, x, top + plotHeight + 16);
    if (values.length === 0) return;
    if (i % every === 0) context.fillText(grouped(values.length), x, top + plotHeight + 31);
    const [q5, q25, q50, q75, q95] = [0.05, 0.25, 0.5, 0.75, 0.95].map((q) => y(quantile(values, q)));
    context.fillRect(x - 0.75, q95, 1.5, q5 - q95);
    context.fillStyle = css("--accent");
    context.fillRect(x - half, q75, 2 * half, Math.max(1, q25 - q75));
    context.fillStyle = css("--ground");
    context.fillRect(x - half, q50 - 1, 2 * half, 2);
    context.fillStyle = css("--ink");
    context.fillRect(x - half, q50 - 0.5, 2 * half, 1);
  });
  context.fillStyle = css("--soft");
  context.fillText(what, left + plotWidth / 2, top + plotHeight + 49);
}
drawIn(document.getElementById("slowdowns-section"), () => {
  drawBoxes("by-size", bySize, "nodes of the job");
  drawBoxes("by-time", byTime, "submitted after");
}, "page");
