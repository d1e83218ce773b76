// Two runs: what is shown of them, and their numbers by link and node.
Object.assign(state, {run: "difference", quantity: "use", top: linkCount});
const machineHears = ["run", "quantity", "top"], nodeScale = 1;
const runs = [meta.before, meta.after];
const ofLinks = {use: [column.before_use, column.after_use], bytes: [column.before_bytes, column.after_bytes], lost_s: [column.before_lost_s, column.after_lost_s]};
const quantityText = {use: percent, bytes: bytesText, lost_s: seconds};
const quantityName = {use: "mean use", bytes: "bytes", lost_s: "time lost"};
const mostOf = Object.fromEntries(Object.entries(ofLinks).map(([name, [a, b]]) => {
  let value = 0, change = 0;
  for (let link = 0; link < linkCount; ++link) {
    if (column.link_kind[link] >= injection) continue;
    value = Math.max(value, a[link], b[link]);
    change = Math.max(change, Math.abs(b[link] - a[link]));
  }
  return [name, {value, change}];
}));
