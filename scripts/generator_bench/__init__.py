"""How fast the generators are."""
