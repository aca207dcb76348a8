"""Export every record under every condition for other programs: which ones, a line for each, in their order."""
