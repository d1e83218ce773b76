// The windows of a run: how busy the links are on average, and the busiest one.
const meanUse = [], mostUse = [];
for (let w = 0; w < windows; ++w) {
  const kinds = column.link_kind, uses = column.link_use.subarray(w * linkCount, (w + 1) * linkCount);
  let sum = 0, most = 0;
  for (let link = 0; link < linkCount; ++link) {
    if (kinds[link] >= injection) continue;
    const use = uses[link];
    sum += use;
    most = Math.max(most, use);
  }
  meanUse.push(sum / 255 / Math.max(1, gridLinks));
  mostUse.push(most / 255);
}
const timeRange = () => ({min: 0, max: windows - 1, step: 1});
function timeText(window) {
  const begin = window * meta.window_s;
  return `${seconds(begin)} to ${seconds(Math.min(meta.runtime_s, begin + meta.window_s))}`;
}
function timePicture(context, width, height) {
  const step = width / windows;
  for (const [values, colour] of [[mostUse, css("--line")], [meanUse, css("--accent")]]) {
    context.fillStyle = colour;
    values.forEach((value, w) => context.fillRect(w * step, height - value * height, Math.max(1, step - 0.5), value * height));
  }
}
document.getElementById("time-caption").replaceChildren(keyOf("var(--accent)", "use of all links on average"), keyOf("var(--line)", "of the busiest link"));
