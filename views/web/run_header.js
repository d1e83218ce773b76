// The headline, and the first picture of everything.
document.getElementById("title").textContent = `${seconds(meta.runtime_s)}${meta.computation_is_left_out ? " of communication" : ""}: ${meta.trace} on ${meta.platform}`;
document.getElementById("facts").textContent = `${count(rankCount, "rank")} placed by ${meta.map}, engine ${meta.engine}; ${count(meta.messages, "message")} between nodes, ${bytesText(meta.bytes)}, ${digits(meta.hops_per_byte)} hops per byte.${hasJobs ? "" : " The critical path, the chain of computations and messages that the run time is made of:"}`;
document.getElementById("parts").hidden = hasJobs;
if (!hasJobs) {
  const parts = document.getElementById("parts"), total = meta.runtime_s || 1;
  parts.setAttribute("aria-label", "parts of the critical path");
  Object.entries(meta.parts_s).forEach(([name, s], i) => {
    if (!(s > 0)) return;
    const text = `${name} ${percent(s / total)}`, span = element("span", {title: `${text}, ${seconds(s)}`}, text);
    span.style.width = 100 * s / total + "%";
    span.style.background = partColours[i % partColours.length];
    parts.append(span);
  });
  hideNarrow(parts.children);
}
set({time: meanUse.indexOf(Math.max(...meanUse))});
