"""A report of a review: one file that says what was decided, on which bytes, and can be checked later."""
