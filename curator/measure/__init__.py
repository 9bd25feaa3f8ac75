"""Held-out prompts, the BF16 baseline on them, and what a candidate's distributions differ by."""
