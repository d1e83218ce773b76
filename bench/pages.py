#!/usr/bin/env python3
"""Measures pages in a browser: bench/pages.py CHROMIUM PAGE...

There is the size of each page; how long a browser that is at rest takes until all that is in sight is drawn, the pixels of
the machine read back, so that nothing is left to do; and until all below is drawn, too. A machine that was turned, and
the Gantt chart of a schedule that was moved, tell how long they take until they are drawn again. The window has 1200 x 800
pixels.
There are two times: of a clock (of redrawing the median of nine), and of all processors together. The latter says what
the former is on a machine that does nothing else, or less where processors share the work. Times depend on the machine:
bench/ tells, tests do not judge.
"""

import os
import statistics
import sys
import time
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
  shown.scrollIntoView();  // what is out of sight is drawn later
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
# The time since the page was asked for until what is in sight has been drawn, and until all has been, in ms.
UNTIL = "const until = async (isSo) => { while (!isSo()) await new Promise((done) => setTimeout(done, 5)); };"
IN_SIGHT = """(async () => {
  %s
  await until(() => document.body && document.body.dataset.ready === "yes");
  const copy = document.createElement("canvas"), context = copy.getContext("2d", {willReadFrequently: true});
  context.drawImage(document.getElementById("machine"), 0, 0, 1, 1);
  context.getImageData(0, 0, 1, 1);
  return performance.now();
})()""" % UNTIL
ALL = """(async () => {
  %s
  await until(() => document.body.dataset.left === "0");
  return performance.now();
})()""" % UNTIL


def processor_seconds(process):
    """Processor seconds of a process and of all that it started."""
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


def rest(browser):
    """Waits until a browser that was started has nothing more to do of its own: a fifth of a second at a twentieth of its time."""
    before = processor_seconds(browser.process.pid)
    while True:
        time.sleep(0.2)
        now = processor_seconds(browser.process.pid)
        if now - before <= 0.01:
            return
        before = now


def measure(chromium, page):
    with Browser(chromium, seconds=600) as browser:
        browser.show(1200, 800)
        rest(browser)
        begin = processor_seconds(browser.process.pid)
        browser.open(page)
        drawn = []
        for what in (IN_SIGHT, ALL):
            time_of_clock = browser.evaluate(what) / 1e3
            drawn.append(f"{time_of_clock:.2f} s ({processor_seconds(browser.process.pid) - begin:.2f} s)")
        browser.settle()
        has = {c: browser.evaluate(f"document.getElementById('{c}') !== null") for c in ("machine", "gantt")}
        return [Path(page).name, f"{os.path.getsize(page) / 1e6:.1f} MB", *drawn,
                *(redrawn(browser, canvas) if there else "-" for canvas, there in has.items())]


def main(chromium, *pages):
    print("page", "size", "in sight after (processors)", "all after", "machine redrawn in", "Gantt chart redrawn in", sep="\t")
    for page in pages:
        print(*measure(chromium, os.path.abspath(page)), sep="\t", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
