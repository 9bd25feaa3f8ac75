"""The entry point: streams and signals are put right here, before anything that takes time is imported."""

from __future__ import annotations

import sys

from curator._errors import EXIT_INTERRUPTED
from curator.cli import signals, streams


def main() -> None:
    """Run ``curate`` and leave with its exit code."""
    streams.prepare()
    signals.leave_at_once()
    from curator.cli.app import run

    try:
        code = run()
    except KeyboardInterrupt:
        # In the moment when another end was being told already.
        code = EXIT_INTERRUPTED
    finally:
        # What is left is Python's own end, which a signal would turn into a traceback.
        signals.ignore()
    sys.exit(code)
