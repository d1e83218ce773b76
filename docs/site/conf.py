"""How Sphinx makes the site; `tools/docs` calls it on a copy of the documentation that has the generated pages in it."""

import re
import sys
from pathlib import Path

from pygments.lexers.shell import BashSessionLexer

source = Path(__file__).parent
sys.path.insert(0, str(source))

project = "toroid"
extensions = ["myst_parser", "glossary", "questions"]
source_suffix = {".md": "markdown"}
root_doc = "index"
html_theme = "furo"
html_title = "toroid"
html_extra_path = ["extra"] if (source / "extra").is_dir() else []
html_static_path = ["static"]
html_css_files = ["glossary.css"]
html_search_scorer = str(source / "scorer.js")
html_show_sphinx = False
html_copy_source = False
html_show_copyright = False
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# Code blocks are sessions in a shell unless they say otherwise.
highlight_language = "console"
suppress_warnings = ["misc.highlighting_failure"]


def menu(index: str) -> str:
    """The tables of contents of a front page: one for each of its headings, with the pages that it links to there."""
    text = ""
    for part in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        heading, _, body = part.partition("\n")
        pages = dict.fromkeys(re.findall(r"\]\(([\w/-]+)\.md(?:#[^)]*)?\)", body))
        if pages:
            text += f"\n```{{toctree}}\n:hidden:\n:caption: {heading}\n\n" + "\n".join(pages) + "\n```\n"
    return text


def add_menu(app, docname, content):
    if docname == root_doc:
        content[0] += menu(content[0])


def setup(app):
    app.add_lexer("console", BashSessionLexer)
    app.connect("source-read", add_menu)
