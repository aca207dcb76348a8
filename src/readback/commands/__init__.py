"""The subcommands: one module each, its docstring the help, with `arguments(parser)` and `run(args) -> exit code`."""


class UsageError(Exception):
    """The command was used wrongly, or there is nothing to work on: its text goes to standard error, exit code 2."""
