"""Run the command line as `python -m readback.cli`."""

import sys

from readback.cli import main

sys.exit(main())
