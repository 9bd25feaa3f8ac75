"""What an evaluation set is made of, and the recipe that follows from it."""
