import {byId, column, css, meta} from "./data.js";
import {digits, drawMarks, everyLabel, fillBox, grouped, keyOf, percent, sized, ticks} from "./units.js";
import {drawIn, set, state} from "./state.js";
import {chartLeft, chartRight, drawTimeAxis, ganttBottom} from "./gantt.js";
import {begin, biggest, duration, end, jobCount, jobsWaiting, nodesInUse, slowdownOf} from "./schedule.js";

// Nodes in use, jobs that wait, and pieces of what is free, over the same times as the chart of nodes.
function drawSeries(id, most, text, lines) {
  const [context, width, height] = sized(byId(id));
  const plotWidth = width - chartLeft - chartRight, plotHeight = height - ganttBottom, marks = ticks(most, 3);
  const top = Math.max(most, marks[marks.length - 1]);
  const yOf = (value) => 6 + (plotHeight - 6) * (1 - value / top);
  drawMarks(context, marks, yOf, chartLeft, plotWidth, text);
  for (const {mean, colour, isArea} of lines) {
    context.fillStyle = context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.beginPath();
    for (let x = 0; x < plotWidth; ++x) {
      const a = state.from + (state.to - state.from) * x / plotWidth;
      const y = yOf(mean(a, a + (state.to - state.from) / plotWidth));
      if (isArea) context.fillRect(chartLeft + x, y, 1, plotHeight - y); else context.lineTo(chartLeft + x, y);
    }
    context.stroke();
  }
  drawTimeAxis(context, width, plotHeight);
}
// The mean of samples in a time, or the one nearest to it.
function meanSample(values) {
  const samples = values.length, per = (end - begin) / Math.max(1, samples);
  return (a, b) => {
    const first = Math.max(0, Math.min(samples - 1, Math.floor((a - begin) / per)));
    const last = Math.max(first + 1, Math.min(samples, Math.floor((b - begin) / per)));
    let sum = 0;
    for (let i = first; i < last; ++i) sum += values[i];
    return samples > 0 ? sum / (last - first) : 0;
  };
}
// Over the widths of pixels of the whole schedule, so that the scale stands while one zooms.
let mostWaiting = 1;
for (let i = 0; i < 2000; ++i) mostWaiting = Math.max(mostWaiting, jobsWaiting.at(begin + (end - begin) * i / 2000));
const mostPieces = column.sample_regions.reduce((a, b) => Math.max(a, b), 1);
const shareOfLargest = Float64Array.from(column.sample_largest_region,
  (n, i) => (column.sample_free_nodes[i] > 0 ? n / column.sample_free_nodes[i] : 1));
const inUse = (a, b) => nodesInUse.mean(a, b) / Math.max(1, meta.compute_nodes);
const inPieces = meanSample(column.sample_regions), inLargest = meanSample(shareOfLargest);
const whole = (n) => (n % 1 === 0 ? grouped(n) : "");
drawIn(byId("series-section"), () => {
  const t = state.time, near = (end - begin) * 1e-9;
  byId("use-note").replaceChildren(
    keyOf(css("--accent"), `nodes in use: ${percent(nodesInUse.at(t) / Math.max(1, meta.compute_nodes))} at the time ` +
    `shown, ${percent(inUse(state.from, state.to))} on average over the times shown`));
  byId("queue-note").replaceChildren(keyOf("#e69f00", `jobs that wait: ${whole(Math.round(jobsWaiting.at(t)))}, ` +
    `${digits(jobsWaiting.mean(state.from, state.to))} on average`));
  byId("pieces-note").replaceChildren(keyOf("#009e73", "pieces into which the free nodes have fallen: " +
    `${whole(Math.round(inPieces(t, t + near)))}; the largest has ${percent(inLargest(t, t + near))} of them`));
  drawSeries("use", 1, (v) => `${Math.round(100 * v)} %`, [{mean: inUse, colour: css("--accent"), isArea: true}]);
  drawSeries("queue", mostWaiting, whole, [{mean: jobsWaiting.mean, colour: "#e69f00", isArea: true}]);
  drawSeries("pieces", mostPieces, whole, [{mean: inPieces, colour: "#009e73"}]);
}, "from", "to", "time");
for (const id of ["use", "queue", "pieces"])
  byId(id).addEventListener("click", (e) => {
    const box = byId(id).getBoundingClientRect();
    const share = (e.clientX - box.left - chartLeft) / (box.width - chartLeft - chartRight);
    set({time: state.from + Math.max(0, Math.min(1, share)) * (state.to - state.from)});
  });

// Slowdowns by size and by time, as boxes on a logarithmic scale. A job that lost a node is queued again: not judged.
export const judged = Array.from({length: jobCount}, (_, job) => job).filter((job) => column.job_end[job] !== 3);
function binned(bins, binOf, label) {
  const values = Array.from({length: bins}, () => []);
  for (const job of judged) values[binOf(job)].push(slowdownOf(job));
  return values.map((list, i) => ({label: label(i), values: Float64Array.from(list).sort()}));
}
const sizeBins = Math.floor(Math.log2(biggest)) + 1;
const bySize = binned(sizeBins, (job) => Math.floor(Math.log2(column.job_nodes[job] || 1)),
  (i) => (i === 0 ? "1" : i === 1 ? "2-3" : String(2 ** i)) + (i > 1 ? "+" : ""));
const lastSubmitted = column.job_submitted.reduce((a, b) => Math.max(a, b), begin);
const timeBins = lastSubmitted > begin ? Math.min(12, jobCount) : 1;
const shareOfLog = (job) => (column.job_submitted[job] - begin) / Math.max(1e-12, lastSubmitted - begin);
const byTime = binned(timeBins, (job) => Math.min(timeBins - 1, Math.floor(shareOfLog(job) * timeBins)),
  (i) => duration(begin + i * (lastSubmitted - begin) / timeBins));
function drawBoxes(id, bins, what) {
  const [context, width, height] = sized(byId(id)), left = 56, bottom = 56, top = 8;
  const plotWidth = width - left - 8, plotHeight = height - bottom - top, step = plotWidth / bins.length;
  const quantile = (values, q) => values[Math.min(values.length - 1, Math.floor(q * values.length))];
  const most = 1.1 * bins.reduce((m, b) => Math.max(m, b.values.length ? quantile(b.values, 0.95) : 1), 1.2);
  const decades = Math.log10(most);
  const y = (v) => top + plotHeight * (1 - Math.log10(v) / decades);
  const marks = [1, 2, 3, 5].flatMap((m) => Array.from({length: 8}, (_, d) => m * 10 ** d))
    .filter((m) => m <= most && (decades < 1.5 || String(m)[0] === "1"));
  const small = [1, 1.2, 1.4, 1.6, 1.8].filter((m) => m <= most);
  drawMarks(context, most < 2 ? small : marks, y, left, plotWidth, grouped);
  context.textAlign = "center";
  const every = everyLabel(context, bins.map((b) => b.label), step, 30);
  bins.forEach(({label, values}, i) => {
    const x = left + (i + 0.5) * step, half = Math.min(22, step * 0.32);
    context.fillStyle = css("--soft");
    if (i % every === 0) context.fillText(label, x, top + plotHeight + 16);
    if (values.length === 0) return;
    if (i % every === 0) context.fillText(grouped(values.length), x, top + plotHeight + 31);
    const [q5, q25, q50, q75, q95] = [0.05, 0.25, 0.5, 0.75, 0.95].map((q) => y(quantile(values, q)));
    context.fillRect(x - 0.75, q95, 1.5, q5 - q95);
    fillBox(context, css("--accent"), x - half, q75, 2 * half, Math.max(1, q25 - q75));
    fillBox(context, css("--ground"), x - half, q50 - 1, 2 * half, 2);
    fillBox(context, css("--ink"), x - half, q50 - 0.5, 2 * half, 1);
  });
  context.fillStyle = css("--soft");
  context.fillText(what, left + plotWidth / 2, top + plotHeight + 49);
}
drawIn(byId("slowdowns-section"), () => {
  drawBoxes("by-size", bySize, "nodes of the job");
  drawBoxes("by-time", byTime, "submitted after");
}, "page");
