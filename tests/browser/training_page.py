#!/usr/bin/env python3
"""Opens a page of `toroid simulate --html` of a training: training_page.py CHROMIUM PAGE JSON

JSON is the result of the same run.
"""

import json
import sys

from checks import check, look_at, pixels, text


def close(told, expected):
    return abs(float(told) - expected) <= 0.01 * abs(expected)


def look(browser):
    result = json.load(open(sys.argv[3]))
    training, told = result["training"], text(browser, "#training")
    words = told.split()
    check(close(words[0], training["tokens_per_second"]) and words[1] == "tokens/s,", f"found {told}")
    check(close(words[2], training["tokens_per_second"] / len(result["ranks"])), f"found {told}")
    check(f"MFU {100 * training['mfu']:.1f} %" in told, f"found {told}")
    check("computation at 62.0 % of the peak" in told, f"found {told}")
    for waits in result["exposed"]:
        share = (waits["transfer_s"] + waits["wait_s"]) / result["runtime_s"]
        check(f"{waits['purpose']} " in told and f"({100 * share:.1f} %)" in told, f"found {told} without {waits}")

    # What the ranks' chart is coloured by stands above it, each word behind its colour.
    keys = browser.evaluate("[...document.querySelectorAll('#ranks-note .key')].map((key) => [key.style.background, key.nextSibling.textContent])")
    check([words for _, words in keys] == ["computing", "waiting for a message on its way", "waiting for another rank"], f"found {keys}")
    check("blank: nothing that takes time" in text(browser, "#ranks-note"), text(browser, "#ranks-note"))
    colours = [[int(part) for part in colour[4:-1].split(",")] for colour, _ in keys]
    check(pixels(browser, "ranks", colours[0])["hot"] > 100, f"the chart has little of {colours[0]}")


if __name__ == "__main__":
    look_at(*sys.argv[1:3], look, *sys.argv[4:])
