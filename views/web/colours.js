// Colours: viridis for shares, reversed on a light ground, so that idle is faint on either; Okabe and Ito's for kinds.
const darkQuery = window.matchMedia("(prefers-color-scheme: dark)");
let dark = darkQuery.matches;  // asked for each of a million cells, of which the query would take a second
const isDark = () => dark;
darkQuery.addEventListener("change", () => { dark = darkQuery.matches; });
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const viridis = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37]];

const between = Array.from({length: 256}, (_, n) => {
  const at = n / 255 * (viridis.length - 1), i = Math.min(viridis.length - 2, Math.floor(at)), part = at - i;
  return [0, 1, 2].map((k) => Math.round(viridis[i][k] * (1 - part) + viridis[i + 1][k] * part));
});

// The colour of a share, 0 to 1, as three numbers from 0 to 255. Looked up, as a million of cells and links have one.
function shareColour(share) {
  const n = Math.round(255 * Math.min(1, Math.max(0, share)));
  return between[dark ? n : 255 - n];
}
const rgb = (c) => `rgb(${c[0]},${c[1]},${c[2]})`;
const okabeIto = [[230, 159, 0], [86, 180, 233], [0, 158, 115], [240, 228, 66], [0, 114, 178], [213, 94, 0], [204, 121, 167]];  // of jobs
const kindColours = {compute: [0, 114, 178], transfer: [230, 159, 0], wait: [150, 156, 163]};
const partColours = ["#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#7f7f7f"];

