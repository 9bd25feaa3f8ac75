"""How far KL from top-K lists is from KL over the whole vocabulary."""
