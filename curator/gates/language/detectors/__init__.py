"""Libraries that tell a language by its letters, behind one interface."""

from curator.gates.language.detectors.registry import DEFAULT_DETECTOR, DETECTORS, Detector, load_detector

__all__ = ["DEFAULT_DETECTOR", "DETECTORS", "Detector", "load_detector"]
