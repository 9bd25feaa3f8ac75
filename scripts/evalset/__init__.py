"""A stand-in for the contest's evaluation set."""
