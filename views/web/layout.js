import {column, dims, layout, meta, nodeCount, nodesPerRouter, place, routerCount} from "./data.js";
import {state} from "./state.js";

// Where routers are drawn. "joined": by their coordinates, so that neighbours lie next to each other; "stands": the
// same with the places where cables put them; "floor": flat, block by block as their numbers count them, which is as
// cabinets and blades stand. A dimension runs along an axis of the picture, several ones fold into each other, or the
// picture shows one plane of it.
export const onePlane = 3;  // chosen in the place of an axis
export const canStand = dims.some((d) => d.places);
export const hasFloor = dims.some((_, d) => meta.numbering.filter((digit) => digit[0] === d).length > 1);
state.view = "joined";
state.axes = startingAxes();
state.planes = dims.map(() => 0);

// The three longest dimensions have an axis each; shorter ones fold into the shortest axis, the longest of them first.
// Where that would make a bar, the picture shows one plane of the longest of them.
function startingAxes() {
  if (dims.length <= 3) return dims.map((_, d) => d);
  const byExtent = dims.map((_, d) => d).sort((a, b) => dims[b].extent - dims[a].extent || a - b);
  const own = byExtent.slice(0, 3).sort((a, b) => a - b);
  for (let sliced = 0; ; ++sliced) {
    const axes = dims.map(() => onePlane), lengths = own.map((d) => dims[d].extent);
    own.forEach((d, axis) => { axes[d] = axis; });
    for (const d of byExtent.slice(3 + sliced)) {
      const axis = lengths.indexOf(Math.min(...lengths));
      axes[d] = axis;
      lengths[axis] *= dims[d].extent + 1;
    }
    if (Math.max(...lengths) <= 3 * Math.min(...lengths) || sliced === byExtent.length - 3) return axes;
  }
}

// What counts along each axis, the innermost first: {count, d, of(place along dimension d)}.
function gridAxes() {
  const all = [[], [], []];
  layout.dimensions = [0, 1, 2].map((axis) => dims.map((_, d) => d).filter((d) => state.axes[d] === axis)
    .sort((a, b) => dims[a].extent - dims[b].extent || a - b));
  layout.dimensions.forEach(
    (list, axis) => { for (const d of list) all[axis].push({count: dims[d].extent, d, of: (at) => at}); });
  return all;
}
function floorAxes() {
  const all = [[], [], []], lengths = [1, 1], below = dims.map(() => 1);
  const places = meta.numbering.map(([d, digitCount]) => {
    const weight = below[d];
    below[d] *= digitCount;
    return {count: digitCount, d, of: (at) => Math.floor(at / weight) % digitCount};
  });
  for (const digit of places.reverse()) {  // the largest blocks first, so that the whole becomes about square
    const axis = lengths[0] <= lengths[1] ? 0 : 1;
    all[axis].unshift(digit);
    lengths[axis] *= digit.count;
  }
  layout.dimensions = [[], [], []];
  return all;
}
// How far along an axis a coordinate of a dimension moves a router. Places are sums of these.
function stepsAlong(axes) {
  return axes.map((counted) => {
    const steps = dims.map((dimension) => new Float32Array(dimension.extent));
    let pitch = 1;
    for (const {count: n, d, of} of counted) {
      const {places} = dims[d];
      steps[d].forEach((_, i) => { steps[d][i] += of(state.view !== "joined" && places ? places[i] : i) * pitch; });
      pitch = pitch * n + 1;
    }
    return steps;
  });
}
export function updateLayout() {
  const steps = stepsAlong(state.view === "floor" ? floorAxes() : gridAxes());
  const {place: places, isShown, extent} = layout;
  const planes = dims.map((_, d) => (state.view !== "floor" && state.axes[d] === onePlane ? state.planes[d] : -1));
  steps.forEach((ofDimensions, axis) => { extent[axis] = ofDimensions.reduce((sum, some) => sum + Math.max(...some), 0);
  });
  for (let r = 0; r < routerCount; ++r) {
    let across = 0, down = 0, deep = 0;
    isShown[r] = 1;
    for (let d = 0; d < dims.length; ++d) {
      const at = column.router_at[r * dims.length + d];
      if (planes[d] >= 0 && at !== planes[d]) isShown[r] = 0;
      across += steps[0][d][at];
      down += steps[1][d][at];
      deep += steps[2][d][at];
    }
    places[3 * r] = across;
    places[3 * r + 1] = -down;  // y downwards, as rows of a table
    places[3 * r + 2] = deep;
  }
  layout.centre = [extent[0] / 2, -extent[1] / 2, extent[2] / 2];
  layout.reach = Math.max(1, Math.hypot(...extent) / 2);
  layout.isFlat = extent[2] === 0;
  for (let r = 0; r < routerCount; ++r) {
    layout.isOutside[r] = layout.isFlat ? 1 : 0;
    for (let axis = 0; axis < 3; ++axis) {
      const position = Math.abs(places[3 * r + axis]);
      if (extent[axis] > 0 && (position === 0 || position === extent[axis])) layout.isOutside[r] = 1;
    }
  }
  // Lines longer than these are stubs. Folded cables go to every other place.
  layout.longest = state.view === "stands" ? 2.3 : 1.6;
  layout.shown = isShown.reduce((a, b) => a + b, 0);
  layout.nodes = nodePlaces();
}

// Nodes of a router stand around it.
function nodePlaces() {
  const side = Math.ceil(layout.isFlat ? Math.sqrt(nodesPerRouter) : Math.cbrt(nodesPerRouter));
  const step = side > 1 ? 0.4 / (side - 1) : 0;
  const places = new Float32Array(3 * nodeCount), offset = (k) => (side > 1 ? k * step - 0.2 : 0);
  for (let r = 0; r < routerCount; ++r)
    for (let i = 0; i < nodesPerRouter; ++i) {
      const to = 3 * (column.router_first_node[r] + i);
      places[to] = place(r, 0) + offset(i % side);
      places[to + 1] = place(r, 1) - offset(Math.floor(i / side) % side);
      places[to + 2] = place(r, 2) + (layout.isFlat ? 0 : offset(Math.floor(i / side / side)));
    }
  return places;
}
updateLayout();
