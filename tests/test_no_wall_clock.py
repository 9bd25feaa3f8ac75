"""Nothing that the package does hangs on the time of day, which may jump: durations are of the monotonic clock."""

from __future__ import annotations

import ast
import re

import pytest
from test_no_code_runs import calls, trees

WALL = re.compile(
    r"time\.(time|time_ns|localtime|gmtime|ctime|asctime|strftime|clock_gettime)"
    r"|(datetime\.)*(datetime|date)\.(now|utcnow|today)"
)
# A server's log is called so for people. The process and a counter are in its name too.
NAMES = {("serve/launch/process.py", "time.strftime")}


def wall_clock(name: str, tree: ast.Module) -> set[tuple[str, str]]:
    """Where a file looks at the time of day."""
    imported = {
        (name, f"time.{alias.name}")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "time"
        for alias in node.names
        if WALL.fullmatch(f"time.{alias.name}")
    }
    return imported | {(name, called) for called, _ in calls(tree) if WALL.fullmatch(called)}


def test_no_file_of_the_package_looks_at_the_time_of_day() -> None:
    assert set().union(*(wall_clock(name, tree) for name, tree in trees())) == NAMES


@pytest.mark.parametrize(
    "line", ["time.time()", "from time import time_ns", "datetime.now(UTC)", "datetime.date.today()"]
)
def test_the_audit_sees(line: str) -> None:
    assert len(wall_clock("x.py", ast.parse(line))) == 1


@pytest.mark.parametrize("line", ["time.monotonic()", "from time import sleep", "time.perf_counter()", "now()"])
def test_the_audit_lets_pass(line: str) -> None:
    assert wall_clock("x.py", ast.parse(line)) == set()
