#!/usr/bin/env python3
"""Opens a page of a run in which one link to the right is used all of the time, and nothing else, and looks where the link is
seen to lead: direction_page.py CHROMIUM PAGE thick|arrow [PICTURES]

thick: the link has another one beside it, and its thick end is where it begins. arrow: the link is of a one-way ring, and has
an arrowhead.
"""

import sys

from checks import check, look_at, profile, text

DARKEST = (68, 1, 84)  # the end of viridis


def look(browser):
    columns = profile(browser, "machine", DARKEST)
    check(len(columns) > 20, f"the link is {len(columns)} pixels long")
    if sys.argv[3] == "thick":
        third = len(columns) // 3
        check(sum(columns[:third]) > 1.2 * sum(columns[-third:]), f"the link is not thicker where it begins: {columns}")
        check("thick end: where a link begins" in text(browser, "#legend"), text(browser, "#legend"))
    else:  # the head is widest at once, and becomes narrower towards where it leads
        base = columns.index(max(columns))
        before, after = columns[base - 4], columns[base + 4]
        check(max(columns) > 1.3 * before and after > before, f"no arrowhead that leads to the right: {columns}")
        check("arrows: one-way links" in text(browser, "#legend"), text(browser, "#legend"))


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[4:])
