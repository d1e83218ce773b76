"""The command `toroid`, which goes on here where it has a plug-in that is a file of Python."""

import signal
import sys

from . import _core

signal.signal(signal.SIGINT, signal.SIG_DFL)  # as in any program: the command has handlers of its own
sys.exit(_core.run_command(["toroid", *sys.argv[1:]]))
