"""Add to Readback what a harbour office needs: a format, a rule and a source of scores."""
