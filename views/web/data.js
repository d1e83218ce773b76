// What the page is given: its head, and the numbers of its columns, which are unpacked while other things are prepared.
/** @type {(id: string) => AnyElement} */
export const byId = (id) => /** @type {any} */ (document.getElementById(id));
/** @type {{meta: Meta, columns: Record<string, {at: number, count: number, type: string}>}} */
export const head = JSON.parse(byId("head").textContent);
export const meta = head.meta;
export const types =
  {u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array, f8: Float64Array};
function bytesOf(base64) {
  // where browsers have it; a loop over 10 MB takes longer than all else
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const text = atob(base64), bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return bytes;
}
const sizeOf = (c) => c.at + c.count * types[c.type].BYTES_PER_ELEMENT;
// The bytes that a gzip stream has, written where they stay: a Blob on the way, or a Response behind, doubles the time.
async function unpack(packed, size) {
  const stream = new DecompressionStream("gzip"), writer = stream.writable.getWriter(), bytes = new Uint8Array(size);
  const written = writer.write(packed).then(() => writer.close());
  let at = 0;
  for await (const part of stream.readable) { bytes.set(part, at); at += part.length; }
  await written;
  return bytes.buffer;
}
export const unpacking =
  unpack(bytesOf(byId("numbers").textContent), Math.max(0, ...Object.values(head.columns).map(sizeOf)));
const countOf = (name) => head.columns[name].count;
export const linkCount = countOf("link_from"), routerCount = countOf("router_first_node");
export const nodeCount = countOf("node_state");
export const dims = meta.dimensions, nodesPerRouter = meta.nodes_per_router;
export const injection = 254, ejection = 255;
// The columns of the document: views of one buffer, by name, when they are unpacked (units.js).
/** @type {Columns} */
export const column = /** @type {any} */ ({});
export const routerOfNode = new Uint32Array(nodeCount);

// Where routers are drawn, as layout.js says.
/** @type {Layout} */
export const layout = {place: new Float32Array(3 * routerCount), isShown: new Uint8Array(routerCount),
  isOutside: new Uint8Array(routerCount), extent: [0, 0, 0], dimensions: [[], [], []]};
export const place = (router, axis) => layout.place[3 * router + axis];

// Colours: viridis for shares, reversed on a light ground, so that idle is faint on either; Okabe and Ito's for kinds.
export const darkQuery = window.matchMedia("(prefers-color-scheme: dark)");
let dark = darkQuery.matches;  // asked for each of a million cells, of which the query would take a second
export const isDark = () => dark;
darkQuery.addEventListener("change", () => { dark = darkQuery.matches; });
export const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const viridis = [[68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129],
  [92, 200, 99], [170, 220, 50], [253, 231, 37]];

const between = Array.from({length: 256}, (_, n) => {
  const at = n / 255 * (viridis.length - 1), i = Math.min(viridis.length - 2, Math.floor(at)), part = at - i;
  return [0, 1, 2].map((k) => Math.round(viridis[i][k] * (1 - part) + viridis[i + 1][k] * part));
});

// The colour of a share, 0 to 1, as three numbers from 0 to 255. Looked up, as a million of cells and links have one.
export function shareColour(share) {
  const n = Math.round(255 * Math.min(1, Math.max(0, share)));
  return between[dark ? n : 255 - n];
}
export const rgb = (c) => `rgb(${c[0]},${c[1]},${c[2]})`;
// The colours of jobs: those of Okabe and Ito, which the colour-blind tell apart.
export const okabeIto = [[230, 159, 0], [86, 180, 233], [0, 158, 115], [240, 228, 66], [0, 114, 178], [213, 94, 0],
  [204, 121, 167]];
export const kindColours = {compute: [0, 114, 178], transfer: [230, 159, 0], wait: [150, 156, 163]};
export const partColours = ["#0072b2", "#56b4e9", "#009e73", "#e69f00", "#d55e00", "#cc79a7", "#7f7f7f"];
