"""Parse command lines: an error names what is wrong, then shows one line of usage and where all options are listed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn

from readback.cli.common import terminal
from readback.cli.common.terminal import fill
from readback.readers.yaml.yaml_file import find_nearest

WRONG_USE = 2  # the exit code
MOST_SIMILAR = 0.75  # how alike an option must be to be suggested: all begin with two dashes


@dataclass(frozen=True, slots=True)
class Command:
    """A command: its line in the list of commands, what its help says below that, its arguments, and what it does.

    `run` returns the exit code.
    """

    title: str
    about: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


class Parser(argparse.ArgumentParser):
    """Parse the words of a command or of a step of one; each takes --color."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.register("type", int, read_whole_number)
        self.set_defaults(parser=self)  # of several, the innermost stays
        text = "colour: on a terminal (auto, where NO_COLOR and FORCE_COLOR are obeyed), always or never"
        for option in terminal.OPTIONS:
            self.add_argument(option, dest="color", choices=terminal.CHOICES, default=argparse.SUPPRESS, help=text)
            text = argparse.SUPPRESS  # the second spelling is not listed

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and suggest the nearest option where one is unknown."""
        parsed, rest = self.parse_known_args(args, namespace)
        if rest:
            parsed.parser.refuse(rest)
        return parsed

    def refuse(self, rest: Sequence[str]) -> NoReturn:
        """Exit with an error about the words that no option and no argument takes."""
        unknown = next((word for word in rest if word.startswith("-") and len(word) > 1), None)
        if unknown is None:
            self.error(fill("too many arguments: {words}", words=" ".join(rest)))
        name = unknown.partition("=")[0]
        options = [option for option in self._option_string_actions if option.startswith("--")]
        near = "".join(get_close_matches(name, options, n=1, cutoff=MOST_SIMILAR))
        if near:
            self.error(fill("there is no option {name}; did you mean {near}?", name=name, near=near))
        self.error(fill("there is no option {name}", name=name))

    def format_help(self) -> str:
        """Return the help, which begins with one line of usage, since the options are listed below it."""
        formatter = self._get_formatter()
        formatter.add_text(self.format_short_usage())
        formatter.add_text(self.description)
        for title, actions in self.list_sections():
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def list_sections(self) -> Iterator[tuple[str | None, Sequence[argparse.Action]]]:
        """Yield each title of the help with the actions that are listed below it."""
        for group in self._action_groups:
            yield group.title, group._group_actions

    def error(self, message: str) -> NoReturn:
        """Exit with 2 after printing the sentence, one line of usage, and where the options are listed."""
        begin = terminal.paint("readback:", "error", sys.stderr)
        hint = fill("{command} --help lists the options", command=self.prog)
        self.exit(WRONG_USE, f"{begin} {message}\n{self.format_short_usage()}\n{hint}\n")

    def format_short_usage(self) -> str:
        """Return what is required, such as `usage: readback export WORKSPACE --as FORM [options]`."""
        formatter = self._get_formatter()
        required = [action for action in self._actions if action.option_strings and action.required]
        positional = [action for action in self._actions if not action.option_strings]
        words = [formatter._format_args(action, _get_metavar(action)) for action in positional]
        for action in required:
            option = action.option_strings[-1]
            words.append(f"{option} {action.metavar or '|'.join(map(str, action.choices or ()))}")
        for group in self._mutually_exclusive_groups:
            if group.required:
                words.append(f"({' | '.join(action.option_strings[-1] for action in group._group_actions)})")
        return fill("usage: {usage} [options]", usage=" ".join([self.prog, *words]))

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        name = "/".join(action.option_strings) or str(action.metavar or action.dest)
        near = find_nearest(str(value), choices)
        sentence = "{name}: '{value}' is not possible; possible are {choices}"
        if near:
            sentence = "{name}: '{value}' is not possible; did you mean {near}? (possible are {choices})"
        message = fill(sentence, name=name, value=value, near=near, choices=", ".join(choices))
        raise argparse.ArgumentError(None, message)


class CommandsParser(Parser):
    """Parse the words of all commands; the help lists them by what they are for."""

    sections: Mapping[str, Sequence[str]] = {}  # the commands below each title
    commands: argparse._SubParsersAction[Parser] | None = None

    def list_sections(self) -> Iterator[tuple[str | None, Sequence[argparse.Action]]]:
        """Yield the commands by their sections, then the options."""
        if self.commands:
            entries = self.commands._choices_actions
        else:
            entries = []
        by_name = {entry.dest: entry for entry in entries}
        for title, names in self.sections.items():
            yield title, [by_name[name] for name in names if name in by_name]
        yield self._optionals.title, self._optionals._group_actions


def read_whole_number(text: str) -> int:
    """Return the number that was typed. Raises ArgumentTypeError with a sentence."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(fill("'{value}' is no whole number", value=text)) from None


def _get_metavar(action: argparse.Action) -> str:
    return str(action.metavar or action.dest.upper())
