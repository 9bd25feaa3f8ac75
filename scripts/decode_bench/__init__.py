"""A fault that only decoding shows, measured in every phase."""
