// The time that is shown: a slider, and above it a picture of all times. A page says timeRange() as {min, max, step},
// timeText(time) and timePicture(context, width, height).
const timeInput = document.getElementById("time");
timeInput.addEventListener("input", () => set({time: Number(timeInput.value)}));
let playing = null;
document.getElementById("play").addEventListener("click", (e) => {
  if (playing !== null) { clearInterval(playing); playing = null; e.target.innerHTML = "&#9654;"; return; }
  e.target.innerHTML = "&#10074;&#10074;";
  playing = setInterval(() => {
    const {min, max, step} = timeRange(), next = state.time + step;
    set({time: next > max ? min : next});
  }, 160);
});
onChange(() => {
  const {min, max, step} = timeRange();
  Object.assign(timeInput, {min, max, step: step === 1 ? 1 : "any", value: state.time});
  document.getElementById("time-text").textContent = timeText(state.time);
  timePicture(...sized(document.getElementById("time-picture")));
});
timeInput.addEventListener("keydown", (e) => {
  const way = {ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1}[e.key];
  if (way === undefined) return;
  e.preventDefault();
  const {min, max, step} = timeRange();
  set({time: Math.max(min, Math.min(max, state.time + way * step))});
});
