"""What every page must do in a browser, at two widths and in both schemes of colours."""

import sys

from browser import Browser

NO_BROWSER = 77  # exit code where no browser starts, which says nothing of the page

# Notes each text that a canvas gets: whether it lies within, and whether it lies on another one of the same drawing.
WATCH_TEXTS = """(() => {
  const {fillText, clearRect} = CanvasRenderingContext2D.prototype;
  window.badTexts = [];
  const boxes = new WeakMap();
  CanvasRenderingContext2D.prototype.clearRect = function (...all) { boxes.set(this.canvas, []); return clearRect.apply(this, all); };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const size = this.measureText(text), name = this.canvas.id + ": " + text;
    const box = {left: x - size.actualBoundingBoxLeft, right: x + size.actualBoundingBoxRight, top: y - size.actualBoundingBoxAscent, bottom: y + size.actualBoundingBoxDescent, text};
    if (text !== "" && this.canvas.clientWidth > 0) {
      if (box.left < -1 || box.right > this.canvas.clientWidth + 1 || box.top < -1 || box.bottom > this.canvas.clientHeight + 1) badTexts.push("cut: " + name);
      const others = boxes.get(this.canvas) || [];
      for (const o of others) if (box.left < o.right && o.left < box.right && box.top < o.bottom && o.top < box.bottom) badTexts.push("on another: " + name + " / " + o.text);
      others.push(box);
      boxes.set(this.canvas, others);
    }
    return fillText.call(this, text, x, y, ...rest);
  };
})()"""

PIXELS = """((id, red, green, blue) => {
  const shown = document.getElementById(id), copy = document.createElement("canvas");
  copy.width = shown.width; copy.height = shown.height;
  const context = copy.getContext("2d");
  context.drawImage(shown, 0, 0);
  const {data} = context.getImageData(0, 0, copy.width, copy.height);
  let hot = 0, x = 0, y = 0;
  for (let i = 0; i < data.length; i += 4)
    if (Math.abs(data[i] - red) + Math.abs(data[i + 1] - green) + Math.abs(data[i + 2] - blue) < 24) { ++hot; x += i / 4 % copy.width; y += Math.floor(i / 4 / copy.width); }
  const box = shown.getBoundingClientRect();
  return {hot, x: box.left + x / hot, y: box.top + y / hot, ground: [data[0], data[1], data[2]], all: data.length / 4};
})"""

COLUMNS = """((id, red, green, blue) => {
  const shown = document.getElementById(id), copy = document.createElement("canvas");
  copy.width = shown.width; copy.height = shown.height;
  const context = copy.getContext("2d"), counts = new Array(copy.width).fill(0);
  context.drawImage(shown, 0, 0);
  const {data} = context.getImageData(0, 0, copy.width, copy.height);
  for (let i = 0; i < data.length; i += 4)
    if (Math.abs(data[i] - red) + Math.abs(data[i + 1] - green) + Math.abs(data[i + 2] - blue) < 24) ++counts[i / 4 % copy.width];
  return counts;
})"""


# The names of all pictures of a page that are shown and have nothing in them.
BLANK = """(() => [...document.querySelectorAll("canvas")].filter((shown) => {
  if (shown.clientWidth === 0) return false;
  const copy = document.createElement("canvas");
  copy.width = shown.width; copy.height = shown.height;
  const context = copy.getContext("2d");
  context.drawImage(shown, 0, 0);
  return context.getImageData(0, 0, copy.width, copy.height).data.every((value) => value === 0);
}).map((shown) => shown.id || shown.parentElement.id))()"""


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def pixels(browser, canvas, colour):
    """How many pixels of a canvas have about this colour, and their middle in the page."""
    return browser.evaluate(PIXELS + '("%s", %d, %d, %d)' % (canvas, *colour))


def profile(browser, canvas, colour):
    """How many pixels of each column of a canvas have about this colour, from the first such column to the last."""
    counts = browser.evaluate(COLUMNS + '("%s", %d, %d, %d)' % (canvas, *colour))
    used = [x for x, n in enumerate(counts) if n > 0]
    return counts[used[0]:used[-1] + 1] if used else []


def text(browser, selector):
    return browser.evaluate(f"document.querySelector('{selector}').textContent")


def open_browser(chromium):
    """A browser; ends the program with NO_BROWSER where none starts."""
    try:
        return Browser(chromium)
    except (RuntimeError, TimeoutError) as error:
        print(error, file=sys.stderr)
        sys.exit(NO_BROWSER)


def look_at(chromium, page, look, pictures=None):
    """Opens the page, lets look(browser) look at it, and then checks what all pages must do. Writes screenshots whose names
    begin with `pictures`, if it is given."""
    with open_browser(chromium) as browser:
        browser.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH_TEXTS)
        browser.show(1200, 900)
        browser.open(page)
        browser.wait_for("document.body && document.body.dataset.ready === 'yes'")
        browser.settle()
        look(browser)
        for width in (1200, 700):
            for dark in (False, True):
                browser.show(width, 900, dark)
                wide = browser.evaluate("document.documentElement.scrollWidth")
                check(wide <= width, f"the page is {wide} wide in a window of {width}")
                ground = pixels(browser, "machine", (0, 0, 0))["ground"]
                check((sum(ground) < 150) == dark, f"the ground is {ground}, dark: {dark}")
                blank = browser.evaluate(BLANK)
                check(not blank, f"nothing is drawn in {blank}")
                if pictures:
                    browser.picture(f"{pictures}-{width}-{'dark' if dark else 'light'}.png")
        bad = browser.evaluate("badTexts")
        check(not bad, f"texts of pictures: {sorted(set(bad))}")
        check(not browser.complaints, f"the console says: {browser.complaints}")
