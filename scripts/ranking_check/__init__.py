"""A real ranking with more draws than usual, and what its verdicts are worth."""
