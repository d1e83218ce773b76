import lines_vert from "./lines.vert";
import lines_frag from "./lines.frag";
import nodes_vert from "./nodes.vert";
import nodes_frag from "./nodes.frag";
import {byId, column, dims, isDark, layout, linkCount, nodeCount, place, routerCount, routerOfNode} from "./data.js";

// The machine by WebGL 2: each line between two routers is a ribbon that faces the reader, made in the vertex shader
// from the numbers of its ends. One call draws all of them. A line that would cross the picture, a wrap-around link or
// one between blocks, is two stubs, unless it says that it is drawn whole. A line that goes one way has an arrowhead
// besides. Ids are drawn into a picture of their own to find what lies under the mouse.

// Flags of a line: no other one lies beside it; it is drawn whole however long; it is the stub where it begins, or
// where it ends; it goes one way; it is only the arrowhead of a line.
export const singleLine = 1, wholeLine = 2, stubAtBegin = 4, stubAtEnd = 8, oneWayLine = 16, headOfLine = 32;
// Whether a line is too long to be drawn whole. Wraps of a twisted torus come out elsewhere, which stubs would not
// show.
function crossesPicture(from, to) {
  const across = place(to, 0) - place(from, 0), down = place(to, 1) - place(from, 1);
  const deep = place(to, 2) - place(from, 2);
  if (across * across + down * down + deep * deep <= layout.longest * layout.longest) return false;
  let moved = 0;
  for (let d = 0; d < dims.length; ++d)
    if (column.router_at[from * dims.length + d] !== column.router_at[to * dims.length + d]) ++moved;
  return moved === 1;
}

function makeRenderer(canvas) {
  const gl = canvas.getContext("webgl2", {antialias: linkCount < 8000, preserveDrawingBuffer: true});
  if (!gl) return null;
  const compiled = (vertex, fragment) => {
    const made = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(made, shader);
    }
    gl.linkProgram(made);
    return made;
  };
  const program = (made) => {
    if (!gl.getProgramParameter(made, gl.LINK_STATUS))
      throw new Error([gl.getProgramInfoLog(made), ...gl.getAttachedShaders(made)
        .map((shader) => gl.getShaderInfoLog(shader))].join(" "));
    const names = {};
    for (let i = 0; i < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); ++i) {
      const {name} = gl.getActiveUniform(made, i);
      names[name] = gl.getUniformLocation(made, name);
    }
    return {made, names};
  };
  // Both are compiled before the first is asked how that went, which waits for the answer.
  const [ribbons, dots] = [compiled(lines_vert, lines_frag), compiled(nodes_vert, nodes_frag)].map(
    program);
  const width = 2048;
  const texture = (format, inner, type, Numbers) => {
    const made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    for (const [key, value] of [[gl.TEXTURE_MIN_FILTER, gl.NEAREST], [gl.TEXTURE_MAG_FILTER, gl.NEAREST]])
      gl.texParameteri(gl.TEXTURE_2D, key, value);
    // Four numbers for each of so many things; room for more is not sent.
    const texels = {made, numbers: new Numbers(4 * width), put(things) {
      const height = Math.max(1, Math.ceil(things / width));
      texels.reserve(height * width);
      gl.bindTexture(gl.TEXTURE_2D, made);
      gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, format, type,
        texels.numbers.subarray(0, 4 * height * width));
    }, reserve(things) {
      if (4 * things <= texels.numbers.length) return;
      const more = new Numbers(4 * width * Math.ceil(Math.max(things, texels.numbers.length / 2) / width));
      more.set(texels.numbers);
      texels.numbers = more;
    }};
    return texels;
  };
  const places = texture(gl.RGBA, gl.RGBA32F, gl.FLOAT, Float32Array);
  // What is drawn of the machine. There may be several panes beside each other, which show different things of it.
  const makePane = () => ({
    dotPlaces: texture(gl.RGBA, gl.RGBA32F, gl.FLOAT, Float32Array),
    segments: texture(gl.RGBA_INTEGER, gl.RGBA32UI, gl.UNSIGNED_INT, Uint32Array),
    linkLooks: texture(gl.RGBA, gl.RGBA8, gl.UNSIGNED_BYTE, Uint8Array),
    nodeLooks: texture(gl.RGBA, gl.RGBA8, gl.UNSIGNED_BYTE, Uint8Array),
    segmentCount: 0, shownNodes: 0,
  });
  const panes = [makePane()];
  let paneCount = 1, indexed = 0;
  // Two triangles for the four corners of each ribbon, so that the shader runs four times for a ribbon and not six
  // times.
  const indices = gl.createBuffer();
  function reserveIndices(lines) {
    if (lines <= indexed) return;
    indexed = Math.max(lines, 2 * indexed);
    const all = new Uint32Array(6 * indexed);
    for (let at = 0, corner = 0; at < all.length; at += 6, corner += 4) {
      all[at] = all[at + 3] = corner;
      all[at + 1] = corner + 1;
      all[at + 2] = all[at + 4] = corner + 2;
      all[at + 5] = corner + 3;
    }
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, all, gl.STATIC_DRAW);
  }
  const bind = (p, unit, name, t) => {
    gl.activeTexture(gl.TEXTURE0 + unit);
    gl.bindTexture(gl.TEXTURE_2D, t.made);
    gl.uniform1i(p.names[name], unit);
  };
  const target = gl.createFramebuffer(), picture = gl.createTexture(), depth = gl.createRenderbuffer();

  function pass(view, picking, scale) {
    const ground = picking ? [0, 0, 0] : isDark() ? [0x14, 0x17, 0x1a] : [255, 255, 255];
    gl.clearColor(ground[0] / 255, ground[1] / 255, ground[2] / 255, picking ? 0 : 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.depthFunc(gl.LEQUAL);
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, indices);
    const across = Math.floor(canvas.width / paneCount);
    panes.slice(0, paneCount).forEach((pane, i) => {
      gl.viewport(i * across, 0, across, canvas.height);
      drawPane(pane, view, picking, scale, ground, across);
    });
  }
  function drawPane({dotPlaces, segments, linkLooks, nodeLooks, segmentCount, shownNodes}, view, picking, scale, ground,
    across) {
    gl.useProgram(ribbons.made);
    bind(ribbons, 0, "places", places);
    bind(ribbons, 1, "segments", segments);
    bind(ribbons, 2, "looks", linkLooks);
    gl.uniformMatrix4fv(ribbons.names.camera, false, view.matrix);
    gl.uniform2f(ribbons.names.size, across, canvas.height);
    gl.uniform1f(ribbons.names.picking, picking ? 1 : 0);
    gl.uniform4f(ribbons.names.fog, ground[0] / 255, ground[1] / 255, ground[2] / 255, picking ? 0 : view.fog);
    gl.uniform1f(ribbons.names.near, view.near);
    gl.uniform1f(ribbons.names.far, view.far);
    gl.uniform1f(ribbons.names.thick, scale);
    if (segmentCount > 0) gl.drawElements(gl.TRIANGLES, 6 * segmentCount, gl.UNSIGNED_INT, 0);
    gl.useProgram(dots.made);
    bind(dots, 0, "places", dotPlaces);
    bind(dots, 1, "looks", nodeLooks);
    gl.uniformMatrix4fv(dots.names.camera, false, view.matrix);
    gl.uniform1f(dots.names.dot_, view.dot);
    gl.uniform1ui(dots.names.offset, linkCount);
    gl.uniform4f(dots.names.fog, ground[0] / 255, ground[1] / 255, ground[2] / 255, picking ? 0 : view.fog);
    gl.uniform1f(dots.names.near, view.near);
    gl.uniform1f(dots.names.far, view.far);
    gl.uniform1f(dots.names.picking, picking ? 1 : 0);
    if (shownNodes > 0) gl.drawArrays(gl.POINTS, 0, shownNodes);
  }

  // Drivers make a shader ready when it draws for the first time, which takes as long as drawing 50,000 links: a line
  // and a node that nobody sees let the driver do so while the page unpacks its numbers.
  const [first] = panes;
  first.segmentCount = first.shownNodes = 1;
  reserveIndices(1);
  for (const texels of [places, first.dotPlaces, first.segments, first.linkLooks, first.nodeLooks]) texels.put(1);
  pass({matrix: new Float32Array(16), fog: 0, near: 0, far: 1, dot: 1}, false, 1);
  gl.flush();

  return {
    layoutChanged() {
      places.reserve(routerCount);
      for (let r = 0; r < routerCount; ++r) for (let axis = 0; axis < 3; ++axis)
        places.numbers[4 * r + axis] = place(r, axis);
      places.put(routerCount);
    },
    // What pane `number` of `count` shows. eachLine(put) calls put(from, to, link, flags, colour, width) for each line.
    // paintNode(node, look) puts colour, size from 0 to 1 and shape into look.
    looks(number, count, eachLine, paintNode) {
      paneCount = count;
      while (panes.length < count) panes.push(makePane());
      const pane = panes[number], {dotPlaces, segments, linkLooks, nodeLooks} = pane;
      let segmentCount = 0, shownNodes = 0;
      const ribbon = (from, to, link, flags, colour, lineWidth) => {
        if ((segmentCount & 2047) === 0) { segments.reserve(segmentCount + 2048);
          linkLooks.reserve(segmentCount + 2048); }
        const at = 4 * segmentCount++, ids = segments.numbers, looks = linkLooks.numbers;
        ids[at] = from; ids[at + 1] = to; ids[at + 2] = link; ids[at + 3] = flags;
        looks[at] = colour[0]; looks[at + 1] = colour[1]; looks[at + 2] = colour[2];
        looks[at + 3] = Math.min(255, Math.round(16 * lineWidth));
      };
      const line = (from, to, link, flags, colour, lineWidth) => {
        ribbon(from, to, link, flags, colour, lineWidth);
        if ((flags & oneWayLine) !== 0) ribbon(from, to, link, flags | headOfLine, colour, lineWidth);
      };
      eachLine((from, to, link, flags, colour, lineWidth) => {
        if ((flags & wholeLine) !== 0 || !crossesPicture(from, to))
          return line(from, to, link, flags, colour, lineWidth);
        line(from, to, link, flags | stubAtBegin, colour, lineWidth);
        line(from, to, link, flags | stubAtEnd, colour, lineWidth);
      });
      reserveIndices(segmentCount);
      segments.put(segmentCount);
      linkLooks.put(segmentCount);
      nodeLooks.reserve(nodeCount);
      dotPlaces.reserve(nodeCount);
      const look = [0, 0, 0, 0, 0], looks = nodeLooks.numbers, where = dotPlaces.numbers, {nodes, isShown} = layout;
      for (let node = 0; node < nodeCount; ++node) {
        if (!isShown[routerOfNode[node]]) continue;
        look[4] = 0;
        paintNode(node, look);
        if (!(look[3] > 0)) continue;
        const at = 4 * shownNodes++;
        for (let i = 0; i < 3; ++i) { looks[at + i] = look[i]; where[at + i] = nodes[3 * node + i]; }
        looks[at + 3] = (Math.round(63 * look[3]) << 2) | look[4];
        where[at + 3] = node;
      }
      nodeLooks.put(shownNodes);
      dotPlaces.put(shownNodes);
      Object.assign(pane, {segmentCount, shownNodes});
    },
    draw(view, scale) {
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      pass(view, false, scale);
    },
    // What lies at a place of the canvas, in its own pixels: {link}, {node} or null.
    pick(view, scale, x, y) {
      gl.bindTexture(gl.TEXTURE_2D, picture);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, canvas.width, canvas.height, 0, gl.RGBA, gl.UNSIGNED_BYTE, null);
      gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
      gl.bindRenderbuffer(gl.RENDERBUFFER, depth);
      gl.renderbufferStorage(gl.RENDERBUFFER, gl.DEPTH_COMPONENT16, canvas.width, canvas.height);
      gl.bindFramebuffer(gl.FRAMEBUFFER, target);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, picture, 0);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.RENDERBUFFER, depth);
      pass(view, true, scale);
      const pixel = new Uint8Array(4);
      gl.readPixels(x, canvas.height - 1 - y, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
      gl.bindFramebuffer(gl.FRAMEBUFFER, null);
      if (pixel[3] === 0) return null;
      const id = pixel[0] + 256 * pixel[1] + 65536 * pixel[2] - 1;
      return id < 0 ? null : id < linkCount ? {link: id} : {node: id - linkCount};
    },
  };
}

// Made before the numbers are unpacked.
export const canvas = byId("machine");
/** @type {ReturnType<typeof makeRenderer>} */
export let renderer = null;
try { renderer = makeRenderer(canvas); } catch (error) { console.error(error.message); }
if (!renderer) byId("no-gl").hidden = false;
