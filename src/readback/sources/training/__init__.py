"""Where the texts and lengths of training data stand: notebooks, Python files and rows."""
