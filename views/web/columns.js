// The columns of the document: views of one buffer, by name.
const unpacked = await unpacking;
const column = {};
for (const [name, c] of Object.entries(head.columns)) column[name] = new types[c.type](unpacked, c.at, c.count);
const gridLinks = column.link_kind.reduce((sum, kind) => sum + (kind < injection ? 1 : 0), 0);
