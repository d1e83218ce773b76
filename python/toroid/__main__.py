"""The command `toroid`, which goes on here where it has a plug-in that is a file of Python: a script that the command
runs by its path, so that nothing in the current folder is taken for a module."""

import os
import signal
import sys
from typing import NoReturn

_here = sys.path.pop(0)
_package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, _package)
import toroid._core  # noqa: E402: the one that belongs to the command

sys.path.pop(0)
if _package not in sys.path:
    sys.path.append(_package)


def _end(status: int) -> NoReturn:
    """Stands for os._exit: a plug-in ends its own processes, not the command in the middle of a run."""
    if os.getpid() == _command:
        raise SystemExit(f"os._exit({status}) in the process of the command")
    _exit(status)


if __name__ == "__main__":  # not where multiprocessing makes a process by reading this file again
    _command, _exit, os._exit = os.getpid(), os._exit, _end
    # Signals end the command as any program: it has handlers of its own, and its output is no place for what a plug-in
    # prints.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    sys.stdout = sys.stderr
    sys.exit(toroid._core.run_command([b"toroid", *map(os.fsencode, sys.argv[1:])]))
