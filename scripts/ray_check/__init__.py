"""The local engine and a Ray cluster, side by side."""
