"""Recipes: what a calibration set is made of, read from YAML with every fault named at its line."""
