"""Formulas as MathML, which browsers show by themselves: no script and no request to anybody."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.locale import _
from sphinx.util.math import get_node_equation_number


def visit_inline(translator: Any, node: nodes.math) -> None:
    """Write a formula inside a sentence."""
    translator.body.append(convert(node.astext()))
    raise nodes.SkipNode


def visit_block(translator: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own, with its number if it has one."""
    number = get_node_equation_number(translator, node) if node["number"] else ""
    anchor = f' id="{node["ids"][0]}"' if node.get("ids") else ""
    formula = convert(node.astext(), display="block")
    translator.body.append(f'<div class="formula"{anchor}><div class="formula-body">{formula}</div>')
    if number:
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, _("Link to this equation"))
        translator.body.append("</span>")
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Offer the renderer to Sphinx under the name "mathml"."""
    app.add_html_math_renderer("mathml", (visit_inline, None), (visit_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
