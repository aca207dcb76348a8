"""Write completion scripts for bash, zsh and fish from the parser; Readback does not run at a press of TAB."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

# Metavars of options and arguments that a path stands for.
PATHS = {"WORKSPACE", "FOLDER", "FILE", "FILE.jsonl", "F", "PATH"}


@dataclass(frozen=True, slots=True)
class Option:
    """An option: its spellings, what it is for, whether a value follows, and which values there are."""

    names: tuple[str, ...]
    about: str
    takes_value: bool
    choices: tuple[str, ...]
    is_path: bool


@dataclass(frozen=True, slots=True)
class Command:
    """A command, or a step of one: the words that lead to it, its title, its options and the words that may follow."""

    words: tuple[str, ...]
    about: str
    options: tuple[Option, ...]
    follow: tuple[tuple[str, str], ...]
    takes_paths: bool


def list_commands(
    parser: argparse.ArgumentParser,
    values: Mapping[str, Collection[str]],
    words: tuple[str, ...] = (),
    about: str = "",
) -> list[Command]:
    """Return the command of a parser, then those below it; `values` are the words that a metavar stands for."""
    options, follow, below, takes_paths = [], [], [], False
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            titles = {entry.dest: entry.help or "" for entry in action._choices_actions}
            for name, subparser in action.choices.items():
                follow.append((name, titles.get(name, "")))
                below.extend(list_commands(subparser, values, (*words, name), titles.get(name, "")))
        elif action.option_strings:
            if action.help != argparse.SUPPRESS:
                options.append(_describe(parser, action))
        elif action.metavar in values:
            follow.extend((value, "") for value in values[str(action.metavar)])
        elif action.choices:
            follow.extend((str(choice), "") for choice in action.choices)
        else:
            takes_paths = takes_paths or str(action.metavar) in PATHS
    return [Command(words, about, tuple(options), tuple(follow), takes_paths), *below]


def _describe(parser: argparse.ArgumentParser, action: argparse.Action) -> Option:
    about = parser._get_formatter()._expand_help(action)
    choices = tuple(str(choice) for choice in action.choices or ())
    return Option(tuple(action.option_strings), about, action.nargs != 0, choices, str(action.metavar) in PATHS)


def write_bash(commands: Sequence[Command]) -> str:
    """Return the script for bash (4.0 or later, with or without bash-completion)."""
    lines = ['# eval "$(readback completion bash)"', "_readback() {"]
    lines += [
        '    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" path="" words="" files=""'
    ]
    lines += ["    local part", '    for part in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do']
    paths = " | ".join(shlex.quote(" ".join(command.words)) for command in commands if command.words)
    lines += ['        case "${path:+$path }$part" in', f'            {paths}) path="${{path:+$path }}$part" ;;']
    lines += ["        esac", "    done", '    case "$path:$before" in']
    for command in commands:
        for option in command.options:
            if not option.takes_value:
                continue
            keys = " | ".join(shlex.quote(f"{' '.join(command.words)}:{name}") for name in option.names)
            reply = "return 0"
            if option.choices:
                reply = f"words={shlex.quote(' '.join(option.choices))}"
            elif option.is_path:
                reply = "files=1"
            lines.append(f"        {keys}) {reply} ;;")
    lines += ['        *) case "$path" in']
    for command in commands:
        names = [name for option in command.options for name in option.names]
        follow = [name for name, _ in command.follow]
        files = " files=1;" if command.takes_paths else ""
        options = f"if [[ $word == -* ]]; then words={shlex.quote(' '.join(names))};"
        lines.append(
            f"            {shlex.quote(' '.join(command.words))}) {options}"
            f" else words={shlex.quote(' '.join(follow))};{files} fi ;;"
        )
    lines += ["        esac ;;", "    esac"]
    lines += ['    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"; [[ -n $files ]] && compgen -f -- "$word")']
    lines += ["    [[ -n $files ]] && compopt -o filenames"]
    lines += ["}", "complete -F _readback readback", ""]
    return "\n".join(lines)


def write_zsh(commands: Sequence[Command]) -> str:
    """Return the script for zsh."""
    lines = ["#compdef readback", '# eval "$(readback completion zsh)"', "_readback() {"]
    lines += ['    local path_="" part; local -a words_', "    for part in ${words[2,CURRENT-1]}; do"]
    paths = "|".join(shlex.quote(" ".join(command.words)) for command in commands if command.words)
    lines += ['        case "${path_:+$path_ }$part" in', f'            ({paths}) path_="${{path_:+$path_ }}$part" ;;']
    lines += ["        esac", "    done", '    case "$path_:${words[CURRENT-1]}" in']
    for command in commands:
        for option in command.options:
            if not option.takes_value:
                continue
            keys = "|".join(shlex.quote(f"{' '.join(command.words)}:{name}") for name in option.names)
            values = " ".join(map(shlex.quote, option.choices))
            reply = ":"
            if option.choices:
                reply = f"compadd -- {values}"
            elif option.is_path:
                reply = "_files"
            lines.append(f"        ({keys}) {reply}; return ;;")
    lines += ["    esac", '    case "$path_" in']
    for command in commands:
        described = [(name, option.about) for option in command.options for name in option.names]
        lines.append(f"        ({shlex.quote(' '.join(command.words))})")
        lines.append('            if [[ "${words[CURRENT]}" == -* ]]; then')
        lines.append(f"                words_=({_format_zsh_words(described)})")
        lines.append("                _describe option words_ -o")
        lines.append("            else")
        lines.append(f"                words_=({_format_zsh_words(command.follow)})")
        lines.append("                (( $#words_ )) && _describe command words_")
        lines.append("                _files" if command.takes_paths else "                :")
        lines.append("            fi ;;")
    lines += ["    esac", "}", "compdef _readback readback", ""]
    return "\n".join(lines)


def _format_zsh_words(described: Sequence[tuple[str, str]]) -> str:
    return " ".join(shlex.quote(f"{name}:{about}" if about else name) for name, about in described)


def write_fish(commands: Sequence[Command]) -> str:
    """Return the script for fish (3.0 or later)."""
    lines = ["# readback completion fish | source"]
    paths = " ".join(_quote_for_fish(" ".join(command.words)) for command in commands if command.words)
    lines += [
        "function __readback_path",
        f"    set -l known {paths}",
        "    set -l path",
        "    set -l words (commandline -opc)",
    ]
    lines += ["    for part in $words[2..-1]", '        if contains -- (string trim -- "$path $part") $known']
    lines += ["            set path $path $part", "        end", "    end"]
    lines += ['    test "$path" = "$argv[1]"', "end", "complete -c readback -f"]
    for command in commands:
        condition = f"-n {_quote_for_fish('__readback_path ' + _quote_for_fish(' '.join(command.words)))}"
        if command.takes_paths:
            lines.append(f"complete -c readback {condition} -F")
        for name, about in command.follow:
            lines.append(f"complete -c readback {condition} -a {_quote_for_fish(name)} -d {_quote_for_fish(about)}")
        for option in command.options:
            names = [f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names]
            value: list[str] = []
            if option.choices:
                value = ["-x", f"-a {_quote_for_fish(' '.join(option.choices))}"]
            elif option.is_path and option.takes_value:
                value = ["-r", "-F"]
            elif option.takes_value:
                value = ["-x"]
            lines.append(
                " ".join(["complete -c readback", condition, *names, *value, f"-d {_quote_for_fish(option.about)}"])
            )
    return "\n".join([*lines, ""])


def _quote_for_fish(text: str) -> str:
    """Return a text in single quotes, escaped as fish reads them."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


SHELLS: dict[str, Callable[[Sequence[Command]], str]] = {"bash": write_bash, "zsh": write_zsh, "fish": write_fish}
