"""The command ``curate``: errors become one line and an exit code here, and nowhere else."""

from __future__ import annotations

import errno
import os
import sys
import warnings

import typer

import curator
from curator._errors import EXIT_INTERRUPTED, CurateError, in_short
from curator.cli import (
    baseline,
    build,
    check,
    compare,
    convert,
    doctor,
    export,
    heldout,
    init,
    inspect,
    leaderboard,
    ls,
    mix,
    profile,
    push,
    quantize,
    rank,
    schema,
    score,
    search,
    sensitivity,
    show,
    sift,
    signals,
    verify,
)
from curator.cli.streams import OUTPUT, discard

app = typer.Typer(
    name="curate",
    help="Build calibration sets for NVFP4 quantisation and rank them by KL divergence against BF16.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for verb in (
    init,
    ls,
    show,
    check,
    schema,
    build,
    sift,
    inspect,
    export,
    push,
    profile,
    heldout,
    baseline,
    quantize,
    verify,
    convert,
    score,
    rank,
    search,
    compare,
    leaderboard,
    sensitivity,
    mix,
    doctor,
):
    verb.register(app)

# A name that leads nowhere is the user's; anything else is the machine's.
_NAMES = {errno.ENAMETOOLONG, errno.ENOENT, errno.EISDIR, errno.ENOTDIR, errno.ELOOP}
_SPACE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}
_SHOWN = 120


def _version(show: bool) -> None:
    if show:
        sys.stdout.write(f"curate {curator.__version__}\n")
        raise typer.Exit


@app.callback()
def _root(
    version: bool = typer.Option(False, "--version", callback=_version, is_eager=True, help="Print the version."),
) -> None:
    """Exit codes: 0 done, 2 bad input, 3 refused by a check, 4 a server or dependency failed, 130 interrupted."""


def run() -> int:
    """Run the verb of the command line; the exit code."""
    _quiet_libraries()
    try:
        signals.raise_interrupt()
        # typer's own copy of click may not be importable under the name `click`.
        result = app(standalone_mode=False)
        # Here, where a full disk or a reader that has gone is still told apart.
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except Exception as error:
        code = _interrupted() if signals.came() else _told(error)
        if code is None:
            raise
        return code
    # typer turns a KeyboardInterrupt into an exit code.
    if result == EXIT_INTERRUPTED:
        return _interrupted()
    return result if isinstance(result, int) else 0


def _told(error: Exception) -> int | None:
    """Tell an error that is not a fault of ours; its exit code, or ``None``."""
    if isinstance(error, CurateError):
        return _fail(str(error), error.exit_code)
    if isinstance(error, BrokenPipeError):
        # `curate ... | head`: the reader has gone, which is its right.
        discard(sys.stdout)
        return 0
    if isinstance(error, OSError):
        return _system(error)
    if isinstance(error, MemoryError):
        return _fail("out of memory; use a smaller model, --batch-size or --tokens", 4)
    if isinstance(error, UnicodeEncodeError):
        # Texts have no half characters (readers see to it), so that one came from a file's name.
        return _fail("the name of a file or folder is not UTF-8, and cannot be stored in a result; rename it", 2)
    # Usage errors of the option parser: an unknown option, a missing argument, a value out of range.
    if hasattr(error, "format_message"):
        context = getattr(error, "ctx", None)
        verb = f" {context.info_name}" if context is not None and context.parent else ""
        return _fail(f"{error.format_message()} Try `curate{verb} --help`.", 2)
    return None


def _interrupted() -> int:
    kept = "what is done is kept, the same command goes on"
    none = "nothing was done yet, the same command starts again"
    lost = "nothing is left half-written, the same command starts over"
    if sys.argv[1:2] in (["baseline"], ["score"]):
        words = kept if signals.kept() else none
    elif sys.argv[1:2] in (["rank"], ["search"], ["sensitivity"], ["mix"]):
        words = kept
    else:
        words = ", with ".join(filter(None, (lost, signals.kept())))
    return _fail(f"interrupted; {words}", EXIT_INTERRUPTED)


def _system(error: OSError) -> int:
    name = os.fsdecode(error.filename) if isinstance(error.filename, str | bytes) else ""
    where = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}... ({len(name)} characters)"
    why = (error.strerror or str(error) or type(error).__name__).split("\n", 1)[0]
    if name == OUTPUT:
        # Its rest would fail once more at the end.
        discard(sys.stdout)
        return _fail(f"{OUTPUT}: {why}; what was to be printed is lost, give it a file or a pipe that takes it", 4)
    if error.errno in _NAMES:
        return _fail(f"{where or 'a file'}: {why}; check the name", 2)
    if error.errno in _SPACE:
        return _fail(f"{where or 'disk'}: {why}; free space or choose another folder", 4)
    return _fail(f"{where or 'system'}: {why}; see that the disk and the machine are well, then try again", 4)


def _fail(message: str, code: int) -> int:
    # A list of problems has a line each; a name that was typed with a line break in it stays in one.
    for typed in sys.argv[1:]:
        if "\n" in typed:
            message = message.replace(typed, in_short(typed, 2 * len(typed)))
    try:
        for line in message.split("\n"):
            sys.stderr.write(f"curate: {line}\n")
    except OSError:
        discard(sys.stderr)
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
