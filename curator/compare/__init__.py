"""What differs between two recipes, two sets or two runs."""
