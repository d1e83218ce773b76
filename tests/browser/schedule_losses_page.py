#!/usr/bin/env python3
"""Opens a page of `toroid schedule --html` and looks at who slows whom: schedule_losses_page.py CHROMIUM PAGE [PICTURES]

Of three jobs `a` and `b`, of users 1 and 2 with different programs, share a link, and `c` shares none.
"""

import sys

from checks import check, look_at, text


def rows(browser, selector):
    return browser.evaluate(f"[...document.querySelectorAll('{selector} tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent))")


def click(browser, selector, name):
    browser.evaluate(f"[...document.querySelectorAll('{selector} button')].find((b) => b.textContent.includes('{name}')).click()")
    browser.settle()


def look(browser):
    pairs = rows(browser, "#pairs")
    check(sorted((row[0], row[2]) for row in pairs) == [("a", "b"), ("b", "a")], f"the pairs of jobs are {pairs}")
    check("All pairs of jobs: 2 pairs" in text(browser, "#pairs-note"), text(browser, "#pairs-note"))
    matrix = rows(browser, "#who")
    check(len(matrix) == 2 and "long" in matrix[0][0] + matrix[1][0], f"by program the matrix is {matrix}")

    # By user: what user 2 loses to user 1, and the job behind the number.
    browser.evaluate("(() => { const by = document.getElementById('who-by'); by.value = 'user'; by.dispatchEvent(new Event('change')); })()")
    browser.settle()
    matrix = {row[0]: row[1:] for row in rows(browser, "#who")}
    check(sorted(matrix) == ["user 1", "user 2"], f"by user the matrix is {matrix}")
    names = browser.evaluate("[...document.querySelectorAll('#who th')].map((th) => th.textContent)")
    lost = matrix["user 2"][names.index("user 1") - 1]
    check(lost == matrix["user 2"][-1] and "%" in lost, f"user 2 loses {lost} to user 1, {matrix['user 2'][-1]} in all")
    check(matrix["user 2"][names.index("user 2") - 1] == "", "user 2 loses time to itself")
    click(browser, "#who", lost)
    check("Jobs of user 2 that lose to jobs of user 1: 1 pair" in text(browser, "#pairs-note"), text(browser, "#pairs-note"))
    check([row[0] + row[2] for row in rows(browser, "#pairs")] == ["ba"], f"the pairs picked are {rows(browser, '#pairs')}")
    check(lost.startswith(rows(browser, "#pairs")[0][4] + " ("), "the pair has lost another time than the number says")

    # The pair leads to the job, and the job to those that slow it.
    click(browser, "#pairs", "b")
    check(text(browser, "#detail h3") == "job b", f"the pair picked {text(browser, '#detail h3')}")
    check("Loses run time to" in text(browser, "#detail"), text(browser, "#detail"))
    click(browser, "#jobs td", "c")
    check(text(browser, "#detail h3") == "job c", f"the table picked {text(browser, '#detail h3')}")
    check("Loses run time to" not in text(browser, "#detail"), "job c loses time to somebody")
    click(browser, "#who", lost)
    check("All pairs of jobs" in text(browser, "#pairs-note"), "a second click does not show all pairs")


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[3:])
