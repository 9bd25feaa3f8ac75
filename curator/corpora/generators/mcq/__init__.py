"""Multiple-choice questions whose answers can be worked out."""
