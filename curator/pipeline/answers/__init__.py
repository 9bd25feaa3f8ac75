"""The model's own text: prompts, answered by the model that a set is for."""
