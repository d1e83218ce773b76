#!/usr/bin/env python3
"""Looks for faults in the scripts of pages: page_scripts.py FOLDER

FOLDER is views/web/: modules of JavaScript, and eslint.json. Each module is read by eslint. A name that a module exports
and nobody imports is a fault, too. Prints a line for each fault, and ends with 1 if there are some.
"""

import json
import os
import pathlib
import re
import subprocess
import sys


def faults_of_eslint(folder):
    command = ["eslint", "--no-eslintrc", "--config", "eslint.json", "--format", "json", "."]
    # Node finds the modules of Debian's packages there also where node itself is another build.
    environment = {**os.environ, "NODE_PATH": "/usr/share/nodejs"}
    run = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        sys.exit(run.stderr)
    for module in json.loads(run.stdout):
        for one in module["messages"]:
            yield f'{module["filePath"]}:{one["line"]}: {one["message"]} ({one["ruleId"]})'


def unused_exports(folder):
    texts = {path: path.read_text() for path in sorted(folder.glob("*.js"))}
    imported = {name for text in texts.values() for names in re.findall(r"^import \{(.*?)\} from", text, re.M | re.S)
                for name in re.findall(r"\w+", names)}
    for path, text in texts.items():
        for number, line in enumerate(text.splitlines(), 1):
            exported = re.match(r"export (?:async )?(?:const|let|function) (\w+)", line)
            if exported and exported[1] not in imported:
                yield f"{path}:{number}: '{exported[1]}' is exported, and no module imports it"


def main(folder):
    folder = pathlib.Path(folder).resolve()
    if not list(folder.glob("*.js")):
        sys.exit(f"{folder} has no modules")
    faults = [*faults_of_eslint(folder), *unused_exports(folder)]
    print("".join(fault + "\n" for fault in faults), end="")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
