"""Hostile input for everything that reads what others wrote: an answer or one line of error, never a traceback."""
