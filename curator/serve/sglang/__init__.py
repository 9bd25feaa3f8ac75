"""A running SGLang server, by URL.

Written against SGLang 0.5.16 (H200) and 0.5.23 (CPU).
"""

from curator.serve.sglang.client import SGLang

__all__ = ["SGLang"]
