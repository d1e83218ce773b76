#!/usr/bin/env python3
"""Opens the page of `toroid simulate --job a --job b --explain --html` and looks at it: jobs_page.py CHROMIUM PAGE [PICTURES]

Two jobs send over the link from node 1 to node 2 of a line of four: a 1 MB, b 3 MB.
"""

import sys

from checks import check, look_at, pixels, text

A, B = (230, 159, 0), (86, 180, 233)  # their colours: Okabe and Ito's first ones


def choose(browser, element, value):
    browser.evaluate(f"(() => {{ const list = document.getElementById('{element}'); list.value = '{value}'; list.dispatchEvent(new Event('change')); }})()")
    browser.settle()


def press_button(browser, within, words):
    browser.evaluate(f"[...document.querySelectorAll('{within} button')].find((button) => button.textContent === '{words}').click()")
    browser.settle()


def look(browser):
    check(text(browser, "#title").endswith("2 jobs on mesh:4"), f"the title is {text(browser, '#title')}")
    # Both jobs are there by colour, and are in the legend.
    for name, colour in (("a", A), ("b", B)):
        seen = pixels(browser, "machine", colour)
        check(seen["hot"] > 20, f"{seen['hot']} pixels have the colour of job {name}")
    check(text(browser, "#legend").startswith("ab"), f"the legend is {text(browser, '#legend')}")

    # The shared link belongs to b, and the aside tells both.
    browser.evaluate("document.getElementById('reset').click()")
    press_button(browser, "#detail", "n1 -> n2 (+x)")
    rows = browser.evaluate("[...document.querySelectorAll('#detail table')[0].tBodies[0].rows].map((row) => [...row.cells].map((cell) => cell.textContent).join('|'))")
    check(rows == ["b|3.00 MB|75.0 %", "a|1.00 MB|25.0 %"], f"found {rows} as the jobs on the link")

    # Who slows whom: half of the link is the other's as long as both are there.
    rows = browser.evaluate("[...document.querySelectorAll('#job-losses tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent).join('|'))")
    check(len(rows) == 2 and rows[0].startswith("a|-|1.0") and "(50.0 %)" in rows[0], f"found {rows} as what jobs lost")

    # Each job has its explanation, its losses and its chain.
    for job, other in (("a", "b"), ("b", "a")):
        press_button(browser, "#job-table", job)
        check(text(browser, "#explanation h2") == f"Why, and what to change: {job}", text(browser, "#explanation h2"))
        check(f"without {other}" in text(browser, "#what-to-change"), f"found {text(browser, '#what-to-change')} for job {job}")
        change = browser.evaluate("[...document.querySelectorAll('#explanation-parts tr')].map((row) => row.textContent).find((row) => row.startsWith('--set x.bandwidth=x2'))")
        check(f"{other} -50.0 %" in change, f"found {change}, expected that {other} takes half of the time, too")
        check(f"{job} rank 0 to {job} rank 1" in text(browser, "#chain"), f"found {text(browser, '#chain')} for job {job}")
        check(f"{other} rank 0 to {other} rank 1" in text(browser, "#chain"), f"{other} is not in the way of {job}")
        heading = text(browser, "#detail h3")
        check(heading == job, f"the aside tells of {heading}")

    # A picked job leaves the colours of the others.
    check(pixels(browser, "machine", A)["hot"] == 0, "the colour of a is there while b is picked")
    check(pixels(browser, "machine", B)["hot"] > 20, "the colour of b is not there while b is picked")
    choose(browser, "shown-job", 0)
    check(text(browser, "#h-chain") == "The critical path, its longest steps: a", text(browser, "#h-chain"))
    for kind in ("window", "mean", "bytes", "loss", "job"):
        choose(browser, "link-colour", kind)
        check(text(browser, "#legend") != "", f"no legend for links by {kind}")
    browser.evaluate("document.getElementById('reset').click()")


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[3:])
