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
// A row for the steps from `first` until before `last`, as one.
function sumOfSteps(first, last, what) {
  const sum = (part) => part.subarray(first, last).reduce((a, b) => a + b, 0);
  return [seconds(column.step_begin[first]), seconds(column.step_end[last - 1] - column.step_begin[first]), what, "-",
    secondsOrDash(sum(column.step_latency)), secondsOrDash(sum(column.step_bandwidth)), secondsOrDash(sum(column.step_lost)), ""];
}
const secondsOrDash = (value) => (value > 0 ? seconds(value) : "-");
function rowOfStep(i) {
  const isMessage = column.step_is_message[i] === 1;
  const time = element("button", {type: "button", onclick: () => set({time: Math.min(windows - 1, Math.floor(column.step_begin[i] / (meta.window_s || 1)))})}, seconds(column.step_begin[i]));
  return [time, seconds(column.step_end[i] - column.step_begin[i]),
    isMessage ? element("span", {}, rankButton(column.step_rank[i]), " to ", rankButton(column.step_receiver[i]), inCollective(i)) : element("span", {}, rankButton(column.step_rank[i]), " computes"),
    isMessage ? bytesText(column.step_bytes[i]) : "-", secondsOrDash(column.step_latency[i]), secondsOrDash(column.step_bandwidth[i]), secondsOrDash(column.step_lost[i]), inTheWay(i)];
}
// The longest steps, what lies between two of them as one row each, and the sum of all, which is the run time.
function drawChain() {
  const {steps} = jobs[state.shown], takes = (i) => column.step_end[i] - column.step_begin[i];
  const kept = Array.from(column.step_begin.keys()).filter((i) => jobOfRank[column.step_rank[i]] === state.shown);
  const longest = kept.slice().sort((a, b) => takes(b) - takes(a) || a - b).slice(0, 40).sort((a, b) => a - b);
  const isWhole = kept.length === steps;
  document.getElementById("chain-note").textContent =
    `${count(steps, "step")} make up the run time; ${longest.length === steps ? "all of them follow" : `the ${longest.length} longest follow, and what lies between them`}. "Lost" is what other messages added (sharing). "In the way" are the up to four messages that had the most bytes on a link of the step's route while it travelled, with these bytes; routes are in dimension order.` +
    (isWhole ? "" : ` Of the ${grouped(steps)} steps the page has the ${grouped(kept.length)} longest; sums are of these.`);
  const rows = [], sums = [];  // and which of the rows are sums
  const addSum = (first, last, what) => {
    if (first >= last) return;
    sums.push(rows.length);
    rows.push(sumOfSteps(first, last, what));
  };
  const end = kept.length > 0 ? kept[kept.length - 1] + 1 : 0;
  let told = kept[0];
  for (const i of longest) {
    addSum(told, i, `${count(i - told, "step")} ${told === kept[0] ? "at first" : "between"}`);
    rows.push(rowOfStep(i));
    told = i + 1;
  }
  addSum(told, end, `${count(end - told, "step")} to the end`);
  addSum(kept[0], end, "all");
  const made = table([{title: "begins"}, {title: "takes", number: true}, {title: "what"}, {title: "bytes", number: true},
    {title: "latency", number: true}, {title: "bandwidth", number: true}, {title: "lost", number: true}, {title: "in the way"}], rows);
  for (const i of sums) made.tBodies[0].rows[i].className = "sum";
  document.getElementById("chain").replaceChildren(made);
}
drawIn(document.getElementById("chain"), drawChain, "shown");
