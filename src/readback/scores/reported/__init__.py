"""What files state about their own scores, held against what their rows give."""
