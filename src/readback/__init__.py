"""Readback: see the exact messages each model gets, and what is wrong with them."""

__version__ = "0.1.0"
