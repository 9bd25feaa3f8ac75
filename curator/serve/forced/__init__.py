"""Decoding along given tokens on an SGLang server, and what the distributions were without it."""
