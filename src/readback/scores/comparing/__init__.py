"""Compare two or more conditions: whether that is allowed, on which items, and with what result."""
