// Jobs as a table, and what programs or users got.
const userText = (job) => (column.job_user[job] >= 0 ? "user " + column.job_user[job] : "");
const programText = (job) => meta.programs[column.job_program[job]] || "";
const hasPrograms = meta.programs.some((p) => p !== ""), hasUsers = column.job_user.some((u) => u >= 0);
const ratio = (x) => (x > 0 ? digits(x) : "-");
const whose = (job) => (hasPrograms ? programText(job) : userText(job));

if (hasPrograms || hasUsers) {
  const groups = new Map();
  for (const job of judged) {
    const key = whose(job);
    if (!groups.has(key)) groups.set(key, {jobs: 0, work: 0, wait: 0, slowdown: 0, contention: 0, known: 0});
    const g = groups.get(key), contention = contentionOf(job);
    ++g.jobs;
    g.work += column.job_nodes[job] * runTimeOf(job);
    g.wait += waitOf(job);
    g.slowdown += slowdownOf(job);
    if (contention > 0) { g.contention += contention; ++g.known; }
  }
  const sorted = [...groups].sort((a, b) => b[1].work - a[1].work), shownGroups = sorted.slice(0, 20), all = sorted.reduce((sum, [, g]) => sum + g.work, 0) || 1;
  document.getElementById("h-groups").textContent = (hasPrograms ? "Programs" : "Users") + (sorted.length > 20 ? `: the 20 with the most node time of ${grouped(sorted.length)}` : "");
  document.getElementById("groups").append(table([{title: hasPrograms ? "program" : "user"}, {title: "jobs", number: true}, {title: "share of node time", number: true},
    {title: "mean wait", number: true}, {title: "mean slowdown", number: true}, ...(hasContention ? [{title: "run time / alone on its nodes", number: true}] : [])],
  shownGroups.map(([key, g]) => [key || "not known", grouped(g.jobs), percent(g.work / all), duration(g.wait / g.jobs), digits(g.slowdown / g.jobs),
    ...(hasContention ? [ratio(g.contention / g.known)] : [])])));
} else document.getElementById("groups-section").hidden = true;

const jobColumns = [
  {title: "job", key: null, cell: jobButton},
  ...(hasPrograms ? [{title: "program", key: (job) => column.job_program[job], cell: programText}] : []),
  ...(hasUsers ? [{title: "user", key: (job) => column.job_user[job], cell: (job) => String(column.job_user[job])}] : []),
  {title: "nodes", number: true, key: (job) => column.job_nodes[job], cell: (job) => grouped(column.job_nodes[job])},
  {title: "submitted", number: true, key: (job) => column.job_submitted[job], cell: (job) => clock(column.job_submitted[job])},
  {title: "waits", number: true, key: waitOf, cell: (job) => duration(waitOf(job))},
  {title: "runs", number: true, key: runTimeOf, cell: (job) => duration(runTimeOf(job))},
  {title: "slowdown", number: true, key: slowdownOf, cell: (job) => digits(slowdownOf(job))},
  ...(hasContention ? [{title: "run time / alone", number: true, key: (job) => contentionOf(job) || 0, cell: (job) => ratio(contentionOf(job))}] : []),
  {title: "pieces", number: true, key: (job) => column.job_components[job], cell: (job) => String(column.job_components[job])},
  {title: "hops a pair", number: true, key: (job) => column.job_mean_hops[job], cell: (job) => digits(column.job_mean_hops[job])},
];
const mostRows = 100;
let order = null, sortedBy = jobColumns.find((c) => c.title === "submitted"), isFalling = false, filterText = "";
function sortedJobs() {
  const keys = Float64Array.from({length: jobCount}, (_, job) => (sortedBy.key ? sortedBy.key(job) : job));
  const all = Uint32Array.from({length: jobCount}, (_, job) => job).sort((a, b) => (isFalling ? keys[b] - keys[a] : keys[a] - keys[b]) || a - b);
  const wanted = filterText.toLowerCase();
  return wanted === "" ? all : all.filter((job) => [jobName(job), programText(job), userText(job)].some((text) => text.toLowerCase().includes(wanted)));
}
function drawJobs() {
  if (order === null) order = sortedJobs();
  const titles = jobColumns.map((c) => ({...c, title: element("button", {type: "button", onclick: () => {
    isFalling = sortedBy === c ? !isFalling : c.number === true && c.title !== "submitted";
    sortedBy = c;
    order = null;
    drawJobs();
  }}, c.title + (sortedBy === c ? (isFalling ? " \u25bc" : " \u25b2") : ""))}));
  const rows = Array.from(order.subarray(0, mostRows));
  if (state.job !== null && !rows.includes(state.job)) rows.unshift(state.job);
  const made = table(titles, rows.map((job) => jobColumns.map((c) => c.cell(job))));
  rows.forEach((job, i) => { if (job === state.job) made.tBodies[0].rows[i].className = "selected"; });
  document.getElementById("jobs").replaceChildren(made);
  document.getElementById("jobs-note").textContent = `${Math.min(mostRows, order.length)} of ${count(order.length, "job")} shown`;
}
document.getElementById("filter").addEventListener("input", (e) => { filterText = e.target.value; order = null; drawJobs(); });
drawIn(document.getElementById("jobs"), drawJobs, "job");
