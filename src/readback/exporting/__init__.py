"""Every record under every condition as a file for other programs: which ones, one line for each, in their order."""
