"""The set folder: what a calibration set is on disk."""
