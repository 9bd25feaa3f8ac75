"""Scores of a text: semantic continuity."""
