"""The steps joined: from a recipe to calibration sets."""
