"""Where a model is: a folder, a hub id, or a small model that a package carries."""
