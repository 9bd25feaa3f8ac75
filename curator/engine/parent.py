"""A child process that does not outlive the command that started it."""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when process ``parent`` dies, even by SIGKILL. Linux only.

    Elsewhere the parent ends its children itself, which a SIGKILL of the parent defeats.
    """
    if not sys.platform.startswith("linux"):
        return
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have died before the line above took effect.
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
