#!/usr/bin/env python3
"""Whether newcomers find what they ask for: each question of the front page, typed into the search of the site, has the page
that answers it among the first three.

  docs/site/check.py SITE           tools/docs runs it on what it has made
  docs/site/check.py SITE QUERY...  what the search finds

The search is that of Sphinx (searchtools.js): every word of three letters or more has to stand on a page.
"""

import json
import re
import sys
from pathlib import Path

from questions import Questions

TERM, TITLE = 5, 15
FOLDERS = re.search(r"folders = {(.*?)}", (Path(__file__).parent / "scorer.js").read_text())[1]
FOLDERS = {name: int(score) for name, score in re.findall(r"([\w-]+)\"?: (\d+)", FOLDERS)}
WANTED = 3


class Site:
    def __init__(self, folder):
        text = (folder / "html/searchindex.js").read_text()
        self.index = json.loads(text[text.index("{") : text.rindex("}") + 1])
        self.language = Questions({})

    def pages_with(self, field, word):
        pages = self.index[field].get(word, [])
        return pages if isinstance(pages, list) else [pages]

    def matches(self, query):
        """Pairs of a page and a score, without what scorer.js adds: headings that contain the query, pages with all words."""
        for title, places in self.index["alltitles"].items():
            if query in title.lower() and len(query) >= len(title) / 2:
                yield from ((page, round(100 * len(query) / len(title))) for page, _ in places)
        words = {self.language.stem(w) for w in re.findall(r"\w+", query)
                 if w not in self.language.stopwords and not w.isdigit()}
        scores = {}
        for word in words:
            for field, score in (("terms", TERM), ("titleterms", TITLE)):
                for page in self.pages_with(field, word):
                    scores.setdefault(page, {})[word] = score
        for page, by_word in scores.items():
            if all(word in by_word for word in words if len(word) > 2):
                yield page, max(by_word.values())

    def found(self, query):
        """Pages in the order in which the search shows them."""
        query = query.lower().strip()
        asked = [w for w in re.findall(r"\w{3,}", query) if w not in self.language.stopwords]
        names, titles = self.index["docnames"], self.index["titles"]
        best = {}
        for page, score in self.matches(query):
            score += FOLDERS.get(names[page].split("/")[0], 0) + 5 * sum(word in titles[page].lower() for word in asked)
            best[page] = max(best.get(page, 0), score)
        return [names[page] for page in sorted(best, key=lambda page: (-best[page], titles[page].lower()))]


def faults(folder):
    site = Site(folder)
    front = (folder / "source/index.md").read_text()
    questions = re.findall(r"^- \[([^\]]+)\?\]\(([\w/-]+)\.md", front, re.MULTILINE)
    if not questions:
        yield "found no questions on the front page; expected lines - [QUESTION?](PAGE.md)"
    for question, page in questions:
        found = site.found(question)
        if page not in found[:WANTED]:
            yield f"the search for '{question}' finds {', '.join(found[:WANTED]) or 'nothing'}; expected {page}"


def main():
    folder = Path(sys.argv[1])
    if len(sys.argv) > 2:
        print("\n".join(Site(folder).found(" ".join(sys.argv[2:]))))
        return 0
    found = list(faults(folder))
    print("\n".join(f"docs/site/check.py: {fault}" for fault in found) or "every question finds its page")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
