#!/usr/bin/env python3
"""Opens a page of `toroid platform show --html` and looks at it: platform_page.py CHROMIUM PAGE [PICTURES]

The machine is a mesh of 6 x 6 whose y links have another bandwidth, with service node 35, failed node 30, a failed link, and
no route.
"""

import sys

from checks import check, look_at, pixels, text

FIRST, SECOND, FAILED, SERVICE = (0, 114, 178), (230, 159, 0), (213, 94, 0), (240, 228, 66)


def look(browser):
    widths = [pixels(browser, "machine", colour)["hot"] for colour in (FIRST, SECOND)]
    check(min(widths) > 300, f"{widths} pixels have the colours of the two bandwidths")
    check(widths[0] > 1.2 * widths[1], f"links of half the bandwidth are not thinner: {widths}")
    check(pixels(browser, "machine", FAILED)["hot"] > 20, "nothing is shown as failed")
    check(pixels(browser, "machine", SERVICE)["hot"] > 100, "the service node is not seen")
    legend = text(browser, "#legend")
    for words in ("2.00 GB/s (x)", "1.00 GB/s (y)", "square: service node", "cross: failed", "failed link"):
        check(words in legend, f"found '{legend}', expected '{words}' in it")
    dimensions = text(browser, "#dimensions")
    check("2.00 GB/s" in dimensions and "1.00 GB/s" in dimensions, dimensions)
    special = text(browser, "#special")
    for words in ("n35", "service node", "n30", "n7 -> n8 (+x)"):
        check(words in special, f"found '{special}', expected '{words}' in it")

    # A name picks; the aside has the node's links.
    browser.evaluate("[...document.querySelectorAll('#special td button')].find((b) => b.textContent === 'n35').click()")
    browser.settle()
    check(text(browser, "#detail h3") == "n35 at (5,5): service node", text(browser, "#detail h3"))
    check("n35 -> n34 (-x)" in text(browser, "#detail"), "its links are not listed")

    # Numbers as a path: from one end of the colours to the other.
    browser.evaluate("(() => { const s = document.getElementById('link-colour'); s.value = 'numbers'; s.dispatchEvent(new Event('change')); })()")
    browser.settle()
    check(pixels(browser, "machine", FIRST)["hot"] == 0, "links are still there beside the path")
    check(pixels(browser, "machine", (33, 144, 141))["hot"] > 20, "the path has no middle")
    browser.evaluate("(() => { const s = document.getElementById('link-colour'); s.value = 'bandwidth'; s.dispatchEvent(new Event('change')); })()")


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[3:])
