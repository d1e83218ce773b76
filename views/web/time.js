// The time of the run: a slider over its windows, above it how busy the links are on average and the busiest one.
const timeInput = document.getElementById("time"), timeText = document.getElementById("time-text");
timeInput.max = windows - 1;
timeInput.addEventListener("input", () => set({time: Number(timeInput.value)}));
const meanUse = [], mostUse = [];
for (let w = 0; w < windows; ++w) {
  let sum = 0, most = 0;
  for (let link = 0; link < linkCount; ++link) {
    if (column.link_kind[link] >= injection) continue;
    const use = column.link_use[w * linkCount + link];
    sum += use;
    most = Math.max(most, use);
  }
  meanUse.push(sum / 255 / Math.max(1, gridLinks));
  mostUse.push(most / 255);
}
let playing = null;
document.getElementById("play").addEventListener("click", (e) => {
  if (playing !== null) { clearInterval(playing); playing = null; e.target.innerHTML = "&#9654;"; return; }
  e.target.innerHTML = "&#10074;&#10074;";
  playing = setInterval(() => { const next = (state.time + 1) % windows; timeInput.value = next; set({time: next}); }, 160);
});
onChange(() => {
  timeInput.value = state.time;
  const begin = state.time * meta.window_s, end = Math.min(meta.runtime_s, begin + meta.window_s);
  timeText.textContent = `${seconds(begin)} to ${seconds(end)}`;
  const [context, width, height] = sized(document.getElementById("load-over-time"));
  const step = width / windows;
  for (const [values, colour] of [[mostUse, css("--line")], [meanUse, css("--accent")]]) {
    context.fillStyle = colour;
    values.forEach((value, w) => context.fillRect(w * step, height - value * height, Math.max(1, step - 0.5), value * height));
  }
});

