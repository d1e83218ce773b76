#!/usr/bin/env python3
"""Measures pages in a browser: bench/pages.py CHROMIUM PAGE...

Each page has its size, and how long a browser takes until all that is in sight is drawn, the pixels of the machine
read back, and until all below is drawn, too. A machine that was turned, and the Gantt chart of a schedule that was
moved, have the time until they are drawn again, the median of nine. The window has 1200 x 800 pixels.
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
IN_SIGHT = (
    """(async () => {
  %s
  await until(() => document.body && document.body.dataset.ready === "yes");
  const copy = document.createElement("canvas"), context = copy.getContext("2d", {willReadFrequently: true});
  context.drawImage(document.getElementById("machine"), 0, 0, 1, 1);
  context.getImageData(0, 0, 1, 1);
  return performance.now();
})()"""
    % UNTIL
)
ALL = (
    """(async () => {
  %s
  await until(() => document.body.dataset.left === "0");
  return performance.now();
})()"""
    % UNTIL
)


def redrawn(browser, canvas):
    """The time for a frame less that of a frame in which nothing happens."""

    def median(keys):
        return statistics.median(browser.evaluate(REDRAWN + f"('{canvas}', {keys})"))

    idle = median([""] * FRAMES)
    return f"{max(0, median((['ArrowLeft', 'ArrowRight'] * FRAMES)[:FRAMES]) - idle):.0f} ms"


def measure(chromium, page):
    with Browser(chromium, seconds=600) as browser:
        browser.show(1200, 800)
        time.sleep(2)  # until a browser that was started has nothing more to do of its own
        browser.open(page)
        drawn = [f"{browser.evaluate(what) / 1e3:.2f} s" for what in (IN_SIGHT, ALL)]
        browser.settle()
        for canvas in ("machine", "gantt"):
            is_there = browser.evaluate(f"document.getElementById('{canvas}') !== null")
            drawn.append(redrawn(browser, canvas) if is_there else "-")
        return [Path(page).name, f"{os.path.getsize(page) / 1e6:.1f} MB", *drawn]


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print("page", "size", "in sight after", "all after", "machine redrawn in", "Gantt chart redrawn in", sep="\t")
    for page in sys.argv[2:]:
        print(*measure(sys.argv[1], os.path.abspath(page)), sep="\t", flush=True)
