"""Find a Chromium (or Chrome) for the browser tests, and install one where that is possible."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

# The first one is the same engine without the windows around it, which nobody looks at here.
NAMES = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)
MACOS = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")


def chromium() -> str | None:
    """The path of a Chromium that is installed, or None. READBACK_CHROMIUM names one outright."""
    if named := os.environ.get("READBACK_CHROMIUM"):
        return named
    if found := next((path for name in NAMES if (path := shutil.which(name))), None):
        return found
    return str(MACOS) if MACOS.exists() else _downloaded()


def firefox() -> str | None:
    """The path of an installed Firefox, or None."""
    return os.environ.get("READBACK_FIREFOX") or shutil.which("firefox-esr") or shutil.which("firefox")


def _downloaded() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = Path(playwright.chromium.executable_path)
    return str(path) if path.exists() else None


def _install() -> None:
    """Debian's package when we are root, Playwright's own download otherwise; a failure is only reported."""
    if shutil.which("apt-get") and os.geteuid() == 0:
        commands = [["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium", "firefox-esr"],
                    ["apt-get", "install", "-y", "-qq", "chromium-headless-shell"]]  # fmt: skip
    else:
        commands = [[sys.executable, "-m", "playwright", "install", "chromium"]]
    for command in commands:
        if subprocess.run(command, check=False, stdout=subprocess.DEVNULL).returncode:
            break


def main() -> None:
    """Say which browsers the tests will use; with --install, get a Chromium first if there is none."""
    if chromium() is None and "--install" in sys.argv:
        _install()
    for name, path in (("Chromium", chromium()), ("Firefox", firefox())):
        skipped = f"no {name}: its browser tests are skipped; install it, or set READBACK_{name.upper()} to its path"
        print(f"{name}: {path}" if path else skipped)


if __name__ == "__main__":
    main()
