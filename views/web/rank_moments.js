// What ranks do at a time, in shares of a window of their activity and in words.
const activityWindows = Math.max(1, meta.activity_windows), activityWindow = meta.activity_window_s;
const doingWords = {compute: "computing", transfer: "waiting for a message on its way", wait: "waiting for another rank"};
const collectiveNames = meta.collectives.map(({collective, algorithm}) => `${collective} (${algorithm})`);
const activityWindowAt = (t) => Math.max(0, Math.min(activityWindows - 1, Math.floor(t / (activityWindow || 1))));
const shownActivityWindow = () => activityWindowAt((state.time + 0.5) * meta.window_s);
const doingAt = (rank, window, kind) => column.rank_doing[(rank * activityWindows + window) * 3 + kind] / 255;
const inCollectiveAt = (rank, window, collective) => column.rank_in_collective[(collective * rankCount + rank) * activityWindows + window] / 255;
// Seconds that the rank waits in a collective in the whole run: of all rounds of its job.
const waitInCollective = (rank, collective) => column.rank_collective_wait[collective * rankCount + rank];

// "1.20 ms to 1.25 ms: waiting for another rank 60 %, computing 10 %; in allreduce (ring) 60 %": the largest shares first.
function momentText(rank, window) {
  const told = (names, part) => names.map((name, i) => ({name, share: part(i)})).filter(({share}) => share > 0)
    .sort((a, b) => b.share - a.share).map(({name, share}) => `${name} ${Math.round(100 * share)} %`).join(", ");
  const doing = told(Object.values(doingWords), (kind) => doingAt(rank, window, kind));
  const within = told(collectiveNames, (collective) => inCollectiveAt(rank, window, collective));
  const begin = window * activityWindow;
  return `${seconds(begin)} to ${seconds(Math.min(meta.runtime_s, begin + activityWindow))}: ${doing || "nothing that takes time"}${within && `; in ${within}`}`;
}
