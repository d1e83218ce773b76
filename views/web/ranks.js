import {byId, column, css, isDark, kindColours, meta, rgb} from "./data.js";
import {drawTimeLine, element, fillBox, keySquare, seconds, sized, ticks} from "./units.js";
import {drawIn, onChange, set, state} from "./state.js";
import {activityWindow, activityWindowAt, activityWindows, doingAt, doingWords, hasJobs, jobColour} from "./run.js";
import {jobOfRank, jobs, momentText, rankCount, rankName, selectRank, shownActivityWindow, windows} from "./run.js";

// What ranks do over time: a row for each rank, a column for each window; the critical path as a line through them. The
// line below tells of the piece of a row under the pointer, or of the rank and time that are selected.
// Below a rank on which several cores compute, such as streams of an accelerator, each has a row.
const ranksCanvas = byId("ranks"), rows = [], rowOfRank = new Uint32Array(rankCount + 1);
for (let rank = 0, core = 0; rank < rankCount; rowOfRank[++rank] = rows.length) {
  rows.push({rank, core: null});
  for (; core < column.core_rank.length && column.core_rank[core] === rank; ++core) rows.push({rank, core});
}
const computingAt = (core, window) => column.core_computing[core * activityWindows + window] / 255;
byId("ranks-note").replaceChildren(
  ...Object.entries(doingWords).flatMap(([kind, words]) => [keySquare(kindColours[kind]), words]),
  " blank: nothing that takes time, or the rank has ended",
  hasJobs ? ". The lines are the critical paths of the last rounds. Click a rank or a time."
    : ". The line is the critical path. Click a rank or a time.");
const ranksLeft = hasJobs ? 120 : 52, ranksBottom = 22;
// Beside the rows: numbers of ranks, or the jobs, in their colours and by name where there is room.
function nameRows(context, top, plotHeight) {
  context.fillStyle = css("--soft");
  context.textAlign = "right";
  context.textBaseline = "middle";
  if (!hasJobs) {
    for (const rank of [0, Math.floor(rankCount / 2), rankCount - 1].filter((r, i, all) => all.indexOf(r) === i))
      context.fillText(String(rank), ranksLeft - 6, Math.min(plotHeight - 7, Math.max(7, top(rank, 0.5))));
    return;
  }
  jobs.forEach(({name, first_rank: first, ranks}, job) => {
    const begin = top(first), bottom = top(first + ranks);
    fillBox(context, rgb(jobColour(job)), ranksLeft - 9, begin, 6, Math.max(1, bottom - begin - 1));
    let text = name;
    while (context.measureText(text).width > ranksLeft - 18) text = text.replace(/.…?$/, "…");
    context.fillStyle = css("--soft");
    if (bottom - begin >= 15) context.fillText(text, ranksLeft - 13, (begin + bottom) / 2);
  });
}
function drawRanks() {
  const [context, width, height] = sized(ranksCanvas);
  const plotWidth = width - ranksLeft - 8, plotHeight = height - ranksBottom - 4;
  const runtime = meta.runtime_s || 1, x = (t) => ranksLeft + t / runtime * plotWidth;
  // The cells as a small picture that is stretched: one pixel for each row and window.
  const lines = Math.min(rows.length, 4096);
  const picture = element("canvas", {width: String(activityWindows), height: String(lines)});
  const cells = picture.getContext("2d"), image = cells.createImageData(activityWindows, lines);
  const kinds = [kindColours.compute, kindColours.transfer, kindColours.wait];
  const ground = isDark() ? [0x14, 0x17, 0x1a] : [255, 255, 255];
  for (let line = 0; line < lines; ++line) {
    const {rank, core} = rows[Math.floor(line * rows.length / lines)];
    for (let w = 0; w < activityWindows; ++w) {
      const parts = core === null ? [0, 1, 2].map((kind) => doingAt(rank, w, kind)) : [computingAt(core, w), 0, 0];
      const all = Math.max(1, parts[0] + parts[1] + parts[2]), pixel = 4 * (line * activityWindows + w);
      for (let c = 0; c < 3; ++c) {
        let value = ground[c] * (1 - (parts[0] + parts[1] + parts[2]) / all);
        for (let k = 0; k < 3; ++k) value += kinds[k][c] * parts[k] / all;
        image.data[pixel + c] = value;
      }
      image.data[pixel + 3] = 255;
    }
  }
  cells.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  const cover = activityWindow * activityWindows / runtime;
  context.save();
  context.beginPath();
  context.rect(ranksLeft, 0, plotWidth, plotHeight);
  context.clip();
  context.drawImage(picture, ranksLeft, 0, plotWidth * cover, plotHeight);
  context.restore();
  const top = (rank, part = 0) => (rowOfRank[rank] + part) / rows.length * plotHeight, y = (rank) => top(rank, 0.5);
  context.strokeStyle = isDark() ? "#ffffff" : "#000000";
  context.lineWidth = 1.4;
  context.beginPath();
  for (let i = 0; i < column.step_begin.length; ++i) {
    if (i > 0 && jobOfRank[column.step_rank[i]] !== jobOfRank[column.step_rank[i - 1]])
      context.moveTo(x(column.step_begin[i]), y(column.step_rank[i]));
    context.lineTo(x(column.step_begin[i]), y(column.step_rank[i]));
    context.lineTo(x(column.step_end[i]), y(column.step_receiver[i]));
  }
  context.stroke();
  const picked = state.rank !== null ? {first_rank: state.rank, ranks: 1} : state.job !== null ? jobs[state.job] : null;
  if (picked) {
    context.strokeStyle = "rgb(204,121,167)";
    context.lineWidth = 2;
    context.strokeRect(ranksLeft, top(picked.first_rank), plotWidth,
      Math.max(2, top(picked.first_rank + picked.ranks) - top(picked.first_rank)));
  }
  drawTimeLine(context, x(Math.min(runtime, (state.time + 0.5) * meta.window_s)), plotHeight);
  nameRows(context, top, plotHeight);
  context.textBaseline = "alphabetic";
  context.textAlign = "center";
  for (const tick of ticks(runtime, Math.max(2, plotWidth / 110)))
    context.fillText(seconds(tick), Math.min(width - 26, x(tick)), height - 6);
}
// The rank, the core and the time at a place of the chart; no rank below the rows.
function ranksAt(e) {
  const box = ranksCanvas.getBoundingClientRect();
  const row = rows[Math.floor((e.clientY - box.top) / (box.height - ranksBottom - 4) * rows.length)];
  return {rank: row ? row.rank : null, core: row ? row.core : null,
    t: (e.clientX - box.left - ranksLeft) / (box.width - ranksLeft - 8) * meta.runtime_s};
}
function tellMoment(rank, window, core = null) {
  const ofCore = core === null ? ""
    : `; core ${column.core_number[core]} computing ${Math.round(100 * computingAt(core, window))} %`;
  byId("ranks-moment").textContent = rank === null ? "Point at a row to read what its rank does."
    : `${rankName(rank)}, ${momentText(rank, window)}${ofCore}`;
}
const tellSelectedMoment = () => tellMoment(state.rank, shownActivityWindow());
ranksCanvas.addEventListener("click", (e) => {
  const {rank, t} = ranksAt(e);
  if (rank !== null) selectRank(rank);
  set({time: Math.max(0, Math.min(windows - 1, Math.floor(t / (meta.window_s || 1))))});
});
ranksCanvas.addEventListener("pointermove", (e) => {
  const {rank, core, t} = ranksAt(e);
  if (rank !== null && t >= 0 && t <= meta.runtime_s) tellMoment(rank, activityWindowAt(t), core);
  else tellSelectedMoment();
});
ranksCanvas.addEventListener("pointerleave", tellSelectedMoment);
drawIn(ranksCanvas, drawRanks, "rank", "job", "time");
onChange(tellSelectedMoment, "rank", "time");
