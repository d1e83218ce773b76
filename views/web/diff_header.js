// The headline, both critical paths on one scale, and both runs as a whole.
{
  const [a, b] = runs, factor = b.runtime_s > 0 ? a.runtime_s / b.runtime_s : 0, same = a.runtime_s === b.runtime_s;
  const time = (run) => seconds(run.runtime_s) + (run.computation_is_left_out ? " of communication" : ""), left = runs.filter((run) => run.computation_is_left_out).length;
  document.getElementById("title").textContent = same ? `${time(a)} in both runs`
    : `${time(a)} before, ${time(b)} after: ${factor > 1 ? digits(factor) + " times as fast" : digits(1 / (factor || 1)) + " times as long"}`;
  const told = ["trace", "platform", "map", "engine"], differ = told.filter((key) => a[key] !== b[key]);
  const text = (run, keys) => keys.map((key) => (key === "map" ? "map " : key === "engine" ? "engine " : "") + run[key]).join(", ");
  document.getElementById("facts").textContent = (differ.length > 0 ? `Before: ${text(a, differ)}. After: ${text(b, differ)}. ` : "") +
    (differ.length < told.length ? `In both: ${text(a, told.filter((key) => !differ.includes(key)))}. ` : "") + (left === 0 ? "" : `Computation is left out ${left === 2 ? "in both runs" : a.computation_is_left_out ? "before" : "after"}. `) + `What the ${left === 2 ? "communication" : "run"} times are made of, on one scale:`;
  const box = document.getElementById("both-parts"), most = Math.max(a.runtime_s, b.runtime_s) || 1;
  runs.forEach((run, r) => {
    const bar = element("div", {class: "parts", role: "img", "aria-label": `parts of the run time ${r === 0 ? "before" : "after"}`});
    bar.style.width = 100 * run.runtime_s / most + "%";
    Object.entries(run.parts_s).forEach(([name, s], i) => {
      if (!(s > 0)) return;
      const words = `${name} ${seconds(s)}`, span = element("span", {title: words}, words);
      span.style.width = 100 * s / (run.runtime_s || 1) + "%";
      span.style.background = partColours[i % partColours.length];
      bar.append(span);
    });
    box.append(element("span", {class: "note"}, r === 0 ? "before" : "after"), element("div", {}, bar));
  });
  hideNarrow(box.querySelectorAll(".parts span"));
  document.getElementById("whole-table").append(table(bothColumns, [bothRow(left === 2 ? "communication time" : "run time", a.runtime_s, b.runtime_s, seconds),
    ...Object.keys(a.parts_s).map((name) => bothRow(name + " on the critical path", a.parts_s[name], b.parts_s[name] || 0, seconds)),
    bothRow("bytes between nodes", a.bytes, b.bytes, bytesText), bothRow("messages between nodes", a.messages, b.messages, grouped),
    bothRow("hops per byte", a.hops_per_byte, b.hops_per_byte, digits)]));
  const lost = dims.map(() => [0, 0]), ports = [0, 0];
  for (let link = 0; link < linkCount; ++link) for (const r of [0, 1]) (column.link_kind[link] >= injection ? ports : lost[column.link_kind[link] >> 1])[r] += ofLinks.lost_s[r][link];
  document.getElementById("lost-table").append(table(bothColumns, [...dims.map((d, i) => bothRow(`links along ${d.name}`, ...lost[i], seconds)),
    ...(ports[0] + ports[1] > 0 ? [bothRow("ports of nodes", ...ports, seconds)] : []), bothRow("in all", a.lost_s, b.lost_s, seconds)]));
}
set({});
