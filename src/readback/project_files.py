"""Where the files beside the package lie: app.py, pages/, configs/ (a checkout, or the copy inside a wheel)."""

from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
PROJECT = CHECKOUT if (CHECKOUT / "app.py").is_file() else Path(__file__).resolve().parent / "_bundle"
CONFIGS = PROJECT / "configs"
ADAPTERS = CONFIGS / "adapters"
EXAMPLES = CONFIGS / "examples"
