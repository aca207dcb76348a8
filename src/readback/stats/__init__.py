"""Compute intervals, tests and agreement from numbers, each by a formula with its source; no tables, no texts."""
