"""What stands around every page: its head, its keys, what was loaded, and ways to share and present it."""
