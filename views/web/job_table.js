// The jobs as a table, what each lost to each, and which of them is explained below.
const shownInput = document.getElementById("shown-job");
function lossTable() {
  const aggressors = [...new Set(meta.contention.map((pair) => pair.aggressor))];
  const cells = new Map(meta.contention.map((pair) => [`${jobNumbers.get(pair.victim)} ${pair.aggressor}`, pair]));
  const cell = (victim, aggressor) => {
    const {contention_s: lost, runtime_share: part} = cells.get(`${victim} ${aggressor}`);
    return lost > 0 ? `${seconds(lost)} (${percent(part)})` : "-";
  };
  return table([{title: "run time lost by"}, ...aggressors.map((name) => ({title: name === null ? "to changes of the machine" : "to " + name, number: true}))],
    jobs.map((_, job) => [jobButton(job), ...aggressors.map((name) => cell(job, name))]));
}
function drawJobTable() {
  const known = (value, text) => (value === null ? "-" : text(value));
  const made = table([{title: "job"}, {title: "ranks", number: true}, {title: "from", number: true}, {title: "to", number: true}, {title: "rounds", number: true},
    {title: "run time", number: true}, {title: "alone", number: true}, {title: "run time / alone", number: true}],
  jobs.map((job, i) => [jobButton(i), grouped(job.ranks), seconds(job.start_s), seconds(job.end_s) + (job.end === "done" ? "" : `, ${job.end}`), String(job.rounds_s.length),
    known(job.runtime_s, seconds), known(job.alone_s, seconds), known(job.slowdown, digits)]));
  jobs.forEach((_, job) => { if (job === state.job) made.tBodies[0].rows[job].className = "selected"; });
  document.getElementById("job-table").replaceChildren(made);
  shownInput.value = state.shown;
  for (const heading of document.querySelectorAll(".of-job")) heading.replaceChildren(": ", jobKey(state.shown), jobs[state.shown].name);
}
if (hasJobs) {
  document.getElementById("jobs-section").hidden = false;
  shownInput.append(...jobs.map(({name}, job) => element("option", {value: String(job)}, name)));
  shownInput.addEventListener("change", () => set({shown: Number(shownInput.value)}));
  document.getElementById("job-losses").append(meta.contention ? lossTable() : element("p", {class: "note"}, `Who slows whom cannot be said: ${meta.no_contention_because}.`));
  drawIn(document.getElementById("jobs-section"), drawJobTable, "job", "shown");
}
