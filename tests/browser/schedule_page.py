#!/usr/bin/env python3
"""Opens a page of `toroid schedule --html` and looks at it: schedule_page.py CHROMIUM PAGE [PICTURES]

The schedule has two jobs that run beside each other all the time, `first` and `second`, each on half of a flat machine,
and after them `third` on all of it.
"""

import sys

from checks import check, look_at, pixels, text

COLOURS = [(230, 159, 0), (86, 180, 233)]  # the first two of the palette


def look(browser):
    # Both jobs are on the machine, in colours of their own, and a click picks one everywhere.
    for colour, name in zip(COLOURS, ("first", "second")):
        seen = pixels(browser, "machine", colour)
        check(seen["hot"] > 500, f"{seen['hot']} pixels of the machine have the colour of job {name}")
        check(pixels(browser, "gantt", colour)["hot"] > 2000, f"the chart does not show job {name}")
    browser.evaluate("[...document.querySelectorAll('#jobs td button')].find((b) => b.textContent === 'second').click()")
    browser.settle()
    check(text(browser, "#detail h3") == "job second", f"the table picked {text(browser, '#detail h3')}")
    check(pixels(browser, "machine", COLOURS[0])["hot"] == 0, "the other job keeps its colour")
    check(pixels(browser, "machine", COLOURS[1])["hot"] > 500, "the picked job loses its colour")
    check("first" in text(browser, "#detail tbody"), "the job beside it is not named")
    check(text(browser, "#jobs tr.selected td") == "second", "the table does not show the picked job")

    # A click on the chart, late and in its middle: the third job.
    browser.evaluate("document.getElementById('gantt').scrollIntoView()")
    box = browser.evaluate("(() => { const b = document.getElementById('gantt').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
    browser.click(box[0] + 0.9 * box[2], box[1] + 0.4 * box[3])
    check(text(browser, "#detail h3") == "job third", f"the chart picked {text(browser, '#detail h3')}")
    browser.click(box[0] + 0.9 * box[2], box[1] + box[3] - 3)
    check("job at" in text(browser, "#detail h3"), f"beside the boxes is {text(browser, '#detail h3')}")

    # The slider and the window of time, by keys.
    browser.evaluate("document.getElementById('time').focus()")
    before = text(browser, "#time-text")
    for _ in range(3):  # half a second each
        browser.press("ArrowLeft")
    check(before != text(browser, "#time-text"), f"the time stays at {before}")
    browser.evaluate("document.getElementById('gantt').dispatchEvent(new KeyboardEvent('keydown', {key: '+'}))")
    browser.settle()
    window = browser.evaluate("[document.getElementById('from').value, document.getElementById('to').value]")
    check(window != ["0 s", "00:03:20"], f"the window is still {window}")
    browser.evaluate("document.getElementById('to').value = '00:01:30'; document.getElementById('from').value = '30';"
                     "document.getElementById('to').dispatchEvent(new Event('change'))")
    browser.settle()
    window = browser.evaluate("[document.getElementById('from').value, document.getElementById('to').value]")
    check(window == ["30.0 s", "00:01:30"], f"the window is {window}")
    browser.evaluate("document.getElementById('whole').click()")
    browser.settle()

    browser.evaluate("document.getElementById('filter').value = 'thi'; document.getElementById('filter').dispatchEvent(new Event('input'))")
    check(text(browser, "#jobs-note") == "1 of 1 job shown", text(browser, "#jobs-note"))


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[3:])
