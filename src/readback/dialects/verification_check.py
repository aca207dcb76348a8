"""What is wrong with the settings of a verification configuration that decide which tasks run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from readback.dialects.verification import CHOICES, FLAGS, MODELS
from readback.files.yaml_node import Node


def check(node: Node) -> None:
    """Note each value that is none of the known ones, and models that are no list of mappings."""
    values: Mapping[str, Any] = node.value
    for key, known in CHOICES.items():
        if values.get(key) is not None:
            node.at(key, values[key]).one_of(known)
    for key in FLAGS:
        if values.get(key) is not None:
            node.at(key, values[key]).flag()
    for key in MODELS:
        models = values.get(key)
        if models is None:
            continue
        if not isinstance(models, list):
            node.at(key, models).wrong("a list of models")
            continue
        for i, model in enumerate(models):
            if not isinstance(model, Mapping):
                node.at(key, models).at(i, model).wrong("a mapping with interface and model_name")
