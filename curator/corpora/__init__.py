"""Where text comes from: corpus cards, readers and generators."""
