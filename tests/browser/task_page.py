#!/usr/bin/env python3
"""Does what a reader does with a page who has a question, and prints what the page answers, a line of JSON:
task_page.py CHROMIUM PAGE limits|slows|differs

limits: which link costs the critical path of a run most, which pairs of ranks load it, and how many seconds the rows of the
critical path take, the last of which is their sum.
slows: what each of several jobs loses to each other one.
differs: the bandwidths of a machine's links, and along which dimensions links have them.
"""

import json
import sys

from checks import look_at, text

ROWS = "(selector) => [...document.querySelectorAll(selector)].map((row) => [...row.cells].map((cell) => cell.textContent))"


def rows(browser, selector):
    return browser.evaluate(f"({ROWS})('{selector}')")


def seconds(words):
    number, unit = words.split()
    return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def limits(browser):
    browser.evaluate("document.querySelector('#explanation-parts > :last-child td button').click()")
    browser.settle()
    return {"link": text(browser, "#detail h3"), "pairs": [row[:2] for row in rows(browser, "#detail tbody tr")],
            "takes": [seconds(row[1]) for row in rows(browser, "#chain tbody tr")]}


def slows(browser):
    return {"to": browser.evaluate("[...document.querySelectorAll('#job-losses th')].map((cell) => cell.textContent)"),
            "lost": rows(browser, "#job-losses tbody tr")}


def differs(browser):
    return rows(browser, "#detail tbody tr")


def look(browser):
    print(json.dumps({"limits": limits, "slows": slows, "differs": differs}[sys.argv[3]](browser)))


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[4:])
