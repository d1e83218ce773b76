// Where routers are drawn: x, y and z as they are; further dimensions fold, so that each of their positions is a block
// of its own beside the others.
const axesOf = [0, 1, 2].map((axis) => dims.map((_, d) => d).filter((d) => d % 3 === axis));
const place = new Float32Array(routerCount * 3);
const extent = [0, 0, 0];
for (let r = 0; r < routerCount; ++r) {
  const at = coordinates(r);
  axesOf.forEach((list, axis) => {
    let position = 0, pitch = 1;
    for (const d of list) {
      position += at[d] * pitch;
      pitch = pitch * dims[d].extent + 1;
    }
    place[3 * r + axis] = axis === 1 ? -position : position;  // y downwards, as rows of a table
    extent[axis] = Math.max(extent[axis], position);
  });
}
const centre = [extent[0] / 2, -extent[1] / 2, extent[2] / 2];
const reach = Math.max(1, Math.hypot(...extent) / 2);
const isFlat = extent[2] === 0;

