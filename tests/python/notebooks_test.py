"""The notebooks of examples/: their cells run one after the other, and print what the notebook shows.

TOROID_REFRESH_DOCS in the environment writes the notebooks anew, with the outputs as they are now.
"""

import contextlib
import importlib.util
import io
import json
import os
import sys
import unittest
from pathlib import Path
from unittest import mock

EXAMPLES = Path(os.environ["TOROID_SOURCE_DIR"]) / "examples"
IS_REFRESHED = "TOROID_REFRESH_DOCS" in os.environ


def outputs_of(cells):
    """What each cell prints, and the pictures that were left open, by the numbers of their cells."""
    import matplotlib.pyplot as plt

    names, outputs, pictures = {"__name__": "__main__"}, [], {}
    for number, cell in enumerate(cells):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("".join(cell["source"]), f"cell {number}", "exec"), names)
        outputs.append(printed.getvalue())
        if plt.get_fignums():
            pictures[number] = [len(axis.lines) + len(axis.images) for axis in plt.gcf().axes]
            plt.close("all")
    return outputs, pictures


def shown(cell):
    return "".join(line for output in cell["outputs"] for line in output["text"])


@unittest.skipIf(importlib.util.find_spec("matplotlib") is None, "skipped: needs matplotlib (package python3-matplotlib)")
class Notebooks(unittest.TestCase):
    def check(self, name):
        """Runs a notebook; returns how many lines and images each plot has."""
        path = EXAMPLES / name
        book = json.loads(path.read_text())
        cells = [cell for cell in book["cells"] if cell["cell_type"] == "code"]
        environment = {"MPLBACKEND": "Agg"}
        with mock.patch.dict(os.environ, environment), mock.patch.object(sys, "path", [str(EXAMPLES), *sys.path]):
            os.environ.pop("TOROID_LOG", None)
            outputs, pictures = outputs_of(cells)
        if IS_REFRESHED:
            for cell, output in zip(cells, outputs):
                stream = {"name": "stdout", "output_type": "stream", "text": output.splitlines(keepends=True)}
                cell["outputs"] = [stream] if output else []
            path.write_text(json.dumps(book, indent=1) + "\n")
        for cell, output in zip(cells, outputs):
            self.assertEqual(shown(cell), output)
        return pictures

    def test_mapping_study(self):
        points, machine = self.check("mapping_study.ipynb").values()
        self.assertEqual(points, [3, 3])  # a group of points for each mapper, on each of two machines
        self.assertEqual(machine[0], 1)  # the image; the other axes are its scale

    def test_what_if_sweep(self):
        self.assertEqual(list(self.check("what_if_sweep.ipynb").values()), [[2]])  # the curve, and where the machine is today

    def test_own_allocator(self):
        self.assertEqual(list(self.check("own_allocator.ipynb").values()), [[7]])  # three pairs with intervals, and zero


if __name__ == "__main__":
    unittest.main()
