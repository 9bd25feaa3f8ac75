"""Which pieces of which documents, in which order, and how many tokens of each task."""
