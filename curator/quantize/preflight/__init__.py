"""What can be known to go wrong before a model is loaded, each as one line with its fix."""
