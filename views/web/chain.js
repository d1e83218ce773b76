// The longest steps of the critical path, in the order of time.
const obstaclesOf = new Map();
column.obstacle_step.forEach((step, i) => {
  if (!obstaclesOf.has(step)) obstaclesOf.set(step, []);
  obstaclesOf.get(step).push(i);
});
// The messages that were in the way of a step, those with the most bytes there first.
function inTheWay(step) {
  const list = obstaclesOf.get(step);
  if (!list) return "-";
  return element("div", {class: "obstacles"}, ...list.map((i) => element("div", {}, rankButton(column.obstacle_from[i]), " to ", rankButton(column.obstacle_to[i]),
    `, ${bytesText(Math.round(column.obstacle_bytes_meanwhile[i]))} over `, linkButton(column.obstacle_link[i]))));
}
function inCollective(step) {
  const number = column.step_collective[step];
  return number > 0 ? ", in " + meta.step_collectives[number - 1] : "";
}
function drawChain() {
  const {steps, last_round_s: runtime} = jobs[state.shown], takes = (i) => column.step_end[i] - column.step_begin[i];
  const order = Array.from(column.step_begin.keys()).filter((i) => jobOfRank[column.step_rank[i]] === state.shown)
    .sort((a, b) => takes(b) - takes(a) || a - b).slice(0, 40).sort((a, b) => a - b);
  const listed = order.reduce((sum, i) => sum + takes(i), 0);
  document.getElementById("chain-note").textContent =
    `${count(steps, "step")} make up the run time; ${order.length === steps ? "all of them follow" : `the ${order.length} longest follow, ${percent(listed / (runtime || 1))} of it`}. "Lost" is what other messages added (sharing). "In the way" are the up to four messages that had the most bytes on a link of the step's route while it travelled, with these bytes; routes are in dimension order.`;
  const text = (value) => (value > 0 ? seconds(value) : "-");
  const rows = order.map((i) => {
    const isMessage = column.step_is_message[i] === 1;
    const time = element("button", {type: "button", onclick: () => set({time: Math.min(windows - 1, Math.floor(column.step_begin[i] / (meta.window_s || 1)))})}, seconds(column.step_begin[i]));
    return [time, seconds(takes(i)),
      isMessage ? element("span", {}, rankButton(column.step_rank[i]), " to ", rankButton(column.step_receiver[i]), inCollective(i)) : element("span", {}, rankButton(column.step_rank[i]), " computes"),
      isMessage ? bytesText(column.step_bytes[i]) : "-", text(column.step_latency[i]), text(column.step_bandwidth[i]), text(column.step_lost[i]), inTheWay(i)];
  });
  document.getElementById("chain").replaceChildren(table([{title: "begins"}, {title: "takes", number: true}, {title: "what"}, {title: "bytes", number: true},
    {title: "latency", number: true}, {title: "bandwidth", number: true}, {title: "lost", number: true}, {title: "in the way"}], rows));
}
drawIn(document.getElementById("chain"), drawChain, "shown");
