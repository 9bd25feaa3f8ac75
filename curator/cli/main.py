"""The command ``curate``: errors become one line and an exit code here, and nowhere else."""

from __future__ import annotations

import errno
import os
import signal
import sys
import warnings

import typer

import curator
from curator._errors import EXIT_INTERRUPTED, CurateError
from curator.cli import baseline, build, check, compare, doctor, heldout, ls, quantize, rank, score

app = typer.Typer(
    name="curate",
    help="Build calibration sets for NVFP4 quantisation and rank them by KL divergence against BF16.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for verb in (check, ls, build, heldout, baseline, quantize, score, rank, compare, doctor):
    verb.register(app)


def _version(show: bool) -> None:
    if show:
        sys.stdout.write(f"curate {curator.__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Exit codes: 0 done, 2 bad input, 3 refused by a check, 4 a server or dependency failed, 130 interrupted."""


def main() -> None:
    """Run ``curate`` and leave with its exit code."""
    _quiet_libraries()
    # A run stopped by `kill` or a closing terminal leaves like one stopped by Ctrl-C: its children end too.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    sys.exit(_run())


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def _run() -> int:
    # typer's own copy of click may not be importable under the name `click`.
    try:
        result = app(standalone_mode=False)
    except typer.Exit as error:
        return error.exit_code
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted; what is done is kept, the same command goes on", EXIT_INTERRUPTED)
    except CurateError as error:
        return _fail(str(error), error.exit_code)
    except BrokenPipeError:
        # `curate ... | head`: the reader has gone, which is its right.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        return _fail("out of memory; use a smaller model, --batch-size or --tokens", 4)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES}:
            return _fail(f"{error.filename or 'disk'}: {error.strerror}; free space or choose another folder", 4)
        raise
    except Exception as error:
        # Usage errors of the option parser: an unknown option, a missing argument, a value out of range.
        if not hasattr(error, "format_message"):
            raise
        return _fail(f"{error.format_message()} Try `curate --help`.", 2)
    return result if isinstance(result, int) else 0


def _fail(message: str, code: int) -> int:
    for line in message.split("\n"):
        sys.stderr.write(f"curate: {line}\n")
    return code


def _quiet_libraries() -> None:
    """Keep other libraries' bars and advice off the terminal; errors still show."""
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TQDM_DISABLE", "1")
    # OpenMP threads spin while they wait, which makes a busy machine several times slower; this many turns (some
    # ten microseconds) cost a quiet one nothing. GNU OpenMP, which torch for Linux brings, reads it.
    os.environ.setdefault("GOMP_SPINCOUNT", "20000")
    if not sys.warnoptions:
        warnings.simplefilter("ignore")
