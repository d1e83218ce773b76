#!/usr/bin/env python3
"""Opens a page of a machine with four dimensions and chooses its axes: axes_page.py CHROMIUM PAGE [PICTURES]

The machine is torus:6x4x4x12 with a failed link at z = 2. Along z the page shows one plane at first, as z would make a bar
of any axis.
"""

import sys

from checks import check, look_at, text


def shown(browser):
    """How many links the legend says are shown."""
    browser.settle()
    return int(browser.evaluate("/([0-9,]+) of 9,216 links/.exec(document.getElementById('legend').textContent)[1].replace(',', '')"))


def choose(browser, name, value):
    browser.evaluate(f"(() => {{ const s = document.querySelector('[aria-label=\"{name}\"]'); s.value = '{value}'; "
                     "s.dispatchEvent(new Event(s.tagName === 'SELECT' ? 'change' : 'input')); })()")


def look(browser):
    plane = "document.querySelector('[aria-label=\"plane of z\"]')"
    check(browser.evaluate(plane + ".hidden") is False, "no plane of z is chosen")
    # 6 x 4 x 12 routers in a plane, with a link each way along three dimensions.
    check(shown(browser) == 6 * 4 * 12 * 6, f"{shown(browser)} links of a plane")
    browser.evaluate("[...document.querySelectorAll('#special td button')].pop().click()")
    browser.settle()
    check(browser.evaluate(plane + ".value") == "2", "the plane does not go to the picked link")
    check("failed" in text(browser, "#detail"), text(browser, "#detail"))
    choose(browser, "plane of z", "3")
    check(shown(browser) == 6 * 4 * 12 * 6, f"{shown(browser)} links of another plane")
    choose(browser, "axis of z", "2")  # deep, folded with the fourth dimension
    check(shown(browser) == 9216, f"{shown(browser)} links in all")
    check(browser.evaluate(plane + ".hidden") is True, "a plane of z is still offered")
    choose(browser, "axis of x", "3")
    check(shown(browser) == 4 * 4 * 12 * 6, f"{shown(browser)} links of a plane of x")


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[3:])
