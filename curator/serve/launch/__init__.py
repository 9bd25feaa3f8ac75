"""A server of our own: its command line, its processes, its log, and their end."""
