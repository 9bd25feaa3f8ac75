"""What a server's log says."""

from __future__ import annotations

from pathlib import Path

import pytest

from curator.serve.launch.log import GrowingLog, error_in, last_error, phase_of, tail


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("RuntimeError: no kernel", "RuntimeError: no kernel"),
        (
            "[2026-11-30 07:34:38 TP0] torch.OutOfMemoryError: CUDA out of memory. Tried",
            "torch.OutOfMemoryError: CUDA",
        ),
        (
            "start_server.py: error: unrecognized arguments: --dense-as-sparse",
            "start_server.py: error: unrecognized",
        ),
        ("\x1b[31mERROR\x1b[0m:    Application startup failed", "ERROR"),
        ("[2026-11-30 07:34:38] CUDA error: an illegal memory access", "CUDA error: an illegal"),
        ("[2026-11-30 07:34:41] Ignore import error when loading sglang.srt.models.mamba: cannot import", None),
        ("  warnings.warn(pytest.PytestUnraisableExceptionWarning(msg))", None),
        ("Traceback (most recent call last):", None),
        ('[2026-11-30 07:35:06] INFO:     127.0.0.1:56598 - "GET /health HTTP/1.1" 200 OK', None),
    ],
)
def test_errors_are_told_from_the_rest(line: str, error: str | None) -> None:
    found = error_in(line)
    assert (found is None) if error is None else (found or "").startswith(error)


def test_what_libraries_complain_of_at_the_end_is_no_reason() -> None:
    noise = [
        "[2026-11-30 14:41:22] SIGTERM received. signum=None frame=None. Draining requests and shutting down...",
        "nanobind: leaked 2 instances!",
        ' - leaked instance 0x7f of type "xgrammar.CompiledGrammar"',
        " - ... skipped remainder",
        "nanobind: this is likely caused by a reference counting issue in the binding code.",
        "See https://nanobind.readthedocs.io/en/latest/refleaks.html",
        "/usr/lib/python3.11/multiprocessing/resource_tracker.py:254: UserWarning: resource_tracker: There appear",
        "  warnings.warn('resource_tracker: There appear to be %d '",
        "",
    ]
    assert last_error(["it was half way", *noise]) == "it was half way"
    assert last_error(["ValueError: b", *noise]) == "ValueError: b"
    assert last_error(noise) == ""


def test_the_last_error_is_the_cause_and_without_one_the_last_line() -> None:
    assert (
        last_error(["OSError: a", "KeyError: 'b'", "EOFError", "BrokenPipeError: [Errno 32]"]) == "KeyError: 'b'"
    )
    assert last_error(["EOFError"]) == "EOFError"
    assert last_error(["KeyError: 'b'", "requests.exceptions.ConnectionError: HTTP"]) == "KeyError: 'b'"
    assert last_error(["[2026-11-30 07:34:38] half way", ""]) == "half way"
    assert last_error([]) == ""
    assert len(last_error(["ValueError: " + "x" * 9_999])) == 300


def test_a_growing_log_gives_each_whole_line_once(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_text("of another server\n")
    log = GrowingLog(file, file.stat().st_size)
    with file.open("ab", buffering=0) as stream:
        stream.write(b"Load weight begin\r 50 %\rhal")
        assert log.new_lines() == ["Load weight begin", " 50 %"]
        stream.write(b"f a line\nafter")
        assert log.new_lines(until=file.stat().st_size - 5) == ["half a line"]
        stream.write(b"wards\n")
        assert log.new_lines() == ["afterwards"]
    assert phase_of("[2026-11-30 07:34:42] Load weight begin. avail mem=21.35 GB") == "it loads the weights"
    assert "of another server" not in tail(file, 18)
    # Somebody cleaned up: that is no reason to fail, least of all to leave a server running.
    file.unlink()
    assert log.new_lines() == [] and tail(file) == [""]
