// Times of schedules, from nanoseconds to years.
function duration(s) {
  if (s < 120) return seconds(s);
  if (s < 7200) return digits(s / 60) + " min";
  return s < 172800 ? digits(s / 3600) + " h" : digits(s / 86400) + " d";
}
// A time since the beginning: `12 d 03:15:20`, or below a minute `1.34 ms`.
function clock(s) {
  if (s < 60) return seconds(s);
  const two = (n) => String(Math.floor(n)).padStart(2, "0"), days = Math.floor(s / 86400), rest = s % 86400;
  return (days > 0 ? days + " d " : "") + `${two(rest / 3600)}:${two(rest % 3600 / 60)}:${two(rest % 60)}`;
}
// What people write: the same, or seconds as a number. NaN where it is neither.
function readClock(text) {
  const found = /^\s*(?:(\d+)\s*d\s*)?(?:(\d+):(\d+)(?::(\d+))?)?\s*$/.exec(text);
  if (found && (found[1] || found[2])) return 86400 * (found[1] || 0) + 3600 * (found[2] || 0) + 60 * (found[3] || 0) + Number(found[4] || 0);
  const small = /^\s*([\d.]+(?:e[+-]?\d+)?)\s*(ns|us|ms|s)?\s*$/.exec(text);
  return small ? Number(small[1]) * {ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1}[small[2] || "s"] : NaN;
}
// Round times from `from` to `to`, at most `wanted`, and their texts.
function timeTicks(from, to, wanted) {
  const steps = [60, 120, 300, 600, 1200, 1800, 3600, 7200, 10800, 21600, 43200];
  let step = (to - from) / wanted;
  if (step > 43200) step = 86400 * Math.max(1, niceStep(step / 86400));
  else if (step > 30) step = steps.find((s) => s >= step);
  else step = niceStep(step);
  const all = [];
  for (let i = Math.ceil(from / step - 1e-9); i * step <= to * (1 + 1e-12); ++i) {
    const t = i * step;
    all.push({at: t, text: step >= 86400 ? `${Math.round(t / 86400)} d` : step >= 60 ? clock(t < 60 ? 0 : t).replace(/:00$/, "").replace(/^0 s$/, "00:00") : to >= 60 ? clock(t) : seconds(t)});
  }
  return all;
}
