"""The pages of docs/ as a site: `make docs`. Everything that a page needs lies beside it."""

from __future__ import annotations

import tomllib
from pathlib import Path

with (Path(__file__).resolve().parents[2] / "pyproject.toml").open("rb") as file:
    release = tomllib.load(file)["project"]["version"]

project = "dealer-station"
author = "the authors of dealer-station"
html_title = f"{project} {release}"
language = "en"
root_doc = "index"
exclude_patterns = ["site", "consumers", "example-driver"]
extensions = ["myst_parser"]

# Headings get the anchors that hosts of Markdown give them, so that a link is right here and there.
myst_heading_anchors = 4
nitpicky = True

html_theme = "alabaster"
html_theme_options = {
    "description": "From a device's bytes to the one canonical outcome",
    "show_powered_by": False,
    "fixed_sidebar": True,
    "page_width": "72rem",
    "sidebar_width": "17rem",
    "font_family": "system-ui, sans-serif",
    "head_font_family": "system-ui, sans-serif",
}
html_copy_source = False
html_show_copyright = False
