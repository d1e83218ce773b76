// Why a job takes its time, as `toroid simulate --explain` found: what one change saves, and what was in the way on the
// links that lose most.
const linkNamed = new Map(), hasOthers = jobs.length > 1;
function drawExplanation() {
  const {explanation, last_round_s: runtime} = jobs[state.shown];
  document.getElementById("explanation").hidden = !explanation;
  if (!explanation) return;
  if (linkNamed.size === 0) for (let link = 0; link < linkCount; ++link) linkNamed.set(linkName(link), link);
  const {main_cause: cause, trials, links, what_to_change: advice, no_trials: why} = explanation;
  document.getElementById("main-cause").textContent = cause[0].toUpperCase() + cause.slice(1) + ".";
  document.getElementById("what-to-change").replaceChildren(...advice.map((line) => element("li", {}, line)));
  document.getElementById("explanation-note").textContent = why
    ? `Nothing was tried: ${why}.`
    : `The run was repeated with one change at a time, by the engine ${meta.engine}; all else stays as it is.${hasOthers ? " Other jobs are named where their run times change by 1 % or more." : ""}`;
  const rankOf = (job, rank) => rankButton(jobs[job === undefined ? 0 : jobNumbers.get(job)].first_rank + rank);
  const pairs = (some) => some.flatMap(({from, to, bytes, job}, i) => [i > 0 ? ", " : "", rankOf(job, from), " to ", rankOf(job, to), ` (${bytesText(Math.round(bytes))})`]);
  const ofOthers = (others) => others.flatMap(({job, saves_share: saved}, i) => [i > 0 ? ", " : "", jobButton(jobNumbers.get(job)), ` ${changeText(1, 1 - saved)}`]);
  const tried = trials.map(({change, runtime_s: time, others}) => [change, ...(time === null ? ["not possible", "-"] : [seconds(time), changeText(runtime, time)]),
    ...(hasOthers ? [element("span", {}, ...ofOthers(others))] : [])]);
  const lost = links.map((link) =>
    [linkButton(linkNamed.get(link.link)), `${seconds(link.lost_s)} (${percent(link.share)})`, percent(link.mean_utilization), element("span", {}, ...pairs(link.in_the_way))]);
  document.getElementById("explanation-parts").replaceChildren(
    element("div", {}, element("h3", {}, "With one change"),
      table([{title: "change"}, {title: "run time", number: true}, {title: "difference", number: true}, ...(hasOthers ? [{title: "other jobs"}] : [])], tried)),
    element("div", {class: "scroll"}, element("h3", {}, "In the way on the links that lose most"),
      links.length > 0 ? table([{title: "link"}, {title: "lost", number: true}, {title: "mean use", number: true}, {title: "in the way"}], lost)
        : element("p", {class: "note"}, "No message of the critical path loses time on a link.")));
}
drawIn(document.getElementById("explanation"), drawExplanation, "shown");
