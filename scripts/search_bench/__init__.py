"""Searches for a planted optimum, and on a flat surface."""
