#!/usr/bin/env python3
"""Makes one page with recorded runs, to look at toroid without installing it; the page opens from disk, without a network.

  docs/site/look.py TOROID PAGE    tools/docs runs it
"""

import html
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1]
# What is shown, what to look at there, and the command, which writes page.html.
RUNS = [
    ("A mapping before and after", "A stencil of 64 ranks on a torus: the order of node numbers, the advised order, and what "
     "differs, link by link.",
     "toroid advise torus:4x4x4 minighost:grid=4x4x4,steps=1 --repeat 2 --html page.html"),
    ("A schedule", "300 jobs on a mesh of 256 nodes; a row of routers is down from 10 s to 20 s. Move through time, and see who "
     "holds which node.",
     "toroid schedule mesh:16x16 derose:side=16,jobs=300,changing=0 --alloc mc1x1 --at '10s:fail-router x=0 until 20s' "
     "--html page.html"),
    ("A platform with a fault", "A torus in 3-D with one router and one link down, and the route of a message around them.",
     "toroid platform show torus:6x6x6 --fail-router '(2,2,2)' --fail-link 'n0-n1' --route n0 n3 --html page.html"),
    ("A training on a slice", "A step of eight layers of Llama 2 7B on 64 TPU chips: links over time, ranks, the critical path.",
     "toroid simulate tpu-v5p:4x4x4 llm:model=llama2-7b,layers=8,steps=1 --compute trace --engine fluid --html page.html"),
]  # fmt: skip
FUGAKU = ("Fugaku's validation", "Single collectives on Fugaku: measured times beside predicted ones, by a machine that was "
          "calibrated on 8 and 64 nodes. The median error on 512 nodes is 11 %.")  # fmt: skip
STYLE = """body { font: 16px/1.5 sans-serif; max-width: 1400px; margin: 2em auto; padding: 0 1em }
summary { font-size: 1.3em; cursor: pointer; margin: .5em 0 } pre { background: #eee; padding: .5em; overflow-x: auto }
iframe { width: 100%; height: 85vh; border: 1px solid #999 } svg, img { max-width: 100%; height: auto }"""


def page_of(toroid, command):
    """The page that a command writes."""
    with tempfile.TemporaryDirectory() as folder:
        words = [toroid, *shlex.split(command)[1:]]
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "TOROID_PROGRESS": "0"})
        return (Path(folder) / "page.html").read_text()


def part(title, text, command, body, is_open):
    shown = f"<pre>$ {html.escape(command)}</pre>" if command else ""
    opened = " open" if is_open else ""
    return f"<details{opened}><summary>{title}</summary><p>{html.escape(text)}</p>{shown}{body}</details>"


def main():
    toroid, target = str(Path(sys.argv[1]).resolve()), Path(sys.argv[2])
    parts = []
    for title, text, command in RUNS:
        frame = f'<iframe loading="lazy" title="{title}" srcdoc="{html.escape(page_of(toroid, command))}"></iframe>'
        parts.append(part(title, text, command, frame, not parts))
    picture = (DOCS / "validation" / "fugaku.svg").read_text()
    parts.append(part(*FUGAKU, "", picture[picture.index("<svg") :], False))
    target.write_text(
        f'<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>A look at toroid</title><style>{STYLE}</style>'
        "</head><body><h1>A look at toroid</h1><p>toroid predicts run times of MPI programs on mesh and torus machines. Five "
        "recorded runs, each with the command that makes its page.</p>" + "\n".join(parts) + "</body></html>\n"
    )


main()
