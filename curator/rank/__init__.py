"""The experiment: arms, draws, quantising, measuring, and a ranking with its uncertainty."""
