"""What the numbers of a criterion mean: its scale, and numbers that may stand for no score."""
