// What the page is given: its head, and the numbers of its columns, which are unpacked while other things are prepared.
const head = JSON.parse(document.getElementById("head").textContent);
const meta = head.meta;
const types = {u1: Uint8Array, u2: Uint16Array, u4: Uint32Array, i4: Int32Array, f4: Float32Array, f8: Float64Array};
function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);  // where browsers have it; a loop over 10 MB takes longer than all else
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
const unpacking = unpack(bytesOf(document.getElementById("numbers").textContent), Math.max(0, ...Object.values(head.columns).map(sizeOf)));
const countOf = (name) => head.columns[name].count;
const linkCount = countOf("link_from"), routerCount = countOf("router_first_node"), nodeCount = countOf("node_state");
const dims = meta.dimensions, nodesPerRouter = meta.nodes_per_router;
const injection = 254, ejection = 255;
