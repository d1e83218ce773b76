"""Sphinx extension: where a page uses a word of the glossary first, the word leads there and shows its meaning as a tip."""

import re
from pathlib import Path

from docutils import nodes

GLOSSARY = "reference/glossary"
# Words that everybody knows, or that pages also use in their everyday sense.
EVERYDAY = {"alike", "estimate", "link", "lots", "node", "p", "replayed", "response", "round", "route", "run", "speed",
            "the busiest needs", "trade", "wait", "window", "wrap"}
NOT_LINKED = {"index", "changelog", GLOSSARY}
NO_WORDS_IN = (nodes.literal, nodes.literal_block, nodes.reference, nodes.title)


def anchor(word):
    return re.sub(r"[^\w\- ]", "", word.lower()).replace(" ", "-")


def meanings(markdown):
    """The words of a glossary, each a heading of the third level, with the first sentence below it."""
    found = re.findall(r"^### (.+)\n\n((?:.+\n)+)", markdown, re.MULTILINE)
    return {word: tip(text) for word, text in found if word.lower() not in EVERYDAY}


def tip(text):
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(text.split()))
    return re.sub(r"[`*]|(?<=\.) .*|\s*\([^()]*\)(?=\.)", "", text)


def pattern(words):
    """One word of the list, its plural, or with -ing; names in capitals only as they are."""
    each = (re.escape(w) if w.isupper() else "(?i:" + re.escape(w).replace(r"\ ", "[ -]").replace(r"\-", "[ -]") + ")"
            for w in sorted(words, key=len, reverse=True))
    return re.compile(r"(?<![\w-])(" + "|".join(each) + r")(?:s|es|ing)?(?![\w-])")


def key(text):
    return re.sub("-", " ", text).lower()


def add_links(app, doctree, docname):
    if docname in NOT_LINKED:
        return
    words = meanings((Path(app.srcdir) / f"{GLOSSARY}.md").read_text())
    by_key = {key(word): word for word in words}
    to_come = pattern(words)
    uri = app.builder.get_relative_uri(docname, GLOSSARY)
    seen = set()
    for text in list(doctree.findall(nodes.Text)):
        parent, inside = text.parent, text
        while inside is not None and not isinstance(inside, NO_WORDS_IN):
            inside = inside.parent
        if inside is not None:
            continue
        pieces, at = [], 0
        for match in to_come.finditer(text):
            word = by_key[key(match[1])]
            if word in seen:
                continue
            seen.add(word)
            pieces.append(nodes.Text(text[at:match.start()]))
            pieces.append(nodes.reference("", match[0], internal=True, refuri=f"{uri}#{anchor(word)}",
                                          reftitle=words[word], classes=["glossary"]))
            at = match.end()
        if pieces:
            parent.replace(text, [*pieces, nodes.Text(text[at:])])


def setup(app):
    app.connect("doctree-resolved", add_links)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
