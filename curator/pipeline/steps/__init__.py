"""The gates and scores of a recipe as steps of one chain."""
