"""Curate: calibration sets for NVFP4 quantisation, ranked by KL divergence."""

__version__ = "0.1.0"
