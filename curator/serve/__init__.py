"""One interface to a model that gives logprobs: here, in a server that runs, or in one that is started for it."""
