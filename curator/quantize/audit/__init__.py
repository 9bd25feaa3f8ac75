"""What really reached a model: rows, tokens, and the tokens of every expert, seen by hooks on the model itself."""
