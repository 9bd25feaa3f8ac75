"""The command line: one file a verb. Only this room prints."""
