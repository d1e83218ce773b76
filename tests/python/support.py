"""What the tests share: the command beside the module."""

import json
import os
import subprocess

COMMAND = os.environ["TOROID_COMMAND"]
SOURCE = os.environ["TOROID_SOURCE_DIR"]


def command(*arguments):
    """The JSON that the command writes, without its manifest."""
    done = subprocess.run([COMMAND, *arguments, "--json", "-"], capture_output=True, text=True, check=True)
    result = json.loads(done.stdout)
    del result["manifest"]
    return result


def complaint(*arguments):
    """The one line with which the command fails."""
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True)
    assert done.returncode != 0 and done.stderr.startswith("toroid: "), done
    return done.stderr[len("toroid: ") :].strip()
