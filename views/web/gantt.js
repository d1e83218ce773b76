import {byId, column, css, isDark, nodeCount, rgb} from "./data.js";
import {drawTimeLine, sized} from "./units.js";
import {drawAnew, drawIn, select, set, state} from "./state.js";
import {inkColour} from "./machine.js";
import {begin, clock, colourShown, end, readClock, timeTicks} from "./schedule.js";

// Nodes over time. Each box adds its colour to the pixels that it covers, by how much of them it covers: boxes smaller
// than a pixel become the mixture of their colours, and a chart of 100,000 jobs takes as long as its pixels.
const gantt = byId("gantt");
export const chartLeft = 62, chartRight = 10, ganttBottom = 24;
const chartX = (width) => (t) => chartLeft +
  (t - state.from) / (state.to - state.from) * (width - chartLeft - chartRight);

function ganttPixels(width, height, ratio) {
  const w = Math.max(1, Math.round(width * ratio)), h = Math.max(1, Math.round(height * ratio));
  const sums = new Float32Array(4 * w * h), perSecond = w / (state.to - state.from);
  const perNode = h / (state.high - state.low);
  const fill = (t0, t1, first, nodes, colour) => {
    let x0 = (t0 - state.from) * perSecond, x1 = (t1 - state.from) * perSecond;
    let y1 = h - (first - state.low) * perNode, y0 = y1 - nodes * perNode;
    if (x1 - x0 > 4) x1 -= ratio;  // what follows begins beside it
    if (y1 - y0 > 6) y0 += ratio;
    x0 = Math.max(0, x0); x1 = Math.min(w, x1); y0 = Math.max(0, y0); y1 = Math.min(h, y1);
    if (x1 <= x0 || y1 <= y0) return;
    for (let y = Math.floor(y0); y < y1; ++y) {
      const high = Math.min(y + 1, y1) - Math.max(y, y0);
      for (let x = Math.floor(x0), at = 4 * (y * w + x); x < x1; ++x, at += 4) {
        const part = high * (Math.min(x + 1, x1) - Math.max(x, x0));
        sums[at] += part * colour[0]; sums[at + 1] += part * colour[1]; sums[at + 2] += part * colour[2];
        sums[at + 3] += part;
      }
    }
  };
  for (let i = 0; i < column.hold_job.length && column.hold_begin[i] < state.to; ++i) {
    if (column.hold_end[i] <= state.from) continue;
    const colour = colourShown(column.hold_job[i]);
    for (let r = column.hold_runs_begin[i]; r < column.hold_runs_begin[i + 1]; ++r)
      fill(column.hold_begin[i], column.hold_end[i], column.run_first_node[r], column.run_nodes[r], colour);
  }
  for (let i = 0; i < column.out_node.length; ++i)
    fill(column.out_begin[i], column.out_end[i], column.out_node[i], 1, inkColour());
  const image = new ImageData(w, h), ground = isDark() ? [0x14, 0x17, 0x1a] : [255, 255, 255];
  for (let at = 0; at < sums.length; at += 4) {
    const part = sums[at + 3], scale = part > 1 ? 1 / part : 1, rest = Math.max(0, 1 - part);
    for (let c = 0; c < 3; ++c) image.data[at + c] = sums[at + c] * scale + rest * ground[c];
    image.data[at + 3] = 255;
  }
  return image;
}
// The time axis below a chart, and the time that is shown.
export function drawTimeAxis(context, width, height) {
  const x = chartX(width);
  context.fillStyle = css("--soft");
  context.textAlign = "center";
  for (const {at, text} of timeTicks(state.from, state.to, Math.max(2, (width - chartLeft) / 120))) {
    const half = context.measureText(text).width / 2;
    context.fillRect(x(at), height, 1, 4);
    context.fillText(text, Math.max(half, Math.min(width - half, x(at))), height + 17);
  }
  if (state.time >= state.from && state.time <= state.to) drawTimeLine(context, x(state.time), height);
}
// The time alone moves a line, not the boxes.
let ganttImage = null;
drawIn(gantt, () => {
  ganttImage = ganttPixels(gantt.clientWidth - chartLeft - chartRight, gantt.clientHeight - ganttBottom,
    window.devicePixelRatio || 1);
}, "from", "to", "low", "high", "job", "nodeColour");
drawIn(gantt, () => {
  const [context, width, height] = sized(gantt), ratio = window.devicePixelRatio || 1;
  const plotHeight = height - ganttBottom;
  context.putImageData(ganttImage, Math.round(chartLeft * ratio), 0);
  context.strokeStyle = css("--line");
  context.strokeRect(chartLeft, 0.5, width - chartLeft - chartRight, plotHeight - 0.5);
  const perNode = plotHeight / (state.high - state.low), x = chartX(width);
  if (state.job !== null) {
    context.save();
    context.beginPath();
    context.rect(chartLeft, 0, width - chartLeft - chartRight, plotHeight);
    context.clip();
    context.strokeStyle = rgb(inkColour());
    for (let h = 0; h < column.hold_job.length; ++h) {
      if (column.hold_job[h] !== state.job) continue;
      for (let r = column.hold_runs_begin[h]; r < column.hold_runs_begin[h + 1]; ++r)
        context.strokeRect(x(column.hold_begin[h]),
          plotHeight - (column.run_first_node[r] + column.run_nodes[r] - state.low) * perNode,
          Math.max(1, x(column.hold_end[h]) - x(column.hold_begin[h])), Math.max(1, column.run_nodes[r] * perNode));
    }
    context.restore();
  }
  context.fillStyle = css("--soft");
  context.textAlign = "right";
  for (const node of [state.low, Math.floor((state.low + state.high) / 2), state.high - 1].filter((n, i, all) =>
    all.indexOf(n) === i))
    context.fillText("n" + node, chartLeft - 6,
      Math.max(11, Math.min(plotHeight - 1, plotHeight - (node + 0.5 - state.low) * perNode + 4)));
  drawTimeAxis(context, width, plotHeight);
  byId("from").value = clock(state.from);
  byId("to").value = clock(state.to);
  byId("zoom-job").hidden = state.job === null;
}, "from", "to", "low", "high", "job", "nodeColour", "time");

// The window of time, within the schedule; at least a millionth of it.
function setWindow(from, to) {
  const span = Math.min(end - begin, Math.max((end - begin) * 1e-6, to - from));
  const first = Math.max(begin, Math.min(end - span, from));
  set({from: first, to: first + span, time: Math.max(first, Math.min(first + span, state.time))});
}
function zoomTime(factor, at) { setWindow(at - (at - state.from) * factor, at + (state.to - at) * factor); }
function zoomNodes(factor, at) {
  const span = Math.max(1, Math.min(nodeCount, Math.round((state.high - state.low) * factor)));
  const low = Math.max(0,
    Math.min(nodeCount - span, Math.round(at - (at - state.low) / (state.high - state.low) * span)));
  set({low, high: low + span});
}
// The time and the node at a place of the chart.
function ganttAt(e) {
  const box = gantt.getBoundingClientRect();
  return {time: state.from + (e.clientX - box.left - chartLeft) / (box.width - chartLeft - chartRight) * (
    state.to - state.from),
  node: state.low + (1 - (e.clientY - box.top) / (box.height - ganttBottom)) * (state.high - state.low)};
}
function jobAt(time, node) {
  for (let h = 0; h < column.hold_job.length && column.hold_begin[h] <= time; ++h) {
    if (column.hold_end[h] <= time) continue;
    for (let r = column.hold_runs_begin[h]; r < column.hold_runs_begin[h + 1]; ++r)
      if (column.run_first_node[r] <= node && node < column.run_first_node[r] + column.run_nodes[r])
        return column.hold_job[h];
  }
  return null;
}
{
  let drag = null, moved = 0;
  gantt.addEventListener("wheel", (e) => {
    e.preventDefault();
    const at = ganttAt(e), factor = Math.exp((e.deltaY || e.deltaX) * 0.0015);
    if (e.shiftKey) zoomNodes(factor, at.node); else zoomTime(factor, at.time);
  }, {passive: false});
  gantt.addEventListener("pointerdown", (e) => { drag = {x: e.clientX, from: state.from, to: state.to}; moved = 0;
    gantt.setPointerCapture(e.pointerId); });
  gantt.addEventListener("pointermove", (e) => {
    if (!drag) return;
    moved = Math.max(moved, Math.abs(e.clientX - drag.x));
    const by = (drag.x - e.clientX) / (gantt.clientWidth - chartLeft - chartRight) * (drag.to - drag.from);
    if (moved > 4) setWindow(drag.from + by, drag.to + by);
  });
  gantt.addEventListener("pointerup", (e) => {
    drag = null;
    if (moved > 4) return;
    const at = ganttAt(e), time = Math.max(begin, Math.min(end, at.time));
    const job = at.node >= 0 ? jobAt(time, Math.floor(at.node)) : null;
    select({job, time});
  });
  gantt.addEventListener("keydown", (e) => {
    const span = state.to - state.from, middle = (state.from + state.to) / 2;
    if (e.key === "+") zoomTime(1 / 1.5, middle);
    else if (e.key === "-") zoomTime(1.5, middle);
    else if (e.key === "ArrowLeft") setWindow(state.from - span / 8, state.to - span / 8);
    else if (e.key === "ArrowRight") setWindow(state.from + span / 8, state.to + span / 8);
    else return;
    e.preventDefault();
  });
  byId("whole").addEventListener("click", () => { setWindow(begin, end); set({low: 0, high: nodeCount}); });
  byId("zoom-job").addEventListener("click", () => {
    const [a, b] = [column.job_started[state.job], column.job_ended[state.job]];
    setWindow(a - 0.2 * (b - a), b + 0.2 * (b - a));
  });
  for (const id of ["from", "to"])
    byId(id).addEventListener("change", () => {
      const [from, to] = ["from", "to"].map((name) => readClock(byId(name).value));
      if (to > from) setWindow(from, to); else drawAnew();
    });
}
