"""What our quantise step costs beside the library's own call."""
