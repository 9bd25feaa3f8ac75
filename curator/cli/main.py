"""The entry point: streams and signals are put right here, before anything that takes time is imported."""

from __future__ import annotations

import sys

from curator._errors import EXIT_INTERRUPTED, CurateError
from curator.cli import signals, streams


def main() -> None:
    """Run ``curate`` and leave with its exit code."""
    streams.prepare()
    signals.leave_at_once()
    try:
        from curator.cli.app import run

        code = run()
    except CurateError as error:
        # An installed package that adds something of its own, and cannot be loaded.
        sys.stderr.write(f"curate: {error}\n")
        code = error.exit_code
    except KeyboardInterrupt:
        # In the moment when another end was being told already.
        code = EXIT_INTERRUPTED
    finally:
        # What is left is Python's own end, which a signal would turn into a traceback.
        signals.ignore()
    sys.exit(code)
