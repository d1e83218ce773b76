#!/usr/bin/env python3
"""Opens a page of `toroid simulate --html` and looks at it: run_page.py CHROMIUM PAGE LINK [PICTURES]

LINK is the name of the one link that is used all of the time; nothing else is used.
"""

import sys

from checks import check, look_at, pixels, text

DARKEST = (68, 1, 84)  # the end of viridis
TIME_LINE = (213, 94, 0)


def look(browser):
    link = sys.argv[3]
    # The busy link has its colour, and little else has.
    seen = pixels(browser, "machine", DARKEST)
    check(20 < seen["hot"] < 0.01 * seen["all"], f"{seen['hot']} pixels have the colour of a full link")
    check(seen["ground"] == [255, 255, 255], f"the ground is {seen['ground']}")
    browser.click(seen["x"], seen["y"])
    heading = text(browser, "#detail h3")
    check(heading == link, f"the click named {heading}, expected {link}")
    loader = text(browser, "#detail tbody")
    check("rank 0" in loader and "rank 1" in loader, f"found {loader} beside the link")

    # What one change gains, and a link of the explanation that is picked in all views.
    change = browser.evaluate("[...document.querySelectorAll('#explanation-parts tr')].map(row => row.textContent).find(row => row.startsWith('--set x.bandwidth=x2'))")
    check(change.endswith("-50.0 %"), f"found {change}, expected half of the time with twice the bandwidth")
    check("--set x.bandwidth=x2" in text(browser, "#what-to-change"), f"found {text(browser, '#what-to-change')}")

    # Of the ten busiest links one carries anything.
    browser.evaluate("document.getElementById('reset').click()")
    for value, shown in ((0, "1 of 224 links"), (100, "224 of 224 links")):
        browser.evaluate(f"(() => {{ const top = document.getElementById('top'); top.value = {value}; top.dispatchEvent(new Event('input')); }})()")
        browser.settle()
        check(text(browser, "#legend").startswith(shown), f"found {text(browser, '#legend')}, expected {shown}")

    # The slider, by keys alone. It also moves the line in the chart of ranks, which is out of sight.
    out_of_sight = "document.getElementById('ranks').getBoundingClientRect().top > window.innerHeight"
    check(browser.evaluate(out_of_sight), "the chart of ranks is in sight")
    line = pixels(browser, "ranks", TIME_LINE)
    browser.evaluate("document.getElementById('time').focus()")
    before = text(browser, "#time-text")
    value = int(browser.evaluate("document.getElementById('time').value"))
    browser.press("ArrowRight" if value == 0 else "ArrowLeft")
    after = text(browser, "#time-text")
    check(before != after, f"the time stays at {after}")
    moved = pixels(browser, "ranks", TIME_LINE)
    check(line["hot"] > 100 and moved["hot"] > 100 and line["x"] != moved["x"], f"the line of the time was {line}, and is {moved}")


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[4:])
