#!/usr/bin/env python3
"""Measures pages in a browser: bench/pages.py CHROMIUM PAGE...

For each page: its size; how long it takes until it can be used; how long a machine that was turned takes until it is drawn
again, its pixels read back, so that nothing is left to do; and the same of the Gantt chart of a schedule that was moved. The
window has 1200 x 800 pixels. Of each there are two times: of a clock (of redrawing the median of nine), and of all processors
together. The latter says what the former is on a machine that does nothing else, or less where processors share the work.
Times depend on the machine: bench/ tells, tests do not judge.
"""

import os
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests/browser"))

from browser import Browser  # noqa: E402

FRAMES = 9
# The times from a key, if there is one, until the picture has been drawn, in ms.
REDRAWN = """(async (id, keys) => {
  const shown = document.getElementById(id), copy = document.createElement("canvas"), all = [];
  copy.width = copy.height = 1;
  const context = copy.getContext("2d", {willReadFrequently: true});
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  for (const key of keys) {
    await frame();
    const begin = performance.now();
    if (key) shown.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    await frame();
    context.drawImage(shown, 0, 0, 1, 1);
    context.getImageData(0, 0, 1, 1);
    all.push(performance.now() - begin);
  }
  return all;
})"""
READY = """new Promise((done) => {
  const look = () => (document.body && document.body.dataset.ready === "yes" ? done(performance.now()) : setTimeout(look, 20));
  look();
})"""


def processor_seconds(process):
    """Of a process and all that it started."""
    parents, spent = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:  # it has ended
            continue
        parents[int(folder.name)] = int(fields[1])
        spent[int(folder.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def is_below(one):
        while one in parents and one != process:
            one = parents[one]
        return one == process

    return sum(seconds for one, seconds in spent.items() if is_below(one))


def redrawn(browser, canvas):
    """The time of a clock and of all processors for a frame, in ms, less that of a frame in which nothing happens."""
    def frames(keys):
        begin = processor_seconds(browser.process.pid)
        times = browser.evaluate(REDRAWN + f"('{canvas}', {keys})")
        return statistics.median(times), 1e3 * (processor_seconds(browser.process.pid) - begin) / FRAMES

    idle, idle_processors = frames([""] * FRAMES)
    time, processors = frames((["ArrowLeft", "ArrowRight"] * FRAMES)[:FRAMES])
    return f"{max(0, time - idle):.0f} ms ({max(0, processors - idle_processors):.0f} ms)"


def measure(chromium, page):
    with Browser(chromium, seconds=600) as browser:
        browser.show(1200, 800)
        begin = processor_seconds(browser.process.pid)
        browser.open(page)
        ready = browser.evaluate(READY) / 1e3
        spent = processor_seconds(browser.process.pid) - begin
        browser.settle()
        has = {c: browser.evaluate(f"document.getElementById('{c}') !== null") for c in ("machine", "gantt")}
        return [Path(page).name, f"{os.path.getsize(page) / 1e6:.1f} MB", f"{ready:.2f} s ({spent:.2f} s)",
                *(redrawn(browser, canvas) if there else "-" for canvas, there in has.items())]


def main(chromium, *pages):
    print("page", "size", "ready after (processors)", "machine redrawn in", "Gantt chart redrawn in", sep="\t")
    for page in pages:
        print(*measure(chromium, os.path.abspath(page)), sep="\t", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
