"""Names in single backticks: a link where the reference has them under any module, else plain code.

Docstrings say `CensoredClassifier` or `time`, and only the first is something to look up.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.nodes import make_refnode


def resolve(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Node) -> nodes.Node | None:
    """Return what a name that was not found as it stands becomes."""
    if node.get("refdomain") != "py" or node.get("reftype") != "obj":
        return None
    target = node["reftarget"]
    matches = env.get_domain("py").find_obj(env, "", "", target, None, searchmode=1)
    if not matches:
        return content
    # A class is listed under its public name, the shortest one, and perhaps under its module's.
    name, entry = min(matches, key=lambda match: len(match[0]))
    return make_refnode(app.builder, node["refdoc"], entry.docname, entry.node_id, [content], name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Ask to be told of names that Sphinx did not find."""
    app.connect("missing-reference", resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
