// Nodes in use, jobs that wait, and pieces of what is free, over the same times as the chart of nodes.
function drawSeries(id, most, text, lines) {
  const [context, width, height] = sized(document.getElementById(id));
  const plotWidth = width - chartLeft - chartRight, plotHeight = height - ganttBottom, marks = ticks(most, 3), top = Math.max(most, marks[marks.length - 1]);
  context.textAlign = "right";
  for (const mark of marks) {
    const y = 6 + (plotHeight - 6) * (1 - mark / top);
    context.fillStyle = css("--line");
    context.fillRect(chartLeft, y, plotWidth, 1);
    context.fillStyle = css("--soft");
    context.fillText(text(mark), chartLeft - 6, y + 4);
  }
  for (const {mean, colour, isArea} of lines) {
    context.fillStyle = context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.beginPath();
    for (let x = 0; x < plotWidth; ++x) {
      const a = state.from + (state.to - state.from) * x / plotWidth, y = 6 + (plotHeight - 6) * (1 - mean(a, a + (state.to - state.from) / plotWidth) / top);
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
    const first = Math.max(0, Math.min(samples - 1, Math.floor((a - begin) / per))), last = Math.max(first + 1, Math.min(samples, Math.floor((b - begin) / per)));
    let sum = 0;
    for (let i = first; i < last; ++i) sum += values[i];
    return samples > 0 ? sum / (last - first) : 0;
  };
}
// Over the widths of pixels of the whole schedule, so that the scale stands while one zooms.
let mostWaiting = 1;
for (let i = 0; i < 2000; ++i) mostWaiting = Math.max(mostWaiting, jobsWaiting.at(begin + (end - begin) * i / 2000));
const mostPieces = column.sample_regions.reduce((a, b) => Math.max(a, b), 1);
const shareOfLargest = Float64Array.from(column.sample_largest_region, (n, i) => (column.sample_free_nodes[i] > 0 ? n / column.sample_free_nodes[i] : 1));
const inUse = (a, b) => nodesInUse.mean(a, b) / Math.max(1, meta.compute_nodes), inPieces = meanSample(column.sample_regions), inLargest = meanSample(shareOfLargest);
const whole = (n) => (n % 1 === 0 ? grouped(n) : "");
drawIn(document.getElementById("series-section"), () => {
  const t = state.time, near = (end - begin) * 1e-9;
  document.getElementById("use-note").replaceChildren(keyOf(css("--accent"), `nodes in use: ${percent(nodesInUse.at(t) / Math.max(1, meta.compute_nodes))} at the time shown, ${percent(inUse(state.from, state.to))} on average over the times shown`));
  document.getElementById("queue-note").replaceChildren(keyOf("#e69f00", `jobs that wait: ${whole(Math.round(jobsWaiting.at(t)))}, ${digits(jobsWaiting.mean(state.from, state.to))} on average`));
  document.getElementById("pieces-note").replaceChildren(keyOf("#009e73", `pieces into which the free nodes have fallen: ${whole(Math.round(inPieces(t, t + near)))}; the largest has ${percent(inLargest(t, t + near))} of them`));
  drawSeries("use", 1, (v) => `${Math.round(100 * v)} %`, [{mean: inUse, colour: css("--accent"), isArea: true}]);
  drawSeries("queue", mostWaiting, whole, [{mean: jobsWaiting.mean, colour: "#e69f00", isArea: true}]);
  drawSeries("pieces", mostPieces, whole, [{mean: inPieces, colour: "#009e73"}]);
}, "from", "to", "time");
for (const id of ["use", "queue", "pieces"])
  document.getElementById(id).addEventListener("click", (e) => {
    const box = e.target.getBoundingClientRect(), share = (e.clientX - box.left - chartLeft) / (box.width - chartLeft - chartRight);
    set({time: state.from + Math.max(0, Math.min(1, share)) * (state.to - state.from)});
  });
