// What is selected, and which time is shown: one state that all views listen to. Pages add what they know besides.
const state = {time: 0, page: "drawn"};
const nothing = {link: null, node: null};  // what is selected when nothing is
Object.assign(state, nothing);
// A listener hears of changes of the parts of the state that it names, or of all if it names none; and of a page that has
// another size or other colours. What depends on nothing else names "page".
const listeners = [];
const onChange = (listener, ...names) => listeners.push({listener, names, last: []});
let isScheduled = false, isAnew = true;
function set(changes) {
  Object.assign(state, changes);
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    const all = isAnew;
    isAnew = false;
    for (const one of listeners) {
      if (!all && one.names.length > 0 && one.names.every((name, i) => state[name] === one.last[i])) continue;
      one.last = one.names.map((name) => state[name]);
      one.listener(state);
    }
  });
}
function drawAnew() { isAnew = true; set({}); }
const select = (what) => set({...nothing, ...what});
darkQuery.addEventListener("change", drawAnew);
window.addEventListener("resize", drawAnew);
