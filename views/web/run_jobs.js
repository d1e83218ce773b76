// The jobs of a run, whose ranks are numbered on from job to job: a run of one program is one job without a name.
const rankCount = column.rank_node.length, hasJobs = meta.jobs !== undefined;
const jobs = meta.jobs || [{first_rank: 0, ranks: rankCount, last_round_s: meta.runtime_s, steps: meta.steps, explanation: meta.explanation}];
const jobOfRank = new Uint32Array(rankCount);
jobs.forEach(({first_rank: first, ranks}, job) => jobOfRank.fill(job, first, first + ranks));
const jobNumbers = new Map(jobs.map(({name}, job) => [name, job]));
const jobColour = (job) => okabeIto[jobs[job].colour];
const jobKey = (job) => keySquare(jobColour(job));
// A job that is picked is also the one that is explained; that stays when something else is picked.
const pickJob = (job) => select({job, shown: job});
const jobButton = (job) => element("button", {type: "button", onclick: () => pickJob(job)}, jobKey(job), jobs[job].name);
Object.assign(nothing, {job: null});
// At first the job that loses the largest part of its time to others is explained.
const lostToOthers = (job) => (hasJobs ? jobs[job].critical_path.sharing_others_share : 0);
Object.assign(state, {job: null, shown: jobs.reduce((most, _, job) => (lostToOthers(job) > lostToOthers(most) ? job : most), 0)});

// What each job carried over each link, those with the most bytes first: {job, bytes}.
const knowsJobsOfLinks = hasJobs && column.link_job.length > 0;
function jobsOnLink(link) {
  const found = [];
  for (let i = column.link_jobs_begin[link]; i < column.link_jobs_begin[link + 1]; ++i) found.push({job: column.link_job[i], bytes: column.link_job_bytes[i]});
  return found.sort((a, b) => b.bytes - a.bytes || a.job - b.job);
}
function bytesOnLink(link, job) {
  for (let i = column.link_jobs_begin[link]; i < column.link_jobs_begin[link + 1]; ++i) if (column.link_job[i] === job) return column.link_job_bytes[i];
  return 0;
}
