// What is selected, and which window of the run is shown: one state that all views listen to.
const state = {time: 0, link: null, rank: null, router: null, linkColour: "window", nodeColour: "compute", top: linkCount};
const listeners = [];
const onChange = (listener) => listeners.push(listener);
let isScheduled = false;
function set(changes) {
  Object.assign(state, changes);
  if (isScheduled) return;
  isScheduled = true;
  requestAnimationFrame(() => {
    isScheduled = false;
    for (const listener of listeners) listener(state);
  });
}
const selectLink = (link) => set({link, rank: null, router: null});
const selectRank = (rank) => set({rank, link: null, router: null});
darkQuery.addEventListener("change", () => set({}));
window.addEventListener("resize", () => set({}));

