"""Tables of a publication as a Word file: rules above and below, no grid, headings that stay with their rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from whether.files.whole_files import atomic_path
from whether.telling.publication.tables import PublicationTable, typeset
from whether.telling.words import clean
from whether.validate import ArgumentError

NO_WORD = "Tables for Word need python-docx: pip install 'whether[word]'. LaTeX and CSV need nothing more."
LETTERS, SMALL = 9.0, 8.0  # points
FIRST_COLUMN = 0.3  # share of the width


def find_docx() -> Any:
    """Return the package that writes Word files; a sentence says what to install where it is not."""
    try:
        import docx
        import docx.enum.section
        import docx.enum.text
        import docx.oxml
        import docx.oxml.ns
        import docx.shared
    except ImportError:
        raise ArgumentError(NO_WORD) from None
    return docx


def write_word(tables: Sequence[PublicationTable], path: Path) -> None:
    """Write tables one below the other, on pages that are wider than high."""
    docx = find_docx()
    document = docx.Document()
    section = document.sections[0]
    section.orientation = docx.enum.section.WD_ORIENT.LANDSCAPE
    section.page_width, section.page_height = section.page_height, section.page_width
    width = section.page_width - section.left_margin - section.right_margin
    document.core_properties.author, document.core_properties.comments = "", "made by whether"
    for position, table in enumerate(tables, start=1):
        title = document.add_paragraph()
        title.add_run(clean(f"Table {position}. {table.title}")).bold = True
        title.paragraph_format.keep_with_next = True
        _fill(document.add_table(rows=0, cols=len(table.header)), table, width, docx)
        for note in table.notes:
            document.add_paragraph(clean(note)).runs[0].font.size = docx.shared.Pt(SMALL)
    with atomic_path(path) as unfinished:
        document.save(unfinished)


def _fill(grid: Any, table: PublicationTable, width: int, docx: Any) -> None:
    """Put the cells of a table into one of Word; numbers to the right, levels indented."""
    grid.autofit = False
    others = int(width * (1 - FIRST_COLUMN) / (len(table.header) - 1))
    for place, column in enumerate(grid.columns):
        column.width = others if place else int(width * FIRST_COLUMN)
    rows = (table.header, *table.rows)
    for number, texts in enumerate(rows):
        row = grid.add_row()
        _mark(row._tr.get_or_add_trPr(), "w:cantSplit", docx)
        for place, (cell, text) in enumerate(zip(row.cells, texts, strict=True)):
            cell.width = others if place else int(width * FIRST_COLUMN)
            _write_cell(cell.paragraphs[0], typeset(text) if place else text, place, number == 0, docx)
        _rule(row, number == 0, number in (0, len(rows) - 1), docx)
        if not any(texts[1:]):  # a heading among the rows
            row.cells[0].merge(row.cells[-1])
    _mark(grid.rows[0]._tr.get_or_add_trPr(), "w:tblHeader", docx)


def _write_cell(paragraph: Any, text: str, place: int, is_head: bool, docx: Any) -> None:
    if text:  # a cell without a run leaves nothing behind where it is merged
        run = paragraph.add_run(clean(text).strip())
        run.font.size, run.bold = docx.shared.Pt(LETTERS), is_head
    paragraph.paragraph_format.space_after = docx.shared.Pt(0)
    paragraph.paragraph_format.keep_with_next = is_head
    if place:
        paragraph.alignment = docx.enum.text.WD_ALIGN_PARAGRAPH.RIGHT
    elif text.startswith("  "):
        paragraph.paragraph_format.left_indent = docx.shared.Pt(10)


def _rule(row: Any, above: bool, below: bool, docx: Any) -> None:
    """Draw a line over or under the cells of a row."""
    for cell in row.cells:
        borders = _mark(cell._tc.get_or_add_tcPr(), "w:tcBorders", docx)
        for side, drawn in (("top", above), ("bottom", below)):
            if drawn:
                line = _mark(borders, f"w:{side}", docx)
                for what, value in (("val", "single"), ("sz", "8"), ("color", "000000")):
                    line.set(docx.oxml.ns.qn(f"w:{what}"), value)


def _mark(parent: Any, tag: str, docx: Any) -> Any:
    element = docx.oxml.OxmlElement(tag)
    parent.append(element)
    return element
