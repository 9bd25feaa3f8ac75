"""From the bytes of a file to documents: compression, format, encoding, shape."""
