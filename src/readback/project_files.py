"""Where the files beside the package lie: app.py, pages/, configs/ (a checkout, or the copy inside a wheel)."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PROJECT = CHECKOUT if (CHECKOUT / "app.py").is_file() else Path(__file__).resolve().parent / "_bundle"
CONFIGS = PROJECT / "configs"
ADAPTERS = CONFIGS / "adapters"
EXAMPLES = CONFIGS / "examples"


def demos() -> dict[str, Path]:
    """The built-in demo workspaces by name; what Python keeps beside their script (`__pycache__`) is none."""
    folders = sorted(EXAMPLES.iterdir()) if EXAMPLES.is_dir() else []
    return {path.name: path for path in folders if path.is_dir() and not path.name.startswith(("_", "."))}
