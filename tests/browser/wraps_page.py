#!/usr/bin/env python3
"""Opens a page of `toroid platform show --html` and looks whether wraps are told apart: wraps_page.py CHROMIUM PAGE twisted|shared
[PICTURES]

twisted: the machine is a slice of TPU v4 of 4 x 4 x 8 whose wraps along x and y are twisted. shared: its lines are one-way rings,
12 x 8, each of them one link that its routers share.
"""

import sys

from checks import check, look_at, pixels, profile, text

LINKS, TWIST, PICKED = (0, 114, 178), (230, 159, 0), (0, 0, 0)
MIDDLE = """(() => {
  const box = document.getElementById("machine").getBoundingClientRect();
  return [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
})()"""


def twisted(browser):
    for colour in (LINKS, TWIST):
        check(pixels(browser, "machine", colour)["hot"] > 300, f"little has the colour {colour}")
    check("wraps of the twist" in text(browser, "#legend"), text(browser, "#legend"))


def shared(browser):
    check("a line along x or y: one link that its routers share" in text(browser, "#legend"), text(browser, "#legend"))
    check("20 of 20 links" in text(browser, "#legend"), text(browser, "#legend"))
    # From the middle of the stage downwards, until a line along x is hit; all of the line is picked.
    x, y = browser.evaluate(MIDDLE)
    for step in range(60):
        browser.click(x, y + step)
        if text(browser, "#detail h3").endswith("(x)"):
            break
    name = text(browser, "#detail h3")
    check(name.startswith("line of n") and name.endswith("(x)"), f"the click named {name}")
    check("one link that all routers of the line share; one way only" in text(browser, "#detail"), text(browser, "#detail"))
    columns, width = profile(browser, "machine", PICKED), browser.evaluate("document.getElementById('machine').width")
    check(len(columns) > 0.7 * width, f"what is picked is {len(columns)} of {width} pixels wide")


def look(browser):
    {"twisted": twisted, "shared": shared}[sys.argv[3]](browser)


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[4:])
