#!/usr/bin/env python3
"""Opens pictures and looks at their texts as a browser sets them: svg_texts.py CHROMIUM PICTURE...

No text may reach out of its picture or lie on another one. Slanted texts may touch by the boxes around them.
"""

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


def main(chromium, *pictures):
    with open_browser(chromium) as browser:
        for picture in pictures:
            browser.open(picture)
            seen = browser.evaluate(TEXTS)
            check(seen["texts"] > 3, f"{picture} has {seen['texts']} texts")
            check(not seen["faults"], f"{picture}: {seen['faults']}")


if __name__ == "__main__":
    main(*sys.argv[1:])
