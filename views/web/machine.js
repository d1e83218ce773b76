import {byId, column, dims, injection, isDark, layout, linkCount, nodesPerRouter, rgb, shareColour} from "./data.js";
import {canvas, oneWayLine, renderer, singleLine} from "./renderer.js";
import {count, element, gridLinks, grouped} from "./units.js";
import {onChange, select} from "./state.js";
import "./layout.js";

// The view of the machine: camera, and what the mouse and the keys do. Each page says to showMachine() what links and
// nodes look like. Its functions lookOfLink(link, look) and lookOfNode(node, look) put colour, and width in pixels or
// size from 0 to 1, into `look`. Its legend() gives what stands beside. Its paintLines(put) may draw other lines than
// the links. Its nodePicked(node) is called when a reader clicks a node. Panes beside each other have names, and
// begin(name) is called before a pane is asked what it shows; a page may have others than the one without a name.
/** @type {Picture} */
let picture;
/** @type {{names: () => string[], begin: (name: string) => void}} */
export const panes = {names: () => [""], begin: () => {}};
const paneWidth = () => canvas.clientWidth / panes.names().length;
const eye = {};
let nodeScale = 1;
export function resetEye() {
  Object.assign(eye, layout.isFlat ? {yaw: 0, pitch: 0, zoom: 1, panX: 0, panY: 0}
    : {yaw: -0.62, pitch: 0.42, zoom: 1, panX: 0, panY: 0});
}
resetEye();
export function layoutChanged() { if (renderer) renderer.layoutChanged(); }
layoutChanged();

function multiply(a, b) {  // column major
  const c = new Float32Array(16);
  for (let i = 0; i < 4; ++i) for (let j = 0; j < 4; ++j) for (let k = 0; k < 4; ++k)
    c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}
function cameraView() {
  const aspect = canvas.width / panes.names().length / canvas.height, {reach, extent, centre, isFlat} = layout;
  const distance = reach * 3.7 / eye.zoom, near = Math.max(0.05, distance - 2.5 * reach);
  const far = distance + 2.5 * reach + 1;
  // A flat machine fills the stage; others are seen from a distance at which they fit however they are turned.
  let f = Math.min(1, aspect) / Math.tan(0.32);
  const besideLabel = Math.max(0.5, 1 - 120 / paneWidth());  // the share of the width that labels of axes leave
  if (isFlat) f = Math.min(distance / (extent[1] / 2 + 1.2), distance * aspect * besideLabel / (extent[0] / 2 + 0.75)) /
    eye.zoom;
  const [cy, sy, cp, sp] = [Math.cos(eye.yaw), Math.sin(eye.yaw), Math.cos(eye.pitch), Math.sin(eye.pitch)];
  const turn = new Float32Array([cy, sp * sy, -cp * sy, 0, 0, cp, sp, 0, sy, -sp * cy, cp * cy, 0, eye.panX, eye.panY,
    -distance, 1]);
  const move = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -centre[0], -centre[1], -centre[2], 1]);
  const lens = new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0,
    2 * far * near / (near - far), 0]);
  // pixels at distance 1, by the way to the next router
  const scaleOfDot = canvas.height * f / 2 * nodeScale * (isFlat ? 0.34 : 0.2) / (nodesPerRouter > 1
    ? 0.8 * Math.ceil(isFlat ? Math.sqrt(nodesPerRouter) : Math.cbrt(nodesPerRouter)) : 1);
  return {matrix: multiply(lens, multiply(turn, move)), fog: isFlat ? 0 : 0.5, dot: scaleOfDot,
    unit: canvas.height * f / 2 / distance, near: distance - reach, far: distance + reach};
}

// Colours that all pages have in common.
export const selectedColour = [204, 121, 167], failedColour = [213, 94, 0];
export const inkColour = () => (isDark() ? [255, 255, 255] : [0, 0, 0]);
export const idleColour = () => (isDark() ? [52, 58, 65] : [222, 225, 229]);

const goesOneWay = (d) => d.wrap === "ring";
const flagsOf = dims.map((d) => (goesOneWay(d) ? singleLine | oneWayLine : d.shared ? singleLine : 0));
// How a reader sees where links lead.
export const directionNote = (dims.some((d) => !d.shared && !goesOneWay(d)) ? "; thick end: where a link begins" : "") +
  (dims.some(goesOneWay) ? "; arrows: one-way links" : "") +
  (dims.some((d) => d.shared) ? `; a line along ${dims.filter((d) => d.shared).map((d) => d.name).join(" or ")}: one ` +
    `link that its routers share` : "");
const partsOfShared = new Map();  // a line that routers share: where its columns segment_from and segment_to are
column.segment_link.forEach((link, i) => {
  if (!partsOfShared.has(link)) partsOfShared.set(link, []);
  partsOfShared.get(link).push(i);
});
// Calls line(link, from, to) for each line that is drawn of links: one, but of a shared line one for each two
// neighbours.
export function forEachLine(line) {
  for (let link = 0; link < linkCount; ++link) {
    const kind = column.link_kind[link];
    if (kind >= injection) continue;
    if (!dims[kind >> 1].shared) line(link, column.link_from[link], column.link_to[link]);
    else for (const i of partsOfShared.get(link) || []) line(link, column.segment_from[i], column.segment_to[i]);
  }
}
let shown = 0;  // links
export function putLinks(put) {
  const look = [0, 0, 0, 0], {isShown} = layout;
  let last = -1, width = 0;
  shown = 0;
  forEachLine((link, from, to) => {
    if (!isShown[from] || !isShown[to]) return;
    if (link !== last) {
      last = link;
      picture.lookOfLink(link, look);
      width = look[3];
      if (width > 0) ++shown;
    }
    if (width > 0) put(from, to, link, flagsOf[column.link_kind[link] >> 1], look, width);
  });
}
function updateLooks() {
  if (!renderer) return;
  panes.names().forEach((name, i, all) => {
    panes.begin(name);
    renderer.looks(i, all.length, picture.paintLines || putLinks, picture.lookOfNode);
  });
}

function drawMachine() {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (!renderer) return;
  const view = cameraView(), thick = ratio * Math.min(2.4, Math.max(0.55, view.unit / ratio / 26));
  renderer.draw(view, thick);
  placeAxes(view);
}

// Names of the panes, and in each of them the names of the dimensions at the ends of their axes.
function placeAxes(view) {
  const box = byId("axes"), width = paneWidth();
  box.replaceChildren();
  panes.names().forEach((name, i) => {
    placeAxesOf(view, box, i * width, width);
    if (name === "") return;
    const label = element("span", {class: "pane"}, name);
    box.append(label);
    label.style.left = (i + 0.5) * width + "px";
    label.style.top = "14px";
  });
}
function placeAxesOf(view, box, fromLeft, width) {
  const {extent} = layout, corner = [0, -extent[1], 0];
  layout.dimensions.forEach((list, axis) => {
    if (list.length === 0 || extent[axis] === 0) return;
    const at = (along) => {  // a point of the pane
      const point = [...corner];
      point[axis] = along;
      const p = [0, 1, 2, 3].map((i) => view.matrix[i] * point[0] + view.matrix[4 + i] * point[1] +
        view.matrix[8 + i] * point[2] + view.matrix[12 + i]);
      return [(p[0] / p[3] + 1) / 2 * width, (1 - p[1] / p[3]) / 2 * canvas.clientHeight];
    };
    const last = axis === 1 ? 0 : extent[axis], [x, y] = at(last), [tipX, tipY] = at(last + 0.75);
    const length = Math.hypot(tipX - x, tipY - y) || 1;
    const name = list.map((d) => dims[d].name).join(", "), label = element("span");
    label.textContent = axis === 1 ? `${name} = 0` : `${name} = ${list.map((d) => dims[d].extent - 1).join(", ")}`;
    box.append(label);
    // The label begins at the tip, and is whole also where the axis ends at the edge of the pane.
    const within = (middle, size, most) => Math.max(size / 2 + 4, Math.min(most - size / 2 - 4, middle));
    label.style.left = fromLeft + within(tipX + (tipX - x) / length * label.offsetWidth / 2, label.offsetWidth, width) +
      "px";
    label.style.top = within(tipY + (tipY - y) / length * label.offsetHeight / 2, label.offsetHeight,
      canvas.clientHeight) + "px";
  });
}

export const linksShown = () => `${grouped(shown)} of ${count(gridLinks, "link")}`;
export function shareBar() {
  const bar = element("canvas", {width: "140", height: "8"}), context = bar.getContext("2d");
  for (let x = 0; x < 140; ++x) { context.fillStyle = rgb(shareColour(x / 139)); context.fillRect(x, 0, 1, 8); }
  return bar;
}

if (renderer) {
  let drag = null, moved = 0;
  const redraw = () => requestAnimationFrame(drawMachine);
  canvas.addEventListener("pointerdown", (e) => { drag = {x: e.clientX, y: e.clientY}; moved = 0;
    canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointermove", (e) => {
    if (!drag) return;
    const dx = e.clientX - drag.x, dy = e.clientY - drag.y;
    moved += Math.abs(dx) + Math.abs(dy);
    if (layout.isFlat || e.shiftKey) {
      const unit = layout.reach * 2 / canvas.clientHeight / eye.zoom;
      eye.panX += dx * unit; eye.panY -= dy * unit;
    } else {
      eye.yaw += dx * 0.008;
      eye.pitch = Math.max(-1.5, Math.min(1.5, eye.pitch + dy * 0.008));
    }
    drag = {x: e.clientX, y: e.clientY};
    redraw();
  });
  canvas.addEventListener("pointerup", (e) => {
    drag = null;
    if (moved > 4) return;
    const box = canvas.getBoundingClientRect(), ratio = window.devicePixelRatio || 1;
    pickAt(Math.round((e.clientX - box.left) * ratio), Math.round((e.clientY - box.top) * ratio));
  });
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    eye.zoom = Math.max(0.3, Math.min(20, eye.zoom * Math.exp(-e.deltaY * 0.0015)));
    redraw();
  }, {passive: false});
  canvas.addEventListener("keydown", (e) => {
    const turn = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]}[e.key];
    if (turn && layout.isFlat) { eye.panX -= turn[0] * 0.3; eye.panY += turn[1] * 0.3; }
    else if (turn) { eye.yaw += turn[0] * 0.1; eye.pitch += turn[1] * 0.1; }
    else if (e.key === "+") eye.zoom *= 1.2;
    else if (e.key === "-") eye.zoom /= 1.2;
    else return;
    e.preventDefault();
    redraw();
  });
  byId("reset").addEventListener("click", () => { resetEye(); select({}); });
}
function pickAt(x, y) {
  const ratio = window.devicePixelRatio || 1, view = cameraView();
  const thick = ratio * Math.min(2.4, Math.max(0.55, view.unit / ratio / 26));
  const found = renderer.pick(view, thick, x, y);
  if (found === null) select({});
  else if (found.link !== undefined) select({link: found.link});
  else picture.nodePicked(found.node);
}
// `scale` is how large nodes are, `hears` which parts of the state the looks depend on besides those of the machine.
export function showMachine(scale, hears, shownPicture) {
  nodeScale = scale;
  picture = shownPicture;
  onChange(() => {
    updateLooks();
    drawMachine();
    byId("legend").replaceChildren(...picture.legend());
  }, "link", "node", "view", "axes", "planes", ...hears);
}
