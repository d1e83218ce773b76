"""Sphinx extension: the search takes questions, as it passes over the words that only make a question of what is sought."""

from sphinx.search.en import SearchEnglish


class Questions(SearchEnglish):
    stopwords = SearchEnglish.stopwords | {
        "an", "can", "did", "do", "does", "from", "give", "gives", "has", "have", "here", "how", "i", "mean", "means", "me", "my",
        "should", "take", "than", "what", "when", "where", "which", "why", "you", "your",
    }


def setup(app):
    app.add_search_language(Questions)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
