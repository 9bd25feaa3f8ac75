"""What models call the layers that quantising treats in a way of their own."""

from __future__ import annotations

# Merged into one matrix by all servers: one format, and after the merge one global scale.
MERGED = (("q_proj", "k_proj", "v_proj"), ("gate_proj", "up_proj"), ("w1", "w3"))
# What chooses a token's experts; it stays in BF16, as the head does.
ROUTERS = ("gate", "router", "shared_expert_gate")
# Mixtral's names of an expert's layers and everybody else's: llm-compressor saves the latter.
MIXTRAL = {"w1": "gate_proj", "w2": "down_proj", "w3": "up_proj"}
