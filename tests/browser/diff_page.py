#!/usr/bin/env python3
"""Opens a page of `toroid diff --html` and looks at it: diff_page.py CHROMIUM PAGE [PICTURES]

On a mesh of 8 x 8 the first run uses the link from n27 to n28 alone, and the second one that from n35 to n36.
"""

import sys

from checks import COLUMNS, check, look_at, pixels, text

LESS, MORE, FULL = (0, 114, 178), (213, 94, 0), (68, 1, 84)


def choose(browser, name, value):
    browser.evaluate(f"(() => {{ const s = document.getElementById('{name}'); s.value = '{value}'; s.dispatchEvent(new Event('change')); }})()")
    browser.settle()


def look(browser):
    for colour, link in ((LESS, "n27 -> n28 (+x)"), (MORE, "n35 -> n36 (+x)")):
        seen = pixels(browser, "machine", colour)
        check(20 < seen["hot"] < 0.01 * seen["all"], f"{seen['hot']} pixels have the colour of {link}")
        browser.click(seen["x"], seen["y"])
        check(text(browser, "#detail h3") == link, f"the click named {text(browser, '#detail h3')}, expected {link}")
        check("1.00 MB" in text(browser, "#detail"), text(browser, "#detail"))
    browser.evaluate("document.getElementById('reset').click()")
    browser.settle()
    places = []
    for run in ("before", "after"):
        choose(browser, "shown-run", run)
        seen = pixels(browser, "machine", FULL)
        check(20 < seen["hot"] < 0.01 * seen["all"], f"{seen['hot']} pixels have the colour of a full link {run}")
        places.append((round(seen["x"]), round(seen["y"])))
    check(places[1][1] > places[0][1] + 10 and abs(places[1][0] - places[0][0]) < 5, f"the links are at {places}")
    check(pixels(browser, "machine", MORE)["hot"] == 0, "a run alone has colours of a difference")
    # Side by side: each half of the stage has the link of its run, which a click there names.
    choose(browser, "shown-run", "both")
    check(text(browser, "#axes").startswith("x = 7y = 0before"), text(browser, "#axes"))
    box = browser.evaluate("(() => { const b = document.getElementById('machine').getBoundingClientRect(); return [b.left, b.width]; })()")
    columns = browser.evaluate(COLUMNS + "('machine', %d, %d, %d)" % FULL)
    half = len(columns) // 2
    for begin, name in ((0, "n27 -> n28 (+x)"), (half, "n35 -> n36 (+x)")):
        used = [x for x in range(begin, begin + half) if columns[x] > 0]
        check(len(used) > 10, f"{name} is not there: {used}")
        x, y = box[0] + sum(used) / len(used), places[begin // half][1]
        for step in range(-60, 60, 2):  # the halves are drawn smaller than the whole
            browser.click(x, y + step)
            if text(browser, "#detail h3") == name:
                break
        check(text(browser, "#detail h3") == name, f"found {text(browser, '#detail h3')}, expected {name}")
        browser.evaluate("document.getElementById('reset').click()")
        browser.settle()
    choose(browser, "shown-run", "difference")
    check("in both runs" in text(browser, "#title"), text(browser, "#title"))
    check("run time" in text(browser, "#whole-table"), "there is no table of both runs")


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[3:])
