import {column, darkQuery, dims, ejection, injection, nodesPerRouter, routerCount, routerOfNode} from "./data.js";
import {element} from "./units.js";

// What is selected, and which time is shown: one state that all views listen to. Pages add what they know besides.
/** @type {State} */
export const state = {time: 0, page: "drawn", link: null, node: null};
/** @type {Partial<State>} */
export const nothing = {link: null, node: null};  // what is selected when nothing is
// A listener hears of changes of the parts of the state that it names, or of all if it names none; and of a page that
// has another size or other colours. What depends on nothing else names "page".
const listeners = [];
export const onChange = (listener, ...names) => drawIn(null, listener, ...names);
// A listener that draws a part of the page: while that is out of sight, the listener waits until nothing
// else is to do.
export const drawIn = (part, listener, ...names) => listeners.push({part, listener, names, last: [], isDue: false});
function isInSight({part}) {
  if (!part) return true;
  const {top, bottom} = part.getBoundingClientRect();
  return top < window.innerHeight && bottom > 0;
}
function call(one) {
  one.isDue = false;
  one.listener(state);
}
let isScheduled = false, isAnew = true, waiting = 0;
export function set(changes) {
  Object.assign(state, changes);
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    const all = isAnew, inSight = new Set(listeners.filter(isInSight));  // all at once, as the page is laid out to tell
    isAnew = false;
    for (const one of listeners) {
      if (all || one.names.length === 0 || one.names.some((name, i) => state[name] !== one.last[i])) {
        one.last = one.names.map((name) => state[name]);
        one.isDue = true;
      }
      if (one.isDue && inSight.has(one)) call(one);
    }
    document.body.dataset.ready = "yes";
    drawRest(50);
  });
}
// Draws what is out of sight, a listener at a time, when so many milliseconds have passed without another change. How
// many are left stands in the page.
function drawRest(milliseconds) {
  clearTimeout(waiting);
  const left = listeners.filter((one) => one.isDue);
  document.body.dataset.left = String(left.length);
  if (left.length > 0) waiting = setTimeout(() => { try { call(left[0]); } finally { drawRest(0); } }, milliseconds);
}
window.addEventListener("beforeprint", () => { for (const one of listeners) if (one.isDue) call(one); });
export function drawAnew() { isAnew = true; set({}); }
export const select = (what) => set({...nothing, ...what});
darkQuery.addEventListener("change", drawAnew);
window.addEventListener("resize", drawAnew);

// What routers, nodes and links are called: as the command prints them.
export function coordinates(router) {
  return Array.from(column.router_at.subarray(router * dims.length, (router + 1) * dims.length));
}
const routerName = (router) => (nodesPerRouter === 1 ? "n" + column.router_first_node[router] : "r" + router);
export function linkName(link) {
  const kind = column.link_kind[link], from = column.link_from[link];
  if (kind === injection) return `n${from} injection`;
  if (kind === ejection) return `n${from} ejection`;
  const d = dims[kind >> 1];
  if (d.shared) return `line of ${routerName(from)} (${d.name})`;
  return `${routerName(from)} -> ${routerName(column.link_to[link])} (${kind & 1 ? "-" : "+"}${d.name})`;
}
export const linkButton = (link) => element("button", {type: "button", onclick: () => select({link})}, linkName(link));
export const nodeButton = (node) => element("button", {type: "button", onclick: () => select({node})}, "n" + node);

for (let r = 0; r < routerCount; ++r)
  for (let i = 0; i < nodesPerRouter; ++i) routerOfNode[column.router_first_node[r] + i] = r;
export const nodeStates = ["computes", "service node", "failed", "absent"];
export const computes = (node) => column.node_state[node] === 0;

// A node as the aside begins to tell of it.
export function aboutNode(node) {
  const router = routerOfNode[node];
  const others = Array.from({length: nodesPerRouter}, (_, i) => column.router_first_node[router] + i)
    .filter((n) => n !== node);
  return [element("h3", {}, `n${node} at (${coordinates(router).join(",")}): ${nodeStates[column.node_state[node]]}`),
    ...(others.length > 0
      ? [element("p", {}, `On ${routerName(router)} with `, ...others.slice(0, 16)
        .flatMap((n) => [nodeButton(n), " "]))] : [])];
}
