import {byId, column, css, head, injection, partColours, rgb, types, unpacking} from "./data.js";
import "./renderer.js";

// The renderer, which is imported before, compiles its shaders while the columns are unpacked.
const unpacked = await unpacking;
for (const [name, c] of Object.entries(head.columns)) column[name] = new types[c.type](unpacked, c.at, c.count);
export const gridLinks = column.link_kind.reduce((sum, kind) => sum + (kind < injection ? 1 : 0), 0);

// Numbers for people.
export function digits(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
function scaled(value, units, step) {
  let i = 0;
  while (i + 1 < units.length && Math.abs(value) >= step) { value /= step; ++i; }
  return digits(value) + " " + units[i];
}
export function seconds(s) {
  if (s < 5e-12) return "0 s";
  if (s >= 1) return digits(s) + " s";
  return scaled(s * 1e9, ["ns", "us", "ms"], 1000);
}
export const bytesText = (b) => (b < 1000 ? b + " B" : scaled(b, ["B", "kB", "MB", "GB", "TB", "PB"], 1000));
export const percent = (share) => (100 * share).toFixed(1) + " %";
// 1234567 as 1,234,567: toLocaleString loads all its languages at its first call, which takes longer than a page's
// other texts.
export const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");
export const count = (n, one, many = one + "s") => grouped(n) + " " + (n === 1 ? one : many);
// What has become of a number, as a share of what it was.
export function changeText(a, b) {
  if (a === b) return "-";
  if (!(a > 0)) return "new";
  const change = (100 * (b / a - 1)).toFixed(1);
  return Number(change) === 0 ? "0 %" : `${b > a ? "+" : ""}${change} %`;
}

// The least of 1, 2, 5, 10, ... that is at least `least`, at any power of ten.
export function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5].map((m) => m * power).find((s) => s >= least * (1 - 1e-9)) || 10 * power;
}
// Round ticks from 0 to `most`, at most `wanted` of them besides 0.
export function ticks(most, wanted) {
  const step = niceStep(most / wanted), all = [];
  for (let i = 0; i * step <= most * (1 + 1e-9); ++i) all.push(i * step);
  return all;
}

// The up to `most` numbers from 0 to before `end` with the largest values above 0, the largest value first.
export function largest(most, end, value) {
  const found = [];
  for (let i = 0; i < end; ++i) {
    const v = value(i);
    if (!(v > 0) || (found.length === most && v <= found[most - 1].v)) continue;
    let at = found.length;
    while (at > 0 && found[at - 1].v < v) --at;
    found.splice(at, 0, {i, v});
    if (found.length > most) found.pop();
  }
  return found.map(({i}) => i);
}

// A canvas as large as it is shown, on screens of any density; returns its context and size in CSS pixels.
export function sized(chart) {
  const ratio = window.devicePixelRatio || 1, width = chart.clientWidth, height = chart.clientHeight;
  chart.width = Math.max(1, Math.round(width * ratio));
  chart.height = Math.max(1, Math.round(height * ratio));
  const context = chart.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = "12px system-ui, 'DejaVu Sans', sans-serif";
  return [context, width, height];
}

// A box of a chart, in a colour.
export function fillBox(context, colour, x, y, width, height) {
  context.fillStyle = colour;
  context.fillRect(x, y, width, height);
}
// Grid lines of a chart at the marks of its vertical axis, and their texts at the left.
export function drawMarks(context, marks, y, left, width, text) {
  context.textAlign = "right";
  for (const mark of marks) {
    fillBox(context, css("--line"), left, y(mark), width, 1);
    context.fillStyle = css("--soft");
    context.fillText(text(mark), left - 6, y(mark) + 4);
  }
}
// The distance of the labels that are written below a chart, so that each has room.
export const everyLabel = (context, labels, step, least) =>
  Math.ceil(labels.reduce((most, label) => Math.max(most, context.measureText(label).width + 8), least) / step);

// The time that is shown, as a line down a chart: with edges in the colour of the ground, as charts have orange parts,
// too.
export function drawTimeLine(context, x, height) {
  for (const {colour, width} of [{colour: "--ground", width: 4.5}, {colour: "--warn", width: 1.5}])
    fillBox(context, css(colour), x - width / 2, 0, width, height);
}

// Calls action(value) when a reader has chosen another value of a control.
export const onChoice = (id, action) => byId(id).addEventListener("change", () => action(byId(id).value));

/** @type {(tag: string, attributes?: Record<string, any>, ...children: any[]) => AnyElement} */
export function element(tag, attributes = {}, ...children) {
  const made = /** @type {any} */ (document.createElement(tag));
  for (const [name, value] of Object.entries(attributes))
    if (name === "onclick") made.addEventListener("click", value);
    else made.setAttribute(name, value);
  made.append(...children);
  return made;
}

export const numeric = (title) => ({title, number: true});
export function table(columns, rows) {
  const cells = (tag, row) => row.map((cell, i) => element(tag, columns[i].number ? {class: "n"} : {}, cell));
  return element("table", {},
    element("thead", {}, element("tr", {}, ...cells("th", columns.map((c) => c.title ?? c)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {}, ...cells("td", row)))));
}

// A square of a colour, which is text or three numbers: what the colour means stands behind it.
export function keySquare(colour) {
  const key = element("span", {class: "key"});
  key.style.background = typeof colour === "string" ? colour : rgb(colour);
  return key;
}
export const keyOf = (colour, text) => element("span", {}, keySquare(colour), text);

// The parts of a time in a bar, as [name, seconds] pairs: says(name, seconds) gives the text of each and its tooltip.
export function partsIn(bar, parts, total, says) {
  parts.forEach(([name, s], i) => {
    if (!(s > 0)) return;
    const [text, title] = says(name, s), span = element("span", {title}, text);
    span.style.width = 100 * s / total + "%";
    span.style.background = partColours[i % partColours.length];
    bar.append(span);
  });
}
// Names of parts that do not fit into them are left to the tooltips.
export function hideNarrow(parts) {
  const fit = () => {
    for (const part of parts) part.classList.remove("narrow");
    for (const part of parts) part.classList.toggle("narrow", part.scrollWidth > part.clientWidth);
  };
  window.addEventListener("resize", fit);
  fit();
}
