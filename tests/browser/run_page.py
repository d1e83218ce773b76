#!/usr/bin/env python3
"""Opens a page of `toroid simulate --html` and looks at it: run_page.py CHROMIUM PAGE LINK

LINK is the name of the one link that is used all of the time; nothing else is used.
"""

import sys

from browser import Browser

PIXELS = """(() => {
  const shown = document.getElementById("machine"), copy = document.createElement("canvas");
  copy.width = shown.width; copy.height = shown.height;
  const context = copy.getContext("2d");
  context.drawImage(shown, 0, 0);
  const {data} = context.getImageData(0, 0, copy.width, copy.height);
  let hot = 0, x = 0, y = 0;
  for (let i = 0; i < data.length; i += 4)
    if (Math.abs(data[i] - %d) + Math.abs(data[i + 1] - %d) + Math.abs(data[i + 2] - %d) < 24) { ++hot; x += i / 4 %% copy.width; y += Math.floor(i / 4 / copy.width); }
  const box = shown.getBoundingClientRect();
  return {hot, x: box.left + x / hot, y: box.top + y / hot, ground: [data[0], data[1], data[2]], all: data.length / 4};
})()"""
NO_BROWSER = 77  # exit code where no browser starts, which says nothing of the page
DARKEST, BRIGHTEST = (68, 1, 84), (253, 231, 37)  # the ends of viridis


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def main(chromium, page, link):
    try:
        browser = Browser(chromium)
    except (RuntimeError, TimeoutError) as error:
        print(error, file=sys.stderr)
        sys.exit(NO_BROWSER)
    with browser:
        browser.show(1200, 900)
        browser.open(page)
        browser.wait_for("document.body && document.body.dataset.ready === 'yes'")
        browser.settle()

        # The busy link has its colour, and little else has.
        seen = browser.evaluate(PIXELS % DARKEST)
        check(20 < seen["hot"] < 0.01 * seen["all"], f"{seen['hot']} pixels have the colour of a full link")
        check(seen["ground"] == [255, 255, 255], f"the ground is {seen['ground']}")
        browser.click(seen["x"], seen["y"])
        heading = browser.evaluate("document.querySelector('#detail h3').textContent")
        check(heading == link, f"the click named {heading}, expected {link}")
        loader = browser.evaluate("document.querySelector('#detail tbody').textContent")
        check("rank 0" in loader and "rank 1" in loader, f"found {loader} beside the link")

        # The slider, by keys alone.
        browser.evaluate("document.getElementById('time').focus()")
        before = browser.evaluate("document.getElementById('time-text').textContent")
        value = int(browser.evaluate("document.getElementById('time').value"))
        browser.press("ArrowRight" if value == 0 else "ArrowLeft")
        after = browser.evaluate("document.getElementById('time-text').textContent")
        check(before != after, f"the time stays at {after}")

        for width in (1200, 700):
            for dark in (False, True):
                browser.show(width, 900, dark)
                wide = browser.evaluate("document.documentElement.scrollWidth")
                check(wide <= width, f"the page is {wide} wide in a window of {width}")
                ground = browser.evaluate(PIXELS % BRIGHTEST)["ground"]
                check((sum(ground) < 150) == dark, f"the ground is {ground}, dark: {dark}")
                if len(sys.argv) > 4:
                    browser.picture(f"{sys.argv[4]}-{width}-{'dark' if dark else 'light'}.png")
        check(not browser.complaints, f"the console says: {browser.complaints}")


if __name__ == "__main__":
    main(*sys.argv[1:4])
