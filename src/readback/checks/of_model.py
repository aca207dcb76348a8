"""Which findings are about one model, whichever condition runs it."""

from __future__ import annotations

from collections.abc import Collection

from readback.types import Finding, Model

NONE = frozenset[str]()


def files_of_server(model: Model) -> frozenset[str]:
    """The files that say what a model's server makes of messages: its Modelfile, chat template and weights."""
    templates = (model.chat_template, model.weights.template if model.weights else None)
    files = (one.place.file for one in (model.modelfile, *templates) if one)
    return frozenset(file for file in files if file)


class Concerned:
    """The models among some that findings are about."""

    def __init__(self, models: Collection[Model]) -> None:
        self._names = {model.name for model in models}
        self._of_files: dict[str, frozenset[str]] = {}
        for model in models:
            for file in files_of_server(model):
                self._of_files[file] = self._of_files.get(file, NONE) | {model.name}

    def names(self, found: Finding) -> frozenset[str]:
        """Those that a finding of no condition names, or whose files it is about: what serves them."""
        if found.place.condition is not None:
            return NONE
        named = found.values.get("model")
        of_file = self._of_files.get(found.place.file or "", NONE)
        return of_file | {named} if isinstance(named, str) and named in self._names else of_file
