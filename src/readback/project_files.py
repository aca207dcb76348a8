"""Locate the files that belong to the package: app.py, pages/, configs/ (of a checkout, or the copy in a wheel)."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
if (CHECKOUT / "app.py").is_file():
    PROJECT = CHECKOUT
else:
    PROJECT = Path(__file__).resolve().parent / "_bundle"
CONFIGS = PROJECT / "configs"
ADAPTERS = CONFIGS / "adapters"
EXAMPLES = CONFIGS / "examples"


def demos() -> dict[str, Path]:
    """Return the built-in demo workspaces by name, without folders such as `__pycache__`."""
    if EXAMPLES.is_dir():
        folders = sorted(EXAMPLES.iterdir())
    else:
        folders = []
    return {path.name: path for path in folders if path.is_dir() and not path.name.startswith(("_", "."))}
