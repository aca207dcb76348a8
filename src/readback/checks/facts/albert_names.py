"""The names that the document of the Albert configurations lists, for rules."""

from readback.sources.albert_names import COLLECTION, META, MISSPELT, VARIABLES, documented, fields, meant, meant_field

__all__ = ["COLLECTION", "META", "MISSPELT", "VARIABLES", "documented", "fields", "meant", "meant_field"]
