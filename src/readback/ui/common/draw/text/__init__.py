"""Exact texts on a page, with origins, findings, citations and tokens."""
