"""Values of all positions of a small board, found backwards from the full board."""
