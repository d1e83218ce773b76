// Jobs: their names, colours and times, and who holds which node at the time that is shown.
Object.assign(nothing, {job: null});
const begin = meta.begin_s, end = Math.max(meta.end_s, begin + 1e-12), jobCount = column.job_started.length;
Object.assign(state, {job: null, nodeColour: "job", links: "jobs", from: begin, to: end, low: 0, high: nodeCount});
const decoder = new TextDecoder();
const jobName = (job) => decoder.decode(column.job_name.subarray(column.job_name_begin[job], column.job_name_begin[job + 1]));
const jobButton = (job) => element("button", {type: "button", onclick: () => pickJob(job)}, jobKey(job), jobName(job));
const jobColour = (job) => okabeIto[column.job_colour[job]];
const jobKey = (job) => keySquare(jobColour(job));
const waitOf = (job) => column.job_started[job] - column.job_submitted[job];
const runTimeOf = (job) => column.job_ended[job] - column.job_started[job];
const slowdownOf = (job) => Math.max(1, (waitOf(job) + runTimeOf(job)) / Math.max(runTimeOf(job), 10));
const contentionOf = (job) => (column.job_alone[job] > 0 ? runTimeOf(job) / column.job_alone[job] : NaN);
const hasContention = column.job_alone.some((s) => s > 0);
const ends = ["done", "killed at its estimate", "its program could not go on", "lost a node", "rejected"];
// A slowdown from 1 to 100 and more, as a share of the colours.
const shareOfSlowdown = (slowdown) => Math.min(1, Math.log10(slowdown) / 2);

// Picks a job, at a time at which it runs.
function pickJob(job) {
  const runs = column.job_started[job] <= state.time && state.time < column.job_ended[job];
  select({job, ...(runs ? {} : {time: (column.job_started[job] + column.job_ended[job]) / 2})});
}

const jobOfNode = new Int32Array(nodeCount), isOut = new Uint8Array(nodeCount);
let holdersAt = NaN, running = [];
function updateHolders() {
  if (holdersAt === state.time) return;
  holdersAt = state.time;
  jobOfNode.fill(-1);
  isOut.fill(0);
  running = [];
  const t = state.time;
  for (let h = 0; h < column.hold_job.length && column.hold_begin[h] <= t; ++h) {
    if (column.hold_end[h] <= t) continue;
    running.push(column.hold_job[h]);
    for (let r = column.hold_runs_begin[h]; r < column.hold_runs_begin[h + 1]; ++r) {
      const first = column.run_first_node[r];
      jobOfNode.fill(column.hold_job[h], first, first + column.run_nodes[r]);
    }
  }
  for (let i = 0; i < column.out_node.length; ++i) if (column.out_begin[i] <= t && t < column.out_end[i]) isOut[column.out_node[i]] = 1;
}
onChange(updateHolders, "time");
const machineHears = ["time", "job", "nodeColour", "links"];
