"""From text to the token ids that reach the model."""
