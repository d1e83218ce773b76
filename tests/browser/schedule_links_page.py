#!/usr/bin/env python3
"""Opens a page of `toroid schedule --html --windows N` and looks at its links: schedule_links_page.py CHROMIUM PAGE LINK [PICTURES]

LINK is the name of the one link that is used all of the time; nothing else is used.
"""

import sys

from checks import check, look_at, pixels, text

DARKEST = (68, 1, 84)  # the end of viridis


def look(browser):
    link = sys.argv[3]
    check(pixels(browser, "machine", DARKEST)["hot"] == 0, "links have colours of their use before they are asked for")
    browser.evaluate("(() => { const links = document.getElementById('links'); links.value = 'use'; links.dispatchEvent(new Event('change')); })()")
    browser.settle()
    seen = pixels(browser, "machine", DARKEST)
    check(20 < seen["hot"] < 0.02 * seen["all"], f"{seen['hot']} pixels have the colour of a full link")
    row = text(browser, "#detail tbody tr")
    check(row.startswith(link + "100.0 %"), f"the busiest link is {row}, expected {link}")
    browser.click(seen["x"], seen["y"])
    check(text(browser, "#detail h3") == link, f"the click named {text(browser, '#detail h3')}, expected {link}")
    check("Used 100.0 % of its capacity" in text(browser, "#detail"), f"found {text(browser, '#detail')}")


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[4:])
