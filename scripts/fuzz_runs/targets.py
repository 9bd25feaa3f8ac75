"""Everything that is fuzzed."""

from __future__ import annotations

from fuzz_runs.readers import READERS
from fuzz_runs.recipes import RECIPES
from fuzz_runs.replies import REPLIES
from fuzz_runs.run_files import RUN_FILES

TARGETS = (READERS, RECIPES, RUN_FILES, REPLIES)
