"""Rows of training data: recognised, read and counted."""
