"""The parser of the commands: what is wrong comes first, then one line of usage, then where all options are."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

from readback.cli import _colour
from readback.cli._sentence import fill
from readback.readers.yaml_file import nearest

WRONG = 2  # the exit code of wrong use
SURE = 0.75  # how alike an option must be: all begin with two dashes


class Parser(argparse.ArgumentParser):
    """A parser of a command, or of a step of one; every one of them takes --color."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.register("type", int, read_whole_number)
        self.set_defaults(parser=self)  # of several, the innermost stays
        for option, text in zip(
            _colour.OPTIONS,
            (
                "colour: on a terminal (auto, where NO_COLOR and FORCE_COLOR are obeyed), always or never",
                argparse.SUPPRESS,
            ),
            strict=True,
        ):
            self.add_argument(option, dest="color", choices=_colour.CHOICES, default=argparse.SUPPRESS, help=text)

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse, and name the nearest option where one is not known."""
        parsed, rest = self.parse_known_args(args, namespace)
        if rest:
            parsed.parser.refuse(rest)
        return parsed

    def refuse(self, rest: Sequence[str]) -> NoReturn:
        """End with what no option and no argument could take."""
        unknown = next((word for word in rest if word.startswith("-") and len(word) > 1), None)
        if unknown is None:
            self.error(fill("too many arguments: {words}", words=" ".join(rest)))
        name = unknown.partition("=")[0]
        options = [option for option in self._option_string_actions if option.startswith("--")]
        near = "".join(get_close_matches(name, options, n=1, cutoff=SURE))
        self.error(
            fill(
                "there is no option {name}; did you mean {near}?" if near else "there is no option {name}",
                name=name,
                near=near,
            )
        )

    def format_help(self) -> str:
        """Return the help, which begins with one line of usage: the options are listed below it anyway."""
        formatter = self._get_formatter()
        formatter.add_text(self.short_usage())
        formatter.add_text(self.description)
        for title, actions in self.list_sections():
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def list_sections(self) -> Iterator[tuple[str | None, Sequence[argparse.Action]]]:
        """Yield each title of the help and what is listed below it."""
        for group in self._action_groups:
            yield group.title, group._group_actions

    def error(self, message: str) -> NoReturn:
        """End with exit code 2: the sentence, then one line of usage, then where the options are."""
        begin = _colour.paint("readback:", "error", sys.stderr)
        self.exit(
            WRONG,
            (
                f"{begin} {message}\n{self.short_usage()}"
                + fill("\n{command} --help lists the options\n", command=self.prog)
            ),
        )

    def short_usage(self) -> str:
        """Return `usage: readback export WORKSPACE --as FORM [options]`: what must be there, and that there is more."""
        formatter = self._get_formatter()
        required = [action for action in self._actions if action.option_strings and action.required]
        positional = [action for action in self._actions if not action.option_strings]
        words = [formatter._format_args(action, _metavar(action)) for action in positional]
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
        known = [str(choice) for choice in action.choices]
        name = "/".join(action.option_strings) or str(action.metavar or action.dest)
        near = nearest(str(value), known)
        sentence = "{name}: '{value}' is not possible; possible are {choices}"
        if near:
            sentence = "{name}: '{value}' is not possible; did you mean {near}? (possible are {choices})"
        message = fill(sentence, name=name, value=value, near=near, choices=", ".join(known))
        raise argparse.ArgumentError(None, message)


class CommandsParser(Parser):
    """The parser of all commands, whose help lists them by what they are for."""

    sections: Mapping[str, Sequence[str]] = {}  # the commands below each title
    commands: argparse._SubParsersAction[Parser] | None = None

    def list_sections(self) -> Iterator[tuple[str | None, Sequence[argparse.Action]]]:
        """Yield the commands by their sections, then the options."""
        entries = self.commands._choices_actions if self.commands else []
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


def _metavar(action: argparse.Action) -> str:
    return str(action.metavar or action.dest.upper())
