"""A free port that stays free until the server has it."""

from __future__ import annotations

import errno
import socket
import sys

from curator._errors import DependencyError, InputError

LOOPBACK = "127.0.0.1"


class HeldPort:
    """A port of this machine's loopback address.

    A bound socket that does not listen keeps the system from giving the port to anybody else, while a server that
    asks for it by number gets it: SGLang, like nearly all, binds with ``SO_REUSEADDR``. That is so on Linux;
    elsewhere the port is let go at once, and could be lost to another program in between.

    Args:
        number: the port wanted, 0 for any.

    Attributes:
        number: the port.

    Raises:
        InputError: the port wanted is taken, or is none.
        DependencyError: there is no port left.
    """

    def __init__(self, number: int = 0) -> None:
        self._socket = socket.socket()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((LOOPBACK, number))
        except (OSError, OverflowError) as error:
            self._socket.close()
            if not number:
                raise DependencyError(f"no free port on {LOOPBACK} ({error}); close some programs") from error
            taken = isinstance(error, OSError) and error.errno == errno.EADDRINUSE
            why = "another program has it" if taken else str(error)
            raise InputError(f"port {number}: {why}; leave --port out of --server-args for a free one") from error
        self.number: int = self._socket.getsockname()[1]
        if not sys.platform.startswith("linux"):
            self.release()

    def release(self) -> None:
        """Let it go, when the server has it or is not to have it."""
        self._socket.close()
