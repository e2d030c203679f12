"""How the documentation is built: `make docs`. Everything it shows is executed, and a warning is an error."""

from __future__ import annotations

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))
# Where the real cohorts are; the tutorials have stand-ins where they are absent.
os.environ.setdefault("WHETHER_DATA", str(HERE.parent.parent / "shared" / "data"))

import whether  # noqa: E402

project = "whether"
author = "the whether developers"
project_copyright = "the whether developers"
version = release = whether.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "names",
    "run",
]
exclude_patterns = ["_build", "**/GALLERY_HEADER.rst"]
templates_path = ["_templates"]
nitpicky = True
default_role = "py:obj"
suppress_warnings = ["config.cache"]

# ---------------------------------------------------------------- pages

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_dmath_double_inline = True
html_math_renderer = "mathml"
math_numfig = False

html_theme = "furo"
html_title = f"whether {version}"
html_static_path = ["_static"]
html_css_files = ["whether.css"]
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = "$ "

# ---------------------------------------------------------------- API reference

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# ---------------------------------------------------------------- examples

# Without their tables the tutorials use simulated stand-ins, and say so.
TABLES = all((Path(os.environ["WHETHER_DATA"]) / f"{name}.parquet").exists() for name in ("nwts", "rotterdam"))
if not TABLES:
    tags.add("without_tables")  # noqa: F821 (Sphinx provides it)

sphinx_gallery_conf = {
    "examples_dirs": ["../examples/gallery", "../examples/tutorials"],
    "gallery_dirs": ["gallery", "tutorials"],
    "filename_pattern": "",
    "within_subsection_order": "FileNameSortKey",
    "image_scrapers": ("matplotlib",),
    "reset_modules": ("figures.reset",),
    "capture_repr": (),
    "download_all_examples": False,
    "write_computation_times": False,
    "min_reported_time": 3600,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "nested_sections": False,
    "plot_gallery": "True",
}
