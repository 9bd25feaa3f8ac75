"""Where the time of a ranking goes: the quantiser, the model, and what is Curate's own."""
