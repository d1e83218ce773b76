import {byId, column, dims, injection, layout, routerOfNode} from "./data.js";
import {element, gridLinks, grouped, sized} from "./units.js";
import {coordinates, onChange, set, state} from "./state.js";
import {canStand, hasFloor, onePlane, updateLayout} from "./layout.js";
import {layoutChanged, resetEye} from "./machine.js";

// Where routers are drawn: the choice of places, of axes for dimensions, and of planes.
const planeInputs = [];
{
  const box = byId("layout");
  const change = (changes) => { Object.assign(state, changes); updateLayout(); resetEye(); layoutChanged(); set({}); };
  const choice = (label, values, chosen, action) => {
    const list = element("select", {"aria-label": label},
      ...values.map(([value, text]) => element("option", {value}, text)));
    list.value = chosen;
    list.addEventListener("change", () => action(list.value));
    return list;
  };
  const views = [["joined", "as routers are joined"],
    ...(canStand ? [["stands", "as routers stand, with cables"]] : []),
    ...(hasFloor ? [["floor", "cabinets, as numbers count"]] : [])];
  if (views.length > 1)
    box.append(element("label", {}, "places ", choice("places", views, state.view, (view) => change({view}))));
  if (dims.length > 2) {
    const line = element("span", {class: "axes"});
    dims.forEach((d, i) => {
      const plane = element("input", {type: "number", min: "0", max: String(d.extent - 1), value: "0",
        "aria-label": `plane of ${d.name}`});
      plane.hidden = state.axes[i] !== onePlane;
      planeInputs.push(plane);
      plane.addEventListener("input", () => {
        const planes = [...state.planes];
        planes[i] = Math.max(0, Math.min(d.extent - 1, Math.floor(Number(plane.value)) || 0));
        change({planes});
      });
      line.append(element("label", {}, d.name + " ",
        choice(`axis of ${d.name}`, [[0, "across"], [1, "down"], [2, "deep"], [onePlane, "one plane"]], state.axes[i],
          (value) => {
            const axes = [...state.axes];
            axes[i] = Number(value);
            plane.hidden = axes[i] !== onePlane;
            change({axes});
          }), plane));
    });
    box.append(line);
  }
}

// What is selected comes into view: planes move to it.
export function bringIntoView(router) {
  if (layout.isShown[router]) return;
  state.planes = coordinates(router);
  planeInputs.forEach((input, d) => { input.value = state.planes[d]; });
  updateLayout();
  layoutChanged();
}
onChange(() => {
  if (state.link !== null && column.link_kind[state.link] < injection) bringIntoView(column.link_from[state.link]);
  if (state.node !== null) bringIntoView(routerOfNode[state.node]);
}, "link", "node");

// The time that is shown: a slider, and above it a picture of all times. `range()` gives {min, max, step}, `text(time)`
// and `paint(context, width, height)` say and draw times.
export function showTime(range, text, paint) {
  const input = byId("time");
  input.addEventListener("input", () => set({time: Number(input.value)}));
  let playing = null;
  const play = byId("play");
  play.addEventListener("click", () => {
    if (playing !== null) { clearInterval(playing); playing = null; play.innerHTML = "&#9654;"; return; }
    play.innerHTML = "&#10074;&#10074;";
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
export function showTop() {
  const input = byId("top");
  // The slider is logarithmic: 10 links at its left end, all at its right one.
  const topOf = (value) => Math.round(Math.min(10, gridLinks) * (gridLinks / Math.min(10, gridLinks)) ** (value / 100));
  input.value = String(gridLinks <= 10 ? 100 : 100 * Math.log(topDefault / 10) / Math.log(gridLinks / 10));
  input.addEventListener("input", () => set({top: topOf(Number(input.value))}));
  onChange(() => {
    byId("top-text").textContent = state.top >= gridLinks ? "all" : grouped(state.top);
  }, "top");
}
// The least value of those that are shown, of values from 0 to 1; ports have 0. Values are counted in classes, which
// takes a tenth of the time of sorting a million of them; of the last class all are shown.
export function leastOf(values) {
  if (state.top >= gridLinks) return -1;
  const bins = 65536, counts = new Uint32Array(bins + 1);
  for (let i = 0; i < values.length; ++i) ++counts[Math.min(bins, Math.floor(values[i] * bins))];
  let left = state.top, least = bins;
  for (left -= counts[least]; left > 0 && least > 0; left -= counts[least]) --least;
  return Math.max(least / bins, 1e-9);
}
