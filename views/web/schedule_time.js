// The time of a schedule: the slider goes over the times that the charts show.
const timeRange = () => ({min: state.from, max: state.to, step: (state.to - state.from) / 400});
const timeText = clock;
document.getElementById("time-caption").replaceChildren(keyOf("var(--accent)", "nodes in use"));
function timePicture(context, width, height) {
  context.fillStyle = css("--accent");
  for (let x = 0; x < width; ++x) {
    const a = state.from + (state.to - state.from) * x / width, share = nodesInUse.mean(a, a + (state.to - state.from) / width) / Math.max(1, meta.compute_nodes);
    context.fillRect(x, height - share * height, 1, share * height);
  }
}
