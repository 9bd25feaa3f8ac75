"""The benchmark of the continuity score: real text against disorder and junk."""
