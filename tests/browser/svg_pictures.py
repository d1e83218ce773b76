#!/usr/bin/env python3
"""Opens pictures and looks at them as a browser draws them: svg_pictures.py CHROMIUM PICTURE...

No text may reach out of its picture or lie on another one; slanted texts may touch by the boxes around them. Ticks are round
numbers, with a unit. Each colour of what is drawn stands in the legend.
"""

import math
import re
import sys

from checks import check, open_browser

TEXTS = """(() => {
  const all = document.documentElement.getBoundingClientRect(), faults = [], boxes = [];
  for (const text of document.querySelectorAll("text")) {
    const words = [...text.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join("").trim();
    if (words === "") continue;
    const {left, right, top, bottom} = text.getBoundingClientRect();
    if (left < all.left - 1 || right > all.right + 1 || top < all.top - 1 || bottom > all.bottom + 1) faults.push("cut: " + words);
    const angle = /rotate\\(([-0-9.]+)/.exec(text.getAttribute("transform") || "rotate(0");
    if (Number(angle[1]) % 90 !== 0) continue;
    for (const o of boxes)
      if (Math.min(right, o.right) - Math.max(left, o.left) > 1 && Math.min(bottom, o.bottom) - Math.max(top, o.top) > 3) faults.push("on another: " + words + " / " + o.words);
    boxes.push({left, right, top, bottom, words});
  }
  return {faults, texts: boxes.length};
})()"""

# The labels of each axis, the names of all, and the headings of panels.
TICKS = """({
  axes: [...document.querySelectorAll(".ticks")].map((axis) => [...axis.querySelectorAll("text")].map((text) => text.textContent)),
  ...Object.fromEntries([["names", ".axis-name"], ["headings", ".heading"]].map(([key, selector]) =>
    [key, [...document.querySelectorAll(selector)].map((text) => [...text.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data).join(""))])),
})"""

# The colours of shapes, blended with the white ground, in the legend and outside. Axes, grids and the ground have none; nor
# has an outline of less than half a pixel. A box is a paler area in the colour of its points.
COLOURS = """(() => {
  const found = {legend: [], drawn: {}};
  for (const shape of document.querySelectorAll("rect, circle, path, line, polygon")) {
    const style = getComputedStyle(shape), classes = shape.getAttribute("class") || "";
    if (/background|axis|grid|whisker|reference|key-line/.test(classes) || shape.closest(".ticks")) continue;
    const opacity = Number(style.opacity);
    const add = (paint, share) => {
      const parts = /rgba?\\((\\d+), (\\d+), (\\d+)(?:, ([0-9.]+))?\\)/.exec(paint);
      if (!parts) return;
      const part = /box/.test(classes) ? 1 : share * opacity * (parts[4] === undefined ? 1 : Number(parts[4]));
      if (part === 0) return;
      const colour = [1, 2, 3].map((i) => Math.round(255 + part * (Number(parts[i]) - 255)));
      if (shape.closest(".legend")) found.legend.push(colour); else found.drawn[colour] = shape.outerHTML.slice(0, 160);
    };
    if (shape.tagName !== "line") add(style.fill, Number(style.fillOpacity));
    if (parseFloat(style.strokeWidth) >= 0.5 && style.stroke !== "none") add(style.stroke, Number(style.strokeOpacity));
  }
  return found;
})()"""

STEPS = [factor * 10.0**power for power in range(-12, 13) for factor in (1, 2, 5)]
# What has no unit: ratios, counts and shares.
PURE_NUMBER = re.compile(r" / | per |slowdown|hops|links used|number of|jobs|nodes|factor", re.IGNORECASE)


def are_multiples(values, step):
    return all(abs(value / step - round(value / step)) < 1e-6 for value in values)


def are_round(values):
    """Whether ticks are 1, 2 or 5 times a power of ten apart, at most ten of them; or such numbers themselves."""
    span = max(values) - min(values)
    if any(are_multiples(values, step) for step in STEPS if step * 10.001 >= span > 0):
        return True
    return all(any(math.isclose(value, step) for step in STEPS) for value in values)


def check_ticks(picture, seen):
    for labels in seen["axes"]:
        parts = [re.fullmatch(r"(-?[0-9.]+)(?: ([^ ]+))?", label) for label in labels]
        check(len(labels) > 1 and all(parts), f"{picture}: ticks {labels}")
        check(are_round([float(part[1]) for part in parts]), f"{picture}: the ticks {labels} are not round")
        if not parts[0][2]:
            check(seen["names"], f"{picture}: the axis with {labels} has no name")
    if any(re.fullmatch(r"-?[0-9.]+", label) for labels in seen["axes"] for label in labels):
        for name in [name for name in seen["names"] if name != "mean"] or seen["headings"]:
            check(re.search(r"\[.+\]", name) or PURE_NUMBER.search(name), f"{picture}: '{name}' has no unit")


def check_colours(picture, seen):
    nearest = lambda colour: min((sum(abs(a - b) for a, b in zip(colour, known)) for known in seen["legend"]), default=999)
    for colour, shape in seen["drawn"].items():
        check(nearest([int(part) for part in colour.split(",")]) <= 30, f"{picture}: ({colour}) is not in the legend: {shape}")


def main(chromium, *pictures):
    with open_browser(chromium) as browser:
        for picture in pictures:
            browser.open(picture)
            seen = browser.evaluate(TEXTS)
            check(seen["texts"] > 3, f"{picture} has {seen['texts']} texts")
            check(not seen["faults"], f"{picture}: {seen['faults']}")
            check_ticks(picture, browser.evaluate(TICKS))
            check_colours(picture, browser.evaluate(COLOURS))


if __name__ == "__main__":
    main(*sys.argv[1:])
