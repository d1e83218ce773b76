// What the page of a machine knows besides what is selected.
Object.assign(state, {linkColour: "bandwidth", inner: false});
const machineHears = ["linkColour", "inner"];
