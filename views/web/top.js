// The links with the most of what is shown: all of a small machine, 3,000 of one with more than 20,000.
const topDefault = gridLinks > 20000 ? 3000 : gridLinks;
state.top = topDefault;
const topInput = document.getElementById("top");
// The slider is logarithmic: 10 links at its left end, all at its right one.
const topOf = (value) => Math.round(Math.min(10, gridLinks) * (gridLinks / Math.min(10, gridLinks)) ** (value / 100));
topInput.value = gridLinks <= 10 ? 100 : 100 * Math.log(topDefault / 10) / Math.log(gridLinks / 10);
topInput.addEventListener("input", () => set({top: topOf(Number(topInput.value))}));
onChange(() => {
  document.getElementById("top-text").textContent = state.top >= gridLinks ? "all" : grouped(state.top);
}, "top");
// The least value of those that are shown, of values from 0 to 1; ports have 0. Values are counted in classes, which takes a
// tenth of the time of sorting a million of them; of the last class all are shown.
function leastOf(values) {
  if (state.top >= gridLinks) return -1;
  const classes = 65536, counts = new Uint32Array(classes + 1);
  for (let i = 0; i < values.length; ++i) ++counts[Math.min(classes, Math.floor(values[i] * classes))];
  let left = state.top, least = classes;
  for (left -= counts[least]; left > 0 && least > 0; left -= counts[least]) --least;
  return Math.max(least / classes, 1e-9);
}
