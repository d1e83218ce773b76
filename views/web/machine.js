// The view of the machine: camera, looks of links and nodes, and what the mouse and the keys do.
const canvas = document.getElementById("machine");
let renderer = null;
try { renderer = makeRenderer(canvas); } catch (error) { console.error(error.message); }
if (!renderer) document.getElementById("no-gl").hidden = false;

const start = isFlat ? {yaw: 0, pitch: 0, zoom: 1, panX: 0, panY: 0} : {yaw: -0.62, pitch: 0.42, zoom: 1, panX: 0, panY: 0};
const eye = {...start};

function multiply(a, b) {  // column major
  const c = new Float32Array(16);
  for (let i = 0; i < 4; ++i) for (let j = 0; j < 4; ++j) for (let k = 0; k < 4; ++k) c[4 * j + i] += a[4 * k + i] * b[4 * j + k];
  return c;
}
function cameraView() {
  const aspect = canvas.width / canvas.height;
  const distance = reach * 3.7 / eye.zoom, near = Math.max(0.05, distance - 2.5 * reach), far = distance + 2.5 * reach + 1;
  // A flat machine fills the stage; others are seen from a distance at which they fit however they are turned.
  let f = 1 / Math.tan(0.32);
  if (isFlat) f = Math.min((distance / (extent[1] / 2 + 1.2)), (distance * aspect) / (extent[0] / 2 + 1.2)) / eye.zoom;
  const [cy, sy, cp, sp] = [Math.cos(eye.yaw), Math.sin(eye.yaw), Math.cos(eye.pitch), Math.sin(eye.pitch)];
  const turn = new Float32Array([cy, sp * sy, -cp * sy, 0, 0, cp, sp, 0, sy, -sp * cy, cp * cy, 0, eye.panX, eye.panY, -distance, 1]);
  const move = new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -centre[0], -centre[1], -centre[2], 1]);
  const lens = new Float32Array([f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
  const scaleOfDot = canvas.height * f / 2 * (isFlat ? 0.34 : 0.2);  // pixels at distance 1, by the way to the next router
  return {matrix: multiply(lens, multiply(turn, move)), dot: scaleOfDot, unit: canvas.height * f / 2 / distance, near: distance - reach, far: distance + reach};
}

// What a link is coloured by, 0 to 1.
const mostBytes = column.link_bytes.reduce((a, b) => Math.max(a, b), 0), mostLoss = lossOf.reduce((a, b) => Math.max(a, b), 0);
function shareOf(link) {
  if (state.linkColour === "window") return useAt(link, state.time);
  if (state.linkColour === "mean") return Math.min(1, column.link_mean[link]);
  if (state.linkColour === "bytes") return mostBytes > 0 ? column.link_bytes[link] / mostBytes : 0;
  return mostLoss > 0 ? lossOf[link] / mostLoss : 0;
}
// What a router is coloured by: the mean of its ranks' shares of the run time.
function shareOfRouter(router) {
  const ranks = ranksOfRouter.get(router);
  if (!ranks) return null;
  const seconds = {compute: column.rank_compute, transfer: column.rank_transfer, wait: column.rank_wait}[state.nodeColour];
  if (!seconds) return ranks[0] / Math.max(1, rankCount - 1);
  return ranks.reduce((sum, rank) => sum + seconds[rank], 0) / ranks.length / (meta.runtime_s || 1);
}

// Nodes are grey, the darker the more, so that they are not taken for links; ranks by number have colours.
function nodeColour(share) {
  if (state.nodeColour === "plain" && share !== null) return shareColour(0.1 + 0.9 * share);
  const grey = share === null ? (isDark() ? 60 : 214) : isDark() ? 95 + 150 * share : 190 - 160 * share;
  return [grey, grey, Math.min(255, grey + 8)].map(Math.round);
}

// Links on the routes of the selected rank's messages.
function linksOfRank(rank) {
  const found = new Set();
  for (let link = 0; link < linkCount; ++link)
    for (let i = column.link_pairs_begin[link]; i < column.link_pairs_begin[link + 1]; ++i)
      if (column.pair_from[column.link_pairs[i]] === rank) { found.add(link); break; }
  return found;
}
let rankLinks = new Set(), rankLinksOf = null;
let shown = 0, gridLinks = 0;
for (let link = 0; link < linkCount; ++link) if (column.link_kind[link] < injection) ++gridLinks;
const topDefault = gridLinks > 20000 ? 3000 : gridLinks;
state.top = topDefault;

function updateLooks() {
  if (!renderer) return;
  if (state.rank !== rankLinksOf) {
    rankLinks = state.rank === null ? new Set() : linksOfRank(state.rank);
    rankLinksOf = state.rank;
  }
  const shares = new Float32Array(linkCount);
  for (let link = 0; link < linkCount; ++link) if (column.link_kind[link] < injection) shares[link] = shareOf(link);
  let least = -1;
  if (state.top < gridLinks) {
    const sorted = Float32Array.from(shares).sort();
    least = Math.max(sorted[Math.max(0, linkCount - state.top)], 1e-9);
  }
  shown = 0;
  const idle = isDark() ? [52, 58, 65] : [222, 225, 229], failed = [213, 94, 0];
  const looks = renderer.linkLooks, segments = column.segment_link;
  for (let i = 0; i < segments.length; ++i) {
    const link = segments[i], share = shares[link];
    let colour = share > 0 ? shareColour(share) : idle, width = share > 0 ? 1.6 + 4.4 * share : 0.8;
    if (share < least) width = 0; else if (i === 0 || segments[i - 1] !== link) ++shown;
    if (column.link_failed[link]) { colour = failed; width = 2.2; }
    if (rankLinks.has(link)) { colour = [204, 121, 167]; width = Math.max(width, 3.2); }
    if (state.link === link) { colour = isDark() ? [255, 255, 255] : [0, 0, 0]; width = Math.max(width, 6); }
    looks[4 * i] = colour[0]; looks[4 * i + 1] = colour[1]; looks[4 * i + 2] = colour[2];
    looks[4 * i + 3] = Math.min(255, Math.round(16 * width));
  }
  const nodes = renderer.nodeLooks, selected = state.rank === null ? state.router : routerOfNode.get(column.rank_node[state.rank]);
  for (let r = 0; r < routerCount; ++r) {
    const share = shareOfRouter(r);
    let colour = nodeColour(share), size = share === null ? 0.6 : 1;
    if (!column.router_works[r]) { colour = failed; size = 1; }
    if (r === selected) { colour = [204, 121, 167]; size = 1; }
    nodes.set([colour[0], colour[1], colour[2], Math.round(255 * size)], 4 * r);
  }
  renderer.looksChanged();
}

function drawMachine() {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * ratio));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * ratio));
  if (!renderer) return;
  const view = cameraView(), thick = ratio * Math.min(2.4, Math.max(0.55, view.unit / ratio / 26));
  renderer.draw(view, thick);
  placeAxes(view);
  drawLegend();
}

// Names of the dimensions at the ends of their axes.
function placeAxes(view) {
  const box = document.getElementById("axes");
  box.replaceChildren();
  const corner = [0, -extent[1], 0];
  axesOf.forEach((list, axis) => {
    if (list.length === 0 || extent[axis] === 0) return;
    const end = [...corner];
    end[axis] = axis === 1 ? 0.75 : extent[axis] + 0.75;
    const p = [0, 1, 2, 3].map((i) => view.matrix[i] * end[0] + view.matrix[4 + i] * end[1] + view.matrix[8 + i] * end[2] + view.matrix[12 + i]);
    const name = list.map((d) => dims[d].name).join(", "), label = element("span");
    label.textContent = axis === 1 ? `${name} = 0` : `${name} = ${list.map((d) => dims[d].extent - 1).join(", ")}`;
    box.append(label);
    // Whole, also where the axis ends at the edge of the stage.
    const within = (at, size, most) => Math.max(size / 2 + 4, Math.min(most - size / 2 - 4, at)) + "px";
    label.style.left = within((p[0] / p[3] + 1) / 2 * canvas.clientWidth, label.offsetWidth, canvas.clientWidth);
    label.style.top = within((1 - p[1] / p[3]) / 2 * canvas.clientHeight, label.offsetHeight, canvas.clientHeight);
  });
}

function drawLegend() {
  const box = document.getElementById("legend");
  const bar = element("canvas", {width: "140", height: "8"}), context = bar.getContext("2d");
  for (let x = 0; x < 140; ++x) { context.fillStyle = rgb(shareColour(x / 139)); context.fillRect(x, 0, 1, 8); }
  const most = {window: "100 % of capacity", mean: "100 % of capacity", bytes: bytesText(mostBytes), loss: seconds(mostLoss)}[state.linkColour];
  box.replaceChildren(`${shown.toLocaleString("en")} of ${count(gridLinks, "link")}; thick end: where a link begins; 0`, bar, most);
}

if (renderer) {
  let drag = null, moved = 0;
  const redraw = () => requestAnimationFrame(drawMachine);
  canvas.addEventListener("pointerdown", (e) => { drag = {x: e.clientX, y: e.clientY}; moved = 0; canvas.setPointerCapture(e.pointerId); });
  canvas.addEventListener("pointermove", (e) => {
    if (!drag) return;
    const dx = e.clientX - drag.x, dy = e.clientY - drag.y;
    moved += Math.abs(dx) + Math.abs(dy);
    if (isFlat || e.shiftKey) {
      const unit = reach * 2 / canvas.clientHeight / eye.zoom;
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
    if (turn && isFlat) { eye.panX -= turn[0] * 0.3; eye.panY += turn[1] * 0.3; }
    else if (turn) { eye.yaw += turn[0] * 0.1; eye.pitch += turn[1] * 0.1; }
    else if (e.key === "+") eye.zoom *= 1.2;
    else if (e.key === "-") eye.zoom /= 1.2;
    else return;
    e.preventDefault();
    redraw();
  });
  document.getElementById("reset").addEventListener("click", () => { Object.assign(eye, start); set({link: null, rank: null, router: null}); });
}
function pickAt(x, y) {
  const ratio = window.devicePixelRatio || 1, view = cameraView(), thick = ratio * Math.min(2.4, Math.max(0.55, view.unit / ratio / 26));
  const found = renderer.pick(view, thick, x, y);
  if (found === null) return set({link: null, rank: null, router: null});
  if (found.link !== undefined) return selectLink(found.link);
  const ranks = ranksOfRouter.get(found.router);
  if (ranks && ranks.length === 1) selectRank(ranks[0]);
  else set({router: found.router, rank: null, link: null});
}

document.getElementById("link-colour").addEventListener("change", (e) => set({linkColour: e.target.value}));
document.getElementById("node-colour").addEventListener("change", (e) => set({nodeColour: e.target.value}));
// Where nothing is computed, waits say more.
if (column.rank_compute.every((s) => s === 0)) {
  state.nodeColour = "transfer";
  document.getElementById("node-colour").value = "transfer";
}
const topInput = document.getElementById("top");
// The slider is logarithmic: 10 links at its left end, all at its right one.
const topOf = (value) => Math.round(Math.min(10, gridLinks) * (gridLinks / Math.min(10, gridLinks)) ** (value / 100));
topInput.value = gridLinks <= 10 ? 100 : 100 * Math.log(topDefault / 10) / Math.log(gridLinks / 10);
topInput.addEventListener("input", () => set({top: topOf(Number(topInput.value))}));
onChange(() => {
  document.getElementById("top-text").textContent = state.top >= gridLinks ? "all" : state.top.toLocaleString("en");
  updateLooks();
  drawMachine();
});

