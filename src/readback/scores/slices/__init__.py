"""Sort scores by what the records are like: a field's value, or the length of a text."""
