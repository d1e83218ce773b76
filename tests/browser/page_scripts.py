#!/usr/bin/env python3
"""Looks for faults in the scripts of pages with eslint: page_scripts.py FOLDER

FOLDER is views/web/: lists PAGE.txt of the files that a page is made of, and eslint.json. The scripts of a page are one
function (embed.cmake), so eslint is given all of them at once. A name that is not used is a fault where no page uses it that
has its file. Prints a line for each fault, and ends with 1 if there are some.
"""

import json
import os
import pathlib
import subprocess
import sys


def script_of(folder, page):
    """The script of a page, and for each of its lines the file and the number of the line there."""
    lines, places = ["(async () => {", '"use strict";'], [(page.name, 1)] * 2
    for name in page.read_text().split():
        if name.endswith((".vert", ".frag")):
            lines.append(f'const {name.replace(".", "_")} = "";')
            places.append((name, 1))
        if not name.endswith(".js"):
            continue
        for number, line in enumerate((folder / name).read_text().splitlines(), 1):
            lines.append(line)
            places.append((name, number))
    return "\n".join([*lines, "})();", ""]), [*places, (page.name, 1)]


def faults_of(folder, script):
    """What eslint finds: (line, message, rule); the rule is None where the script cannot be read."""
    command = ["eslint", "--no-eslintrc", "--config", "eslint.json", "--format", "json", "--stdin", "--stdin-filename", "page.js"]
    # Node finds the modules of Debian's packages there also where node itself is another build.
    environment = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}
    run = subprocess.run(command, cwd=folder, env=environment, input=script, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(run.stderr)
    return [(one["line"], one["message"], one["ruleId"]) for one in json.loads(run.stdout)[0]["messages"]]


def main(folder):
    folder = pathlib.Path(folder)
    pages_with, pages_of_fault = {}, {}
    for page in sorted(folder.glob("*.txt")):
        script, places = script_of(folder, page)
        for name in {name for name, _ in places}:
            pages_with.setdefault(name, set()).add(page)
        for line, message, rule in faults_of(folder, script):
            pages_of_fault.setdefault((*places[line - 1], message, rule), set()).add(page)
    if not pages_with:
        sys.exit(f"{folder} has no lists of pages")
    faults = [(name, line, message, rule) for (name, line, message, rule), pages in pages_of_fault.items()
              if rule != "no-unused-vars" or pages == pages_with[name]]
    for name, line, message, rule in sorted(faults, key=str):
        print(f"{folder / name}:{line}: {message} ({rule})")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
