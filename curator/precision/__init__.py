"""What each part of a model loses when it alone is quantised, and which parts to spare under a size."""
