"""Data sets of the Hugging Face hub, and local folders with the hub's layout."""
