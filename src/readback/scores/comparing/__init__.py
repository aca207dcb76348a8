"""Two or more conditions held against each other: whether that is allowed, on which items, and what came of it."""
