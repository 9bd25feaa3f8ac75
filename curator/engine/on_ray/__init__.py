"""Work on a Ray cluster. No other part of Curate knows Ray."""
