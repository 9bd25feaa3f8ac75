"""One interface to a model that gives logprobs: in this process, or an SGLang server by URL."""
