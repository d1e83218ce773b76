// The time that is shown: a slider, and above it a picture of all times. `range()` gives {min, max, step}, `text(time)`
// and `paint(context, width, height)` say and draw times.
function showTime(range, text, paint) {
  const input = byId("time");
  input.addEventListener("input", () => set({time: Number(input.value)}));
  let playing = null;
  byId("play").addEventListener("click", (e) => {
    if (playing !== null) { clearInterval(playing); playing = null; e.target.innerHTML = "&#9654;"; return; }
    e.target.innerHTML = "&#10074;&#10074;";
    playing = setInterval(() => {
      const {min, max, step} = range(), next = state.time + step;
      set({time: next > max ? min : next});
    }, 160);
  });
  onChange(() => {
    const {min, max, step} = range();
    Object.assign(input, {min, max, step: step === 1 ? 1 : "any", value: state.time});
    byId("time-text").textContent = text(state.time);
    paint(...sized(byId("time-picture")));
  });
  input.addEventListener("keydown", (e) => {
    const way = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1}[e.key];
    if (way === undefined) return;
    e.preventDefault();
    const {min, max, step} = range();
    set({time: Math.max(min, Math.min(max, state.time + way * step))});
  });
}

// The links with the most of what is shown: all of a small machine, 3,000 of one with more than 20,000.
const topDefault = gridLinks > 20000 ? 3000 : gridLinks;
state.top = topDefault;
function showTop() {
  const input = byId("top");
  // The slider is logarithmic: 10 links at its left end, all at its right one.
  const topOf = (value) => Math.round(Math.min(10, gridLinks) * (gridLinks / Math.min(10, gridLinks)) ** (value / 100));
  input.value = gridLinks <= 10 ? 100 : 100 * Math.log(topDefault / 10) / Math.log(gridLinks / 10);
  input.addEventListener("input", () => set({top: topOf(Number(input.value))}));
  onChange(() => {
    byId("top-text").textContent = state.top >= gridLinks ? "all" : grouped(state.top);
  }, "top");
}
// The least value of those that are shown, of values from 0 to 1; ports have 0. Values are counted in classes, which
// takes a tenth of the time of sorting a million of them; of the last class all are shown.
function leastOf(values) {
  if (state.top >= gridLinks) return -1;
  const bins = 65536, counts = new Uint32Array(bins + 1);
  for (let i = 0; i < values.length; ++i) ++counts[Math.min(bins, Math.floor(values[i] * bins))];
  let left = state.top, least = bins;
  for (left -= counts[least]; left > 0 && least > 0; left -= counts[least]) --least;
  return Math.max(least / bins, 1e-9);
}
