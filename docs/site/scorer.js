// How the search orders the pages that have all words: those whose title has most of the words come first, and those that
// answer questions. check.py does the same.
const folders = { "how-to": 4, tutorials: 3, reference: 2, explanation: 2, validation: 1 };
const asked = (new URLSearchParams(window.location.search).get("q") || "").toLowerCase().match(/\w{3,}/g) || [];
const counts = (title) => (word) => !stopwords.includes(word) && title.toLowerCase().includes(word);
var Scorer = {
  score: ([page, title, , , score]) =>
    score + (folders[page.split("/")[0]] || 0) + 5 * asked.filter(counts(title)).length,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
