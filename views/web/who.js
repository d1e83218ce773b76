// Who slows whom: what jobs lost to other jobs, by program or user, and the pairs of jobs behind each number.
const losses = column.loss_s, mostGroups = 8, mostPairs = 50;
if (losses.length === 0) document.getElementById("who-section").hidden = true;
const whoBy = document.getElementById("who-by");
if (!hasPrograms || !hasUsers) document.getElementById("who-by-label").hidden = true;
whoBy.value = hasPrograms ? "program" : "user";
Object.assign(state, {whoBy: whoBy.value, pair: null});
whoBy.addEventListener("change", () => set({whoBy: whoBy.value, pair: null}));
const groupOf = (job) => (state.whoBy === "user" ? userText(job) : programText(job)) || "not known";

// The groups whose jobs lost or took most, and the rest together: by number, with names, and what each lost to each.
const restName = "all others";
function lossMatrix() {
  const weight = new Map(), runTime = new Map();
  losses.forEach((s, i) => {
    for (const job of [column.loss_job[i], column.loss_to[i]]) weight.set(groupOf(job), (weight.get(groupOf(job)) || 0) + s);
  });
  const names = [...weight].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([name]) => name);
  const groups = names.length > mostGroups + 1 ? [...names.slice(0, mostGroups), restName] : names;
  const numbers = new Map(names.map((name, i) => [name, Math.min(i, groups.length - 1)])), numberOf = (job) => numbers.get(groupOf(job));
  const lost = groups.map(() => new Float64Array(groups.length));
  losses.forEach((s, i) => { lost[numberOf(column.loss_job[i])][numberOf(column.loss_to[i])] += s; });
  for (let job = 0; job < jobCount; ++job) {
    const number = numberOf(job);
    if (number !== undefined && contentionOf(job) > 0) runTime.set(number, (runTime.get(number) || 0) + runTimeOf(job));
  }
  return {groups, numberOf, lost, runTime: groups.map((_, i) => runTime.get(i) || 0)};
}
function drawMatrixOfLosses() {
  if (losses.length === 0) return;
  const {groups, lost, runTime, numberOf} = lossMatrix(), sum = (row) => row.reduce((a, b) => a + b, 0);
  const most = lost.reduce((m, row) => Math.max(m, ...row), 0);
  const cell = (victim, other) => {
    const s = lost[victim][other];
    if (!(s > 0)) return "";
    const picked = state.pair !== null && state.pair[0] === victim && state.pair[1] === other;
    const button = element("button", {type: "button", "aria-pressed": String(picked), onclick: () => set({pair: picked ? null : [victim, other]})},
      `${duration(s)} (${percent(s / runTime[victim])})`);
    button.style.borderLeftWidth = `${1 + Math.round(8 * s / most)}px`;
    return button;
  };
  const made = table([{title: `${state.whoBy} that loses, to`}, ...groups.map((name) => ({title: name, number: true})), {title: "all", number: true}],
    groups.map((name, i) => [name, ...groups.map((_, j) => cell(i, j)), sum(lost[i]) > 0 ? `${duration(sum(lost[i]))} (${percent(sum(lost[i]) / runTime[i])})` : ""]));
  document.getElementById("who").replaceChildren(made);
  const [victim, other] = state.pair || [];
  const pairs = Array.from(losses, (_, i) => i).filter((i) => state.pair === null || (numberOf(column.loss_job[i]) === victim && numberOf(column.loss_to[i]) === other))
    .sort((a, b) => losses[b] - losses[a] || a - b);
  document.getElementById("pairs-note").textContent = (state.pair === null ? "All pairs of jobs" : `Jobs of ${groups[victim]} that lose to jobs of ${groups[other]}`) +
    `: ${count(pairs.length, "pair")}, ${pairs.length > mostPairs ? `the ${mostPairs} with the largest losses` : "the largest loss first"}.`;
  document.getElementById("pairs").replaceChildren(table(
    [{title: "job"}, {title: state.whoBy}, {title: "lost to job"}, {title: state.whoBy}, {title: "lost", number: true}, {title: "of its run time", number: true}],
    pairs.slice(0, mostPairs).map((i) => {
      const [job, to] = [column.loss_job[i], column.loss_to[i]];
      return [jobButton(job), groupOf(job), jobButton(to), groupOf(to), duration(losses[i]), percent(losses[i] / runTimeOf(job))];
    })));
}
drawIn(document.getElementById("who-section"), drawMatrixOfLosses, "whoBy", "pair");
// Whom a job lost time to, and who lost time to the job: for the aside.
function lossesOf(job) {
  const lines = (title, of, other) => {
    const found = Array.from(losses, (_, i) => i).filter((i) => of[i] === job).sort((a, b) => losses[b] - losses[a] || a - b);
    return found.length === 0 ? [] : [element("h3", {}, title), table([{title: "job"}, {title: "lost", number: true}], found.slice(0, 8).map((i) => [jobButton(other[i]), duration(losses[i])]))];
  };
  return [...lines("Loses run time to", column.loss_job, column.loss_to), ...lines("Costs others run time", column.loss_to, column.loss_job)];
}
