#!/usr/bin/env python3
"""Opens a page of `toroid simulate --html` and looks whether it names collectives: collective_page.py CHROMIUM PAGE COLLECTIVE

Two ranks: the second waits in COLLECTIVE in the first half of the run, and for a message in the other half.
"""

import sys

from checks import check, look_at, text

# A place in the row of rank 1, which is the lower half of the chart, above the times.
PLACE = """((share) => {
  const canvas = document.getElementById("ranks");
  canvas.scrollIntoView({block: "center"});
  const box = canvas.getBoundingClientRect();
  return [box.left + share * box.width, box.top + 0.65 * box.height];
})"""


def look(browser):
    collective = sys.argv[3]
    check(text(browser, "#ranks-moment").startswith("Point at a row"), text(browser, "#ranks-moment"))
    for share, within in ((0.3, True), (0.75, False)):
        x, y = browser.evaluate(f"{PLACE}({share})")
        browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        browser.settle()
        told = text(browser, "#ranks-moment")
        check(told.startswith("rank 1, ") and "waiting for a message on its way 100 %" in told, f"the pointer reads {told}")
        check(told.endswith(f"; in {collective} 100 %") == within, f"the pointer reads {told} at {share} of the run")

        # A click picks the rank and the time; the aside tells the same, and how long the rank waits in all.
        browser.click(x, y)
        check(text(browser, "#detail h3").startswith("rank 1 on "), text(browser, "#detail h3"))
        cells = browser.evaluate("[...document.querySelector('#detail table').tBodies[0].rows[0].cells].map((cell) => cell.textContent)")
        check(cells[0] == collective, f"found {cells} in the aside")
        check(45 < float(cells[2].split()[0]) < 55, f"found {cells[2]} of the run, expected half of it")
        check(cells[3] == ("100.0 %" if within else "0.0 %"), f"found {cells[3]} at {share} of the run")

    # So does the critical path: the first message is of the collective, the second is not.
    steps = browser.evaluate("[...document.querySelectorAll('#chain tbody tr')].map((row) => row.cells[2].textContent)")
    check(steps == [f"rank 0 to rank 1, in {collective.split()[0]}", "rank 0 to rank 1", "all"], f"the critical path reads {steps}")

    # Away from the chart, the line tells of what is selected.
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=1, y=1)
    browser.settle()
    told = text(browser, "#ranks-moment")
    check(told.startswith("rank 1, ") and collective not in told, f"the line reads {told} beside the chart")


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[4:])
