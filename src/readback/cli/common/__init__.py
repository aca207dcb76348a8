"""Share among the commands: the parser, common options, opening a workspace, and what is printed of an answer."""
