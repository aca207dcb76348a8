"""How the page shows a chart: a toolbar with one button that saves the picture, without a server or another site."""

from __future__ import annotations

import re
from typing import Any


def toolbar(name: str, kind: str = "svg") -> dict[str, Any]:
    """The `config` for `st.plotly_chart`: a button that downloads the picture as `kind` (svg or png) called `name`.

    The picture is made in the browser from what is drawn (Plotly.toImage), so it works under our content security
    policy. An SVG stays sharp in print; a PNG has twice the pixels of the screen.
    """
    file = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:80] or "chart"
    return {
        "displayModeBar": True,
        "displaylogo": False,
        "scrollZoom": False,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": kind, "filename": file, "scale": 1 if kind == "svg" else 2},
        "locale": "en",
    }
