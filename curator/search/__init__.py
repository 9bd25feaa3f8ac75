"""Search for a better mix: proposals on one half of the prompts, one comparison on the other."""
