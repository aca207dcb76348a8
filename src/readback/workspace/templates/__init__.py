"""Template files and Python constants as modes, where no configuration brings any."""
