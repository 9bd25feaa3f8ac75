"""Simulated rankings with known truth: how often verdicts are wrong, how often intervals cover, what is seen."""
