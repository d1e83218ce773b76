// Why the run takes its time, as `toroid simulate --explain` found: what one change saves, and what was in the way on the
// links that lose most.
if (meta.explanation) {
  const {main_cause: cause, trials, links, what_to_change: advice, no_trials: why} = meta.explanation;
  const linkNamed = new Map(Array.from({length: linkCount}, (_, i) => [linkName(i), i]));
  document.getElementById("explanation").hidden = false;
  document.getElementById("main-cause").textContent = cause[0].toUpperCase() + cause.slice(1) + ".";
  document.getElementById("what-to-change").append(...advice.map((line) => element("li", {}, line)));
  document.getElementById("explanation-note").textContent = why
    ? `Nothing was tried: ${why}.`
    : `The run was repeated with one change at a time, by the engine ${meta.engine}; all else stays as it is.`;
  const pairs = (some) => some.flatMap(({from, to, bytes}, i) => [i > 0 ? ", " : "", rankButton(from), " to ", rankButton(to), ` (${bytesText(Math.round(bytes))})`]);
  const tried = trials.map(({change, runtime_s: time}) => [change, ...(time === null ? ["not possible", "-"] : [seconds(time), changeText(meta.runtime_s, time)])]);
  const lost = links.map((link) =>
    [linkButton(linkNamed.get(link.link)), `${seconds(link.lost_s)} (${percent(link.share)})`, percent(link.mean_utilization), element("span", {}, ...pairs(link.in_the_way))]);
  document.getElementById("explanation-parts").append(
    element("div", {}, element("h3", {}, "With one change"),
      table([{title: "change"}, {title: "run time", number: true}, {title: "difference", number: true}], tried)),
    element("div", {class: "scroll"}, element("h3", {}, "In the way on the links that lose most"),
      links.length > 0 ? table([{title: "link"}, {title: "lost", number: true}, {title: "mean use", number: true}, {title: "in the way"}], lost)
        : element("p", {class: "note"}, "No message of the critical path loses time on a link.")));
}
