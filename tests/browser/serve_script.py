"""Serve one script with the pages' own settings and headers: serve_script.py SCRIPT PORT."""

import sys
from pathlib import Path

from readback.ui.common import server

server.serve("127.0.0.1", int(sys.argv[2]), script=Path(sys.argv[1]))
