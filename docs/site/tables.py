#!/usr/bin/env python3
"""Puts tables into the pages of the site: a block that is nothing but `$ toroid list ...` becomes what the command prints as
Markdown.

  docs/site/tables.py TOROID SOURCE    tools/docs runs it
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path

BLOCK = re.compile(r"(?<=\n\n)    \$ toroid (list [^\n|]*)\n(?=\n|\Z)")


def main():
    toroid, source = sys.argv[1:]
    for page in Path(source).rglob("*.md"):
        text = page.read_text()
        page.write_text(BLOCK.sub(lambda found: table(toroid, found[1]), text))


def table(toroid, words):
    command = [toroid, *shlex.split(words), "--markdown", "-"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


main()
